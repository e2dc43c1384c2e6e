-- MIGRATE 1
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);

-- QUERY typo
SELECT 'ü', id, naem FROM users;

-- QUERY syntax
SELECT id FRM users u v;

-- QUERY nameless
SELECT 1 + 1, id FROM users;

-- QUERY no_table
SELECT * FROM usres;

-- QUERY nothing
DELETE FROM users;

/* QUERY bad_override
  result:
    id: intt
    name: txet not null
*/
SELECT id, name FROM users;

-- TABLE usres :appender

-- WRITE users upsert key(name)

-- QUERY dup
SELECT id, id FROM users;
