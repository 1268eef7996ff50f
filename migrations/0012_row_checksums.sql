-- What no page of SQLite tells of: a bit that changed inside of a value. row_checksum() is the
-- server's own function (server/storage/row_checksum.h) and part of the format from here on.
ALTER TABLE models ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
UPDATE models SET checksum = row_checksum(workspace, name, version, sha256, tags, document);

ALTER TABLE datasets ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
UPDATE datasets SET checksum = row_checksum(workspace, name, version, description, row_count,
  distinct_row_count, size_bytes, content_sha256, created_unix_ms, row_form);

ALTER TABLE sources ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
UPDATE sources SET checksum = row_checksum(workspace, sha256, size_bytes, created_unix_ms);

ALTER TABLE profiles ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
UPDATE profiles SET checksum = row_checksum(id, workspace, name, state, dataset_id,
  created_unix_ms, document);

ALTER TABLE azure_blobs ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
UPDATE azure_blobs SET checksum = row_checksum(workspace, container, path, sha256, size_bytes,
  modified_unix_ms);

ALTER TABLE azure_blocks ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
UPDATE azure_blocks SET checksum = row_checksum(workspace, container, path, block_id, sha256,
  size_bytes, created_unix_ms);

-- What was measured: NULL for rows of before, which may be many.
ALTER TABLE profile_phases ADD COLUMN checksum TEXT;
ALTER TABLE profile_trials ADD COLUMN checksum TEXT;
ALTER TABLE profile_sample_batches ADD COLUMN checksum TEXT;
ALTER TABLE profile_rows ADD COLUMN checksum TEXT;
ALTER TABLE profile_events ADD COLUMN checksum TEXT;

-- They served nothing but the question whether content may be deleted, which only tables answer
-- now; and NOT INDEXED does not keep SQLite from an index that covers a table WITHOUT ROWID.
DROP INDEX models_by_sha256;
DROP INDEX sources_by_sha256;
DROP INDEX azure_blobs_by_sha256;
DROP INDEX azure_blocks_by_sha256;
DROP INDEX profile_models_by_model;
