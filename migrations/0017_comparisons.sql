-- A comparison is its question (`document`) and the ids of the profiles that answer it, in the order
-- of its variants (`profile_ids`, a JSON list); what came out is worked out of those. The second table
-- says the same from the profile's side.
CREATE TABLE comparisons (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  name TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  profile_ids TEXT NOT NULL,
  document TEXT NOT NULL,
  checksum TEXT NOT NULL,
  UNIQUE (workspace, name)
) STRICT;

-- Without a reference to profiles: one that is deleted leaves its place empty.
CREATE TABLE comparison_variants (
  profile_id TEXT PRIMARY KEY,
  comparison_id TEXT NOT NULL REFERENCES comparisons (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX comparison_variants_by_comparison ON comparison_variants (comparison_id);

-- Comparisons are created under a key as well; a CHECK cannot be altered in place.
ALTER TABLE idempotency_keys RENAME TO idempotency_keys_before;
DROP INDEX idempotency_keys_by_resource;
CREATE TABLE idempotency_keys (
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('model', 'dataset', 'profile', 'source', 'comparison')),
  resource_id TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;
INSERT INTO idempotency_keys (workspace, key, fingerprint, kind, resource_id, created_unix_ms)
SELECT workspace, key, fingerprint, kind, resource_id, created_unix_ms
FROM idempotency_keys_before;
DROP TABLE idempotency_keys_before;
CREATE INDEX idempotency_keys_by_resource ON idempotency_keys (workspace, kind, resource_id);
