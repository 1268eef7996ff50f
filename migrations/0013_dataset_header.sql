-- The first row of a dataset where it looks like the header of a column, else ''. Nobody looked at the
-- older ones.
ALTER TABLE datasets ADD COLUMN header_like TEXT NOT NULL DEFAULT '';
