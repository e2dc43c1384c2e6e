-- Format 8 to 9; schema.sql says what the tables hold.
CREATE TABLE part_blocks (
  part_id   BIGINT NOT NULL PRIMARY KEY REFERENCES parts (id),
  checksums BLOB   NOT NULL,
  verified  BIGINT NOT NULL
);
