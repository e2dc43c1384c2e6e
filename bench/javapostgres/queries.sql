-- MIGRATE 1
CREATE TABLE sensor_readings (
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    device_id UUID NOT NULL,
    timestamp TIMESTAMPTZ NOT NULL,
    temperature DOUBLE PRECISION NOT NULL,
    humidity DOUBLE PRECISION NOT NULL,
    pressure DECIMAL(10,2) NOT NULL,
    battery_level SMALLINT NOT NULL,
    is_anomaly BOOLEAN NOT NULL,
    location TEXT NOT NULL,
    tags TEXT[] NOT NULL
);
-- What rows are found by one at a time; without it each of them is a scan of the table.
CREATE TABLE keyed_readings (LIKE sensor_readings INCLUDING IDENTITY, PRIMARY KEY (device_id, timestamp));

-- WRITE sensor_readings insert|update|delete key(device_id, timestamp) set(temperature)

-- WRITE keyed_readings update|delete|upsert key(device_id, timestamp) set(temperature)
