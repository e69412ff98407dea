-- Runs that ended and wait for nobody, by when they were last touched: what may
-- be pruned. The status comes last so that they are counted without the table.
CREATE INDEX runs_ended      ON runs (updated_at, id, status)
  WHERE status IN ('finished', 'failed', 'canceled') AND waiting = 0;
CREATE INDEX runs_ended_here ON runs (project, updated_at, id, status)
  WHERE status IN ('finished', 'failed', 'canceled') AND waiting = 0;
