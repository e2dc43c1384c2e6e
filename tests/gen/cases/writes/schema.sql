-- MIGRATE first
CREATE TABLE readings (device INTEGER NOT NULL, "at time" INTEGER NOT NULL, value DOUBLE PRECISION, note TEXT, PRIMARY KEY (device, "at time"));
