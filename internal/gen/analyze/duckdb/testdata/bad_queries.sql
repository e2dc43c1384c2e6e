-- MIGRATE 1
CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR);

-- QUERY typo
SELECT id, naem FROM users;

-- QUERY syntax
SELECT 'ü', id FRM users u v;

-- QUERY nameless
SELECT 1 + 1, id FROM users;

-- QUERY no_table
SELECT * FROM usres;

-- QUERY pivoted
PIVOT users ON name USING count(*);

-- QUERY nothing
DELETE FROM users;

-- QUERY ddl
DROP TABLE users;

-- QUERY own_params
SELECT ? AS x;

/* QUERY bad_override
  result:
    id: intt not null
*/
SELECT id, name FROM users;

-- TABLE usres :appender

-- WRITE users upsert key(name)

-- QUERY bytes
SELECT 'üü', naem FROM users;
