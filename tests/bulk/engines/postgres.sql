-- MIGRATE 1
CREATE TYPE mood AS ENUM ('sad', 'so so', 'grün');
CREATE DOMAIN short AS varchar(5) CHECK (value <> 'bad');
CREATE TYPE pt AS (x double precision, tags text[], m mood, s short);
CREATE TABLE kv (k integer PRIMARY KEY, v varchar(10) NOT NULL, doc bytea NOT NULL, n numeric(10,2), seen timestamptz UNIQUE);
CREATE TABLE two (a text, b integer, x double precision, UNIQUE NULLS NOT DISTINCT (a, b));
CREATE TABLE every (
    id integer NOT NULL PRIMARY KEY, b boolean, i2 smallint, i8 bigint, o oid, f4 real, f8 double precision, d numeric(10,2), n numeric, s text, v varchar(40),
    c char(9), raw bytea, uid uuid, day date, clock time, ts timestamp, tz timestamptz, tz3 timestamptz(3), span interval, j json, jb jsonb,
    feeling mood, word short, tags text[], grid integer[][], cube double precision[][][], nums numeric[], uids uuid[], moods mood[], stamps timestamptz[],
    docs jsonb[], words short[], p pt, ps pt[]
);
CREATE TABLE flat (
    id integer NOT NULL PRIMARY KEY, b boolean, i2 smallint, i8 bigint, o oid, f4 real, f8 double precision, d numeric(10,2), n numeric, s text, v varchar(40),
    c char(9), raw bytea, uid uuid, day date, clock time, clockz timetz, ts timestamp, tz timestamptz, tz3 timestamptz(3), span interval, j json, jb jsonb,
    feeling mood, word short, tags text[], vs varchar[], grid integer[][], cube double precision[][][], nums numeric[], uids uuid[], stamps timestamptz[],
    flags boolean[], days date[], i2s smallint[], f4s real[]
);
CREATE TABLE odd (id integer PRIMARY KEY, clockz timetz, ip inet, s text);

-- WRITE flat insert|delete key(id)

-- WRITE odd insert|upsert key(id)
