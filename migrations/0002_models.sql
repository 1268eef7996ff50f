CREATE TABLE models (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  sha256 TEXT NOT NULL,
  tags TEXT NOT NULL,
  document TEXT NOT NULL,
  UNIQUE (workspace, name, version)
) STRICT;
CREATE INDEX models_by_sha256 ON models (sha256);
