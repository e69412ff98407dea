-- Plans are looked for by their path, open ones and all.
DROP INDEX plans_open;
CREATE INDEX plans_path ON plans (path, decision);
