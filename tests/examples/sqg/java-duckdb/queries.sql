-- MIGRATE createReadings
CREATE TABLE sensor_readings (
    device_id UUID NOT NULL,
    timestamp TIMESTAMPTZ NOT NULL,
    temperature DOUBLE,
    pressure DECIMAL(10, 2),
    battery_level SMALLINT,
    is_anomaly BOOLEAN,
    location VARCHAR,
    tags VARCHAR[]
);

-- TABLE sensor_readings :appender

--QUERY allReadings
SELECT * FROM sensor_readings ORDER BY timestamp;

-- QUERY count_readings :one :pluck
SELECT COUNT(*) FROM sensor_readings;

-- EXEC update_reading :batch
@set temperature = 42.0
@set device_id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
@set timestamp = '2025-01-01T00:00:00Z'
UPDATE sensor_readings SET temperature = ${temperature}
WHERE device_id = ${device_id} AND timestamp = ${timestamp};

-- EXEC delete_readings_unnest
@set device_ids = '[a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11]'
@set timestamps = '[2025-01-01T00:00:00Z]'
DELETE FROM sensor_readings
WHERE (device_id, timestamp) IN (
    SELECT UNNEST(${device_ids}::UUID[]), UNNEST(${timestamps}::TIMESTAMPTZ[])
);

-- TESTDATA _create_update_keys
CREATE TEMP TABLE IF NOT EXISTS _update_keys (
    device_id UUID NOT NULL,
    timestamp TIMESTAMPTZ NOT NULL,
    temperature DOUBLE
);

-- TABLE _update_keys :appender

-- EXEC create_update_keys
CREATE OR REPLACE TEMP TABLE _update_keys (
    device_id UUID NOT NULL,
    timestamp TIMESTAMPTZ NOT NULL,
    temperature DOUBLE
);

-- EXEC update_via_staging
UPDATE sensor_readings s SET temperature = k.temperature
FROM _update_keys k
WHERE s.device_id = k.device_id AND s.timestamp = k.timestamp;
