SELECT 'no header';

-- QUERY typo :oen
SELECT 1;

-- QUREY swallowed :all
SELECT 2;

-- query lower
SELECT 3;

-- Query lower_too :one
SELECT 3;

-- QUERY missing
@set user_id = 1
SELECT ${usr_id}, ${nothing};

-- QUERY unused
@set a = 1
SELECT 1;

-- QUERY in_string
@set q = 'x'
SELECT '%${q}%';

-- EXEC wants_rows :one
SELECT 1;

-- QUERY
SELECT 1;

-- QUERY two_statements
SELECT 1; SELECT 2;

-- QUERY own ?
SELECT $1;

-- QUERY both :one :all
SELECT 1;

-- TABLE things

-- WRITE things insret|update key()

-- WRITE other insert
SELECT 1;

/* QUERY yaml
  resutl:
    a: int
*/
SELECT 1;

/* QUERY yaml2
  result:
    a: int nott null
    b:
*/
SELECT 1 AS a;

-- MIGRATE 1
@set x = 1
CREATE TABLE a (x INT);

-- QUERY twice
@set x = 1
@set x = 2
@set = 4
@set y =
SELECT ${x};

-- QUERY open_string
SELECT 'abc FROM t;

-- QUERY fine_again
SELECT 1;

-- QUERY open_var
SELECT ${abc

-- QUERY it:s a name
SELECT 1
