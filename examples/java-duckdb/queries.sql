-- MIGRATE 1
CREATE TABLE readings (
  device VARCHAR NOT NULL,
  seen_at TIMESTAMP NOT NULL,
  value DOUBLE NOT NULL,
  tags VARCHAR[],
  PRIMARY KEY (device, seen_at)
);

-- The average of every device, with when it was last seen.
-- QUERY device_averages
SELECT device, avg(value) AS "average!", max(seen_at) AS "last_seen!", count(*) AS readings
FROM readings
GROUP BY device
ORDER BY device;

-- QUERY readings_between
@set first = TIMESTAMP '2026-01-01'
@set last = TIMESTAMP '2026-02-01'
SELECT device, seen_at, value, tags FROM readings WHERE seen_at >= ${first} AND seen_at < ${last} ORDER BY device, seen_at;

-- QUERY count_readings :one :pluck
SELECT count(*) AS n FROM readings;

-- EXEC forget_device
@set device = 'a'
DELETE FROM readings WHERE device = ${device};

-- Bulk writes that take a stream of rows and never hold it all.

-- WRITE readings insert|update|delete|upsert key(device, seen_at)
