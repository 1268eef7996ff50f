-- What clients of Azure ML v1 leave behind besides models, datasets and profiles. A blob is a file
-- of the content store.
CREATE TABLE azure_blobs (
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  container TEXT NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  modified_unix_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace, container, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX azure_blobs_by_sha256 ON azure_blobs (sha256);

-- Parts of blobs whose list of parts has not come yet.
CREATE TABLE azure_blocks (
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  container TEXT NOT NULL,
  path TEXT NOT NULL,
  block_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace, container, path, block_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX azure_blocks_by_sha256 ON azure_blocks (sha256);

-- What a model is made of, until it is registered.
CREATE TABLE azure_assets (
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE azure_dataset_tags (
  workspace TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  tags TEXT NOT NULL,
  PRIMARY KEY (workspace, name, version),
  FOREIGN KEY (workspace, name, version) REFERENCES datasets (workspace, name, version)
    ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- What the caller asked for, which the profile itself has no longer once the host has set the ceiling.
CREATE TABLE azure_asked_resources (
  profile_id TEXT PRIMARY KEY REFERENCES profiles (id) ON DELETE CASCADE,
  document TEXT NOT NULL
) STRICT, WITHOUT ROWID;
