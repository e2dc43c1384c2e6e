-- Format 6 to 7; schema.sql says what the column holds.
ALTER TABLE tables ADD COLUMN settled_seq BIGINT NOT NULL DEFAULT 0;
