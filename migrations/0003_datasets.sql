CREATE TABLE datasets (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  description TEXT NOT NULL,
  row_count INTEGER NOT NULL CHECK (row_count >= 1),
  distinct_row_count INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  content_sha256 TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  UNIQUE (workspace, name, version)
) STRICT;
CREATE INDEX datasets_by_content ON datasets (content_sha256);
