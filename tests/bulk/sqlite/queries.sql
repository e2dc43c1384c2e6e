-- MIGRATE 1
CREATE TABLE kv (k INTEGER NOT NULL PRIMARY KEY, v TEXT NOT NULL CHECK (length(v) <= 10), n REAL, doc BLOB);
CREATE TABLE ending (name TEXT UNIQUE ON CONFLICT ROLLBACK);
CREATE TABLE numbered (name TEXT UNIQUE ON CONFLICT FAIL, n INTEGER NOT NULL);
CREATE TABLE days (day DATE NOT NULL);

-- WRITE kv insert|update|delete|upsert key(k)

-- WRITE numbered insert key(name)

-- WRITE ending insert

-- TABLE appended :appender
kv

-- QUERY days :pluck
SELECT day FROM days ORDER BY day;

-- EXEC set_kv :batch
@set k = 1
@set v = 'x'
UPDATE kv SET v = ${v} WHERE k = ${k};
