/**
 * How much every key, and everybody (`*`), used the service: `resolution` is the length of the stretch that begins at
 * `at` (Unix ms), in ms. What is added at the same time stands together, and so does what is to be dropped.
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
