/**
 * Indexes for a search of keys and a filter by plan. That of the search needs the extension pg_trgm, which is part of
 * PostgreSQL and may be created without being a superuser; without it a search looks at each key.
 */
export const keySearch = [
  `CREATE INDEX IF NOT EXISTS keys_by_plan ON petstore.keys
     (plan, created_at, id, revoked_at, expires_at, disabled_at, banned_until)`,
  `DO $$
   DECLARE
     place text;
   BEGIN
     CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA petstore;
     SELECT nspname INTO place FROM pg_extension JOIN pg_namespace ns ON ns.oid = extnamespace WHERE extname = 'pg_trgm';
     EXECUTE format('CREATE INDEX IF NOT EXISTS keys_by_text ON petstore.keys
       USING gin (search_text %1$I.gin_trgm_ops, last_fours %1$I.gin_trgm_ops)', place);
   EXCEPTION WHEN undefined_file OR feature_not_supported OR insufficient_privilege THEN
     RAISE NOTICE 'keys are searched without an index: %', SQLERRM;
   END $$`,
];
