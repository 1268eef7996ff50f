-- A key goes with the resource it made, so the table stays as small as the resources are many.
CREATE TABLE idempotency_keys (
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('model', 'dataset', 'profile')),
  resource_id TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_resource ON idempotency_keys (workspace, kind, resource_id);
