-- MIGRATE 1
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, manager INTEGER);
CREATE TABLE typed (a INT, b BOOLEAN NOT NULL, c DATE, d DECIMAL(10,2), e BLOB, f, g VARCHAR(20), h DATETIME, i REAL, j UUID, k JSON, l TIME, m NUMERIC, n ANY, o CHARINT, p MONEY);
CREATE TABLE posts (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users, title TEXT NOT NULL, class TEXT, "select" TEXT, "my col" TEXT, "9x" INT, cost DECIMAL(10,2) NOT NULL, twice GENERATED ALWAYS AS (cost * 2) VIRTUAL);
CREATE TABLE nullkey (id TEXT PRIMARY KEY, v INT);
CREATE TABLE desckey (id INTEGER PRIMARY KEY DESC, v INT);
CREATE TABLE strictkey (id TEXT PRIMARY KEY, v INTEGER NOT NULL, w INTEGER) STRICT;
CREATE TABLE norowid (a TEXT, b INT, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE VIEW authors AS SELECT u.id, u.name, p.title FROM users u LEFT JOIN posts p ON p.user_id = u.id;
CREATE TRIGGER tr AFTER INSERT ON users BEGIN UPDATE users SET email = 'x;y' WHERE id = NEW.id; END;

-- TESTDATA
INSERT INTO users (name) VALUES ('a');

-- QUERY left_join
SELECT u.id, u.name, p.id AS post_id, p.title, p.user_id, p.rowid AS r FROM users u LEFT JOIN posts p ON p.user_id = u.id;

-- QUERY right_join
SELECT u.id, p.id AS post_id FROM users u RIGHT JOIN posts p ON p.user_id = u.id;

-- QUERY full_join
SELECT u.id, p.id AS post_id FROM users u FULL JOIN posts p ON p.user_id = u.id;

-- QUERY using_join
SELECT id, a.id AS aid, b.id AS bid, a.name, b.v FROM users a RIGHT JOIN strictkey b USING (id) WHERE id = 1;

-- QUERY natural_left
SELECT * FROM users NATURAL LEFT JOIN strictkey;

-- QUERY left_join_subquery
SELECT u.id, s.n, s.title FROM users u LEFT JOIN (SELECT user_id, count(*) AS n, max(title) AS title FROM posts GROUP BY user_id) s ON s.user_id = u.id;

-- QUERY inner_join_subquery
SELECT u.id, s.n, s.title FROM users u JOIN (SELECT user_id, count(*) AS n, max(title) AS title FROM posts GROUP BY user_id) s ON s.user_id = u.id;

-- QUERY nested_left
SELECT * FROM (SELECT u.id, p.title FROM users u LEFT JOIN posts p ON p.user_id = u.id);

-- QUERY scalar_subquery
SELECT (SELECT title FROM posts LIMIT 1) AS t, (SELECT count(*) FROM posts) AS n, EXISTS (SELECT 1 FROM posts) AS e, u.id, (SELECT count(p.id) FROM posts p WHERE p.user_id = u.id) AS m, (SELECT max(u.id) FROM posts) AS o FROM users u;

-- QUERY empty_set :one
SELECT max(id) AS m, sum(cost) AS s, count(*) AS n, count(*), id, total(cost) AS t FROM posts;

-- QUERY ordered_aggregate
SELECT id, max(title) AS t FROM posts ORDER BY count(*);

-- QUERY grouped
SELECT user_id, max(title) AS t, sum(cost) AS s, sum(id) AS i, group_concat(title) AS ids, max(class) AS c, count(*) FILTER (WHERE id > 1) AS n, sum(id) FILTER (WHERE id > 1) AS f, avg(cost) AS a FROM posts GROUP BY user_id;

-- QUERY windows
SELECT id, lag(id) OVER w AS before, row_number() OVER w AS n, sum(id) OVER w AS s FROM posts WINDOW w AS (ORDER BY id);

-- QUERY unaliased :pluck :one
SELECT count(*) FROM users;

-- QUERY all_typed
SELECT * FROM typed;

-- QUERY odd_names
SELECT class, "select", [my col], `9x` FROM posts;

-- QUERY keys
SELECT n.id AS a, d.id AS b, s.id AS c, s.v, s.w, r.a AS ra, r.b AS rb, r.c AS rc FROM nullkey n, desckey d, strictkey s, norowid r;

-- QUERY proven
SELECT email, lower(email) AS l FROM users WHERE email IS NOT NULL AND name LIKE '%x%';

-- QUERY param_named_stmt
@set stmt = 'x'
@set class = null
SELECT id FROM users WHERE name = ${stmt} OR email = ${class} OR name = ${stmt};

-- QUERY regex
SELECT id FROM users WHERE name LIKE '(\d+)' ESCAPE '\' OR name GLOB '*[0-9]*';

-- QUERY in_list
@set ids = (1, 2)
SELECT id, name FROM users WHERE id IN (${ids});

-- QUERY not_in_list
@set dates = ('2020-01-01')
SELECT b FROM typed WHERE c NOT IN (${dates});

-- QUERY optional
@set x = null
SELECT id FROM users WHERE (${x} IS NULL OR id = ${x});

-- QUERY limited
@set n = 10
@set skip = 0
@set like = 'a%'
@set low = 1
@set on = true
SELECT id FROM posts p JOIN typed t ON t.b = ${on} WHERE title LIKE ${like} AND cost BETWEEN ${low} AND 5 LIMIT ${n} OFFSET ${skip};

-- QUERY only_sample :one
@set x = 1.5
@set y = 'a'
@set z = DATE '2020-01-01'
SELECT ${x} AS x, ${y} || 'b' AS y, ${z} AS z;

-- QUERY recursive
WITH RECURSIVE chain(id, manager, depth) AS (SELECT id, manager, 0 FROM users WHERE manager IS NULL
  UNION ALL SELECT u.id, u.manager, c.depth + 1 FROM users u JOIN chain c ON c.id = u.manager)
SELECT * FROM chain;

-- QUERY recursive_null
WITH RECURSIVE c(x, y) AS (SELECT 1, 1 UNION ALL SELECT y, NULL FROM c LIMIT 5) SELECT x, y FROM c;

-- QUERY unions
SELECT id, name FROM users UNION ALL SELECT id, class FROM posts;

-- QUERY unions_with_literals
SELECT id, name FROM users UNION ALL SELECT 0, NULL;

-- QUERY unions_of_words
SELECT b AS b1, b AS b2, b AS b3, b AS b4, c, h, l, a FROM typed UNION ALL SELECT TRUE, 0, 1 > 2, NOT b, date('now'), CURRENT_TIMESTAMP, time('now'), 1 FROM typed UNION ALL SELECT 0, 1, NULL, FALSE, NULL, NULL, NULL, NULL;

-- QUERY unions_that_differ
SELECT b AS b1, c AS c1, c AS c2, b AS b2 FROM typed UNION ALL SELECT 2, 'x', datetime('now'), date('now');

-- QUERY values_with_nulls
VALUES (1, NULL, NULL, 0), (NULL, NULL, 'a', 1);

-- QUERY chosen
SELECT coalesce(b, 0) AS b, CASE WHEN a THEN b WHEN c THEN NULL ELSE FALSE END AS c, coalesce(c, date('now')) AS d, coalesce(b, 5) AS e FROM typed;

-- QUERY recursive_union
WITH RECURSIVE r(x, y, z) AS (SELECT NULL, NULL, b FROM typed UNION ALL SELECT f, x, NOT z FROM typed, r) SELECT x, y, z FROM r UNION ALL SELECT 'a', 'b', 0;

-- QUERY cast_to_names
SELECT CAST(name AS JSON) AS j, CAST(name AS UUID) AS u, CAST(name AS DATE) AS d, CAST(name AS TEXT) AS t FROM users;

-- QUERY excepts
SELECT name FROM users EXCEPT SELECT class FROM posts;

-- QUERY through_view
SELECT id, name, title FROM authors;

-- QUERY rows_of_values
SELECT * FROM (VALUES (1, 'a'), (2, NULL));

-- QUERY cases
@set d = 'x'
SELECT coalesce(email, name) AS a, coalesce(email, ${d}) AS b, CASE WHEN id > 1 THEN 'x' END AS c, CASE WHEN id > 1 THEN 'x' ELSE name END AS d, nullif(name, 'x') AS e, max(email, name) AS f, name || email AS g, name || '!' AS h, CAST(id AS TEXT) AS i, CURRENT_TIMESTAMP AS j, iif(id, 1, 2.5) AS k, NULL AS l, id / 0 AS m, id / 2 AS n, id + 1 AS o, id = 1 AS p, datetime('now') AS q, date(name) AS r, -id AS t, id + manager AS u FROM users;

-- QUERY marked
SELECT email AS "email!", name AS "name?" FROM users ORDER BY "email!";

/* QUERY overridden
  result:
    n: boolean not null
    email: not null
*/
SELECT count(*) AS n, max(email) AS email FROM users;

-- QUERY table_function
SELECT key, value FROM json_each('[1]');

-- QUERY insert_returning :one
@set name = 'n'
@set email = null
INSERT INTO users (name, email) VALUES (${name}, ${email}) RETURNING *;

-- QUERY upsert_returning :one
@set name = 'n'
@set email = 'e'
INSERT INTO users (name, email) VALUES (${name}, ${email}) ON CONFLICT (email) DO UPDATE SET name = excluded.name RETURNING id, email;

-- EXEC insert_all :batch
@set user = 1
@set title = 't'
@set cost = 1.5
INSERT INTO posts (user_id, title, cost) VALUES (${user}, ${title}, ${cost});

-- EXEC set_typed
@set b = 1
@set c = '2020-01-01'
@set e = x'00'
UPDATE typed SET b = ${b}, c = coalesce(${c}, c) WHERE e = ${e};

-- EXEC drop_it
DROP TABLE users;

-- TABLE users :appender

-- WRITE posts insert|update|delete|upsert key(id)

-- WRITE norowid insert|update|delete|upsert

-- TABLE by_email :write key(email)
users
