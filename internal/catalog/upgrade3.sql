-- Format 2 to 3; schema.sql says what the tables hold.
CREATE TABLE part_deletions (
  part_id      BIGINT NOT NULL PRIMARY KEY REFERENCES parts (id),
  deleted      BLOB   NOT NULL,
  deleted_rows BIGINT NOT NULL
);
CREATE TABLE patches (
  id             BIGINT  NOT NULL PRIMARY KEY,
  part_id        BIGINT  NOT NULL REFERENCES parts (id),
  schema_version INTEGER NOT NULL,
  columns        TEXT    NOT NULL,
  seq            BIGINT  NOT NULL,
  row_count      BIGINT  NOT NULL,
  bytes          BIGINT  NOT NULL,
  checksum       BIGINT  NOT NULL,
  content        BLOB    NOT NULL
);
CREATE INDEX patches_of_part ON patches (part_id);
