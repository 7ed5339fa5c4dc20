/** Indexes for the filters of the audit log. Each ends in the id, by which pages are ordered. */
export const auditIndexes = [
  "CREATE INDEX IF NOT EXISTS audit_by_operator ON petstore.audit (operator_id, id)",
  "CREATE INDEX IF NOT EXISTS audit_by_operator_name ON petstore.audit (operator_name, id)",
  "CREATE INDEX IF NOT EXISTS audit_by_action ON petstore.audit (action, id)",
  "CREATE INDEX IF NOT EXISTS audit_by_operator_and_action ON petstore.audit (operator_id, action, id)",
  "CREATE INDEX IF NOT EXISTS audit_by_operator_name_and_action ON petstore.audit (operator_name, action, id)",
  "CREATE INDEX IF NOT EXISTS audit_by_time ON petstore.audit (at, id)",
];
