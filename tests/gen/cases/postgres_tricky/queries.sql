-- MIGRATE 1
CREATE SCHEMA a;
CREATE SCHEMA b;
CREATE TYPE a."Mood" AS ENUM ('sad', 'so so', 'Done ');
CREATE TABLE a.items (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, mood a."Mood", moods a."Mood"[], doc JSONB NOT NULL DEFAULT '{}', grid INTEGER[][], price NUMERIC(10,2), at TIMESTAMPTZ, span INTERVAL, "select" TEXT);
CREATE TABLE b.items (id BIGINT PRIMARY KEY, note TEXT NOT NULL);

-- EXEC add_item
@set mood = null
@set moods = null
@set doc = '{}'
@set price = null
@set span = null
INSERT INTO a.items (mood, moods, doc, price, span) VALUES (${mood}, ${moods}, ${doc}, ${price}, ${span});

-- QUERY with_key
-- Items whose document has a key: ? ?| ?& are operators, and 50 % 7 is 1.
@set key = 'k'
SELECT id, mood, moods, price, span, doc ->> 'k' AS k FROM a.items
WHERE (doc ? ${key} OR doc ?| array['zz', 'y?%s']) AND 50 % 7 = 1 AND doc::text LIKE '%k%' ORDER BY id;

-- QUERY by_mood
@set mood = 'sad'
@set maybe = null
SELECT id FROM a.items WHERE mood = ${mood} OR ${maybe} = ANY (moods) ORDER BY id;

-- QUERY both_tables
SELECT x.id, y.note FROM a.items x LEFT JOIN b.items y ON y.id = x.id ORDER BY x.id;

-- QUERY lateral_rows
SELECT x.id, l.m FROM a.items x LEFT JOIN LATERAL (SELECT unnest(x.moods) AS m) l ON true ORDER BY x.id, l.m;

-- QUERY add_note :one
@set id = 1
@set note = 'n'
INSERT INTO b.items (id, note) VALUES (${id}, ${note}) ON CONFLICT (id) DO UPDATE SET note = excluded.note || '!' RETURNING *;

-- QUERY regex :one :pluck
SELECT regexp_replace('a1\b', '(\d+)\\', E'<\\1>"') AS "9x";

-- WRITE a.items insert|update|delete key(id)
