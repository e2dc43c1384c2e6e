package bench;

import de.bytefish.pgbulkinsert.PgBulkInsert;
import de.bytefish.pgbulkinsert.mapping.AbstractMapping;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.postgresql.PGConnection;

/** The ways to write that are measured, as they are published, each one transaction. */
final class Methods {
    static final int CHUNK = 10_000;
    static final String COLUMNS =
            "device_id, timestamp, temperature, humidity, pressure, battery_level, is_anomaly, location, tags";

    private static final int MULTI_ROWS = 1000;
    private static final String VALUES = "(?, ?, ?, ?, ?, ?, ?, ?, ?)";

    static final String INSERT = "INSERT INTO sensor_readings (" + COLUMNS + ") VALUES " + VALUES;
    static final String UPDATE = "UPDATE keyed_readings SET temperature = ? WHERE device_id = ? AND timestamp = ?";
    static final String DELETE = "DELETE FROM keyed_readings WHERE device_id = ? AND timestamp = ?";
    static final String CONFLICT =
            " ON CONFLICT (device_id, timestamp) DO UPDATE SET temperature = excluded.temperature";
    static final String UPSERT = "INSERT INTO keyed_readings (" + COLUMNS + ") VALUES " + VALUES + CONFLICT;

    private static final String UNNESTED =
            "unnest(?::uuid[], ?::timestamptz[], ?::float8[], ?::float8[], ?::numeric[], ?::int2[], ?::bool[], ?::text[], ?::text[])"
                    + " AS s(" + COLUMNS + ")";
    /** An array of arrays would be flattened: tags are the text of an array. */
    private static final String UNNEST_COLUMNS = COLUMNS.replace("tags", "tags::text[]");

    static final String UNNEST_INSERT =
            "INSERT INTO sensor_readings (" + COLUMNS + ") SELECT " + UNNEST_COLUMNS + " FROM " + UNNESTED;
    static final String UNNEST_UPSERT =
            "INSERT INTO keyed_readings (" + COLUMNS + ") SELECT " + UNNEST_COLUMNS + " FROM " + UNNESTED + CONFLICT;
    static final String UNNEST_UPDATE =
            "UPDATE keyed_readings t SET temperature = s.temperature FROM unnest(?::uuid[], ?::timestamptz[], ?::float8[])"
                    + " AS s(device_id, timestamp, temperature) WHERE t.device_id = s.device_id AND t.timestamp = s.timestamp";
    static final String UNNEST_DELETE =
            "DELETE FROM keyed_readings t USING unnest(?::uuid[], ?::timestamptz[]) AS s(device_id, timestamp)"
                    + " WHERE t.device_id = s.device_id AND t.timestamp = s.timestamp";

    private static final String STAGED_KEYS = " WHERE t.device_id = s.device_id AND t.timestamp = s.timestamp";
    static final String ALONE_UPDATE =
            "UPDATE keyed_readings t SET temperature = s.temperature FROM staged s" + STAGED_KEYS;
    static final String ALONE_DELETE = "DELETE FROM keyed_readings t USING staged s" + STAGED_KEYS;
    static final String ALONE_UPSERT =
            "INSERT INTO keyed_readings (" + COLUMNS + ") SELECT " + COLUMNS + " FROM staged" + CONFLICT;

    private Methods() {}

    /** The same on the table without an index. */
    static String unindexed(String sql) {
        return sql.replace("keyed_readings", "sensor_readings");
    }

    /** Writes rows with a connection that commits automatically. */
    interface Method {
        void run(Connection c, List<Rows.Reading> rows) throws Exception;
    }

    interface Bind {
        void row(PreparedStatement s, Rows.Reading r) throws SQLException;
    }

    static Method transaction(Method body) {
        return (c, rows) -> {
            c.setAutoCommit(false);
            body.run(c, rows);
            c.commit();
            c.setAutoCommit(true);
        };
    }

    /** All columns; delta is added to the temperature. */
    static Function<Connection, Bind> all(double delta) {
        return c -> (s, r) -> bind(c, s, 0, r, delta);
    }

    private static void bind(Connection c, PreparedStatement s, int at, Rows.Reading r, double delta)
            throws SQLException {
        s.setObject(at + 1, r.deviceId());
        s.setObject(at + 2, r.timestamp());
        s.setDouble(at + 3, r.temperature() + delta);
        s.setDouble(at + 4, r.humidity());
        s.setBigDecimal(at + 5, r.pressure());
        s.setShort(at + 6, r.batteryLevel());
        s.setBoolean(at + 7, r.isAnomaly());
        s.setString(at + 8, r.location());
        s.setArray(at + 9, c.createArrayOf("text", r.tags().toArray()));
    }

    static final Function<Connection, Bind> UPDATE_BIND = c -> (s, r) -> {
        s.setDouble(1, r.temperature() + 1.0);
        s.setObject(2, r.deviceId());
        s.setObject(3, r.timestamp());
    };

    static final Function<Connection, Bind> DELETE_BIND = c -> (s, r) -> {
        s.setObject(1, r.deviceId());
        s.setObject(2, r.timestamp());
    };

    static Method individual(String sql, Function<Connection, Bind> bind) {
        return transaction((c, rows) -> {
            Bind b = bind.apply(c);
            try (var s = c.prepareStatement(sql)) {
                for (Rows.Reading r : rows) {
                    b.row(s, r);
                    s.executeUpdate();
                }
            }
        });
    }

    static Method batch(String sql, Function<Connection, Bind> bind) {
        return transaction((c, rows) -> {
            Bind b = bind.apply(c);
            try (var s = c.prepareStatement(sql)) {
                int waiting = 0;
                for (Rows.Reading r : rows) {
                    b.row(s, r);
                    s.addBatch();
                    if (++waiting % CHUNK == 0) {
                        s.executeBatch();
                    }
                }
                s.executeBatch();
            }
        });
    }

    static final Method MULTI_VALUE = transaction((c, rows) -> {
        for (int from = 0; from < rows.size(); from += MULTI_ROWS) {
            List<Rows.Reading> part = rows.subList(from, Math.min(rows.size(), from + MULTI_ROWS));
            String sql = "INSERT INTO sensor_readings (" + COLUMNS + ") VALUES "
                    + String.join(", ", Collections.nCopies(part.size(), VALUES));
            try (var s = c.prepareStatement(sql)) {
                for (int i = 0; i < part.size(); i++) {
                    bind(c, s, 9 * i, part.get(i), 0);
                }
                s.executeUpdate();
            }
        }
    });

    /** One statement; so many columns, as arrays. */
    static Method unnest(String sql, int columns, double delta) {
        return transaction((c, rows) -> {
            try (var s = c.prepareStatement(sql)) {
                s.setArray(
                        1,
                        c.createArrayOf(
                                "uuid",
                                rows.stream().map(Rows.Reading::deviceId).toArray()));
                s.setArray(
                        2,
                        c.createArrayOf(
                                "timestamptz",
                                rows.stream().map(Rows.Reading::timestamp).toArray()));
                if (columns > 2) {
                    s.setArray(
                            3,
                            c.createArrayOf(
                                    "float8",
                                    rows.stream()
                                            .map(r -> r.temperature() + delta)
                                            .toArray()));
                }
                if (columns > 3) {
                    s.setArray(
                            4,
                            c.createArrayOf(
                                    "float8",
                                    rows.stream().map(Rows.Reading::humidity).toArray()));
                    s.setArray(
                            5,
                            c.createArrayOf(
                                    "numeric",
                                    rows.stream().map(Rows.Reading::pressure).toArray()));
                    s.setArray(
                            6,
                            c.createArrayOf(
                                    "int2",
                                    rows.stream()
                                            .map(Rows.Reading::batteryLevel)
                                            .toArray()));
                    s.setArray(
                            7,
                            c.createArrayOf(
                                    "bool",
                                    rows.stream().map(Rows.Reading::isAnomaly).toArray()));
                    s.setArray(
                            8,
                            c.createArrayOf(
                                    "text",
                                    rows.stream().map(Rows.Reading::location).toArray()));
                    s.setArray(
                            9,
                            c.createArrayOf(
                                    "text",
                                    rows.stream()
                                            .map(r -> "{" + String.join(",", r.tags()) + "}")
                                            .toArray()));
                }
                s.executeUpdate();
            }
        });
    }

    static final Method COPY_CSV = (c, rows) -> {
        StringBuilder csv = new StringBuilder();
        var copy = c.unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("COPY sensor_readings (" + COLUMNS + ") FROM STDIN (FORMAT csv)");
        for (Rows.Reading r : rows) {
            csv.append(r.deviceId())
                    .append(',')
                    .append(r.timestamp())
                    .append(',')
                    .append(r.temperature())
                    .append(',')
                    .append(r.humidity())
                    .append(',')
                    .append(r.pressure())
                    .append(',')
                    .append(r.batteryLevel())
                    .append(',')
                    .append(r.isAnomaly())
                    .append(',')
                    .append(r.location())
                    .append(",\"{")
                    .append(String.join(",", r.tags()))
                    .append("}\"\n");
            if (csv.length() > 1 << 16) {
                send(copy, csv);
            }
        }
        send(copy, csv);
        copy.endCopy();
    };

    /**
     * The data in COPY's binary form, encoded beforehand. Sending it shows how much the server and
     * the socket take.
     */
    static Method copyBytes(byte[] all) {
        return (c, rows) -> {
            var copy = c.unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY sensor_readings (" + COLUMNS + ") FROM STDIN (FORMAT binary)");
            for (int at = 0; at < all.length; at += 1 << 16) {
                copy.writeToCopy(all, at, Math.min(1 << 16, all.length - at));
            }
            copy.endCopy();
        };
    }

    private static void send(org.postgresql.copy.CopyIn copy, StringBuilder csv) throws SQLException {
        byte[] bytes = csv.toString().getBytes(StandardCharsets.UTF_8);
        copy.writeToCopy(bytes, 0, bytes.length);
        csv.setLength(0);
    }

    private static final class Mapping extends AbstractMapping<Rows.Reading> {
        Mapping() {
            super("public", "sensor_readings");
            mapUUID("device_id", Rows.Reading::deviceId);
            mapTimeStampTz("timestamp", r -> r.timestamp().toZonedDateTime());
            mapDoublePrimitive("temperature", Rows.Reading::temperature);
            mapDoublePrimitive("humidity", Rows.Reading::humidity);
            mapNumeric("pressure", Rows.Reading::pressure);
            mapShortPrimitive("battery_level", Rows.Reading::batteryLevel);
            mapBooleanPrimitive("is_anomaly", Rows.Reading::isAnomaly);
            mapText("location", Rows.Reading::location);
            mapTextArray("tags", Rows.Reading::tags);
        }
    }

    static final Method PG_BULK_INSERT =
            (c, rows) -> new PgBulkInsert<>(new Mapping()).saveAll(c.unwrap(PGConnection.class), rows.stream());

    static void execute(Connection c, String sql) throws SQLException {
        try (var s = c.createStatement()) {
            s.execute(sql);
        }
    }
}
