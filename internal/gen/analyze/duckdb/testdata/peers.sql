-- MIGRATE 1
CREATE TYPE mood AS ENUM ('sad', 'ok', 'so so', '');
CREATE SCHEMA app;
CREATE SEQUENCE seq START 1;
CREATE TABLE users (id INTEGER PRIMARY KEY DEFAULT nextval('seq'), name VARCHAR NOT NULL, email VARCHAR UNIQUE, feeling mood, feelings mood[], manager INTEGER);
CREATE TABLE app.users (id BIGINT NOT NULL, label VARCHAR, twice BIGINT GENERATED ALWAYS AS (id * 2));
CREATE TABLE posts (id INTEGER NOT NULL, user_id INTEGER NOT NULL, title VARCHAR NOT NULL, class VARCHAR, "select" VARCHAR, "my col" VARCHAR, "9x" INTEGER, matrix INTEGER[][], cost DECIMAL(10,2) NOT NULL, meta JSON,
  point STRUCT(x DOUBLE, "y z" mood[]), attrs MAP(VARCHAR, INTEGER), fixed FLOAT[3], at_tz TIMESTAMPTZ, ns TIMESTAMP_NS, huge HUGEINT, raw BLOB, u UUID);
CREATE VIEW authors AS SELECT u.id, u.name, p.title FROM users u LEFT JOIN posts p ON p.user_id = u.id;
CREATE MACRO twice(a) AS a * 2;

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

-- QUERY scalar_subquery
SELECT (SELECT title FROM posts LIMIT 1) AS t, (SELECT count(*) FROM posts) AS n, EXISTS (SELECT 1 FROM posts) AS e;

-- QUERY empty_set :one
SELECT max(id) AS m, sum(cost) AS s, count(*) AS n, count(*) FROM posts;

-- QUERY grouped
SELECT user_id, max(title) AS t, sum(cost) AS s, list(id) AS ids, max(class) AS c, count(*) FILTER (WHERE id > 1) AS n, sum(cost) FILTER (WHERE id > 1) AS f FROM posts GROUP BY user_id;

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
SELECT regexp_replace(name, '(\d+)', '\1') AS r, regexp_matches(name, '(\d+)?') AS m FROM users;

-- QUERY in_list
@set ids = [1, 2]
SELECT id, name FROM users WHERE id IN (${ids});

-- QUERY not_in_list
@set moods = ('sad')
SELECT id FROM users WHERE feeling NOT IN (${moods});

-- QUERY optional
@set x = null
SELECT id FROM users WHERE (${x} IS NULL OR id = ${x});

-- QUERY only_sample :one
@set x = DATE '2020-01-01'
@set y = ['a']
SELECT ${x} AS x, ${y} AS y;

-- QUERY by_enum
@set m = 'ok'
SELECT id, feeling, feelings FROM users WHERE feeling = ${m};

-- QUERY pivoted
SELECT * FROM (PIVOT users ON feeling IN ('sad', 'ok') USING count(*) GROUP BY name);

-- QUERY two_schemas
SELECT a.id, b.id AS other, b.label FROM users a JOIN app.users b ON a.id = b.id;

-- QUERY recursive
WITH RECURSIVE chain AS (SELECT id, manager, 0 AS depth FROM users WHERE manager IS NULL
  UNION ALL SELECT u.id, u.manager, c.depth + 1 FROM users u JOIN chain c ON c.id = u.manager)
SELECT * FROM chain;

-- QUERY cte
WITH a AS MATERIALIZED (SELECT id, email FROM users), b AS (SELECT id FROM a) SELECT a.id, a.email, b.id AS bid FROM a LEFT JOIN b ON a.id = b.id;

-- QUERY unions
SELECT id, name FROM users UNION ALL SELECT id, class FROM posts;

-- QUERY through_view
SELECT id, name, title FROM authors;

-- QUERY cases
@set d = 'x'
SELECT coalesce(email, name) AS a, coalesce(email, ${d}) AS b, CASE WHEN id > 1 THEN 'x' END AS c, CASE WHEN id > 1 THEN 'x' ELSE name END AS d, nullif(name, 'x') AS e, greatest(email, name) AS f, name || email AS g, name || '!' AS h, id::VARCHAR AS i, now() AS j, TRY_CAST(name AS INTEGER) AS k, NULL AS l, id / 0 AS m, twice(id) AS n, id + 1 AS o FROM users;

-- QUERY marked
SELECT email AS "email!", name AS "name?" FROM users ORDER BY "email!";

/* QUERY overridden
  result:
    n: integer not null
    email: not null
*/
SELECT count(*) AS n, max(email) AS email FROM users;

-- QUERY all_types
SELECT * EXCLUDE ("union", medium_enum) FROM test_all_types();

-- QUERY all_posts
FROM posts;

-- QUERY structs :one
SELECT data: {'test': 1, 'name': 'abc', 'nested': {'test': true}}, m: MAP {'a': 1}, l: [[1], [2]], r: row(1, 'x');

-- QUERY insert_returning :one
@set name = 'n'
@set f = null
INSERT INTO users (name, feeling) VALUES (${name}, ${f}) RETURNING *;

-- QUERY upsert_returning :one
@set name = 'n'
@set email = 'e'
INSERT INTO users (name, email) VALUES (${name}, ${email}) ON CONFLICT (email) DO UPDATE SET name = EXCLUDED.name RETURNING id, email;

-- QUERY update_returning
UPDATE users AS u SET email = NULL WHERE email IS NOT NULL RETURNING u.email, name;

-- EXEC insert_post :batch
@set matrix = [[1]]
@set point = {'x': 1.0, 'y z': ['ok']}
@set attrs = MAP {'a': 1}
INSERT INTO posts (id, user_id, title, matrix, point, attrs, cost) VALUES (1, 1, 't', ${matrix}, ${point}, ${attrs}, 1);

-- EXEC unnested
@set ids = '[1]'
UPDATE users SET email = k.e FROM (SELECT unnest(${ids}::INTEGER[]) AS id, 'x' AS e) k WHERE users.id = k.id;

-- EXEC drop_it
DROP TABLE users;

-- EXEC stage
CREATE OR REPLACE TEMP TABLE staged AS SELECT 1 AS x;

-- TABLE users :appender

-- WRITE posts insert|update|delete key(id, user_id)

-- WRITE users insert|update|delete|upsert

-- TABLE app_users :write key(id)
app.users

-- QUERY decimal_samples_do_not_narrow :one
@set by = 0.5
@set less = -0.5
@set exact = 0.5::DECIMAL(12,3)
@set any = (0.5, 12.25)
@set whole = 5
SELECT 1.5::DOUBLE + ${by} AS a, ${less} AS b, ${exact} AS c, ${less} IN ${any} AS d, ${whole} AS e;

-- EXEC decimal_sample_in_update
@set by = 0.5
UPDATE posts SET cost = cost + ${by};
