-- MIGRATE 1
CREATE TABLE staged (title VARCHAR NOT NULL, tags VARCHAR[]);

-- TABLE staged :appender

-- QUERY staged_titles :pluck
SELECT title FROM staged ORDER BY title;
