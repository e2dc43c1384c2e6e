package bulk;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.duckdb.DuckDBConnection;

/** Prints what bulk writes do: a test compares it over the ways they can take. */
public final class Program {
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "results" -> results(args[1]);
            case "hang" -> hang(args[1], args[2]);
            case "count" -> {
                try (var c = open(args[1])) {
                    System.out.println(text(c, "SELECT count(*) || ' ' || count(*) FILTER (v = 'old') FROM kv"));
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static Connection open(String file) throws SQLException {
        return DriverManager.getConnection("jdbc:duckdb:" + file);
    }

    private static String text(Connection c, String sql) throws SQLException {
        try (var s = c.createStatement();
                var rs = s.executeQuery(sql)) {
            rs.next();
            return rs.getString(1);
        }
    }

    private static void execute(Connection c, String sql) throws SQLException {
        try (var s = c.createStatement()) {
            s.execute(sql);
        }
    }

    private interface Call {
        Object run() throws Exception;
    }

    private static void say(String what, Call call) {
        String result;
        try {
            result = String.valueOf(call.run());
        } catch (Exception e) {
            result = e.getClass().getSimpleName() + ": " + e.getMessage();
        }
        System.out.println(what + ": " + result);
    }

    private static Writes.KvRow kv(int k, String v) {
        return new Writes.KvRow(k, v, null, null);
    }

    private static List<Writes.KvRow> kvs(int from, int to, String v) {
        return IntStream.range(from, to).mapToObj(k -> kv(k, v)).toList();
    }

    /** With the route of that name, or the one that operations choose. */
    private static void results(String route) throws Exception {
        try (var c = open("");
                var q = new Writes(c).withRoute(route.isEmpty() ? null : ScoterDuckDb.Route.valueOf(route))) {
            Writes.applyMigrations(c);
            say("every", () -> q.insertAllEvery(every(2_500)));
            say(
                    "every column",
                    () -> text(
                            c,
                            "SELECT count(*) || ' ' || sum(hash(COLUMNS(*)::VARCHAR)) FROM every"
                                    .replace("sum(hash(COLUMNS(*)::VARCHAR))", "sum(hash(every::VARCHAR)::HUGEINT)")));
            say("a row", () -> text(c, "SELECT every::VARCHAR FROM every WHERE id = 5"));
            String all = "SELECT count(*) || ' ' || sum(k) || ' ' || count(DISTINCT v) || ' ' || min(v) FROM kv";

            say("insert", () -> q.insertAllKv(kvs(0, 100_000, "a")));
            say("null", () -> q.insertAllKv(List.of(kv(200_000, "x"), kv(200_001, "x"), kv(200_002, null))));
            say(
                    "digits",
                    () -> q.insertAllKv(
                            List.of(kv(200_000, "x"), new Writes.KvRow(200_001, "x", new BigDecimal("1.234"), null))));
            say(
                    "large",
                    () -> q.insertAllKv(List.of(new Writes.KvRow(200_001, "x", new BigDecimal("123456.5"), null))));
            say(
                    "length",
                    () -> q.insertAllKv(
                            List.of(kv(200_000, "x"), new Writes.KvRow(200_001, "x", null, List.of(1, 2)))));
            say("duplicate", () -> q.insertAllKv(List.of(kv(200_000, "x"), kv(7, "x"))));
            say("duplicate of rows that are gone", () -> q.insertAllKv(gone(List.of(kv(200_000, "x"), kv(7, "x")))));
            say("half", () -> q.insertAllKv(List.of(kv(200_000, "x"), kv(200_001, "\ud800"))));
            List<Writes.KvRow> late = new ArrayList<>(kvs(200_000, 400_000, "x"));
            late.set(150_000, kv(999_999, null));
            say("late", () -> q.insertAllKv(late));
            say("broken", () -> q.insertAllKv(failing(200_000, 150_000)));
            say("broken soon", () -> q.insertAllKv(failing(200_000, 10)));
            say("nothing behind", () -> text(c, all));

            say(
                    "update",
                    () -> q.updateAllKv(IntStream.range(0, 200_000)
                            .mapToObj(i -> new Writes.KvRow(i % 90_000, i < 90_000 ? "first" : "last", null, null))
                            .toList()));
            say(
                    "last wins",
                    () -> text(
                            c, "SELECT count(*) FILTER (v = 'first') || ' ' || count(*) FILTER (v = 'last') FROM kv"));
            // Keys in their order up to the end, and up to a row whose key came long before.
            say("rising", () -> q.updateAllKv(kvs(0, 50_000, "rising")));
            say(
                    "risen",
                    () -> text(
                            c,
                            "SELECT count(*) FILTER (v = 'rising') || ' ' || count(*) FILTER (v = 'falling') FROM kv"));
            List<Writes.KvRow> falling = new ArrayList<>(kvs(50_000, 90_000, "falling"));
            falling.add(kv(49_999, "falling"));
            falling.add(kv(60_000, "rising"));
            say("falling", () -> q.updateAllKv(falling));
            say(
                    "fallen",
                    () -> text(
                            c,
                            "SELECT count(*) FILTER (k >= 50000 AND v = 'rising') || ' ' || count(*) FILTER (v = 'falling') FROM kv"));
            // Every second key comes again, of many rows, with nulls elsewhere.
            say(
                    "mixed",
                    () -> q.updateAllKv(IntStream.range(0, 90_000)
                            .mapToObj(i -> new Writes.KvRow(
                                    i < 70_000 ? i : 35_000 + i / 2,
                                    "m",
                                    i % 3 == 0 ? null : new BigDecimal(i % 100),
                                    i % 4 == 0 ? null : Arrays.asList(i, null, i % 5 == 0 ? null : i)))
                            .toList()));
            say(
                    "mixed rows",
                    () -> text(
                            c,
                            "SELECT count(*) || ' ' || sum((n IS NOT DISTINCT FROM CASE WHEN i % 3 <> 0 THEN i % 100 END"
                                    + " AND three IS NOT DISTINCT FROM CASE WHEN i % 4 <> 0 THEN [i, NULL, CASE WHEN i % 5 <> 0 THEN i END] END)::INT)"
                                    + " FROM (SELECT *, CASE WHEN k < 70000 THEN k ELSE 2 * (k - 35000) + 1 END AS i FROM kv) WHERE v = 'm'"));
            say(
                    "upsert",
                    () -> q.upsertAllKv(() -> IntStream.range(0, 160_000)
                            .mapToObj(i -> kv(i % 120_000, "u" + i % 120_000))
                            .iterator()));
            say("upserted", () -> text(c, all));
            say(
                    "delete",
                    () -> q.deleteAllKv(IntStream.range(0, 100_000)
                            .mapToObj(i -> new Writes.KvKey(i / 2))
                            .toList()));
            say("deleted", () -> text(c, all));
            say(
                    "no rows",
                    () -> q.insertAllKv(List.of())
                            + q.updateAllKv(List.of())
                            + q.deleteAllKv(List.of())
                            + q.upsertAllKv(List.of()));

            c.setAutoCommit(false);
            say("own transaction", () -> q.insertAllKv(kvs(300_000, 400_000, "t")));
            c.rollback();
            say("rolled back", () -> text(c, all));
            say("own transaction again", () -> q.insertAllKv(kvs(300_000, 300_010, "t")));
            c.commit();
            say("committed", () -> text(c, all));
            say("fails", () -> q.insertAllKv(List.of(kv(500_000, "x"), kv(500_001, null))));
            c.rollback();
            say(
                    "batch fails",
                    () -> q.setKvBatch(() -> IntStream.range(0, 3000)
                            .mapToObj(i -> {
                                if (i == 2500) {
                                    throw new IllegalStateException("no row " + i);
                                }
                                return new Writes.SetKvParams(300_000, "batch");
                            })
                            .iterator()));
            say("can only be rolled back", () -> {
                try {
                    return text(c, all);
                } catch (SQLException e) {
                    return e.getMessage().contains("aborted");
                }
            });
            c.rollback();
            c.setAutoCommit(true);
            execute(c, "BEGIN");
            say("dry run in a transaction", () -> Writes.applyMigrations(c, "other", true));
            execute(c, "ROLLBACK");
            say("after all", () -> text(c, all));
            say("appender", () -> {
                try (var a = q.createAppendedAppender()) {
                    a.append(kv(600_000, "x"));
                    say(
                            "appender refuses",
                            () -> a.append(new Writes.KvRow(600_001, "x", new BigDecimal("1.234"), null)));
                    say("appender refuses null", () -> a.append(kv(600_002, null)));
                    a.append(kv(600_003, "x"));
                }
                return text(c, "SELECT list(k ORDER BY k)::VARCHAR FROM kv WHERE k >= 600000");
            });
            say("appender at the end", () -> {
                try (var a = q.createAppendedAppender()) {
                    a.append(kv(600_000, "again"));
                }
                return "no";
            });
            ordered(c, q);
            appended(c, q);
        }
    }

    /** Appenders that fail. */
    private static void appended(Connection c, Writes q) throws SQLException {
        String all = "SELECT list(number ORDER BY number)::VARCHAR FROM measured";
        execute(c, "DELETE FROM measured");
        say("appender refuses huge", () -> {
            try (var a = q.createAppendedMeasuredAppender()) {
                a.append(measured(1, 0));
                say(
                        "huge",
                        () -> a.append(new Writes.MeasuredRow(
                                (short) 1,
                                null,
                                null,
                                null,
                                2,
                                BigInteger.ONE.shiftLeft(127),
                                null,
                                null,
                                null,
                                null)));
                a.append(measured(3, 0));
            }
            return text(c, all);
        });
        // The column changes behind the code's back: the row stays open in the driver.
        execute(c, "ALTER TABLE measured ALTER price TYPE VARCHAR");
        var a = q.createAppendedMeasuredAppender();
        say("appender fails", () -> a.append(measured(5, 0)));
        say("appender failed", () -> a.append(measured(7, 0)));
        say("flush failed", () -> a.flush());
        say("close failed", () -> {
            a.close();
            return "no";
        });
        say("closed", () -> {
            a.close();
            return text(c, all);
        });
    }

    /** Rows that cannot be had again when the reason of an error is looked for. */
    private static <T> Collection<T> gone(Collection<T> rows) {
        return new AbstractCollection<>() {
            @Override
            public Iterator<T> iterator() {
                if (StackWalker.getInstance()
                        .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("named")))) {
                    throw new IllegalStateException("the rows are gone");
                }
                return rows.iterator();
            }

            @Override
            public int size() {
                return rows.size();
            }
        };
    }

    private static UUID device(int i) {
        return new UUID(i % 7, -i % 5);
    }

    private static OffsetDateTime taken(int i) {
        return OffsetDateTime.of(1969, 12, 31, 0, 0, 0, 0, ZoneOffset.UTC).plusSeconds(3L * i);
    }

    /** The i-th row by time, changed so many times. */
    private static Writes.MeasuredRow measured(int i, int change) {
        int n = i + change * 1000;
        return new Writes.MeasuredRow(
                (short) (i % 3 - 1),
                device(i),
                taken(i),
                (byte) n,
                n % 4 == 0 ? null : n,
                n % 5 == 0 ? null : BigInteger.valueOf(-n).shiftLeft(64),
                new BigDecimal(n).movePointLeft(2),
                n % 6 == 0 ? null : n % 2 == 0,
                n % 8 == 0 ? null : n / 8f,
                n % 9 == 0 ? null : LocalDate.ofEpochDay(n));
    }

    private static List<Writes.MeasuredRow> measured(int from, int to, int step, int change) {
        return IntStream.iterate(from, i -> i < to, i -> i + step)
                .mapToObj(i -> measured(i, change))
                .toList();
    }

    /** Rows whose keys rise, into tables in that order and in others. */
    private static void ordered(Connection c, Writes q) throws SQLException {
        String all = "SELECT count(*) || ' ' || sum(hash(measured)::HUGEINT) || ' ' || sum(number) FROM measured";
        for (String order : List.of("taken", "hash(taken)", "taken DESC")) {
            execute(c, "DELETE FROM measured");
            q.insertAllMeasured(measured(0, 60_000, 1, 0));
            // Keys that exist twice, and null keys.
            execute(c, "INSERT INTO measured SELECT * FROM measured WHERE number % 100 = 1");
            execute(c, "INSERT INTO measured SELECT NULL, * EXCLUDE (slot) FROM measured WHERE number % 100 = 2");
            execute(
                    c,
                    "INSERT INTO measured SELECT slot, device, NULL, * EXCLUDE (slot, device, taken) FROM measured WHERE number % 100 = 3");
            execute(c, "CREATE OR REPLACE TEMP TABLE sorted AS FROM measured ORDER BY " + order);
            execute(c, "DELETE FROM measured");
            execute(c, "INSERT INTO measured FROM sorted");
            say(order + ": half", () -> q.updateAllMeasured(measured(-20_000, 80_000, 2, 1)));
            say("halved", () -> text(c, all));
            say(
                    "other devices",
                    () -> q.updateAllMeasured(measured(0, 60_000, 1, 2).stream()
                            .map(r -> new Writes.MeasuredRow(
                                    r.number() == null ? 9 : r.slot(),
                                    r.number() != null && r.number() % 10 == 3 ? device(0) : r.device(),
                                    r.taken(),
                                    r.tiny(),
                                    r.number(),
                                    r.huge(),
                                    r.price(),
                                    r.ok(),
                                    r.ratio(),
                                    r.day()))
                            .toList()));
            say("others' rows", () -> text(c, all));
            List<Writes.MeasuredRow> wrong = new ArrayList<>(measured(0, 60_000, 1, 3));
            Writes.MeasuredRow r = wrong.get(50_000);
            wrong.set(
                    50_000,
                    new Writes.MeasuredRow(
                            r.slot(),
                            r.device(),
                            r.taken(),
                            r.tiny(),
                            r.number(),
                            r.huge(),
                            new BigDecimal("0.123"),
                            r.ok(),
                            r.ratio(),
                            r.day()));
            // Other threads worked on the rows before the refused one, and sometimes crashed.
            for (int i = 0; i < 20; i++) {
                say("wrong digits", () -> q.updateAllMeasured(wrong));
            }
            wrong.set(
                    50_000,
                    new Writes.MeasuredRow(
                            r.slot(),
                            null,
                            r.taken(),
                            r.tiny(),
                            r.number(),
                            r.huge(),
                            r.price(),
                            r.ok(),
                            r.ratio(),
                            r.day()));
            say("no key", () -> q.updateAllMeasured(wrong));
            wrong.set(50_000, measured(10, 4));
            say("a key again", () -> q.updateAllMeasured(wrong));
            say("as told", () -> text(c, all));
            say("a few", () -> q.updateAllMeasured(measured(1, 60_000, 6, 5)));
            say(
                    "deleted",
                    () -> q.deleteAllMeasured(measured(-100, 39_000, 1, 0).stream()
                            .map(d -> new Writes.MeasuredKey(d.slot(), d.device(), d.taken()))
                            .toList()));
            say("left", () -> text(c, all));
        }
        try (var other = c.unwrap(DuckDBConnection.class).duplicate();
                var its = new Writes(other)) {
            other.setAutoCommit(false);
            for (int change = 6; change < 8; change++) {
                int n = change;
                say("in a transaction", () -> its.updateAllMeasured(measured(0, 60_000, 1, n)));
                say("seen by it", () -> text(other, all));
                other.rollback();
            }
            say("by the first", () -> q.updateAllMeasured(measured(0, 60_000, 1, 8)));
            say(
                    "in another",
                    () -> its.deleteAllMeasured(measured(0, 60_000, 1, 0).stream()
                            .map(d -> new Writes.MeasuredKey(d.slot(), d.device(), d.taken()))
                            .toList()));
            other.commit();
            say("in the end", () -> text(c, all));
        }
    }

    private static Iterable<Writes.KvRow> failing(int from, int at) {
        return () -> new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public Writes.KvRow next() {
                if (next == at) {
                    throw new IllegalStateException("no row " + at);
                }
                return kv(from + next++, "x");
            }
        };
    }

    /** Writes without an end, says so once much is written, and waits to be killed. */
    private static void hang(String file, String operation) throws Exception {
        try (var c = open(file);
                var q = new Writes(c)) {
            Writes.applyMigrations(c);
            execute(c, "INSERT INTO kv SELECT i, 'old', NULL, NULL FROM range(1000) t(i)");
            new Hang(600_000, k -> new Writes.KvRow(k, "new", null, null), Writes.KvKey::new).write(q, operation);
        }
    }

    private static List<Writes.EveryRow> every(int count) {
        Random r = new Random(1);
        List<Writes.EveryRow> rows = new ArrayList<>();
        rows.add(new Writes.EveryRow(
                0,
                false,
                Byte.MIN_VALUE,
                Short.MIN_VALUE,
                Long.MIN_VALUE,
                BigInteger.ONE.shiftLeft(127).negate(),
                (short) 0,
                0,
                0L,
                BigInteger.ZERO,
                BigInteger.ZERO,
                -0f,
                Double.MIN_VALUE,
                new BigDecimal("-999.9"),
                new BigDecimal("-999999.999"),
                new BigDecimal("-999999999999999.999"),
                new BigDecimal("-9999999999999999999999999999.9999999999"),
                "",
                new byte[0],
                new UUID(0, 0),
                LocalDate.of(1, 1, 1),
                LocalTime.MIN,
                OffsetTime.of(0, 0, 0, 0, ZoneOffset.ofHours(15)),
                LocalDateTime.of(1, 1, 1, 0, 0, 1),
                LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_000_000),
                LocalDateTime.of(1, 1, 1, 0, 0, 0, 1000),
                LocalDateTime.of(1700, 1, 1, 0, 0, 0, 1),
                OffsetDateTime.of(1, 1, 1, 0, 0, 0, 0, ZoneOffset.ofHours(5)),
                new ScoterInterval(-13, -40, -1),
                "null",
                Writes.Mood.values()[0],
                List.of(),
                List.of(),
                Arrays.asList(1, null, 3),
                new Writes.EveryPt(null, null),
                List.of(),
                Map.of(),
                Map.of()));
        while (rows.size() < count) {
            int i = rows.size();
            rows.add(new Writes.EveryRow(
                    i,
                    maybe(r, r.nextBoolean()),
                    maybe(r, (byte) r.nextInt()),
                    maybe(r, (short) r.nextInt()),
                    maybe(r, r.nextLong()),
                    maybe(r, new BigInteger(127, r).subtract(new BigInteger(127, r))),
                    maybe(r, (short) r.nextInt(256)),
                    maybe(r, r.nextInt(65536)),
                    maybe(r, r.nextLong() >>> 32),
                    maybe(r, new BigInteger(64, r)),
                    maybe(r, new BigInteger(128, r)),
                    maybe(r, r.nextFloat()),
                    maybe(r, r.nextGaussian() * 1e100),
                    maybe(r, digits(r, 13, 1)),
                    maybe(r, digits(r, 29, 3)),
                    maybe(r, digits(r, 59, 3)),
                    maybe(r, digits(r, 120, 10)),
                    maybe(r, unicode(r)),
                    maybe(r, bytes(r)),
                    maybe(r, new UUID(r.nextLong(), r.nextLong())),
                    maybe(r, LocalDate.ofEpochDay(r.nextInt(200_000) - 100_000)),
                    maybe(r, LocalTime.ofNanoOfDay(r.nextInt(86_400_000) * 1_000_000L + 123_000)),
                    maybe(r, OffsetTime.of(r.nextInt(24), 1, 2, 3000, ZoneOffset.ofHoursMinutes(r.nextInt(12), 30))),
                    maybe(r, moment(r).withNano(0)),
                    maybe(r, moment(r).withNano(5_000_000)),
                    maybe(r, moment(r)),
                    maybe(r, moment(r).plusNanos(7)),
                    maybe(r, moment(r).atOffset(ZoneOffset.ofHours(-9))),
                    maybe(r, new ScoterInterval(r.nextInt(100) - 50, r.nextInt(100) - 50, r.nextInt() * 1000L)),
                    maybe(r, "{\"a\": [" + i + "]}"),
                    maybe(r, Writes.Mood.values()[r.nextInt(3)]),
                    maybe(r, texts(r)),
                    maybe(r, Arrays.asList(List.of(i, 2), null, List.of())),
                    maybe(r, Arrays.asList(i, null, -i)),
                    maybe(r, new Writes.EveryPt(maybe(r, 1.5), maybe(r, texts(r)))),
                    maybe(r, Arrays.asList(new Writes.EveryPts(0.5, maybe(r, unicode(r))), null)),
                    maybe(r, map(r)),
                    maybe(r, Collections.singletonMap(i, maybe(r, texts(r))))));
        }
        return rows;
    }

    private static <T> T maybe(Random r, T value) {
        return r.nextInt(4) == 0 ? null : value;
    }

    private static BigDecimal digits(Random r, int bits, int scale) {
        return new BigDecimal(new BigInteger(bits, r).subtract(new BigInteger(bits, r)), scale);
    }

    private static LocalDateTime moment(Random r) {
        return LocalDateTime.ofEpochSecond(r.nextInt(), r.nextInt(1_000_000) * 1000, ZoneOffset.UTC);
    }

    private static final String[] PIECES = {"a", "ü", "€", "😀", "\0", "\n", "'", "long enough not to be inlined"};

    private static String unicode(Random r) {
        StringBuilder b = new StringBuilder();
        for (int n = r.nextInt(9); n > 0; n--) {
            b.append(PIECES[r.nextInt(PIECES.length)]);
        }
        return b.toString();
    }

    private static byte[] bytes(Random r) {
        byte[] b = new byte[r.nextInt(30)];
        r.nextBytes(b);
        return b;
    }

    private static List<String> texts(Random r) {
        List<String> list = new ArrayList<>();
        for (int n = r.nextInt(5); n > 0; n--) {
            list.add(maybe(r, unicode(r)));
        }
        return list;
    }

    private static Map<String, Integer> map(Random r) {
        Map<String, Integer> m = new LinkedHashMap<>();
        m.put("x", maybe(r, 1));
        m.put("long enough not to be inlined", 2);
        return m;
    }
}
