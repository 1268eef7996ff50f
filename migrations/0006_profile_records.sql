CREATE TABLE profile_phases (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  profile_id TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  started_unix_ms INTEGER NOT NULL,
  finished_unix_ms INTEGER NOT NULL,
  outcome TEXT NOT NULL
) STRICT;
CREATE INDEX profile_phases_by_profile ON profile_phases (profile_id, sequence);

-- The blob stands last: a read of the documents alone does not touch its pages.
CREATE TABLE profile_trials (
  profile_id TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  document TEXT NOT NULL,
  latencies_us BLOB NOT NULL,
  PRIMARY KEY (profile_id, number)
) STRICT;

CREATE TABLE profile_sample_batches (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  profile_id TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  sample_count INTEGER NOT NULL,
  samples BLOB NOT NULL
) STRICT;
CREATE INDEX profile_sample_batches_by_profile ON profile_sample_batches (profile_id, sequence);

CREATE TABLE profile_rows (
  profile_id TEXT PRIMARY KEY REFERENCES profiles (id) ON DELETE CASCADE,
  row_count INTEGER NOT NULL,
  row_records BLOB NOT NULL
) STRICT;

CREATE TABLE profile_log_chunks (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  profile_id TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  size_bytes INTEGER NOT NULL,
  chunk BLOB NOT NULL
) STRICT;
CREATE INDEX profile_log_chunks_by_profile ON profile_log_chunks (profile_id, sequence);

CREATE TABLE profile_events (
  profile_id TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  event_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (profile_id, event_id)
) STRICT, WITHOUT ROWID;
