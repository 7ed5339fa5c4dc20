/**
 * Usage of each key, and of all clients (`*`), in the period of `resolution` ms that begins at `at` (Unix ms). By the
 * primary key, rows that are added or deleted together are adjacent.
 */
export const usage = `
CREATE TABLE usage (
  resolution INTEGER NOT NULL,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  operation TEXT NOT NULL,
  succeeded INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  limited INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  bans INTEGER NOT NULL,
  PRIMARY KEY (resolution, at, who, operation)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_latency (
  resolution INTEGER NOT NULL,
  at INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (resolution, at, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_writers (
  writer TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
