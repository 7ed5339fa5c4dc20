/** Indexes for the filters of the audit log. Each ends in the id, by which pages are ordered. */
export const auditIndexes = `
CREATE INDEX audit_by_operator ON audit (operator_id, id);
CREATE INDEX audit_by_operator_name ON audit (operator_name, id);
CREATE INDEX audit_by_action ON audit (action, id);
CREATE INDEX audit_by_operator_and_action ON audit (operator_id, action, id);
CREATE INDEX audit_by_operator_name_and_action ON audit (operator_name, action, id);
CREATE INDEX audit_by_time ON audit (at, id);
-- The trigger for deletions does not fire when a row is replaced.
CREATE TRIGGER audit_is_never_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
`;
