-- Format 4 to 5; schema.sql says what the columns hold.
ALTER TABLE part_deletions ADD COLUMN created BIGINT NOT NULL DEFAULT 0;
ALTER TABLE patches ADD COLUMN created BIGINT NOT NULL DEFAULT 0;
