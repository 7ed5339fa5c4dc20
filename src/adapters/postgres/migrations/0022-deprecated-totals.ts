/**
 * The callers and calls of each deprecated operation: to sum them takes 8 ms for 100,000 keys. Triggers keep the sums, so
 * that a node of the previous version does too; no caller is ever removed. The lock keeps calls from being added between
 * the sum and its commit. The index was for that sum alone.
 */
export const deprecatedTotals = [
  `CREATE TABLE IF NOT EXISTS petstore.deprecated_totals
     (operation TEXT PRIMARY KEY, callers BIGINT NOT NULL, calls BIGINT NOT NULL)`,
  `CREATE OR REPLACE FUNCTION petstore.count_new_callers() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO petstore.deprecated_totals AS existing
       SELECT operation, count(*), sum(calls) FROM added GROUP BY operation
       ON CONFLICT (operation) DO UPDATE
         SET callers = existing.callers + excluded.callers, calls = existing.calls + excluded.calls;
     RETURN NULL;
   END $$`,
  `CREATE OR REPLACE FUNCTION petstore.count_further_calls() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE petstore.deprecated_totals AS existing SET calls = existing.calls + further.calls
       FROM (SELECT operation, sum(calls) AS calls
         FROM (SELECT operation, calls FROM changed UNION ALL SELECT operation, -calls FROM previous) AS difference
         GROUP BY operation) AS further
       WHERE existing.operation = further.operation;
     RETURN NULL;
   END $$`,
  `LOCK TABLE petstore.deprecated_calls IN SHARE ROW EXCLUSIVE MODE;
   DROP TRIGGER IF EXISTS count_new_callers ON petstore.deprecated_calls;
   CREATE TRIGGER count_new_callers AFTER INSERT ON petstore.deprecated_calls
     REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION petstore.count_new_callers();
   DROP TRIGGER IF EXISTS count_further_calls ON petstore.deprecated_calls;
   CREATE TRIGGER count_further_calls AFTER UPDATE ON petstore.deprecated_calls
     REFERENCING OLD TABLE AS previous NEW TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION petstore.count_further_calls();
   INSERT INTO petstore.deprecated_totals SELECT operation, count(*), sum(calls) FROM petstore.deprecated_calls
     GROUP BY operation ON CONFLICT (operation) DO UPDATE SET callers = excluded.callers, calls = excluded.calls`,
  "DROP INDEX IF EXISTS petstore.deprecated_calls_by_operation",
];
