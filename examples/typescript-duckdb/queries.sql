-- MIGRATE 1
CREATE TYPE vehicle AS ENUM ('bike', 'car', 'train');
CREATE TABLE trips (
  id BIGINT PRIMARY KEY,
  vehicle vehicle NOT NULL,
  start STRUCT(lat DOUBLE, lon DOUBLE) NOT NULL,
  stops VARCHAR[] NOT NULL,
  price DECIMAL(10, 2),
  left_at TIMESTAMP NOT NULL
);

-- QUERY get_trip :one
@set id = 1
SELECT * FROM trips WHERE id = ${id};

-- What each vehicle was used for. The sum of no prices is null.
-- QUERY by_vehicle
SELECT vehicle, count(*) AS trips, sum(price) AS price, list(DISTINCT stops[1] ORDER BY stops[1]) AS "first_stops!"
FROM trips
GROUP BY vehicle
ORDER BY vehicle;

-- QUERY trip_ids :pluck
@set vehicle = null
SELECT id FROM trips WHERE ${vehicle} IS NULL OR vehicle = ${vehicle} ORDER BY id;

-- TABLE trips :appender

-- WRITE trips upsert|delete key(id)
