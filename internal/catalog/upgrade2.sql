-- Format 1 to 2; schema.sql says what the tables hold.
ALTER TABLE meta ADD COLUMN next_stream BIGINT NOT NULL DEFAULT 1;
CREATE TABLE streams (
  id            BIGINT  NOT NULL PRIMARY KEY,
  database_name TEXT    NOT NULL,
  schema_name   TEXT    NOT NULL,
  name          TEXT    NOT NULL,
  definition    TEXT    NOT NULL,
  paused        INTEGER NOT NULL,
  created       BIGINT  NOT NULL,
  UNIQUE (database_name, schema_name, name),
  FOREIGN KEY (database_name, schema_name) REFERENCES schemas (database_name, name)
);
CREATE TABLE stream_offsets (
  stream_id   BIGINT  NOT NULL REFERENCES streams (id),
  topic       TEXT    NOT NULL,
  partition   INTEGER NOT NULL,
  topic_id    BLOB    NOT NULL,
  next_offset BIGINT  NOT NULL,
  epoch       INTEGER NOT NULL,
  PRIMARY KEY (stream_id, topic, partition)
);
