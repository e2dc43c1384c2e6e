-- The catalog of a Scoter data directory. Plain SQL that SQLite and PostgreSQL both take.
-- Times are microseconds since 1970-01-01 UTC. Read it while the server is stopped, or from a
-- backup: the server holds this file for itself.

-- One row. edits counts the transactions that changed anything. flushed_through is the
-- last segment of the write-ahead log whose rows are all in parts. The next_ columns are
-- the next numbers to give.
CREATE TABLE meta (
  one             INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  format_version  INTEGER NOT NULL,
  edits           BIGINT  NOT NULL,
  flushed_through BIGINT  NOT NULL,
  next_table      BIGINT  NOT NULL,
  next_source     BIGINT  NOT NULL,
  next_seq        BIGINT  NOT NULL,
  next_stream     BIGINT  NOT NULL,
  next_export     BIGINT  NOT NULL DEFAULT 1
);

CREATE TABLE databases (
  name TEXT NOT NULL PRIMARY KEY
);

CREATE TABLE schemas (
  database_name TEXT NOT NULL REFERENCES databases (name),
  name          TEXT NOT NULL,
  PRIMARY KEY (database_name, name)
);

-- truncated_seq: rows of the log up to this sequence number are no longer part of the table. settled_seq, of a table that merges
-- on read: of the rows up to this sequence number no two that are not deleted have one key.
CREATE TABLE tables (
  id             BIGINT  NOT NULL PRIMARY KEY,
  database_name  TEXT    NOT NULL,
  schema_name    TEXT    NOT NULL,
  name           TEXT    NOT NULL,
  schema_version INTEGER NOT NULL,
  truncated_seq  BIGINT  NOT NULL,
  created        BIGINT  NOT NULL,
  settled_seq    BIGINT  NOT NULL DEFAULT 0,
  UNIQUE (database_name, schema_name, name),
  FOREIGN KEY (database_name, schema_name) REFERENCES schemas (database_name, name)
);

-- Every version of every table's schema: parts are read with the one they were written
-- with. definition is JSON.
CREATE TABLE table_versions (
  table_id       BIGINT  NOT NULL REFERENCES tables (id),
  schema_version INTEGER NOT NULL,
  definition     TEXT    NOT NULL,
  PRIMARY KEY (table_id, schema_version)
);

-- columns is JSON: the names and types that the view gives.
CREATE TABLE views (
  database_name TEXT   NOT NULL,
  schema_name   TEXT   NOT NULL,
  name          TEXT   NOT NULL,
  query         TEXT   NOT NULL,
  columns       TEXT   NOT NULL,
  created       BIGINT NOT NULL,
  PRIMARY KEY (database_name, schema_name, name),
  FOREIGN KEY (database_name, schema_name) REFERENCES schemas (database_name, name)
);

-- One row per file parts/<table_id>/<id>.parquet. A file that is not listed is garbage. checksum is
-- the CRC-32C of the file. applied_seq: expressions up to this one are not to be applied to its rows.
CREATE TABLE parts (
  id             BIGINT  NOT NULL PRIMARY KEY,
  table_id       BIGINT  NOT NULL,
  schema_version INTEGER NOT NULL,
  partition_key  TEXT    NOT NULL,
  row_count      BIGINT  NOT NULL,
  bytes          BIGINT  NOT NULL,
  checksum       BIGINT  NOT NULL,
  level          INTEGER NOT NULL,
  min_seq        BIGINT  NOT NULL,
  max_seq        BIGINT  NOT NULL,
  created        BIGINT  NOT NULL,
  applied_seq    BIGINT  NOT NULL DEFAULT 0,
  FOREIGN KEY (table_id, schema_version) REFERENCES table_versions (table_id, schema_version)
);
CREATE INDEX parts_of_table ON parts (table_id, schema_version);

-- CRC-32C of each 65,536 bytes of a part's file, of the last ones too if they are fewer: 4 bytes each,
-- little-endian. A part of a format before 9 has none until its file was read. verified is when the
-- whole file was compared last; 0: never since it was written.
CREATE TABLE part_blocks (
  part_id   BIGINT NOT NULL PRIMARY KEY REFERENCES parts (id),
  checksums BLOB   NOT NULL,
  verified  BIGINT NOT NULL
);

-- Bounds of each column in each part. A value's first letter is its kind: i, u: integer,
-- f: float, d: decimal, s: text, b: bytes in base64; empty: not known.
CREATE TABLE part_stats (
  part_id   BIGINT NOT NULL REFERENCES parts (id),
  column_id BIGINT NOT NULL,
  min_value TEXT   NOT NULL,
  max_value TEXT   NOT NULL,
  nulls     BIGINT NOT NULL,
  PRIMARY KEY (part_id, column_id)
);

-- Deleted rows of parts: a roaring bitmap of row numbers, in its portable format. created is when the bitmap became what it is;
-- 0: by a format that did not say.
CREATE TABLE part_deletions (
  part_id      BIGINT NOT NULL PRIMARY KEY REFERENCES parts (id),
  deleted      BLOB   NOT NULL,
  deleted_rows BIGINT NOT NULL,
  created      BIGINT NOT NULL DEFAULT 0
);

-- New values of some columns (JSON: column ids, ascending) of some rows of a part. Where two have a value for the same, the one
-- with the greater seq, then the greater id, counts. content is an Arrow IPC stream of one batch: column
-- scoter_ordinal, the row numbers, ascending, then the values. If it is empty, the same is in the file
-- patches/<table_id>/<id>.parquet. bytes and checksum (CRC-32C) are those of the content or file. created as above.
CREATE TABLE patches (
  id             BIGINT  NOT NULL PRIMARY KEY,
  part_id        BIGINT  NOT NULL REFERENCES parts (id),
  schema_version INTEGER NOT NULL,
  columns        TEXT    NOT NULL,
  seq            BIGINT  NOT NULL,
  row_count      BIGINT  NOT NULL,
  bytes          BIGINT  NOT NULL,
  checksum       BIGINT  NOT NULL,
  content        BLOB    NOT NULL,
  created        BIGINT  NOT NULL DEFAULT 0
);
CREATE INDEX patches_of_part ON patches (part_id);

-- Updates that are applied when rows are read: to the rows of the table's parts that have a smaller applied_seq and no patch.
-- content is JSON: the SQL of the new values and of the condition, with the names that the columns have in schema_version.
CREATE TABLE expressions (
  table_id       BIGINT  NOT NULL,
  seq            BIGINT  NOT NULL,
  schema_version INTEGER NOT NULL,
  content        TEXT    NOT NULL,
  created        BIGINT  NOT NULL,
  PRIMARY KEY (table_id, seq),
  FOREIGN KEY (table_id, schema_version) REFERENCES table_versions (table_id, schema_version)
);

-- Sources of rows outside, as CREATE SOURCE defines them. definition is JSON.
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

-- How far each stream's rows are in parts; the log may be further. topic_id tells a topic from a
-- later one of the same name. next_offset is the first that is not in the tables, epoch
-- the leader epoch of the one before, or -1.
CREATE TABLE stream_offsets (
  stream_id   BIGINT  NOT NULL REFERENCES streams (id),
  topic       TEXT    NOT NULL,
  partition   INTEGER NOT NULL,
  topic_id    BLOB    NOT NULL,
  next_offset BIGINT  NOT NULL,
  epoch       INTEGER NOT NULL,
  PRIMARY KEY (stream_id, topic, partition)
);

-- Exports of tables' partitions, as CREATE EXPORT defines them. definition is JSON.
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

-- The objects that an export wrote. fingerprint tells of which state of the partition's rows. A closed one is written no more: its rows
-- are no longer in the table, and rows that come to its partition go into the next generation. bytes is 0 if the state had no rows to
-- write: then there is no object. etag is what the storage calls the object's content.
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

-- What was answered to requests that carried an idempotency key.
CREATE TABLE idempotency_keys (
  key       TEXT   NOT NULL PRIMARY KEY,
  body_hash BLOB   NOT NULL,
  result    BLOB   NOT NULL,
  expires   BIGINT NOT NULL
);
