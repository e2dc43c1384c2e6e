package bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.duckdb.DuckDBConnection;

/**
 * Runs the methods in turn, each on a fresh copy of a database file, checks every column of the
 * result, and prints what each took.
 */
public final class Main {
    /** A method, and the most rows that it is run with unless all are asked for. */
    private record Way(String name, int most, Function<List<Rows.Reading>, Methods.Method> make) {
        Way(String name, int most, Methods.Method method) {
            this(name, most, rows -> method);
        }
    }

    private static final int ANY = Integer.MAX_VALUE;

    /** No way to write rows of a program, but what the others can be measured by. */
    private static final String ENGINE = "the engine alone, rows in memory";

    private final Path folder;
    private final int repeat;
    private final boolean everything;
    private final Set<String> names;

    private Main(Path folder, int repeat, boolean everything, Set<String> names) {
        this.folder = folder;
        this.repeat = repeat;
        this.everything = everything;
        this.names = names;
    }

    /**
     * folder, repetitions, whether slow methods too, operations, sizes, methods or none for all.
     */
    public static void main(String[] args) throws Exception {
        Set<String> names = args[5].isEmpty() ? Set.of() : Set.of(args[5].split(";"));
        var main = new Main(Path.of(args[0]), Integer.parseInt(args[1]), Boolean.parseBoolean(args[2]), names);
        List<String> operations = Arrays.asList(args[3].split(","));
        try (var c = DriverManager.getConnection("jdbc:duckdb:");
                var s = c.createStatement();
                var rs = s.executeQuery("SELECT version()")) {
            rs.next();
            System.out.printf(
                    "{\"versions\":{\"java\":\"%s\",\"duckdb\":\"%s\"}}%n",
                    System.getProperty("java.vm.version"), rs.getString(1));
        }
        for (String size : args[4].split(",")) {
            main.size(Integer.parseInt(size), operations);
        }
    }

    private static Map<String, List<Way>> ways() {
        Map<String, List<Way>> ways = new LinkedHashMap<>();
        String insert = "INSERT INTO sensor_readings SELECT * FROM %s";
        ways.put(
                "INSERT",
                List.of(
                        new Way("individual", 10_000, Methods.individual(Methods.INSERT_ROW, Methods::insertRow)),
                        new Way("JDBC batch", 10_000, Methods.batch(Methods.INSERT_ROW, Methods::insertRow)),
                        new Way("multi-value", 50_000, Methods.MULTI_VALUE),
                        new Way("Appender", ANY, Methods.APPENDER),
                        new Way("Appender, one transaction", ANY, Methods.APPENDER_TRANSACTION),
                        new Way("Arrow stream", ANY, Arrow.method(9, 0, insert)),
                        new Way("table function", ANY, new TableFunction(9, 0, insert)),
                        new Way(ENGINE, ANY, rows -> Methods.inMemory(rows, 9, 0, insert)),
                        new Way("scoter", ANY, rows -> generated(rows, Main::row, Sensors::insertAllSensorReadings))));
        ways.put(
                "UPDATE",
                List.of(
                        new Way("individual", 10_000, Methods.individual(Methods.UPDATE_ROW, c -> Methods.UPDATE_BIND)),
                        new Way("JDBC batch", 10_000, Methods.batch(Methods.UPDATE_ROW, c -> Methods.UPDATE_BIND)),
                        new Way(
                                "UNNEST",
                                ANY,
                                Methods.unnest(
                                        Methods.UPDATE.formatted(
                                                "(SELECT unnest(?::UUID[]) device_id, unnest(?::TIMESTAMPTZ[]) AS timestamp, unnest(?::DOUBLE[]) temperature)"),
                                        true)),
                        new Way("Arrow join", ANY, Arrow.method(3, 1, Methods.UPDATE)),
                        new Way("temp table + Appender", ANY, Methods.staged(3, 1, Methods.UPDATE)),
                        new Way("table function", ANY, new TableFunction(3, 1, Methods.UPDATE)),
                        new Way(ENGINE, ANY, rows -> Methods.inMemory(rows, 3, 1, Methods.UPDATE)),
                        new Way(
                                "scoter",
                                ANY,
                                rows -> generated(
                                        rows,
                                        r -> new Sensors.SensorReadingsUpdate(
                                                r.deviceId(), r.timestamp(), r.temperature() + 1.0),
                                        Sensors::updateAllSensorReadings))));
        ways.put(
                "DELETE",
                List.of(
                        new Way("individual", 10_000, Methods.individual(Methods.DELETE_ROW, c -> Methods.DELETE_BIND)),
                        new Way("JDBC batch", 10_000, Methods.batch(Methods.DELETE_ROW, c -> Methods.DELETE_BIND)),
                        new Way(
                                "UNNEST",
                                ANY,
                                Methods.unnest(
                                        "DELETE FROM sensor_readings WHERE (device_id, timestamp) IN (SELECT unnest(?::UUID[]), unnest(?::TIMESTAMPTZ[]))",
                                        false)),
                        new Way("Arrow join", ANY, Arrow.method(2, 0, Methods.DELETE)),
                        new Way("temp table + Appender", ANY, Methods.staged(2, 0, Methods.DELETE)),
                        new Way("table function", ANY, new TableFunction(2, 0, Methods.DELETE)),
                        new Way(ENGINE, ANY, rows -> Methods.inMemory(rows, 2, 0, Methods.DELETE)),
                        new Way(
                                "scoter",
                                ANY,
                                rows -> generated(
                                        rows,
                                        r -> new Sensors.SensorReadingsKey(r.deviceId(), r.timestamp()),
                                        Sensors::deleteAllSensorReadings))));
        // Every other row exists.
        ways.put(
                "UPSERT",
                List.of(
                        new Way("Arrow merge", ANY, Arrow.method(9, 1, Methods.MERGE)),
                        new Way("temp table + Appender + MERGE", ANY, Methods.staged(9, 1, Methods.MERGE)),
                        new Way("table function", ANY, new TableFunction(9, 1, Methods.MERGE)),
                        new Way(ENGINE, ANY, rows -> Methods.inMemory(rows, 9, 1, Methods.MERGE)),
                        new Way(
                                "scoter",
                                ANY,
                                rows -> generated(rows, Main::warmer, Sensors::upsertAllSensorReadings))));
        return ways;
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
        return (c, wanted) -> {
            try (var queries = new Sensors(c)) {
                bulk.run(queries, wanted.isEmpty() ? List.of() : made);
            }
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
        Map<String, Path> before = new LinkedHashMap<>();
        Map<String, String> want = new LinkedHashMap<>();
        Path empty = database("empty", null, null);
        Path full = database("full", empty, c -> Methods.APPENDER.run(c, rows));
        checkAgainstJava(full, rows);
        before.put("INSERT", empty);
        before.put("UPDATE", full);
        before.put("DELETE", full);
        before.put(
                "UPSERT",
                database(
                        "half",
                        full,
                        c -> execute(c, "DELETE FROM sensor_readings WHERE epoch(timestamp)::BIGINT // 10 % 2 = 1")));
        want.put("INSERT", checksum(full));
        want.put("DELETE", checksum(empty));
        Path warmer =
                database("warmer", full, c -> execute(c, "UPDATE sensor_readings SET temperature = temperature + 1.0"));
        want.put("UPDATE", checksum(warmer));
        want.put("UPSERT", want.get("UPDATE"));
        for (var entry : ways().entrySet()) {
            String operation = entry.getKey();
            if (!operations.contains(operation)) {
                continue;
            }
            Map<Way, Methods.Method> methods = new LinkedHashMap<>();
            for (Way way : entry.getValue()) {
                if ((count <= way.most() || everything) && (names.isEmpty() || names.contains(way.name()))) {
                    methods.put(way, way.make().apply(rows));
                }
            }
            // Rounds of all methods, so that a noisy moment hits all alike. The first ones warm up:
            // few rows need many rounds until they run compiled code.
            int warmUp = Math.max(3, Math.min(60, 60_000 / count));
            int rounds =
                    // what takes little time varies more
                    repeat * (count <= 10_000 ? 5 : count <= 100_000 ? 2 : 1);
            List<Way> order = new ArrayList<>(methods.keySet());
            for (int round = 1 - warmUp; round <= rounds; round++) {
                Collections.rotate(order, 1);
                for (Way way : order) {
                    if ((round > repeat || round <= -3) && way.most() != ANY) {
                        continue;
                    }
                    Methods.Method method = methods.get(way);
                    Path file = copy(before.get(operation), "run");
                    try (var c = open(file)) {
                        // As on a connection that is in use.
                        method.prepare(c);
                        method.run(c, List.of());
                        Meter.run(operation, way.name(), count, round > 0, () -> method.run(c, rows));
                    }
                    String got = checksum(file);
                    if (!got.equals(want.get(operation))) {
                        throw new IllegalStateException(operation + " by " + way.name() + ": rows differ: " + got
                                + " instead of " + want.get(operation));
                    }
                }
            }
        }
    }

    private interface Fill {
        void run(DuckDBConnection c) throws Exception;
    }

    private Path database(String name, Path from, Fill fill) throws Exception {
        Path file = from == null ? remove(folder.resolve(name + ".db")) : copy(from, name);
        try (var c = open(file)) {
            if (from == null) {
                Sensors.applyMigrations(c);
            }
            if (fill != null) {
                fill.run(c);
            }
        }
        return file;
    }

    private Path copy(Path from, String name) throws IOException {
        return Files.copy(from, remove(folder.resolve(name + ".db")));
    }

    private static Path remove(Path file) throws IOException {
        Files.deleteIfExists(file);
        Files.deleteIfExists(Path.of(file + ".wal"));
        return file;
    }

    private static DuckDBConnection open(Path file) throws SQLException {
        return DriverManager.getConnection("jdbc:duckdb:" + file).unwrap(DuckDBConnection.class);
    }

    private static void execute(DuckDBConnection c, String sql) throws SQLException {
        try (var s = c.createStatement()) {
            s.execute(sql);
        }
    }

    /** Of all columns of all rows, whatever their order. */
    private static String checksum(Path file) throws SQLException {
        try (var c = open(file);
                var s = c.createStatement();
                var rs = s.executeQuery(
                        "SELECT count(*) || ' rows ' || coalesce(sum(hash(t)::HUGEINT), 0) FROM sensor_readings t")) {
            rs.next();
            return rs.getString(1);
        }
    }

    /** The rows that the others are compared with are the ones of Java. */
    private static void checkAgainstJava(Path file, List<Rows.Reading> rows) throws SQLException {
        List<String> wrong = new ArrayList<>();
        try (var c = open(file);
                var s = c.createStatement();
                ResultSet rs = s.executeQuery("SELECT * FROM sensor_readings ORDER BY timestamp")) {
            for (Rows.Reading r : rows) {
                rs.next();
                List<Object> got = Arrays.asList(
                        rs.getObject(1),
                        rs.getObject(2, java.time.OffsetDateTime.class).toInstant(),
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
