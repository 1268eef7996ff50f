-- Device traces that were handed in. Their bytes are files of the content store.
CREATE TABLE captures (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  checksum TEXT NOT NULL,
  UNIQUE (workspace, sha256)
) STRICT;
