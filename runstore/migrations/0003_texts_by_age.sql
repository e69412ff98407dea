-- Texts are numbered by the age of their run, so that a search can walk its
-- matches from the newest run on and end with the page: the second the run was
-- created in, times 65536, and a number within that second.
CREATE TABLE texts_by_age (
  key    INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  ref    TEXT NOT NULL,
  body   TEXT NOT NULL,
  UNIQUE (run_id, ref)
) STRICT;

INSERT INTO texts_by_age (key, run_id, ref, body)
  SELECT r.created_at / 1000000000 * 65536
      + row_number() OVER (PARTITION BY r.created_at / 1000000000 ORDER BY r.created_at, r.id, t.key) - 1,
    t.run_id, t.ref, t.body
  FROM texts t JOIN runs r ON r.id = t.run_id;

DROP TABLE texts_index;
DROP TABLE texts;
ALTER TABLE texts_by_age RENAME TO texts;

CREATE VIRTUAL TABLE texts_index USING fts5 (
  body, content = 'texts', content_rowid = 'key', tokenize = 'trigram', detail = 'full'
);

INSERT INTO texts_index (texts_index) VALUES ('rebuild');
