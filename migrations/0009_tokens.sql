-- Bearer tokens. Only a digest of each secret is kept: a copy of the database lets nobody in.
CREATE TABLE tokens (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'write')),
  secret_sha256 TEXT NOT NULL UNIQUE,
  created_unix_ms INTEGER NOT NULL,
  expires_unix_ms INTEGER,
  last_used_day TEXT
) STRICT;
