/**
 * An index of every three characters in what a search compares: a text that few keys contain is found without a look at each
 * key. Triggers keep it. A change finds the row of its key by the id, with which the text begins. The columns are separated by
 * a control character, which no key contains: so no text is found that begins in one column and ends in the other.
 */
export const keyTexts = `
CREATE VIRTUAL TABLE key_texts USING fts5 (text, key_id UNINDEXED, tokenize = 'trigram case_sensitive 1', columnsize = 0);
INSERT INTO key_texts (text, key_id) SELECT search_text || char(10) || last_fours, id FROM keys;
CREATE TRIGGER key_texts_of_new_keys AFTER INSERT ON keys BEGIN
  INSERT INTO key_texts (text, key_id) VALUES (new.search_text || char(10) || new.last_fours, new.id);
END;
CREATE TRIGGER key_texts_of_changed_keys AFTER UPDATE OF search_text, last_fours ON keys
WHEN new.search_text <> old.search_text OR new.last_fours <> old.last_fours BEGIN
  UPDATE key_texts SET text = new.search_text || char(10) || new.last_fours
    WHERE text GLOB lower(new.id) || ' *' AND key_id = new.id;
END;
`;
