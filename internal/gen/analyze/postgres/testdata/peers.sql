-- MIGRATE 1
CREATE TYPE mood AS ENUM ('sad', 'ok', 'Ok ', '', '9x', '+', '-');
CREATE SCHEMA app;
CREATE TYPE app.address AS (street text, zip int);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE users (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, email text UNIQUE, feeling mood, feelings mood[], manager int REFERENCES users);
CREATE TABLE app.users (id bigserial PRIMARY KEY, label varchar(20));
CREATE TABLE posts (id int PRIMARY KEY, user_id int NOT NULL REFERENCES users, title text NOT NULL, meta jsonb, class text, "select" text, "my col" text, "9x" int, matrix int[][], cost numeric(10,2) NOT NULL, home app.address);
CREATE TABLE everything (a bool, b smallint, c int, d bigint, e real, f float8, g numeric, h numeric(10,2), i text, j varchar(5), k char(3), l bytea, m uuid, n date, o time, p timetz, q timestamp, r timestamptz, s interval, t json, u jsonb, v inet, w int4range, x xml, y money, z bit(3), aa oid, ab positive, ac app.address, ad app.address[], ae mood[], af text[][], ag tsvector, ah numeric(5,1)[]);
CREATE VIEW authors AS SELECT u.id, u.name, p.title FROM users u LEFT JOIN posts p ON p.user_id = u.id;

-- TESTDATA
INSERT INTO users (name) VALUES ('a');

-- QUERY left_join
SELECT u.id, u.name, p.id AS post_id, p.title, p.user_id FROM users u LEFT JOIN posts p ON p.user_id = u.id;

-- QUERY right_join
SELECT u.id, p.id AS post_id FROM users u RIGHT JOIN posts p ON p.user_id = u.id;

-- QUERY full_join
SELECT u.id, p.id AS post_id FROM users u FULL JOIN posts p ON p.user_id = u.id;

-- QUERY using_join
SELECT id, a.name, b.label FROM users a FULL JOIN app.users b USING (id);

-- QUERY left_join_subquery
SELECT u.id, s.n, s.title FROM users u LEFT JOIN (SELECT user_id, count(*) AS n, max(title) AS title FROM posts GROUP BY user_id) s ON s.user_id = u.id;

-- QUERY lateral_join
SELECT u.id, l.n, l.last FROM users u, LATERAL (SELECT count(*) AS n, max(p.id) AS last FROM posts p WHERE p.user_id = u.id) l;

-- QUERY left_lateral
SELECT u.id, l.title FROM users u LEFT JOIN LATERAL (SELECT p.title FROM posts p WHERE p.user_id = u.id LIMIT 1) l ON true;

-- QUERY scalar_subquery
SELECT (SELECT title FROM posts LIMIT 1) AS t, (SELECT count(*) FROM posts) AS n, EXISTS (SELECT FROM posts) AS e, ARRAY(SELECT id FROM posts) AS ids;

-- QUERY empty_set :one
SELECT max(id) AS m, sum(cost) AS s, count(*) AS n, count(*) FROM posts;

-- QUERY grouped
SELECT user_id, max(title) AS t, sum(cost) AS s, array_agg(id) AS ids, max(class) AS c, count(*) FILTER (WHERE id > 1) AS n, sum(cost) FILTER (WHERE id > 1) AS f FROM posts GROUP BY user_id;

-- QUERY rolled_up
SELECT user_id, title, count(*) AS n FROM posts GROUP BY ROLLUP (user_id, title);

-- QUERY windows
SELECT id, lag(id) OVER w AS before, row_number() OVER w AS n, sum(id) OVER w AS s FROM posts WINDOW w AS (ORDER BY id);

-- QUERY unaliased :pluck :one
SELECT count(*) FROM users;

-- QUERY odd_names
SELECT class, "select", "my col", "9x" FROM posts;

-- QUERY proven
SELECT email, lower(email) AS l FROM users WHERE email IS NOT NULL AND name LIKE '%x%';

-- QUERY param_named_stmt
@set stmt = 'x'
@set class = null
SELECT id FROM users WHERE name = ${stmt} OR email = ${class} OR name = ${stmt};

-- QUERY regex
SELECT regexp_replace(name, '(\d+)', '\1') AS r, name ~ '(\d+)?' AS m FROM users;

-- QUERY jsonb_operator
SELECT id, meta ->> 'a' AS a, meta ? 'b' AS has FROM posts WHERE meta ? 'x' AND meta ?| array['y'];

-- QUERY in_list
@set ids = (1, 2)
SELECT id, name FROM users WHERE id IN (${ids});

-- QUERY not_in_list
@set names = ('a')
SELECT id FROM users WHERE name NOT IN (${names});

-- QUERY optional
@set x = null
SELECT id FROM users WHERE (${x} IS NULL OR id = ${x});

-- QUERY only_null_test :pluck
@set x = 5
SELECT ${x} IS NULL;

-- QUERY same_twice
@set x = 'a'
SELECT id FROM users WHERE name = ${x} OR email = ${x};

-- QUERY by_enum
@set m = 'ok'
SELECT id, feeling, feelings FROM users WHERE feeling = ${m};

-- QUERY two_schemas
SELECT a.id, b.id AS other, b.label FROM users a JOIN app.users b ON a.id = b.id;

-- QUERY recursive
WITH RECURSIVE chain AS (SELECT id, manager, 0 AS depth FROM users WHERE manager IS NULL
  UNION ALL SELECT u.id, u.manager, c.depth + 1 FROM users u JOIN chain c ON c.id = u.manager)
SELECT * FROM chain;

-- QUERY unions
SELECT id, name FROM users UNION ALL SELECT id, class FROM posts;

-- QUERY excepts
SELECT name FROM users EXCEPT SELECT class FROM posts;

-- QUERY through_view
SELECT id, name, title FROM authors;

-- QUERY cases
@set d = 'x'
SELECT coalesce(email, name) AS a, coalesce(email, ${d}) AS b, CASE WHEN id > 1 THEN 'x' END AS c, CASE WHEN id > 1 THEN 'x' ELSE name END AS d, nullif(name, 'x') AS e, greatest(email, name) AS f, name || email AS g, name || '!' AS h, id::text AS i, now() AS j, current_date AS k, NULL AS l FROM users;

-- QUERY marked
SELECT email AS "email!", name AS "name?" FROM users ORDER BY "email!";

/* QUERY overridden
  result:
    n: integer not null
    email: not null
*/
SELECT count(*) AS n, max(email) AS email FROM users;

-- QUERY all_types
SELECT * FROM everything;

-- QUERY insert_returning :one
@set name = 'n'
@set f = null
INSERT INTO users (name, feeling) VALUES (${name}, ${f}) RETURNING *;

-- QUERY upsert_returning :one
@set name = 'n'
@set email = 'e'
INSERT INTO users (name, email) VALUES (${name}, ${email}) ON CONFLICT (email) DO UPDATE SET name = EXCLUDED.name RETURNING id, email;

-- QUERY update_returning
UPDATE users SET email = NULL WHERE email IS NOT NULL RETURNING email, name;

-- EXEC insert_post
@set matrix = '{{1}}'
@set meta = '{}'
INSERT INTO posts (id, user_id, title, matrix, meta, cost) VALUES (1, 1, 't', ${matrix}, ${meta}, 1);

-- EXEC drop_it
DROP TABLE users;

-- EXEC notin_cte
WITH d AS (DELETE FROM posts RETURNING id) UPDATE users SET name = 'x' WHERE id IN (SELECT id FROM d);

-- QUERY generated_series
SELECT s, o, v.a, v.b FROM generate_series(1, 3) WITH ORDINALITY AS g(s, o), (VALUES (1, 'x'), (2, NULL)) v(a, b);

-- QUERY typed_result :result=Person
SELECT id, name FROM users;

-- QUERY shared_result
SELECT id, name FROM users WHERE id > 1;

-- TABLE users :appender

-- WRITE posts insert|update|delete|upsert key(id)

-- WRITE app_users insert|update|delete
app.users

-- TABLE by_name :write key(label)
app.users
