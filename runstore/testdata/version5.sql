-- A database of schema version 4 with one suspended run; never change it.
CREATE TABLE runs (
  id              TEXT NOT NULL PRIMARY KEY,
  plain           TEXT NOT NULL,
  reversed        TEXT NOT NULL,
  project         TEXT NOT NULL,
  workspace       TEXT NOT NULL,
  status          TEXT NOT NULL,
  undecided       INTEGER NOT NULL,
  waiting         INTEGER NOT NULL,
  created_at      INTEGER NOT NULL,           -- Unix nanoseconds, as all times
  updated_at      INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL,
  title           TEXT NOT NULL,
  seq             INTEGER NOT NULL,
  epoch           INTEGER NOT NULL,
  owner           TEXT,                       -- NULL: nobody
  owner_host      TEXT,
  owner_boot      TEXT,
  owner_pid       INTEGER,
  owner_since     INTEGER,
  projection      TEXT NOT NULL               -- JSON of the run, prompt left out
) STRICT;

CREATE INDEX runs_recent         ON runs (created_at, id);
CREATE INDEX runs_project        ON runs (project, created_at, id);
CREATE INDEX runs_status         ON runs (status, created_at, id);
CREATE INDEX runs_project_status ON runs (project, status, created_at, id);
CREATE INDEX runs_waiting        ON runs (created_at, id) WHERE waiting = 1;
CREATE INDEX runs_waiting_here   ON runs (project, created_at, id) WHERE waiting = 1;
CREATE INDEX runs_ended      ON runs (updated_at, id, status)
  WHERE status IN ('finished', 'failed', 'canceled') AND waiting = 0;
CREATE INDEX runs_ended_here ON runs (project, updated_at, id, status)
  WHERE status IN ('finished', 'failed', 'canceled') AND waiting = 0;
CREATE INDEX runs_plain          ON runs (plain);
CREATE INDEX runs_reversed       ON runs (reversed);
CREATE INDEX runs_idempotency    ON runs (idempotency_key) WHERE idempotency_key <> '';

CREATE TABLE events (
  run_id  TEXT NOT NULL REFERENCES runs (id),
  seq     INTEGER NOT NULL,
  at      INTEGER,                            -- NULL: the zero time
  type    TEXT NOT NULL,
  v       INTEGER NOT NULL,                   -- version of the payload
  change  TEXT NOT NULL,
  epoch   INTEGER NOT NULL,
  payload BLOB,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE suspensions (
  run_id     TEXT NOT NULL REFERENCES runs (id),
  call_id    TEXT NOT NULL,
  n          INTEGER NOT NULL,
  pos        INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  tool       TEXT NOT NULL,
  args       BLOB,
  payload    BLOB,
  schema     TEXT NOT NULL,
  since      INTEGER,
  state      TEXT NOT NULL,
  answer     BLOB,
  answer_by  TEXT,                            -- NULL: unanswered
  answer_via TEXT,
  answer_at  INTEGER,
  PRIMARY KEY (run_id, call_id, n)
) STRICT;

CREATE INDEX suspensions_open ON suspensions (run_id, pos, n) WHERE state = 'open';

CREATE TABLE plans (
  run_id       TEXT NOT NULL REFERENCES runs (id),
  path         TEXT NOT NULL,
  revision     INTEGER NOT NULL,
  call_id      TEXT NOT NULL,
  n            INTEGER NOT NULL,
  submitted    TEXT NOT NULL,                 -- the path as the model gave it
  title        TEXT NOT NULL,
  digest       TEXT NOT NULL,
  author       TEXT NOT NULL,
  submitted_at INTEGER,
  decision     TEXT NOT NULL,
  feedback     TEXT NOT NULL,
  decided_by   TEXT NOT NULL,
  via          TEXT NOT NULL,
  decided_at   INTEGER,
  PRIMARY KEY (run_id, path, revision)
) STRICT;

CREATE INDEX plans_open ON plans (path) WHERE decision = 'open';

CREATE TABLE blobs (
  digest TEXT NOT NULL PRIMARY KEY,
  data   BLOB NOT NULL
) STRICT;

CREATE TABLE texts (
  key    INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  ref    TEXT NOT NULL,
  body   TEXT NOT NULL,
  UNIQUE (run_id, ref)
) STRICT;

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

CREATE VIRTUAL TABLE texts_index USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'none'
);
PRAGMA application_id = 1634168436;
INSERT INTO runs (id, plain, reversed, project, workspace, status, undecided, waiting, created_at, updated_at, idempotency_key, title, seq, epoch, projection)
VALUES ('01939f3c-0000-7000-8000-000000000001', '01939f3c000070008000000000000001', '10000000000000800070000c3f939310', '/ws', '/ws', 'suspended', 0, 1,
  1764496800000000001, 1764496800000000001, '', 'Do it', 2, 1,
  '{"runId":"01939f3c-0000-7000-8000-000000000001","title":"Do it","prompt":"","workspace":"/ws","project":"/ws","status":"suspended","mode":"plan","model":"script:x","text":"","usage":{"inputTokens":0,"outputTokens":0,"cacheReadTokens":0,"cacheWriteTokens":0,"reasoningTokens":0,"steps":1,"cost":null},"limits":{},"driven":"0s","undecided":false,"createdAt":"2025-11-30T10:00:00.000000001Z","updatedAt":"2025-11-30T10:00:00.000000001Z","seq":2}');
INSERT INTO events VALUES ('01939f3c-0000-7000-8000-000000000001', 1, 1764496800000000001, 'start', 1, 'w', 1, CAST('{"prompt":"Do it"}' AS BLOB));
INSERT INTO events VALUES ('01939f3c-0000-7000-8000-000000000001', 2, 1764496800000000002, 'tool-call-suspended', 1, 'w', 1, CAST('{"toolCallId":"c","suspendPayload":{"digest":"sha256:5faffcbc984a6f02190eaafd9873ce7c49ea08cf3bd40d982829c4a6d5e672ac"}}' AS BLOB));
INSERT INTO blobs VALUES ('sha256:5faffcbc984a6f02190eaafd9873ce7c49ea08cf3bd40d982829c4a6d5e672ac', CAST('# A plan' AS BLOB));
INSERT INTO blobs VALUES ('sha256:00', CAST('of no run' AS BLOB));
INSERT INTO suspensions (run_id, call_id, n, pos, kind, tool, payload, schema, since, state)
VALUES ('01939f3c-0000-7000-8000-000000000001', 'c', 1, 1, 'question', 'ask_user', CAST('{"question":"Which one?"}' AS BLOB), '', 1764496800000000002, 'open');
INSERT INTO texts VALUES (115638062284800, '01939f3c-0000-7000-8000-000000000001', 'prompt', 'Do it');
INSERT INTO texts VALUES (115638062284801, '01939f3c-0000-7000-8000-000000000001', 'title', 'Do it');
INSERT INTO texts VALUES (115638062284802, '01939f3c-0000-7000-8000-000000000001', 'question c#1', 'Which one?');
INSERT INTO words (id, word) VALUES (1, 'do'), (2, 'it'), (3, 'which'), (4, 'one'), (5, '?');
INSERT INTO texts_index (rowid, words) VALUES (115638062284800, '1 2'), (115638062284801, '1 2'), (115638062284802, '3 4 5');

CREATE TABLE blob_uses (
  run_id TEXT NOT NULL REFERENCES runs (id),
  digest TEXT NOT NULL,
  PRIMARY KEY (run_id, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX blob_uses_digest ON blob_uses (digest);
INSERT INTO blob_uses VALUES ('01939f3c-0000-7000-8000-000000000001', 'sha256:5faffcbc984a6f02190eaafd9873ce7c49ea08cf3bd40d982829c4a6d5e672ac');
