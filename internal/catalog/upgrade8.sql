-- Format 7 to 8; schema.sql says what the tables hold.
ALTER TABLE meta ADD COLUMN next_export BIGINT NOT NULL DEFAULT 1;
CREATE TABLE exports (
  id            BIGINT  NOT NULL PRIMARY KEY,
  database_name TEXT    NOT NULL,
  schema_name   TEXT    NOT NULL,
  name          TEXT    NOT NULL,
  table_id      BIGINT  NOT NULL REFERENCES tables (id),
  definition    TEXT    NOT NULL,
  paused        INTEGER NOT NULL,
  created       BIGINT  NOT NULL,
  UNIQUE (database_name, schema_name, name),
  FOREIGN KEY (database_name, schema_name) REFERENCES schemas (database_name, name)
);
CREATE TABLE export_objects (
  export_id     BIGINT  NOT NULL REFERENCES exports (id),
  partition_key TEXT    NOT NULL,
  generation    BIGINT  NOT NULL,
  fingerprint   TEXT    NOT NULL,
  row_count     BIGINT  NOT NULL,
  bytes         BIGINT  NOT NULL,
  etag          TEXT    NOT NULL,
  exported      BIGINT  NOT NULL,
  closed        INTEGER NOT NULL,
  PRIMARY KEY (export_id, partition_key, generation)
);
