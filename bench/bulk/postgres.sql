-- MIGRATE 1
CREATE TABLE readings (
    id bigint PRIMARY KEY, device uuid NOT NULL, taken timestamptz NOT NULL, temperature double precision NOT NULL, pressure numeric(10,2) NOT NULL,
    battery smallint NOT NULL, anomaly boolean NOT NULL, location text NOT NULL
);
