-- Which run keeps which content, so that a deleted run takes what is its alone.
CREATE TABLE blob_uses (
  run_id TEXT NOT NULL REFERENCES runs (id),
  digest TEXT NOT NULL,
  PRIMARY KEY (run_id, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX blob_uses_digest ON blob_uses (digest);

-- Of runs made before: every content their records name.
INSERT INTO blob_uses (run_id, digest)
  SELECT DISTINCT e.run_id, j.value FROM events e, json_tree(CAST(e.payload AS TEXT)) j
  WHERE e.payload IS NOT NULL AND json_valid(CAST(e.payload AS TEXT))
    AND j.type = 'text' AND j.value LIKE 'sha256:%' AND EXISTS (SELECT 1 FROM blobs b WHERE b.digest = j.value);
