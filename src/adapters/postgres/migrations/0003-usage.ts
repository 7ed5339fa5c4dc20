/**
 * Usage of each key, and of all clients (`*`), in the period of `resolution` ms that begins at `at` (Unix ms). By the
 * primary key, rows that are added or deleted together are adjacent.
 */
export const usage = [
  `CREATE TABLE IF NOT EXISTS petstore.usage (
    resolution INTEGER NOT NULL,
    at BIGINT NOT NULL,
    who TEXT NOT NULL,
    operation TEXT NOT NULL,
    succeeded BIGINT NOT NULL,
    refused BIGINT NOT NULL,
    limited BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    bans BIGINT NOT NULL,
    PRIMARY KEY (resolution, at, who, operation)
  )`,
  `CREATE TABLE IF NOT EXISTS petstore.usage_latency (
    resolution INTEGER NOT NULL,
    at BIGINT NOT NULL,
    bucket INTEGER NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (resolution, at, bucket)
  )`,
  "CREATE TABLE IF NOT EXISTS petstore.usage_writers (writer TEXT PRIMARY KEY, number BIGINT NOT NULL, at BIGINT NOT NULL)",
];
