/**
 * The number of keys: to count them takes a millisecond for 20,000. Triggers keep it, so that a node of the previous version
 * does too. The lock keeps keys from being added between the count and its commit.
 */
export const keyTotal = [
  "CREATE TABLE IF NOT EXISTS petstore.key_total (is_only BOOLEAN PRIMARY KEY CHECK (is_only), keys BIGINT NOT NULL)",
  `CREATE OR REPLACE FUNCTION petstore.count_keys() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE petstore.key_total SET keys = keys + (SELECT count(*) FROM changed) * CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
     RETURN NULL;
   END $$`,
  `LOCK TABLE petstore.keys IN SHARE ROW EXCLUSIVE MODE;
   DROP TRIGGER IF EXISTS count_added_keys ON petstore.keys;
   CREATE TRIGGER count_added_keys AFTER INSERT ON petstore.keys
     REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION petstore.count_keys();
   DROP TRIGGER IF EXISTS count_removed_keys ON petstore.keys;
   CREATE TRIGGER count_removed_keys AFTER DELETE ON petstore.keys
     REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION petstore.count_keys();
   INSERT INTO petstore.key_total SELECT true, count(*) FROM petstore.keys
     ON CONFLICT (is_only) DO UPDATE SET keys = excluded.keys`,
];
