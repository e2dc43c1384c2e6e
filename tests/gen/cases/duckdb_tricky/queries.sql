-- MIGRATE 1
CREATE TYPE mood AS ENUM ('sad', 'so so');
CREATE TABLE sales (id INTEGER PRIMARY KEY, region VARCHAR NOT NULL, amount DECIMAL(12,2), mood mood, tags VARCHAR[], place STRUCT(lat DOUBLE, "lon g" DOUBLE), attrs MAP(VARCHAR, INTEGER), grid INTEGER[][]);

-- TABLE sales :appender

-- QUERY pivoted
PIVOT (SELECT region, amount FROM sales) ON region IN ('n', 'sw') USING sum(amount);

-- QUERY by_tags
@set ids = (1, 2)
@set mood = null
SELECT id, tags, place, attrs, mood, grid FROM sales WHERE id IN ${ids} AND (${mood} IS NULL OR mood = ${mood}) ORDER BY id;

-- QUERY totals
SELECT region, sum(amount) AS total, count(*) AS "count(*)", list(id ORDER BY id) AS ids FROM sales GROUP BY ALL ORDER BY region;

-- EXEC retag
@set tags = ['a']
@set place = {'lat': 1.0, 'lon g': 2.0}
@set id = 1
UPDATE sales SET tags = ${tags}, place = ${place} WHERE id = ${id};

-- QUERY regex :one :pluck
SELECT regexp_extract('a12b', '(\d+)', 1) || '\' AS "select";
