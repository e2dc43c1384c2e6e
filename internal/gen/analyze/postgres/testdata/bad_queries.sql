-- MIGRATE 1
CREATE TABLE users (id int PRIMARY KEY, name text);

-- QUERY typo
SELECT id, naem FROM users;

-- QUERY dup
SELECT 1 AS a, 2 AS a;

-- QUERY same_words
SELECT 1 AS user_id, 2 AS "userId";

-- QUERY nameless
SELECT 1 + 1, id FROM users;

-- QUERY pluck_two :pluck
SELECT id, name FROM users;

-- QUERY nothing
DELETE FROM users;

-- QUERY no_table
SELECT 'ü', * FROM usres;

/* QUERY bad_override
  result:
    nmae: text
    id: intt not null
*/
SELECT id, name FROM users;

-- TABLE usres :appender

-- WRITE users upsert key(name)

-- WRITE users update key(nam)
