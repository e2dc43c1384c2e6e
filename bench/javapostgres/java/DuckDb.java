package bench;

import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.util.List;
import java.util.Properties;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** The ways through DuckDB in memory, whose postgres extension writes into the server. */
final class DuckDb implements AutoCloseable {
    private final DuckDBConnection duck;

    /** Attaches the server with the extension of that file. */
    DuckDb(String extension, String host, int port, String database) throws Exception {
        duck = DriverManager.getConnection("jdbc:duckdb:", new Properties()).unwrap(DuckDBConnection.class);
        Methods.execute(duck, "LOAD '" + extension.replace("'", "''") + "'");
        Methods.execute(
                duck,
                "ATTACH 'host=" + host + " port=" + port + " user=postgres dbname=" + database
                        + "' AS pg (TYPE postgres)");
    }

    @Override
    public void close() throws Exception {
        duck.close();
    }

    /** What it remembers of the server's tables is of the last run. */
    void forget() throws Exception {
        Methods.execute(duck, "CALL pg_clear_cache()");
    }

    private static final String INSERT = "INSERT INTO pg.sensor_readings (" + Methods.COLUMNS + ") SELECT * FROM ";

    void appender(List<Rows.Reading> rows) throws Exception {
        Methods.execute(
                duck,
                "CREATE TABLE local (device_id UUID, timestamp TIMESTAMPTZ, temperature DOUBLE, humidity DOUBLE, pressure DECIMAL(10,2),"
                        + " battery_level SMALLINT, is_anomaly BOOLEAN, location VARCHAR, tags VARCHAR[])");
        try (DuckDBAppender a = duck.createAppender(DuckDBConnection.DEFAULT_SCHEMA, "local")) {
            for (Rows.Reading r : rows) {
                a.beginRow();
                a.append(r.deviceId());
                a.append(r.timestamp());
                a.append(r.temperature());
                a.append(r.humidity());
                a.append(r.pressure());
                a.append(r.batteryLevel());
                a.append(r.isAnomaly());
                a.append(r.location());
                a.append(r.tags());
                a.endRow();
            }
        }
        Methods.execute(duck, INSERT + "local");
        Methods.execute(duck, "DROP TABLE local");
    }

    void arrow(List<Rows.Reading> rows) throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                var root = vectors(allocator, rows);
                var stream = ArrowArrayStream.allocateNew(allocator)) {
            Data.exportArrayStream(allocator, new Once(allocator, root), stream);
            duck.registerArrowStream("_arrow", stream);
            Methods.execute(duck, INSERT + "(SELECT * REPLACE (device_id::UUID AS device_id) FROM _arrow)");
        }
    }

    private static VectorSchemaRoot vectors(BufferAllocator allocator, List<Rows.Reading> rows) {
        var device = new VarCharVector("device_id", allocator);
        var timestamp = new TimeStampMicroTZVector("timestamp", allocator, "UTC");
        var temperature = new Float8Vector("temperature", allocator);
        var humidity = new Float8Vector("humidity", allocator);
        var pressure = new DecimalVector("pressure", allocator, 10, 2);
        var battery = new SmallIntVector("battery_level", allocator);
        var anomaly = new BitVector("is_anomaly", allocator);
        var location = new VarCharVector("location", allocator);
        var tags = new ListVector("tags", allocator, FieldType.notNullable(ArrowType.List.INSTANCE), null);
        UnionListWriter list = tags.getWriter();
        for (int i = 0; i < rows.size(); i++) {
            Rows.Reading r = rows.get(i);
            device.setSafe(i, r.deviceId().toString().getBytes(StandardCharsets.UTF_8));
            timestamp.setSafe(
                    i, r.timestamp().toEpochSecond() * 1_000_000 + r.timestamp().getNano() / 1000);
            temperature.setSafe(i, r.temperature());
            humidity.setSafe(i, r.humidity());
            pressure.setSafe(i, r.pressure());
            battery.setSafe(i, r.batteryLevel());
            anomaly.setSafe(i, r.isAnomaly() ? 1 : 0);
            location.setSafe(i, r.location().getBytes(StandardCharsets.UTF_8));
            list.setPosition(i);
            list.startList();
            for (String tag : r.tags()) {
                list.writeVarChar(tag);
            }
            list.endList();
        }
        var root = VectorSchemaRoot.of(
                device, timestamp, temperature, humidity, pressure, battery, anomaly, location, tags);
        root.setRowCount(rows.size());
        return root;
    }

    /** A stream of one batch. */
    private static final class Once extends ArrowReader {
        private final VectorSchemaRoot root;
        private boolean read;

        Once(BufferAllocator allocator, VectorSchemaRoot root) {
            super(allocator);
            this.root = root;
        }

        @Override
        public VectorSchemaRoot getVectorSchemaRoot() {
            return root;
        }

        @Override
        public boolean loadNextBatch() {
            boolean first = !read;
            read = true;
            return first;
        }

        @Override
        public long bytesRead() {
            return 0;
        }

        @Override
        protected void closeReadSource() {}

        @Override
        protected Schema readSchema() {
            return root.getSchema();
        }
    }
}
