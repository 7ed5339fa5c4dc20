/**
 * The deployment that the store belongs to, in one row. A store with keys dates from before it was recorded, and nothing
 * in it says whose it is: production's.
 */
export const deployment = `
CREATE TABLE deployment (name TEXT NOT NULL) STRICT;
INSERT INTO deployment SELECT 'production' WHERE EXISTS (SELECT 1 FROM keys);
`;
