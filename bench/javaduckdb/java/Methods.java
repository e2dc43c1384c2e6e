package bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;

/** The ways of the published benchmark, written by hand against the driver. */
final class Methods {
    static final int CHUNK = 10_000;

    private static final String ALL = "device_id, timestamp, temperature, humidity, pressure, battery_level, is_anomaly, location, tags";
    private static final String MATCH = "t.device_id = s.device_id AND t.timestamp = s.timestamp";
    static final String UPDATE = "UPDATE sensor_readings t SET temperature = s.temperature FROM %s s WHERE " + MATCH;
    static final String DELETE = "DELETE FROM sensor_readings t USING %s s WHERE " + MATCH;
    static final String MERGE = "MERGE INTO sensor_readings t USING %s s ON " + MATCH
            + " WHEN MATCHED THEN UPDATE SET temperature = s.temperature WHEN NOT MATCHED THEN INSERT (" + ALL + ") VALUES (s."
            + ALL.replace(", ", ", s.") + ")";

    interface Method {
        void run(DuckDBConnection connection, List<Rows.Reading> rows) throws Exception;
    }

    private Methods() {}

    /** In one transaction. */
    static Method transaction(Method method) {
        return (c, rows) -> {
            c.setAutoCommit(false);
            method.run(c, rows);
            c.commit();
            c.setAutoCommit(true);
        };
    }

    private static void execute(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    // Statements of one row.

    interface Bind {
        void row(java.sql.PreparedStatement s, Rows.Reading r) throws SQLException;
    }

    static final String INSERT_ROW = "INSERT INTO sensor_readings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    static final String UPDATE_ROW = "UPDATE sensor_readings SET temperature = ? WHERE device_id = ? AND timestamp = ?";
    static final String DELETE_ROW = "DELETE FROM sensor_readings WHERE device_id = ? AND timestamp = ?";

    static Bind insertRow(Connection c) {
        return (s, r) -> {
            s.setObject(1, r.deviceId());
            s.setObject(2, r.timestamp());
            s.setDouble(3, r.temperature());
            s.setDouble(4, r.humidity());
            s.setBigDecimal(5, r.pressure());
            s.setShort(6, r.batteryLevel());
            s.setBoolean(7, r.isAnomaly());
            s.setString(8, r.location());
            s.setObject(9, c.createArrayOf("VARCHAR", r.tags().toArray()));
        };
    }

    static final Bind UPDATE_BIND = (s, r) -> {
        s.setDouble(1, r.temperature() + 1.0);
        s.setObject(2, r.deviceId());
        s.setObject(3, r.timestamp());
    };

    static final Bind DELETE_BIND = (s, r) -> {
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
        for (int from = 0; from < rows.size(); from += CHUNK) {
            StringBuilder sql = new StringBuilder("INSERT INTO sensor_readings VALUES ");
            for (int i = from; i < Math.min(rows.size(), from + CHUNK); i++) {
                Rows.Reading r = rows.get(i);
                StringJoiner tags = new StringJoiner("','", "['", "']").setEmptyValue("[]");
                r.tags().forEach(tags::add);
                sql.append(i > from ? "," : "").append("('").append(r.deviceId()).append("','").append(r.timestamp().toInstant()).append("',")
                        .append(r.temperature()).append(',').append(r.humidity()).append(',').append(r.pressure()).append(',')
                        .append(r.batteryLevel()).append(',').append(r.isAnomaly()).append(",'").append(r.location()).append("',")
                        .append(tags).append(')');
            }
            execute(c, sql.toString());
        }
    });

    // The appender.

    private static void append(DuckDBConnection c, String table, List<Rows.Reading> rows) throws SQLException {
        try (DuckDBAppender a = c.createAppender(DuckDBConnection.DEFAULT_SCHEMA, table)) {
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
    }

    static final Method APPENDER = (c, rows) -> append(c, "sensor_readings", rows);

    static final Method APPENDER_TRANSACTION = transaction((c, rows) -> {
        execute(c, "SELECT 1"); // the driver begins no transaction for an appender
        append(c, "sensor_readings", rows);
    });

    /** Fills a temporary table and applies it; delta is added to the temperature. */
    static Method staged(String columns, String apply) {
        return (c, rows) -> {
            execute(c, "CREATE TEMP TABLE _stage AS SELECT " + columns + " FROM sensor_readings LIMIT 0");
            try (DuckDBAppender a = c.createAppender("temp", DuckDBConnection.DEFAULT_SCHEMA, "_stage")) {
                boolean temperature = columns.contains("temperature");
                for (Rows.Reading r : rows) {
                    a.beginRow();
                    a.append(r.deviceId());
                    a.append(r.timestamp());
                    if (temperature) {
                        a.append(r.temperature() + 1.0);
                    }
                    a.endRow();
                }
            }
            execute(c, apply.formatted("_stage"));
            execute(c, "DROP TABLE _stage");
        };
    }

    static final Method STAGED_MERGE = (c, rows) -> {
        execute(c, "CREATE TEMP TABLE _stage AS SELECT * FROM sensor_readings LIMIT 0");
        try (DuckDBAppender a = c.createAppender("temp", DuckDBConnection.DEFAULT_SCHEMA, "_stage")) {
            for (Rows.Reading r : rows) {
                a.beginRow();
                a.append(r.deviceId());
                a.append(r.timestamp());
                a.append(r.temperature() + 1.0);
                a.append(r.humidity());
                a.append(r.pressure());
                a.append(r.batteryLevel());
                a.append(r.isAnomaly());
                a.append(r.location());
                a.append(r.tags());
                a.endRow();
            }
        }
        execute(c, MERGE.formatted("_stage"));
        execute(c, "DROP TABLE _stage");
    };

    /** Keys, and temperatures if the statement takes them, as parameters that are lists. */
    static Method unnest(String sql, boolean temperature) {
        return transaction((c, rows) -> {
            try (var s = c.prepareStatement(sql)) {
                for (int from = 0; from < rows.size(); from += CHUNK) {
                    List<Rows.Reading> part = rows.subList(from, Math.min(rows.size(), from + CHUNK));
                    s.setObject(1, c.createArrayOf("UUID", part.stream().map(Rows.Reading::deviceId).toArray()));
                    s.setObject(2, c.createArrayOf("TIMESTAMP WITH TIME ZONE", part.stream().map(Rows.Reading::timestamp).toArray()));
                    if (temperature) {
                        s.setObject(3, c.createArrayOf("DOUBLE", part.stream().map(r -> r.temperature() + 1.0).toArray()));
                    }
                    s.executeUpdate();
                }
            }
        });
    }

    // The driver's table function: rows by 2,048 through its vectors, which know neither UUID nor lists.

    static Method tableFunction(Map<String, Field> fields, String sql) {
        return (c, rows) -> {
            String name = "_rows_" + System.nanoTime();
            try (var registered = DuckDBFunctions.tableFunction()) {
                registered.withName(name).withFunction(new Pull(fields, rows.iterator())).register(c);
            }
            execute(c, sql.formatted("(SELECT * REPLACE (device_id::UUID AS device_id"
                    + (fields.containsKey("tags") ? ", CASE tags WHEN '' THEN [] ELSE string_split(tags, ',') END AS tags" : "") + ") FROM " + name + "())"));
        };
    }

    record Field(DuckDBColumnType type, Set set) {}

    interface Set {
        void set(org.duckdb.DuckDBWritableVector vector, long at, Rows.Reading r);
    }

    private static final Set TIMESTAMP = (v, at, r) -> v.setOffsetDateTime(at, r.timestamp());

    static Map<String, Field> keys() {
        Map<String, Field> fields = new LinkedHashMap<>();
        fields.put("device_id", new Field(DuckDBColumnType.VARCHAR, (v, at, r) -> v.setString(at, r.deviceId().toString())));
        fields.put("timestamp", new Field(DuckDBColumnType.TIMESTAMP_WITH_TIME_ZONE, TIMESTAMP));
        return fields;
    }

    static Map<String, Field> temperatures(double delta) {
        Map<String, Field> fields = keys();
        fields.put("temperature", new Field(DuckDBColumnType.DOUBLE, (v, at, r) -> v.setDouble(at, r.temperature() + delta)));
        return fields;
    }

    static Map<String, Field> all(double delta) {
        Map<String, Field> fields = temperatures(delta);
        fields.put("humidity", new Field(DuckDBColumnType.DOUBLE, (v, at, r) -> v.setDouble(at, r.humidity())));
        fields.put("pressure", new Field(DuckDBColumnType.DECIMAL, (v, at, r) -> v.setBigDecimal(at, r.pressure())));
        fields.put("battery_level", new Field(DuckDBColumnType.SMALLINT, (v, at, r) -> v.setShort(at, r.batteryLevel())));
        fields.put("is_anomaly", new Field(DuckDBColumnType.BOOLEAN, (v, at, r) -> v.setBoolean(at, r.isAnomaly())));
        fields.put("location", new Field(DuckDBColumnType.VARCHAR, (v, at, r) -> v.setString(at, r.location())));
        fields.put("tags", new Field(DuckDBColumnType.VARCHAR, (v, at, r) -> v.setString(at, String.join(",", r.tags()))));
        return fields;
    }

    private record Pull(Map<String, Field> fields, Iterator<Rows.Reading> rows) implements DuckDBTableFunction<Object, Object, Object> {
        @Override
        public Object bind(DuckDBTableFunctionBindInfo info) throws Exception {
            for (var f : fields.entrySet()) {
                if (f.getValue().type() == DuckDBColumnType.DECIMAL) {
                    info.addResultColumn(f.getKey(), org.duckdb.DuckDBLogicalType.decimal(10, 2));
                } else {
                    info.addResultColumn(f.getKey(), f.getValue().type());
                }
            }
            return null;
        }

        @Override
        public Object init(DuckDBTableFunctionInitInfo info) {
            info.setMaxThreads(1);
            return null;
        }

        @Override
        public long apply(DuckDBTableFunctionCallInfo info, DuckDBDataChunkWriter output) {
            List<Rows.Reading> part = new ArrayList<>();
            while (part.size() < output.capacity() && rows.hasNext()) {
                part.add(rows.next());
            }
            long column = 0;
            for (Field f : fields.values()) {
                var vector = output.vector(column++);
                for (int i = 0; i < part.size(); i++) {
                    f.set().set(vector, i, part.get(i));
                }
            }
            return part.size();
        }
    }
}
