-- Anything above the first header is just a comment.

-- MIGRATE 1
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, [my col] TEXT); -- trailing; comment
CREATE TRIGGER t AFTER INSERT ON users BEGIN
  UPDATE users SET name = CASE WHEN 1 THEN 'a;b' ELSE 'c' END;
  DELETE FROM users WHERE id = 0;
END;

-- TESTDATA
INSERT INTO users VALUES (1, 'it''s; -- not a comment', NULL);

-- Finds one user.
-- --------------
-- QUERY get_user :one
-- By id, that is.
@set id = 1
SELECT * FROM users WHERE id = ${id};

 -- QUERY noSemicolon :pluck :one

select '--ok' /* lol */ s -- nice

/* end */

/* QUERY typed :result=Typed
  result:
    count: integer not null
    "my col": varchar null
    name: not null
*/
@set name = 'it''s' -- sample
SELECT count(*) AS count, "my col", name FROM users WHERE name = ${ name };

-- EXEC ins :batch
@set b = null
@set a = 'x'
INSERT INTO users (name, "my col") VALUES (${a}, ${b});

-- QUERY listed
@set ids = (1, 2)
@set names = 'a', 'b'
@set one = 1
@set path = 'x'
SELECT id AS "id!", name AS "n?" FROM users
WHERE id IN (${ids}) AND name NOT IN ( /* c */ ${names} ) AND id IN (${one})
  AND name <> ${sources_people} -- why ?
ORDER BY "n?", ${path};

-- TABLE users :appender

-- WRITE users insert|update|delete|upsert key(id)

-- TABLE all_users :write key("my col", id)
main.users
