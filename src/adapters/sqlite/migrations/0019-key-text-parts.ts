/**
 * Makes the index of every three characters find texts of one and two too: control characters at the end make each character
 * the first of three. `key_text_parts` lists each part in order, with its rows. Totals of calls are read from an index.
 */
export const keyTextParts = `
DROP TRIGGER key_texts_of_new_keys;
DROP TRIGGER key_texts_of_changed_keys;
DROP TABLE key_texts;
CREATE VIRTUAL TABLE key_texts USING fts5 (text, key_id UNINDEXED, tokenize = 'trigram case_sensitive 1', columnsize = 0);
INSERT INTO key_texts (text, key_id) SELECT search_text || char(10) || last_fours || char(10, 10), id FROM keys;
CREATE TRIGGER key_texts_of_new_keys AFTER INSERT ON keys BEGIN
  INSERT INTO key_texts (text, key_id) VALUES (new.search_text || char(10) || new.last_fours || char(10, 10), new.id);
END;
CREATE TRIGGER key_texts_of_changed_keys AFTER UPDATE OF search_text, last_fours ON keys
WHEN new.search_text <> old.search_text OR new.last_fours <> old.last_fours BEGIN
  UPDATE key_texts SET text = new.search_text || char(10) || new.last_fours || char(10, 10)
    WHERE text GLOB lower(new.id) || ' *' AND key_id = new.id;
END;
CREATE VIRTUAL TABLE key_text_parts USING fts5vocab (key_texts, instance);

CREATE INDEX deprecated_calls_by_operation ON deprecated_calls (operation, calls);
`;
