/**
 * `pet_blocks` in place of the index by status: the statuses that each block of 32 ids contains, as a block range index has
 * them. A change of status rarely changes it, where an index of pets changes on two pages of the file.
 */
export const petBlocks = `
CREATE TABLE pet_blocks (
  pet_status TEXT NOT NULL,
  block INTEGER NOT NULL,
  PRIMARY KEY (pet_status, block)
) STRICT, WITHOUT ROWID;
INSERT INTO pet_blocks SELECT DISTINCT status, id >> 5 FROM pets NOT INDEXED;
DROP INDEX pets_by_status;

CREATE TRIGGER pet_blocks_of_new_pets AFTER INSERT ON pets BEGIN
  INSERT OR IGNORE INTO pet_blocks VALUES (new.status, new.id >> 5);
END;
CREATE TRIGGER pet_blocks_of_changed_pets AFTER UPDATE OF status ON pets WHEN new.status <> old.status BEGIN
  INSERT OR IGNORE INTO pet_blocks VALUES (new.status, new.id >> 5);
  DELETE FROM pet_blocks WHERE pet_status = old.status AND block = old.id >> 5 AND NOT EXISTS (
    SELECT 1 FROM pets NOT INDEXED WHERE id BETWEEN old.id >> 5 << 5 AND old.id | 31 AND status = old.status);
END;
CREATE TRIGGER pet_blocks_of_removed_pets AFTER DELETE ON pets BEGIN
  DELETE FROM pet_blocks WHERE pet_status = old.status AND block = old.id >> 5 AND NOT EXISTS (
    SELECT 1 FROM pets NOT INDEXED WHERE id BETWEEN old.id >> 5 << 5 AND old.id | 31 AND status = old.status);
END;
`;
