-- Sources are created under a key as well; a CHECK cannot be altered in place.
ALTER TABLE idempotency_keys RENAME TO idempotency_keys_before;
DROP INDEX idempotency_keys_by_resource;
CREATE TABLE idempotency_keys (
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('model', 'dataset', 'profile', 'source')),
  resource_id TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;
INSERT INTO idempotency_keys (workspace, key, fingerprint, kind, resource_id, created_unix_ms)
SELECT workspace, key, fingerprint, kind, resource_id, created_unix_ms
FROM idempotency_keys_before;
DROP TABLE idempotency_keys_before;
CREATE INDEX idempotency_keys_by_resource ON idempotency_keys (workspace, kind, resource_id);
