-- MIGRATE 1
CREATE TABLE sensor_readings (
    device_id UUID NOT NULL,
    timestamp TIMESTAMPTZ NOT NULL,
    temperature DOUBLE NOT NULL,
    humidity DOUBLE NOT NULL,
    pressure DECIMAL(10,2) NOT NULL,
    battery_level SMALLINT NOT NULL,
    is_anomaly BOOLEAN NOT NULL,
    location VARCHAR NOT NULL,
    tags VARCHAR[] NOT NULL
);

-- WRITE sensor_readings insert|update|delete|upsert key(device_id, timestamp) set(temperature)
