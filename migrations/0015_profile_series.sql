-- What was read of a profile's containers over time: a row for each series of each container, its
-- points in the layout of server/storage/series_codec.h. Whatever comes to be read of a container
-- is a series more and no column. Profiles of before keep their profile_sample_batches, which
-- nothing writes any more. `measured_count` points were read, of which `point_count` are left.
CREATE TABLE profile_series (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  profile_id TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  source TEXT NOT NULL,
  measured_count INTEGER NOT NULL,
  point_count INTEGER NOT NULL,
  points BLOB NOT NULL,
  checksum TEXT NOT NULL
) STRICT;
CREATE INDEX profile_series_by_profile ON profile_series (profile_id, sequence);
