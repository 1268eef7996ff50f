-- Whether a dataset's rows are lines of a text, texts of several lines, or no text. Nobody looked at
-- the older ones: read as texts of several lines, all texts come out right.
ALTER TABLE datasets ADD COLUMN row_form TEXT NOT NULL DEFAULT 'multiLine'
  CHECK (row_form IN ('lines', 'multiLine', 'binary'));
