package bench;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
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

/**
 * The published Arrow way: vectors of 10,000 rows, a stream and a statement for each, which commits
 * by itself.
 */
final class Arrow {
    private Arrow() {}

    /**
     * {@code columns} is 2 for keys, 3 with the temperature, 9 for all; delta is added to the
     * temperature.
     */
    static Methods.Method method(int columns, double delta, String sql) {
        return (c, rows) -> {
            try (BufferAllocator allocator = new RootAllocator()) {
                for (int from = 0; from < rows.size(); from += Methods.CHUNK) {
                    List<Rows.Reading> part = rows.subList(from, Math.min(rows.size(), from + Methods.CHUNK));
                    try (var root = vectors(allocator, part, columns, delta);
                            var stream = ArrowArrayStream.allocateNew(allocator)) {
                        Data.exportArrayStream(allocator, new Once(allocator, root), stream);
                        c.registerArrowStream("_arrow", stream);
                        try (var s = c.createStatement()) {
                            s.execute(sql.formatted("(SELECT * REPLACE (device_id::UUID AS device_id) FROM _arrow)"));
                        }
                    }
                }
            }
        };
    }

    private static VectorSchemaRoot vectors(
            BufferAllocator allocator, List<Rows.Reading> rows, int columns, double delta) {
        var device = new VarCharVector("device_id", allocator);
        var timestamp = new TimeStampMicroTZVector("timestamp", allocator, "UTC");
        var temperature = new Float8Vector("temperature", allocator);
        var humidity = new Float8Vector("humidity", allocator);
        var pressure = new DecimalVector("pressure", allocator, 10, 2);
        var battery = new SmallIntVector("battery_level", allocator);
        var anomaly = new BitVector("is_anomaly", allocator);
        var location = new VarCharVector("location", allocator);
        var tags = new ListVector("tags", allocator, FieldType.notNullable(ArrowType.List.INSTANCE), null);
        List<FieldVector> all =
                List.of(device, timestamp, temperature, humidity, pressure, battery, anomaly, location, tags);
        UnionListWriter list = tags.getWriter();
        for (int i = 0; i < rows.size(); i++) {
            Rows.Reading r = rows.get(i);
            device.setSafe(i, r.deviceId().toString().getBytes(StandardCharsets.UTF_8));
            timestamp.setSafe(
                    i, r.timestamp().toEpochSecond() * 1_000_000 + r.timestamp().getNano() / 1000);
            if (columns > 2) {
                temperature.setSafe(i, r.temperature() + delta);
            }
            if (columns > 3) {
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
        }
        for (FieldVector unused : all.subList(columns, all.size())) {
            unused.close();
        }
        List<FieldVector> used = new ArrayList<>(all.subList(0, columns));
        used.forEach(v -> v.setValueCount(rows.size()));
        return new VectorSchemaRoot(used);
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
