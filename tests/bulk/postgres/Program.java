package bulk;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
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
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.postgresql.PGConnection;

/** Prints what bulk writes do: a test compares it over the ways they can take. */
public final class Program {
    private static final OffsetDateTime THEN = OffsetDateTime.of(2025, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    /**
     * What to do, the database, the route or nothing, and whether the connection hides the
     * driver's.
     */
    public static void main(String[] args) throws Exception {
        try (var c = DriverManager.getConnection("jdbc:postgresql:" + args[1], "postgres", "")) {
            switch (args[0]) {
                case "results" ->
                    results(
                            args[3].isEmpty() ? c : hidden(c),
                            args[2].isEmpty() ? null : ScoterPostgres.Route.valueOf(args[2]));
                case "prepare" -> {
                    Writes.applyMigrations(c);
                    execute(c, "INSERT INTO kv SELECT i, 'old' FROM generate_series(0, 999) i");
                }
                case "hang" -> hang(c, args[2]);
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    /**
     * Whether an update of rows with these keys, and of those between the first two, has the server
     * look for repeated ones.
     */
    private static boolean looks(Connection c, ScoterPostgres.Route route, int... keys) throws SQLException {
        List<Writes.KvRow> rows = new ArrayList<>(IntStream.range(keys[0], keys[1])
                .mapToObj(i -> kv(100_000 + i, "x"))
                .toList());
        Arrays.stream(keys).skip(2).forEach(k -> rows.add(kv(100_000 + k, "y")));
        boolean[] looked = {false};
        var watched = (Connection) proxy(
                Connection.class,
                c,
                (name, args, result) -> name.equals("createStatement")
                        ? proxy(Statement.class, result, (called, sql, returned) -> {
                            looked[0] |= called.equals("execute")
                                    && String.valueOf(sql[0]).startsWith("DELETE FROM");
                            return returned;
                        })
                        : result);
        try (var queries = new Writes(watched).withRoute(route)) {
            queries.updateAllKv(rows);
        }
        return looked[0];
    }

    private interface Called {
        Object result(String method, Object[] args, Object result);
    }

    private static Object proxy(Class<?> type, Object of, Called called) {
        return Proxy.newProxyInstance(Program.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            try {
                return called.result(method.getName(), args, method.invoke(of, args));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    /** A connection as of a pool that does not let its driver's through. */
    private static Connection hidden(Connection c) {
        return (Connection) Proxy.newProxyInstance(
                Program.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("isWrapperFor")) {
                        return false;
                    }
                    if (method.getName().equals("unwrap")) {
                        throw new SQLException("nothing is wrapped");
                    }
                    try {
                        return method.invoke(c, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
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
            if (e instanceof SQLException s) {
                result += " " + s.getSQLState();
            }
        }
        System.out.println(what + ": " + result);
    }

    private static Writes.KvRow kv(int k, String v) {
        return new Writes.KvRow(k, v, null, null);
    }

    private static List<Writes.KvRow> kvs(int from, int to, String v) {
        return IntStream.range(from, to).mapToObj(k -> kv(k, v)).toList();
    }

    private static void results(Connection c, ScoterPostgres.Route route) throws Exception {
        try (var q = new Writes(c).withRoute(route)) {
            Writes.applyMigrations(c);
            execute(c, "SET TIME ZONE 'Asia/Kathmandu'");
            say("every", () -> q.insertAllEvery(every(5_000)));
            say(
                    "every column",
                    () -> text(
                            c, "SELECT count(*) || ' ' || md5(string_agg(e::text, E'\\n' ORDER BY id)) FROM every e"));
            for (int id : new int[] {0, 1, 2, 5}) {
                say("row " + id, () -> text(c, "SELECT e::text FROM every e WHERE id = " + id));
            }
            String all = "SELECT count(*) || ' ' || sum(k) || ' ' || count(DISTINCT v) || ' ' || min(v) FROM kv";

            say("insert", () -> q.insertAllKv(kvs(0, 20_000, "a")));
            say("null", () -> q.insertAllKv(List.of(kv(200_000, "x"), kv(200_001, "x"), kv(200_002, null))));
            say(
                    "large",
                    () -> q.insertAllKv(List.of(
                            kv(200_000, "x"), new Writes.KvRow(200_001, "x", new BigDecimal("123456.5"), null))));
            say("long", () -> q.insertAllKv(List.of(kv(200_000, "x"), kv(200_001, "more than ten"))));
            say("duplicate", () -> q.insertAllKv(List.of(kv(200_000, "x"), kv(7, "x"))));
            say("check", () -> q.insertAllKv(List.of(kv(200_000, "x"), kv(200_001, "never"))));
            say("half", () -> q.insertAllKv(List.of(kv(200_000, "x"), kv(200_001, "\ud800"))));
            List<Writes.KvRow> late = new ArrayList<>(kvs(200_000, 215_000, "x"));
            late.set(12_345, kv(999_999, null));
            say("late", () -> q.insertAllKv(late));
            late.set(12_345, kv(19_999, "x"));
            say("late duplicate", () -> q.insertAllKv(late));
            say("broken", () -> q.insertAllKv(failing(200_000, 15_000)));
            say("ragged", () -> {
                try {
                    return q.insertAllEvery(List.of(ragged()));
                } catch (SQLException e) { // the server tells it otherwise
                    return e.getMessage().startsWith("insertAllEvery: row 1: ");
                }
            });
            say("nothing behind", () -> text(c, all));

            say(
                    "update",
                    () -> q.updateAllKv(IntStream.range(0, 40_000)
                            .mapToObj(i -> kv(i % 18_000, i < 18_000 ? "first" : i < 36_000 ? "second" : "third"))
                            .toList()));
            say(
                    "last wins",
                    () -> text(
                            c,
                            "SELECT string_agg(v || n, ' ' ORDER BY v) FROM (SELECT v, count(*) n FROM kv GROUP BY v)"));
            say(
                    "looks for repeated keys where there may be some",
                    () -> route != ScoterPostgres.Route.BINARY
                            || !c.isWrapperFor(PGConnection.class)
                            || !looks(c, route, 0, 300) && looks(c, route, 0, 300, 299));
            say("update long", () -> q.updateAllKv(List.of(kv(1, "x"), kv(2, "x"), kv(3, "more than ten"))));
            say("update null", () -> q.updateAllKv(List.of(kv(1, "x"), kv(2, null))));
            say("update to never", () -> {
                try {
                    return q.updateAllKv(List.of(kv(1, "x"), kv(2, "never")));
                } catch (SQLException e) { // the server chooses the first row and names it
                    return e.getMessage().contains("(2, never, null, null)");
                }
            });
            say(
                    "upsert",
                    () -> q.upsertAllKv(() -> IntStream.range(0, 30_000)
                            .mapToObj(i -> kv(i % 25_000, "u" + i))
                            .iterator()));
            say("upserted", () -> text(c, all));
            say(
                    "delete",
                    () -> q.deleteAllKv(IntStream.range(0, 20_000)
                            .mapToObj(i -> new Writes.KvKey(i / 2))
                            .toList()));
            say("deleted", () -> text(c, all));
            // Keys of which a part or all is NULL; enough of them that each cannot be compared with
            // each.
            say(
                    "pairs",
                    () -> q.insertAllPairs(
                            IntStream.range(0, 30_000).mapToObj(i -> pair(i, i)).toList()));
            say(
                    "pairs updated",
                    () -> q.updateAllPairs(IntStream.range(0, 60_000)
                            .mapToObj(i -> pair(i / 2, -i))
                            .toList()));
            say(
                    "few pairs updated",
                    () -> q.updateAllPairs(List.of(pair(0, 1), pair(1, 1), pair(2, 1), pair(0, 2), pair(50_000, 3))));
            say(
                    "pairs are",
                    () -> text(
                            c,
                            "SELECT count(*) || ' ' || sum(n) || ' ' || string_agg(concat_ws('|', coalesce(a, 'none'), coalesce(b, -1), n), ' ' ORDER BY a, b)"
                                    + " FILTER (WHERE n > -10) FROM pairs"));
            say(
                    "pairs deleted",
                    () -> q.deleteAllPairs(IntStream.range(0, 10_000)
                            .mapToObj(i -> key(pair(i * 2, 0)))
                            .toList()));
            say(
                    "few pairs deleted",
                    () -> q.deleteAllPairs(
                            IntStream.range(0, 4).mapToObj(i -> key(pair(i, 0))).toList()));
            say(
                    "pairs left",
                    () -> text(c, "SELECT count(*) || ' ' || sum(n) || ' ' || count(a) || ' ' || count(b) FROM pairs"));
            say(
                    "no rows",
                    () -> q.insertAllKv(List.of())
                            + q.updateAllKv(List.of())
                            + q.deleteAllKv(List.of())
                            + q.upsertAllKv(List.of()));

            // Columns without a binary writer, a view, keys that only the server can compare.
            say(
                    "nets",
                    () -> q.insertAllNets(
                            List.of(new Writes.NetsRow(1, "10.0.0.1", "a\tb\\\n"), new Writes.NetsRow(2, null, ""))));
            say(
                    "nets long",
                    () -> q.insertAllNets(
                            List.of(new Writes.NetsRow(3, "10.0.0.1", "x"), new Writes.NetsRow(4, "10.0.0.1", null))));
            say(
                    "nets broken",
                    () -> q.insertAllNets(
                            List.of(new Writes.NetsRow(3, "10.0.0.1", "x"), new Writes.NetsRow(4, "10.0.0", "x"))));
            say(
                    "nets upsert",
                    () -> q.upsertAllNets(List.of(
                            new Writes.NetsRow(1, "::1", "x"),
                            new Writes.NetsRow(3, "::2", "y"),
                            new Writes.NetsRow(3, "::3", "z"))));
            say("nets are", () -> text(c, "SELECT string_agg(w::text, ' ' ORDER BY k) FROM nets w"));
            // Rows of all sizes, which have place in pages before the last one.
            Random sizes = new Random(2);
            say(
                    "of all sizes",
                    () -> q.upsertAllNets(IntStream.range(0, 3000)
                            .mapToObj(i ->
                                    new Writes.NetsRow(1000 + i % 500, null, i + " " + "x".repeat(sizes.nextInt(1900))))
                            .toList()));
            say(
                    "last of all sizes",
                    () -> text(
                            c,
                            "SELECT count(*) || ' ' || count(*) FILTER (WHERE split_part(s, ' ', 1)::int >= 2500) FROM nets WHERE k >= 1000"));
            say("view", () -> q.insertAllKvs(List.of(new Writes.KvsRow(70_000, "v"), new Writes.KvsRow(70_001, "v"))));
            say(
                    "view duplicate",
                    () -> q.insertAllKvs(List.of(new Writes.KvsRow(70_002, "v"), new Writes.KvsRow(70_001, "v"))));
            say("viewed", () -> text(c, all));
            say(
                    "notes",
                    () -> q.upsertAllNotes(List.of(
                            note(0, 10_000, "a", 1),
                            note(1000, 10_001, "a", 2),
                            note(1400, 10_002, "a", 3),
                            note(1600, 10_000, "b", 4))));
            say(
                    "notes again",
                    () -> q.upsertAllNotes(
                            List.of(note(500, 10_000, "a", 5), note(0, 10_000, "a", 6), note(0, 10_000, "c", 7))));
            say("notes are", () -> text(c, "SELECT string_agg(w::text, ' ' ORDER BY id) FROM notes w"));
            say("notes twice", () -> q.insertAllNotes(List.of(note(0, 10_000, "d", 1), note(0, 10_000, "a", 2))));
            say("no such", () -> q.upsertAllNotes(List.of(note(0, 10_000, "e", 1), note(0, 9, "f", 2))));

            say(
                    "no such of rows that are gone",
                    () -> q.upsertAllNotes(gone(List.of(note(0, 10_000, "e", 1), note(0, 9, "f", 2)))));

            c.setAutoCommit(false);
            say(
                    "own transaction",
                    () -> q.insertAllKv(kvs(300_000, 301_000, "t")) + q.updateAllKv(kvs(300_000, 301_000, "tt")));
            c.rollback();
            say("rolled back", () -> text(c, all));
            say("own transaction again", () -> q.insertAllKv(kvs(300_000, 300_010, "t")));
            c.commit();
            say("committed", () -> text(c, all));
            say("fails", () -> q.insertAllKv(List.of(kv(500_000, "x"), kv(500_001, null))));
            late.set(12_345, kv(300_001, "more than ten"));
            say("fails late", () -> q.updateAllKv(late));
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
            say("dry run", () -> Writes.applyMigrations(c, "other", true).size());
            say("as it was", () -> text(c, all));
            c.rollback();
            c.setAutoCommit(true);
            say("after all", () -> text(c, all));

            say("appender", () -> {
                try (var a = q.createAppendedAppender()) {
                    a.append(kv(600_000, "x")).flush().appendMany(kvs(600_001, 600_010, "x"));
                }
                return text(c, all);
            });
            say("appender fails", () -> {
                try (var a = q.createAppendedAppender()) {
                    a.append(kv(700_000, "x")).flush().append(kv(700_001, null));
                }
                return "no";
            });
            say("appender at the end", () -> {
                try (var a = q.createAppendedAppender()) {
                    a.append(kv(700_000, "x")).append(kv(600_001, "y"));
                }
                return "no";
            });
            say("appender goes on", () -> {
                try (var a = q.createAppendedAppender()) {
                    say("appender refuses", () -> a.append(kv(700_000, null)));
                    say("appender refused", () -> a.append(kv(700_001, "x")));
                }
                return "no";
            });
            say("appended", () -> text(c, all) + " " + c.getAutoCommit());
            streams(c, q);
            begun(c, q, all);

            // The columns change behind the code's back: bytes would be taken for something else.
            execute(c, "ALTER TABLE every ALTER i8 TYPE double precision USING 0");
            say("changed", () -> q.insertAllEvery(List.of(shift())));
            say("changed to", () -> text(c, "SELECT i8 FROM every WHERE id = -1"));
            ended(c, route);
        }
    }

    /** Changes while a stream is open. */
    private static void streams(Connection c, Writes q) throws Exception {
        say("while a stream is open", () -> {
            try (var keys = q.keysOfStream("x")) {
                for (var key = keys.iterator(); key.hasNext(); ) {
                    q.setKv(key.next(), "s");
                }
            }
            return text(c, "SELECT count(*) FROM kv WHERE v = 's'") + " " + c.getAutoCommit();
        });
        say("two streams", () -> {
            try (var first = q.keysOfStream("s", Writes.StreamOptions.DEFAULT.withFetchSize(2));
                    var second = q.keysOfStream("s")) {
                var keys = first.iterator();
                int key = keys.next();
                second.close();
                for (q.setKv(key, "t"); keys.hasNext(); key = keys.next()) {
                    continue;
                }
                return key + " " + c.getAutoCommit();
            }
        });
        say("bulk while a stream is open", () -> {
            try (var keys = q.keysOfStream("s")) {
                return q.insertAllKv(kvs(610_000, 610_010, "y"));
            }
        });
        say("transaction while a stream is open", () -> {
            try (var keys = q.keysOfStream("s")) {
                return q.transaction(() -> q.setKv(600_001, "y"));
            }
        });
        try (var others = new Writes(c)) {
            say("bulk while a stream of others is open", () -> {
                try (var keys = others.keysOfStream("s")) {
                    return q.insertAllKv(kvs(610_000, 610_010, "y"));
                }
            });
            say("streams of both", () -> {
                try (var first = q.keysOfStream("s", Writes.StreamOptions.DEFAULT.withFetchSize(2));
                        var second = others.keysOfStream("s", Writes.StreamOptions.DEFAULT.withFetchSize(2))) {
                    first.close();
                    return second.count() + " " + c.getAutoCommit();
                }
            });
        }
        say("migrations while a stream is open", () -> {
            try (var keys = q.keysOfStream("s")) {
                return Writes.applyMigrations(c, "other", true);
            }
        });
        say(
                "both in a transaction",
                () -> q.transaction(() -> {
                    try (var keys = q.keysOfStream("s")) {
                        return keys.count() + q.insertAllKv(kvs(610_000, 610_010, "y"));
                    }
                }));
        say("fails while a stream is open", () -> {
            try (var keys = q.keysOfStream("s")) {
                q.setKv(600_001, "y");
                return q.setKv(600_002, "more than ten");
            }
        });
        say(
                "after streams",
                () -> text(
                                c,
                                "SELECT string_agg(v || n, ' ' ORDER BY v) FROM (SELECT v, count(*) n FROM kv WHERE k >= 600000 GROUP BY v)")
                        + " " + c.getAutoCommit());
    }

    /** Operations in a transaction that the driver does not know of. */
    private static void begun(Connection c, Writes q, String all) throws Exception {
        execute(c, "BEGIN");
        say(
                "few in it",
                () -> q.insertAllKv(kvs(700_000, 700_010, "b")) + q.deleteAllKv(List.of(new Writes.KvKey(700_000))));
        say("many in it", () -> q.insertAllKv(kvs(710_000, 713_000, "b")) + q.updateAllKv(kvs(710_000, 713_000, "c")));
        say("batch in it", () -> q.setKvBatch(List.of(new Writes.SetKvParams(710_000, "d"))).length);
        say("refused in it", () -> q.insertAllKv(List.of(kv(720_000, "x"), kv(7, null))));
        say("appender in it", () -> {
            try (var a = q.createAppendedAppender()) {
                a.append(kv(730_000, "b"));
            }
            return "yes";
        });
        say("stream in it", () -> {
            try (var keys = q.keysOfStream("c")) {
                return keys.findFirst();
            }
        });
        say("dry run in it", () -> Writes.applyMigrations(c, "other", true).size());
        say("in it", () -> text(c, all));
        execute(c, "ROLLBACK");
        say("not any more", () -> text(c, "SELECT count(*) FROM kv WHERE k >= 700000") + " " + c.getAutoCommit());
    }

    /** A statement that ends its connection, in a transaction. */
    private static void ended(Connection c, ScoterPostgres.Route route) throws SQLException {
        execute(
                c,
                "CREATE FUNCTION ends() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(60); RETURN NEW; END $$");
        execute(c, "CREATE TRIGGER ends BEFORE INSERT ON kv FOR EACH ROW WHEN (NEW.v = 'end') EXECUTE FUNCTION ends()");
        try (var other = DriverManager.getConnection(c.getMetaData().getURL(), "postgres", "");
                var q = new Writes(other).withRoute(route)) {
            other.setAutoCommit(false);
            say("the first error is told", () -> {
                try {
                    return q.insertAllKv(List.of(kv(800_000, "end")));
                } catch (SQLException e) {
                    // 57P01 is the server's error. COPY does not receive it: it reports 08006, that
                    // the connection failed.
                    return List.of("57P01", "08006").contains(e.getSQLState());
                }
            });
        }
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

    /**
     * Row 0 has no key at all, of the others one in three lacks the first part and row 1 the
     * second.
     */
    private static Writes.PairsRow pair(int i, int n) {
        return new Writes.PairsRow(i % 3 == 0 ? null : "a" + i % 100, i < 2 ? null : Integer.valueOf(i), n);
    }

    private static Writes.PairsKey key(Writes.PairsRow row) {
        return new Writes.PairsKey(row.a(), row.b());
    }

    private static Writes.NotesRow note(int micros, int k, String name, int n) {
        return new Writes.NotesRow(k, THEN.plusNanos(micros), name, n);
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
    private static void hang(Connection c, String operation) throws Exception {
        try (var q = new Writes(c)) {
            new Hang(100_000, k -> new Writes.KvRow(k, "new", null, null), Writes.KvKey::new).write(q, operation);
        }
    }

    private static Writes.EveryRow empty(int id) {
        return new Writes.EveryRow(
                id, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                null, null);
    }

    private static Writes.EveryRow shift() {
        return new Writes.EveryRow(
                -1, null, null, 7L, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                null);
    }

    private static Writes.EveryRow ragged() {
        return new Writes.EveryRow(
                1,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(List.of(1, 2), List.of(3)),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    private static List<Writes.EveryRow> every(int count) {
        Random r = new Random(1);
        List<Writes.EveryRow> rows = new ArrayList<>();
        rows.add(new Writes.EveryRow(
                0,
                false,
                Short.MIN_VALUE,
                Long.MIN_VALUE,
                0L,
                -0f,
                Double.MIN_VALUE,
                new BigDecimal("-99999999.99"),
                new BigDecimal("-0.000000000000000000000000000001"),
                "",
                "",
                "",
                new byte[0],
                new UUID(0, 0),
                LocalDate.of(1, 1, 1),
                LocalTime.MIN,
                OffsetTime.of(0, 0, 0, 0, ZoneOffset.ofHours(15)),
                LocalDateTime.of(1, 1, 1, 0, 0, 0, 1000),
                OffsetDateTime.of(1, 1, 2, 0, 0, 0, 0, ZoneOffset.ofHours(5)),
                THEN.plusNanos(999_500_000),
                new ScoterInterval(-13, -40, -1),
                "null",
                "null",
                Writes.Mood.values()[0],
                "",
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                new Writes.Pt(null, null, null, null),
                List.of()));
        rows.add(empty(1));
        rows.add(new Writes.EveryRow(
                2,
                true,
                Short.MAX_VALUE,
                Long.MAX_VALUE,
                4_294_967_295L,
                Float.NaN,
                Double.NEGATIVE_INFINITY,
                new BigDecimal("1E+5"),
                new BigDecimal("123456789012345678901234567890.12345678901234567890"),
                "\\N \\. \t\r\n",
                "trailing   ",
                "x",
                new byte[] {0, -1, 92},
                UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"),
                LocalDate.of(9999, 12, 31),
                LocalTime.of(23, 59, 59, 999_999_499),
                OffsetTime.of(23, 59, 59, 999_999_000, ZoneOffset.ofHoursMinutes(-5, -30)),
                LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_000),
                THEN.plusNanos(1_500),
                THEN.plusNanos(500_000),
                new ScoterInterval(14, 3, 86_400_000_001L),
                "{\"a\" :  1}",
                "{\"b\": 1, \"a\": [null]}",
                Writes.Mood.values()[2],
                "wörd",
                Arrays.asList("a,b", "", null, "NULL", "{x}", "\"", "\\", "€😀"),
                List.of(List.of(1, 2, 3), Arrays.asList(4, null, 6)),
                List.of(List.of(List.of(0.5), List.of(-1.0))),
                Arrays.asList(new BigDecimal("1.50"), null, new BigDecimal("-10000")),
                Arrays.asList(new UUID(1, 2), null),
                Arrays.asList(Writes.Mood.values()[1], null),
                List.of(THEN),
                Arrays.asList("{\"x\": 1}", null),
                Arrays.asList("ok", null),
                new Writes.Pt(1.5, Arrays.asList("(", null, ")\""), Writes.Mood.values()[1], "s"),
                Arrays.asList(new Writes.Pt(null, List.of(), null, "t"), null)));
        while (rows.size() < count) {
            int i = rows.size();
            rows.add(new Writes.EveryRow(
                    i,
                    maybe(r, r::nextBoolean),
                    maybe(r, () -> (short) r.nextInt()),
                    maybe(r, r::nextLong),
                    maybe(r, () -> r.nextLong() >>> 32),
                    maybe(r, r::nextFloat),
                    maybe(r, () -> r.nextGaussian() * 1e100),
                    maybe(r, () -> digits(r, 24, 2)),
                    maybe(r, () -> digits(r, 1 + r.nextInt(120), r.nextInt(40) - 5)),
                    maybe(r, () -> unicode(r)),
                    maybe(r, () -> "v" + r.nextInt()),
                    maybe(r, () -> "c" + r.nextInt(10_000)),
                    maybe(r, () -> bytes(r)),
                    maybe(r, () -> new UUID(r.nextLong(), r.nextLong())),
                    maybe(r, () -> LocalDate.ofEpochDay(r.nextInt(200_000) - 100_000)),
                    maybe(r, () -> LocalTime.ofNanoOfDay(r.nextInt(86_399_000) * 1_000_000L + r.nextInt(1_000_000))),
                    maybe(
                            r,
                            () -> OffsetTime.of(
                                    r.nextInt(24), 1, 2, 3000, ZoneOffset.ofHoursMinutes(r.nextInt(12), 30))),
                    maybe(r, () -> moment(r)),
                    maybe(r, () -> moment(r).atOffset(ZoneOffset.ofHours(-9))),
                    maybe(r, () -> moment(r).atOffset(ZoneOffset.ofHours(3))),
                    maybe(r, () -> new ScoterInterval(r.nextInt(100) - 50, r.nextInt(100) - 50, r.nextInt() * 1000L)),
                    maybe(r, () -> "{\"a\":  [" + i + "]}"),
                    maybe(r, () -> "{\"a\":  [" + i + "], \"ü\": \"x\"}"),
                    maybe(r, () -> Writes.Mood.values()[r.nextInt(3)]),
                    maybe(r, () -> "w" + r.nextInt(999)),
                    maybe(r, () -> list(r, () -> unicode(r))),
                    maybe(r, () -> matrix(r, r::nextInt)),
                    maybe(r, () -> List.of(matrix(r, r::nextDouble))),
                    maybe(r, () -> list(r, () -> digits(r, 70, 3))),
                    maybe(r, () -> list(r, () -> new UUID(r.nextLong(), 0))),
                    maybe(r, () -> list(r, () -> Writes.Mood.values()[r.nextInt(3)])),
                    maybe(r, () -> list(r, () -> moment(r).atOffset(ZoneOffset.UTC))),
                    maybe(r, () -> list(r, () -> "[1, " + i + "]")),
                    maybe(r, () -> list(r, () -> "s" + r.nextInt(99))),
                    maybe(r, () -> pt(r)),
                    maybe(r, () -> list(r, () -> pt(r)))));
        }
        return rows;
    }

    private static <T> T maybe(Random r, Supplier<T> value) {
        return r.nextInt(4) == 0 ? null : value.get();
    }

    private static <T> List<T> list(Random r, Supplier<T> item) {
        List<T> list = new ArrayList<>();
        for (int n = r.nextInt(4); n > 0; n--) {
            list.add(maybe(r, item));
        }
        return list;
    }

    private static <T> List<List<T>> matrix(Random r, Supplier<T> item) {
        List<List<T>> rows = new ArrayList<>();
        int width = 1 + r.nextInt(3);
        for (int n = 1 + r.nextInt(3); n > 0; n--) {
            rows.add(IntStream.range(0, width).mapToObj(i -> item.get()).toList());
        }
        return rows;
    }

    private static Writes.Pt pt(Random r) {
        return new Writes.Pt(
                maybe(r, r::nextDouble),
                maybe(r, () -> list(r, () -> unicode(r))),
                maybe(r, () -> Writes.Mood.values()[r.nextInt(3)]),
                maybe(r, () -> "p" + r.nextInt(99)));
    }

    private static BigDecimal digits(Random r, int bits, int scale) {
        return new BigDecimal(new BigInteger(bits, r).subtract(new BigInteger(bits, r)), scale);
    }

    private static LocalDateTime moment(Random r) {
        return LocalDateTime.ofEpochSecond(r.nextInt(), r.nextInt(1_000_000_000), ZoneOffset.UTC);
    }

    private static final String[] PIECES = {"a", "ü", "€", "😀", "\t", "\n", "'", "\\", "some more"};

    private static String unicode(Random r) {
        if (r.nextInt(3) == 0) { // of every length, ASCII or all but the last
            return "abcdefghijklmnopqrstuvwxyz0123456789".substring(0, r.nextInt(37)) + PIECES[r.nextInt(2)];
        }
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
}
