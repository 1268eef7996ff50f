-- Names the containers of this data directory, so that a server removes only its own.
CREATE TABLE instance (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  id TEXT NOT NULL
) STRICT;
INSERT INTO instance (only_row, id) VALUES (1, lower(hex(randomblob(8))));

CREATE TABLE workspaces (
  name TEXT PRIMARY KEY,
  created_unix_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO workspaces (name, created_unix_ms)
VALUES ('default', CAST(strftime('%s', 'now') AS INTEGER) * 1000);

-- The highest version ever given to a name: a number is not used again after a delete.
CREATE TABLE version_counters (
  kind TEXT NOT NULL CHECK (kind IN ('model', 'dataset')),
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  name TEXT NOT NULL,
  last_version INTEGER NOT NULL,
  PRIMARY KEY (kind, workspace, name)
) STRICT, WITHOUT ROWID;
