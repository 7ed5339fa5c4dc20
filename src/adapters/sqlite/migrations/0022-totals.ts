/**
 * The number of keys, and of the callers and calls of each deprecated operation: to count them reads a thousand pages of the
 * file for 100,000 keys. Triggers keep both; no caller is ever removed. The index was for that sum alone.
 */
export const totals = `
CREATE TABLE key_total (keys INTEGER NOT NULL) STRICT;
INSERT INTO key_total SELECT count(*) FROM keys;
CREATE TRIGGER count_added_keys AFTER INSERT ON keys BEGIN UPDATE key_total SET keys = keys + 1; END;
CREATE TRIGGER count_removed_keys AFTER DELETE ON keys BEGIN UPDATE key_total SET keys = keys - 1; END;

CREATE TABLE deprecated_totals (
  operation TEXT PRIMARY KEY,
  callers INTEGER NOT NULL,
  calls INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO deprecated_totals SELECT operation, count(*), sum(calls) FROM deprecated_calls GROUP BY operation;
CREATE TRIGGER count_new_callers AFTER INSERT ON deprecated_calls BEGIN
  INSERT INTO deprecated_totals VALUES (new.operation, 1, new.calls)
    ON CONFLICT DO UPDATE SET callers = callers + 1, calls = calls + excluded.calls;
END;
CREATE TRIGGER count_further_calls AFTER UPDATE OF calls ON deprecated_calls BEGIN
  UPDATE deprecated_totals SET calls = calls + new.calls - old.calls WHERE operation = new.operation;
END;
DROP INDEX deprecated_calls_by_operation;
`;
