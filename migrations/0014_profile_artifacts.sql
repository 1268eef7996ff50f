-- Files that a profile left. Their bytes are files of the content store.
CREATE TABLE profile_artifacts (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  profile_id TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  checksum TEXT NOT NULL,
  UNIQUE (profile_id, name)
) STRICT;
