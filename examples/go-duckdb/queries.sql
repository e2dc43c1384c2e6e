-- MIGRATE 1
CREATE TABLE measurements (
  station VARCHAR NOT NULL,
  day DATE NOT NULL,
  celsius DOUBLE,
  PRIMARY KEY (station, day)
);

-- The warmest day of every station that has one.
-- QUERY warmest
SELECT station, arg_max(day, celsius) AS day, max(celsius) AS celsius
FROM measurements
GROUP BY station
ORDER BY station;

-- QUERY measurements_of
@set station = 'Oslo'
SELECT day, celsius FROM measurements WHERE station = ${station} ORDER BY day;

-- QUERY count_measurements :one :pluck
SELECT count(*) AS n FROM measurements;

-- EXEC correct
@set by = 0.5
@set station = 'Oslo'
UPDATE measurements SET celsius = celsius + ${by} WHERE station = ${station};

-- WRITE measurements insert|upsert|delete key(station, day)
