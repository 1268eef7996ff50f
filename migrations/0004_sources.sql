CREATE TABLE sources (
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX sources_by_sha256 ON sources (sha256);
