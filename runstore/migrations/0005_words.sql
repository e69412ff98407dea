-- The index of texts is one of words, not of groups of three letters: a tenth
-- as large, and a rare word is found at once however common its letters are.
-- A word is known while a text has it; words_index finds those a term is part of.
DROP TABLE texts_index;

CREATE TABLE words (
  id   INTEGER PRIMARY KEY,
  word TEXT NOT NULL UNIQUE                   -- lower case
) STRICT;

CREATE VIRTUAL TABLE words_index USING fts5 (
  word, content = 'words', content_rowid = 'id', tokenize = 'trigram case_sensitive 1', columnsize = 0
);

CREATE TRIGGER words_learned AFTER INSERT ON words BEGIN
  INSERT INTO words_index (rowid, word) VALUES (new.id, new.word);
END;

CREATE TRIGGER words_forgotten AFTER DELETE ON words BEGIN
  INSERT INTO words_index (words_index, rowid, word) VALUES ('delete', old.id, old.word);
END;

-- Of each text, by its key, the IDs of its words. Made from the texts by the
-- program: SQL cannot tell words apart.
CREATE VIRTUAL TABLE texts_index USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'none'
);
