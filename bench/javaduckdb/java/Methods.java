package bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Function;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** The ways of the published benchmark, written by hand against the driver. */
final class Methods {
    static final int CHUNK = 10_000;

    private static final String ALL =
            "device_id, timestamp, temperature, humidity, pressure, battery_level, is_anomaly, location, tags";
    private static final String MATCH = "t.device_id = s.device_id AND t.timestamp = s.timestamp";
    static final String UPDATE = "UPDATE sensor_readings t SET temperature = s.temperature FROM %s s WHERE " + MATCH;
    static final String DELETE = "DELETE FROM sensor_readings t USING %s s WHERE " + MATCH;
    static final String MERGE = "MERGE INTO sensor_readings t USING %s s ON " + MATCH
            + " WHEN MATCHED THEN UPDATE SET temperature = s.temperature WHEN NOT MATCHED THEN INSERT (" + ALL
            + ") VALUES (s."
            + ALL.replace(", ", ", s.") + ")";

    interface Method {
        /** What a program does once for a connection. It is not measured. */
        default void prepare(DuckDBConnection connection) throws Exception {}

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

    static void execute(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    // Statements of one row.

    interface Bind {
        /** Sets the parameters of a row, which come after so many others. */
        void row(PreparedStatement s, int after, Rows.Reading r) throws SQLException;
    }

    static final String INSERT_ROW = "INSERT INTO sensor_readings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    static final String UPDATE_ROW = "UPDATE sensor_readings SET temperature = ? WHERE device_id = ? AND timestamp = ?";
    static final String DELETE_ROW = "DELETE FROM sensor_readings WHERE device_id = ? AND timestamp = ?";

    static Bind insertRow(Connection c) {
        return (s, after, r) -> {
            s.setObject(after + 1, r.deviceId());
            s.setObject(after + 2, r.timestamp());
            s.setDouble(after + 3, r.temperature());
            s.setDouble(after + 4, r.humidity());
            s.setBigDecimal(after + 5, r.pressure());
            s.setShort(after + 6, r.batteryLevel());
            s.setBoolean(after + 7, r.isAnomaly());
            s.setString(after + 8, r.location());
            s.setArray(after + 9, c.createArrayOf("VARCHAR", r.tags().toArray()));
        };
    }

    static final Bind UPDATE_BIND = (s, after, r) -> {
        s.setDouble(1, r.temperature() + 1.0);
        s.setObject(2, r.deviceId());
        s.setObject(3, r.timestamp());
    };

    static final Bind DELETE_BIND = (s, after, r) -> {
        s.setObject(1, r.deviceId());
        s.setObject(2, r.timestamp());
    };

    static Method individual(String sql, Function<Connection, Bind> bind) {
        return transaction((c, rows) -> {
            Bind b = bind.apply(c);
            try (var s = c.prepareStatement(sql)) {
                for (Rows.Reading r : rows) {
                    b.row(s, 0, r);
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
                    b.row(s, 0, r);
                    s.addBatch();
                    if (++waiting % CHUNK == 0) {
                        s.executeBatch();
                    }
                }
                if (waiting % CHUNK > 0) {
                    s.executeBatch();
                }
            }
        });
    }

    static final Method MULTI_VALUE = transaction((c, rows) -> {
        Bind b = insertRow(c);
        for (int from = 0; from < rows.size(); from += CHUNK) {
            List<Rows.Reading> part = rows.subList(from, Math.min(rows.size(), from + CHUNK));
            String values = ",(?,?,?,?,?,?,?,?,?)".repeat(part.size()).substring(1);
            try (var s = c.prepareStatement("INSERT INTO sensor_readings VALUES " + values)) {
                for (int i = 0; i < part.size(); i++) {
                    b.row(s, 9 * i, part.get(i));
                }
                s.executeUpdate();
            }
        }
    });

    // The appender.

    private static void append(DuckDBAppender a, Rows.Reading r, int columns, double delta) throws SQLException {
        a.beginRow();
        a.append(r.deviceId());
        a.append(r.timestamp());
        if (columns > 2) {
            a.append(r.temperature() + delta);
        }
        if (columns > 3) {
            a.append(r.humidity());
            a.append(r.pressure());
            a.append(r.batteryLevel());
            a.append(r.isAnomaly());
            a.append(r.location());
            a.append(r.tags());
        }
        a.endRow();
    }

    static final Method APPENDER = (c, rows) -> {
        try (DuckDBAppender a = c.createAppender(DuckDBConnection.DEFAULT_SCHEMA, "sensor_readings")) {
            for (Rows.Reading r : rows) {
                append(a, r, 9, 0);
            }
        }
    };

    static final Method APPENDER_TRANSACTION = transaction((c, rows) -> {
        execute(c, "SELECT 1"); // the driver begins no transaction for an appender
        APPENDER.run(c, rows);
    });

    /** Fills a temporary table and applies it; {@code columns} and {@code delta} are as Arrow's. */
    static Method staged(int columns, double delta, String apply) {
        return transaction((c, rows) -> {
            execute(
                    c,
                    "CREATE OR REPLACE TEMP TABLE _stage AS SELECT " + names(columns)
                            + " FROM sensor_readings LIMIT 0");
            try (DuckDBAppender a = c.createAppender("temp", DuckDBConnection.DEFAULT_SCHEMA, "_stage")) {
                for (Rows.Reading r : rows) {
                    append(a, r, columns, delta);
                }
            }
            execute(c, apply.formatted("_stage"));
            execute(c, "DROP TABLE _stage");
        });
    }

    /**
     * The statement alone, over a table in memory that is filled beforehand: what is left is the
     * engine's.
     */
    static Method inMemory(List<Rows.Reading> rows, int columns, double delta, String apply) {
        return new Method() {
            @Override
            public void prepare(DuckDBConnection c) throws Exception {
                execute(c, "CREATE TEMP TABLE _rows AS SELECT " + names(columns) + " FROM sensor_readings LIMIT 0");
                try (DuckDBAppender a = c.createAppender("temp", DuckDBConnection.DEFAULT_SCHEMA, "_rows")) {
                    for (Rows.Reading r : rows) {
                        append(a, r, columns, delta);
                    }
                }
            }

            @Override
            public void run(DuckDBConnection c, List<Rows.Reading> wanted) throws Exception {
                execute(c, apply.formatted(wanted.isEmpty() ? "(SELECT * FROM _rows LIMIT 0)" : "_rows"));
            }
        };
    }

    private static String names(int columns) {
        return columns == 9 ? "*" : columns == 3 ? "device_id, timestamp, temperature" : "device_id, timestamp";
    }

    /** Keys, and temperatures if the statement takes them, as parameters that are lists. */
    static Method unnest(String sql, boolean temperature) {
        return (c, rows) -> {
            for (int from = 0; from < rows.size(); from += CHUNK) {
                List<Rows.Reading> part = rows.subList(from, Math.min(rows.size(), from + CHUNK));
                try (var s = c.prepareStatement(sql)) {
                    s.setObject(
                            1,
                            c.createArrayOf(
                                    "UUID",
                                    part.stream().map(Rows.Reading::deviceId).toArray()));
                    s.setObject(
                            2,
                            c.createArrayOf(
                                    "TIMESTAMP WITH TIME ZONE",
                                    part.stream().map(Rows.Reading::timestamp).toArray()));
                    if (temperature) {
                        s.setObject(
                                3,
                                c.createArrayOf(
                                        "DOUBLE",
                                        part.stream()
                                                .map(r -> r.temperature() + 1.0)
                                                .toArray()));
                    }
                    s.executeUpdate();
                }
            }
        };
    }
}
