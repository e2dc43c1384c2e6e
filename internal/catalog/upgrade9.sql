-- Format 8 to 9; schema.sql says what the tables hold.
CREATE TABLE part_blocks (
  part_id   BIGINT NOT NULL PRIMARY KEY REFERENCES parts (id),
  checksums BLOB   NOT NULL,
  verified  BIGINT NOT NULL
);

-- Until format 9 a plain INSERT replaced the row of its key. Tables that are there keep that; new ones refuse the row.
UPDATE table_versions SET definition = json_set(definition, '$.replace_on_insert', json('true'))
WHERE json_array_length(definition, '$.primary_key') > 0;
