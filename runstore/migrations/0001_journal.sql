-- A run: what lists select by, who drives it, and the projection of its
-- journal. plain and reversed are the ID without dashes, forwards and
-- backwards, so that a prefix and a suffix are both ranges of an index.
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
CREATE INDEX runs_plain          ON runs (plain);
CREATE INDEX runs_reversed       ON runs (reversed);
CREATE INDEX runs_idempotency    ON runs (idempotency_key) WHERE idempotency_key <> '';

-- The journal: append-only truth. change and epoch say which change brought a
-- record and under which epoch: how a retry is told from a twin.
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

-- Requests to a person. pos is the place of the call among those of its run.
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

-- Every revision of every plan. The bytes are the blob of that digest.
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

-- Content by digest.
CREATE TABLE blobs (
  digest TEXT NOT NULL PRIMARY KEY,
  data   BLOB NOT NULL
) STRICT;

-- What a search looks through: prompt, title, each question, each plan.
-- Trigrams find any substring of three characters or more, in any script.
CREATE TABLE texts (
  key    INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  ref    TEXT NOT NULL,
  body   TEXT NOT NULL,
  UNIQUE (run_id, ref)
) STRICT;

CREATE VIRTUAL TABLE texts_index USING fts5 (
  body, content = 'texts', content_rowid = 'key', tokenize = 'trigram', detail = 'full'
);
