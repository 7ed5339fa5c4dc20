/**
 * Adds the request history. The table is unlogged: a second of requests rewrites a row, which would fill the write-ahead log,
 * and a crash of the server may cost the history.
 */
export const requestSegments = [
  `CREATE UNLOGGED TABLE IF NOT EXISTS petstore.request_segments (
     id TEXT PRIMARY KEY,
     count BIGINT NOT NULL,
     oldest BIGINT NOT NULL,
     newest BIGINT NOT NULL,
     bytes BYTEA NOT NULL
   )`,
];
