/**
 * Limit states by page, in place of one row for each key: with many keys in use, a page has several that changed, and writing
 * all of it takes hardly longer than one row did. The states that were saved so far are among `others` until their page changes.
 */
export const limitPages = `
CREATE TABLE limit_pages (
  number INTEGER PRIMARY KEY,
  key_ids TEXT NOT NULL,
  numbers BLOB NOT NULL,
  others TEXT
) STRICT;
INSERT INTO limit_pages
  SELECT place / 64, group_concat(key_id, ' '), x'', json_group_object(key_id, json(usage))
  FROM (SELECT key_id, usage, row_number() OVER () - 1 AS place FROM counters) GROUP BY place / 64;
DROP TABLE counters;
`;
