-- `document` is the whole profile; the other columns repeat what is searched for.
CREATE TABLE profiles (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL REFERENCES workspaces (name),
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('Queued', 'Preparing', 'Starting', 'Profiling', 'Verifying',
                                       'Succeeded', 'Failed', 'Canceled', 'TimedOut')),
  dataset_id TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE INDEX profiles_by_name ON profiles (workspace, name, sequence);
CREATE INDEX profiles_by_state ON profiles (state, sequence);

CREATE TABLE profile_models (
  profile_id TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  model_id TEXT NOT NULL,
  PRIMARY KEY (profile_id, model_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_models_by_model ON profile_models (model_id);
