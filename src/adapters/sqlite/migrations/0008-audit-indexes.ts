/** Indexes for the filters of the audit log. */
export const auditIndexes = `
CREATE INDEX audit_by_operator ON audit (operator_id, id);
CREATE INDEX audit_by_operator_name ON audit (operator_name, id);
CREATE INDEX audit_by_action ON audit (action, id);
CREATE INDEX audit_by_time ON audit (at, id);
`;
