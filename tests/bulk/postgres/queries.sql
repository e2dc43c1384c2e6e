-- MIGRATE 1
CREATE TYPE mood AS ENUM ('sad', 'so so', 'grün');
CREATE DOMAIN short AS varchar(5) CHECK (value <> 'bad');
CREATE TYPE pt AS (x double precision, tags text[], m mood, s short);
CREATE TABLE every (
    id integer NOT NULL, b boolean, i2 smallint, i8 bigint, o oid, f4 real, f8 double precision, d numeric(10,2), n numeric, s text, v varchar(40),
    c char(9), raw bytea, uid uuid, day date, clock time, clockz timetz, ts timestamp, tz timestamptz, tz3 timestamptz(3), span interval, j json,
    jb jsonb, feeling mood, word short, tags text[], grid integer[][], cube double precision[][][], nums numeric[], uids uuid[], moods mood[],
    stamps timestamptz[], docs jsonb[], words short[], p pt, ps pt[]
);
CREATE TABLE kv (k integer PRIMARY KEY, v varchar(10) NOT NULL CHECK (v <> 'never'), n numeric(6,2), tags text[]);
CREATE TABLE nets (k integer PRIMARY KEY, ip inet, s text NOT NULL);
CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, k integer NOT NULL REFERENCES kv, at timestamptz NOT NULL, name varchar(5) NOT NULL, n integer NOT NULL, UNIQUE (at, name));
CREATE TABLE pairs (a text, b integer, n integer NOT NULL);
CREATE VIEW kvs AS SELECT k, v FROM kv;

-- WRITE every insert

-- WRITE kv insert|update|delete|upsert key(k)

-- WRITE nets insert|update|delete|upsert key(k)

-- WRITE notes insert|upsert key(at, name)

-- WRITE kvs insert

-- WRITE pairs insert|update|delete key(a, b)

-- QUERY keys_of :pluck
@set v = 'x'
SELECT k FROM kv WHERE v = ${v} ORDER BY k;

-- EXEC set_kv :batch
@set k = 1
@set v = 'x'
UPDATE kv SET v = ${v} WHERE k = ${k};

-- TABLE appended :appender
kv
