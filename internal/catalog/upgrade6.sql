-- Format 5 to 6; schema.sql says what the table and the column hold.
ALTER TABLE parts ADD COLUMN applied_seq BIGINT NOT NULL DEFAULT 0;
CREATE TABLE expressions (
  table_id       BIGINT  NOT NULL,
  seq            BIGINT  NOT NULL,
  schema_version INTEGER NOT NULL,
  content        TEXT    NOT NULL,
  created        BIGINT  NOT NULL,
  PRIMARY KEY (table_id, seq),
  FOREIGN KEY (table_id, schema_version) REFERENCES table_versions (table_id, schema_version)
);
