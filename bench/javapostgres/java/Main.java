package bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

/**
 * Runs the methods in turn, each on a new table, checks every column of the result, and
 * prints what each took.
 */
public final class Main {
    /** A method, and the most rows that it is run with unless all are asked for. */
    private record Way(String name, int most, Function<List<Rows.Reading>, Methods.Method> make) {
        Way(String name, int most, Methods.Method method) {
            this(name, most, rows -> method);
        }
    }

    private static final int ANY = Integer.MAX_VALUE;
    /** What the methods are called that find rows in the table without an index. */
    private static final String UNINDEXED = ", no index";

    private static final String ALONE = "the statement alone";

    private final Connection c;
    /** The same server, with statements of a batch made one. */
    private final Connection rewriting;

    private final Connection second;
    /** Null where there is no extension. */
    private final DuckDb duck;
    /** What the server copies from, as it sees it. */
    private final String file;

    private final int repeat;
    private final boolean everything;

    private Main(int port, String extension, int repeat, boolean everything) throws Exception {
        String url = "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
        c = DriverManager.getConnection(url, "postgres", "");
        rewriting = DriverManager.getConnection(url + "?reWriteBatchedInserts=true", "postgres", "");
        second = DriverManager.getConnection(url, "postgres", "");
        duck = extension.isEmpty() ? null : new DuckDb(extension, "127.0.0.1", port, "postgres");
        this.file = text("SHOW data_directory") + "/rows.copy";
        this.repeat = repeat;
        this.everything = everything;
    }

    /**
     * port, the extension's file if there is one, repetitions, whether slow methods too,
     * operations, sizes.
     */
    public static void main(String[] args) throws Exception {
        var main =
                new Main(Integer.parseInt(args[0]), args[1], Integer.parseInt(args[2]), Boolean.parseBoolean(args[3]));
        List<String> operations = Arrays.asList(args[4].split(","));
        System.out.printf(
                "{\"versions\":{\"java\":\"%s\",\"postgres\":\"%s\",\"durability\":\"fsync=%s\",\"duckdb_extension\":\"%s\"}}%n",
                System.getProperty("java.vm.version"),
                main.text("SHOW server_version"),
                main.text("SHOW fsync"),
                main.duck == null ? "not installable here: two of the nine ways are left out" : "postgres_scanner");
        Sensors.applyMigrations(main.c);
        for (String size : args[5].split(",")) {
            main.size(Integer.parseInt(size), operations);
        }
    }

    private Map<String, List<Way>> ways() {
        Map<String, List<Way>> ways = new LinkedHashMap<>();
        List<Way> insert = new ArrayList<>(List.of(
                new Way("individual", 100_000, Methods.individual(Methods.INSERT, Methods.all(0))),
                new Way("JDBC batch", ANY, Methods.batch(Methods.INSERT, Methods.all(0))),
                new Way("batch, rewritten", ANY, on(rewriting, Methods.batch(Methods.INSERT, Methods.all(0)))),
                new Way("multi-value", ANY, Methods.MULTI_VALUE),
                new Way("UNNEST", ANY, Methods.unnest(Methods.UNNEST_INSERT, 9, 0)),
                new Way("COPY CSV", ANY, Methods.COPY_CSV),
                new Way("COPY BINARY (PgBulkInsert)", ANY, Methods.PG_BULK_INSERT)));
        if (duck != null) {
            insert.add(new Way("Appender, DuckDB", ANY, (unused, rows) -> duck.appender(rows)));
            insert.add(new Way("Arrow, DuckDB", ANY, (unused, rows) -> duck.arrow(rows)));
        }
        insert.add(new Way("scoter", ANY, rows -> generated(rows, Main::row, Sensors::insertAllSensorReadings)));
        insert.add(new Way("scoter, 2 connections", ANY, this::halves));
        insert.add(new Way("COPY of bytes that are there", ANY, rows -> bytes()));
        insert.add(new Way(
                "COPY FROM a server's file",
                ANY,
                (unused, rows) ->
                        execute("COPY sensor_readings (" + Methods.COLUMNS + ") FROM '" + file + "' (FORMAT binary)")));
        ways.put("INSERT", insert);
        ways.put(
                "UPDATE",
                List.of(
                        new Way("individual", 10_000, Methods.individual(Methods.UPDATE, Methods.UPDATE_BIND)),
                        new Way("JDBC batch", ANY, Methods.batch(Methods.UPDATE, Methods.UPDATE_BIND)),
                        new Way("UNNEST", ANY, Methods.unnest(Methods.UNNEST_UPDATE, 3, 1)),
                        new Way(
                                "scoter",
                                ANY,
                                rows -> generated(
                                        rows,
                                        r -> new Sensors.SensorReadingsUpdate(
                                                r.deviceId(), r.timestamp(), r.temperature() + 1.0),
                                        Sensors::updateAllKeyedReadings)),
                        new Way(ALONE, ANY, rows -> alone(Methods.ALONE_UPDATE)),
                        new Way(
                                "JDBC batch" + UNINDEXED,
                                10_000,
                                Methods.batch(Methods.unindexed(Methods.UPDATE), Methods.UPDATE_BIND)),
                        new Way(
                                "scoter" + UNINDEXED,
                                ANY,
                                rows -> generated(
                                        rows,
                                        r -> new Sensors.SensorReadingsUpdate(
                                                r.deviceId(), r.timestamp(), r.temperature() + 1.0),
                                        Sensors::updateAllSensorReadings))));
        ways.put(
                "DELETE",
                List.of(
                        new Way("individual", 10_000, Methods.individual(Methods.DELETE, Methods.DELETE_BIND)),
                        new Way("JDBC batch", ANY, Methods.batch(Methods.DELETE, Methods.DELETE_BIND)),
                        new Way("UNNEST", ANY, Methods.unnest(Methods.UNNEST_DELETE, 2, 0)),
                        new Way(
                                "scoter",
                                ANY,
                                rows -> generated(
                                        rows,
                                        r -> new Sensors.KeyedReadingsKey(r.deviceId(), r.timestamp()),
                                        Sensors::deleteAllKeyedReadings)),
                        new Way(ALONE, ANY, rows -> alone(Methods.ALONE_DELETE)),
                        new Way(
                                "JDBC batch" + UNINDEXED,
                                10_000,
                                Methods.batch(Methods.unindexed(Methods.DELETE), Methods.DELETE_BIND)),
                        new Way(
                                "scoter" + UNINDEXED,
                                ANY,
                                rows -> generated(
                                        rows,
                                        r -> new Sensors.SensorReadingsKey(r.deviceId(), r.timestamp()),
                                        Sensors::deleteAllSensorReadings))));
        // Every other row exists.
        ways.put(
                "UPSERT",
                List.of(
                        new Way("individual", 10_000, Methods.individual(Methods.UPSERT, Methods.all(1))),
                        new Way("JDBC batch", ANY, Methods.batch(Methods.UPSERT, Methods.all(1))),
                        new Way("UNNEST", ANY, Methods.unnest(Methods.UNNEST_UPSERT, 9, 1)),
                        new Way("scoter", ANY, rows -> generated(rows, Main::warmer, Sensors::upsertAllKeyedReadings)),
                        new Way(ALONE, ANY, rows -> alone(Methods.ALONE_UPSERT))));
        return ways;
    }

    private static Methods.Method on(Connection other, Methods.Method method) {
        return (unused, rows) -> method.run(other, rows);
    }

    /**
     * A statement over rows that are in a table of the server beforehand: nothing that is sent to
     * it takes less.
     */
    private Methods.Method alone(String sql) {
        try {
            execute("DROP TABLE IF EXISTS staged");
            execute("CREATE TABLE staged AS SELECT "
                    + Methods.COLUMNS.replace("temperature", "temperature + 1 AS temperature")
                    + " FROM template ORDER BY id");
            execute("VACUUM ANALYZE staged");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return (unused, rows) -> execute(sql);
    }

    /** What the server wrote into the file, sent by the client. */
    private Methods.Method bytes() {
        try {
            byte[] all = Files.readAllBytes(Path.of(file));
            return Methods.copyBytes(all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Bulk<T> {
        long run(Sensors queries, Iterable<T> rows) throws SQLException;
    }

    /**
     * A generated method over rows of its own type, which are there beforehand as those of the
     * others are.
     */
    private static <T> Methods.Method generated(List<Rows.Reading> rows, Function<Rows.Reading, T> row, Bulk<T> bulk) {
        List<T> made = rows.stream().map(row).toList();
        return (c, unused) -> {
            try (var queries = new Sensors(c)) {
                bulk.run(queries, made);
            }
        };
    }

    /** Half of the rows over each of two connections. */
    private Methods.Method halves(List<Rows.Reading> rows) {
        var first = generated(rows.subList(0, rows.size() / 2), Main::row, Sensors::insertAllSensorReadings);
        var rest = generated(rows.subList(rows.size() / 2, rows.size()), Main::row, Sensors::insertAllSensorReadings);
        return (connection, all) -> {
            var other = new FutureTask<Void>(() -> {
                rest.run(second, all);
                return null;
            });
            new Thread(other).start();
            first.run(connection, all);
            other.get();
        };
    }

    private static Sensors.SensorReadingsRow row(Rows.Reading r) {
        return new Sensors.SensorReadingsRow(
                r.deviceId(),
                r.timestamp(),
                r.temperature(),
                r.humidity(),
                r.pressure(),
                r.batteryLevel(),
                r.isAnomaly(),
                r.location(),
                r.tags());
    }

    private static Sensors.SensorReadingsRow warmer(Rows.Reading r) {
        return new Sensors.SensorReadingsRow(
                r.deviceId(),
                r.timestamp(),
                r.temperature() + 1.0,
                r.humidity(),
                r.pressure(),
                r.batteryLevel(),
                r.isAnomaly(),
                r.location(),
                r.tags());
    }

    private void size(int count, List<String> operations) throws Exception {
        List<Rows.Reading> rows = Rows.readings(count);
        fresh("sensor_readings", null);
        Methods.batch(Methods.INSERT, Methods.all(0)).run(c, rows);
        checkAgainstJava(rows);
        execute("DROP TABLE IF EXISTS template");
        execute("CREATE TABLE template AS SELECT * FROM sensor_readings ORDER BY id");
        execute("COPY (SELECT " + Methods.COLUMNS + " FROM template ORDER BY id) TO '" + file + "' (FORMAT binary)");
        Map<String, String> want = Map.of(
                "INSERT",
                checksum("template", ""),
                "DELETE",
                checksum("template WHERE false", ""),
                "UPDATE",
                checksum("template", " + 1"),
                "UPSERT",
                checksum("template", " + 1"));
        for (var entry : ways().entrySet()) {
            String operation = entry.getKey();
            if (!operations.contains(operation)) {
                continue;
            }
            Map<Way, Methods.Method> methods = new LinkedHashMap<>();
            for (Way way : entry.getValue()) {
                if (count <= way.most() || everything) {
                    methods.put(way, way.make().apply(rows));
                }
            }
            // Rounds of all methods, so that a noisy moment hits all alike. The first ones warm up:
            // few rows need many rounds until they run compiled code.
            int warmUp = Math.max(1, Math.min(20, 20_000 / count));
            for (int round = 1 - warmUp; round <= repeat; round++) {
                for (var method : methods.entrySet()) {
                    String table =
                            operation.equals("INSERT") || method.getKey().name().endsWith(UNINDEXED)
                                    ? "sensor_readings"
                                    : "keyed_readings";
                    fresh(
                            table,
                            operation.equals("INSERT") ? null : operation.equals("UPSERT") ? "WHERE id % 2 = 0" : "");
                    Meter.run(
                            operation,
                            method.getKey().name(),
                            count,
                            round > 0,
                            () -> method.getValue().run(c, rows));
                    String got = checksum(table, "");
                    if (!got.equals(want.get(operation))) {
                        throw new IllegalStateException(
                                operation + " by " + method.getKey().name() + ": rows differ: " + got + " instead of "
                                        + want.get(operation));
                    }
                }
            }
        }
    }

    /**
     * Creates a table again, with rows of the template if there is a condition. Afterwards the
     * server has nothing left to do for the table.
     */
    private void fresh(String table, String condition) throws Exception {
        execute("CREATE TABLE fresh (LIKE " + table + " INCLUDING ALL)");
        execute("DROP TABLE " + table);
        execute("ALTER TABLE fresh RENAME TO " + table);
        if (condition != null) {
            execute("INSERT INTO " + table + " (" + Methods.COLUMNS + ") SELECT " + Methods.COLUMNS + " FROM template "
                    + condition + " ORDER BY id");
            execute("VACUUM ANALYZE " + table);
        }
        execute("CHECKPOINT");
        if (duck != null) {
            duck.forget();
        }
    }

    private void execute(String sql) throws SQLException {
        Methods.execute(c, sql);
    }

    private String text(String sql) throws SQLException {
        try (var s = c.createStatement();
                var rs = s.executeQuery(sql)) {
            rs.next();
            return rs.getString(1);
        }
    }

    /**
     * Of all columns of all rows, whatever their order; something may be added to the temperature.
     */
    private String checksum(String table, String plus) throws SQLException {
        return text("SELECT count(*) || ' rows ' || count(DISTINCT id) || ' ids ' || coalesce(sum(hashtextextended(ROW("
                + Methods.COLUMNS.replace("temperature", "temperature" + plus) + ")::text, 0)), 0) FROM " + table);
    }

    /** The rows that the others are compared with are the ones of Java. */
    private void checkAgainstJava(List<Rows.Reading> rows) throws SQLException {
        List<String> wrong = new ArrayList<>();
        try (var s = c.createStatement();
                ResultSet rs = s.executeQuery("SELECT " + Methods.COLUMNS + " FROM sensor_readings ORDER BY id")) {
            for (Rows.Reading r : rows) {
                rs.next();
                List<Object> got = Arrays.asList(
                        rs.getObject(1, UUID.class),
                        rs.getObject(2, OffsetDateTime.class).toInstant(),
                        rs.getDouble(3),
                        rs.getDouble(4),
                        rs.getBigDecimal(5),
                        rs.getShort(6),
                        rs.getBoolean(7),
                        rs.getString(8),
                        Arrays.asList((Object[]) rs.getArray(9).getArray()));
                List<Object> expected = Arrays.asList(
                        r.deviceId(),
                        r.timestamp().toInstant(),
                        r.temperature(),
                        r.humidity(),
                        r.pressure(),
                        r.batteryLevel(),
                        r.isAnomaly(),
                        r.location(),
                        r.tags());
                if (!got.equals(expected)) {
                    wrong.add(got + " instead of " + expected);
                }
            }
        }
        if (!wrong.isEmpty()) {
            throw new IllegalStateException(wrong.size() + " rows differ: " + wrong.get(0));
        }
    }
}
