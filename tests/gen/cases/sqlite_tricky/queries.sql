-- MIGRATE 1
CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, n INT, ok BOOLEAN NOT NULL DEFAULT 0, born DATE, price DECIMAL(10,2), raw BLOB, "my col" TEXT, "class" TEXT, "9x" REAL);

/* EXEC add :batch */
@set n = 1
@set ok = true
@set born = '2020-01-01'
@set price = 1.5
@set raw = x'00'
@set stmt = 'it''s'
INSERT INTO t (n, ok, born, price, raw, "my col") VALUES (${n}, ${ok}, ${born}, ${price}, ${raw}, ${stmt});

-- QUERY all_rows :result=Thing
SELECT * FROM t ORDER BY id;

-- QUERY again :result=Thing :one
@set id = 1
SELECT * FROM t WHERE id = ${id} OR id = ${id} + 0;

-- QUERY counted :one
SELECT count(*), max(n) AS "max(n)" FROM t WHERE id < 0;

-- QUERY in_names :pluck
@set names = ('a', 'b')
SELECT id FROM t WHERE "my col" IN ${names} ORDER BY id;

-- QUERY upserted :one
@set id = 1
@set col = 'x'
INSERT INTO t (id, "my col") VALUES (${id}, ${col}) ON CONFLICT (id) DO UPDATE SET "my col" = excluded."my col" RETURNING id, "my col";

-- EXEC drop_it
DROP TABLE IF EXISTS old_things;
