/**
 * How much every key, and everybody (`*`), used the service: `resolution` is the length of the stretch that begins at
 * `at` (Unix ms), in ms. What is added at the same time stands together, and so does what is to be dropped.
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
