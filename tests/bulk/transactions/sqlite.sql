-- MIGRATE 1
CREATE TABLE a (id INTEGER PRIMARY KEY, v VARCHAR);
CREATE TABLE b (id INTEGER PRIMARY KEY, v VARCHAR NOT NULL);
CREATE TABLE c (v VARCHAR);

-- WRITE a insert

-- WRITE b insert

-- TABLE c :appender

-- WRITE c insert

-- QUERY all_a
SELECT id, v FROM a ORDER BY id;

-- EXEC mark
@set id = 1
UPDATE a SET v = 'marked' WHERE id = ${id};

-- EXEC add_b :batch
@set id = 1
@set v = 'v'
INSERT INTO b VALUES (${id}, ${v});

-- QUERY counts :one
SELECT (SELECT count(*) FROM a) AS a, (SELECT count(*) FROM b) AS b, (SELECT count(*) FROM c) AS c, (SELECT count(*) FROM a WHERE v = 'marked') AS marked;
