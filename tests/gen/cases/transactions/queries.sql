-- MIGRATE first
CREATE TABLE readings (id INTEGER NOT NULL PRIMARY KEY, value DOUBLE PRECISION);

-- WRITE readings insert|update|delete|upsert key(id)

-- QUERY readings_all
SELECT * FROM readings ORDER BY id;
