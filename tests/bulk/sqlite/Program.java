package bulk;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Prints what bulk writes do on SQLite, for a test. */
public final class Program {
    private Program() {}

    /** What to do, the database's file, and the operation to be killed in. */
    public static void main(String[] args) throws Exception {
        try (var c = DriverManager.getConnection("jdbc:sqlite:" + args[1]);
                var q = new Writes(c)) {
            switch (args[0]) {
                case "results" -> results(c, q);
                case "count" -> System.out.println(text(c, "SELECT count(*) || ' ' || sum(v = 'old') FROM kv"));
                case "hang" -> {
                    Writes.applyMigrations(c);
                    q.insertAllKv(rows(1000, i -> new Writes.KvRow((long) i, "old", null, null)));
                    new Hang(
                                    200_000,
                                    k -> new Writes.KvRow((long) k, "new", null, null),
                                    k -> new Writes.KvKey((long) k))
                            .write(q, args[2]);
                }
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    private interface Call {
        Object run() throws SQLException;
    }

    private static void say(String what, Call call) {
        String said;
        try {
            said = String.valueOf(call.run());
        } catch (SQLException | RuntimeException e) {
            said = e.getClass().getSimpleName() + ": " + e.getMessage();
        }
        System.out.println(what + ": " + said);
    }

    private static String text(Connection c, String sql) throws SQLException {
        try (var s = c.createStatement();
                var rs = s.executeQuery(sql)) {
            rs.next();
            return rs.getString(1);
        }
    }

    private static Writes.KvRow kv(int k, String v) {
        return new Writes.KvRow((long) k, v, k / 2.0, new byte[] {1});
    }

    private static <T> Iterable<T> rows(int count, IntFunction<T> row) {
        return () -> IntStream.range(0, count).mapToObj(row).iterator();
    }

    private static void results(Connection c, Writes q) throws SQLException {
        Writes.applyMigrations(c);
        Call total = () -> text(c, "SELECT count(*) || ' ' || sum(k) || ' ' || min(v) || ' ' || max(v) FROM kv");
        say("insert", () -> q.insertAllKv(rows(20_000, k -> kv(k, "a"))));
        refused("alone", q);
        say("nothing behind", total);
        c.setAutoCommit(false);
        say("in a transaction", () -> q.insertAllKv(rows(10, i -> kv(50_000 + i, "t"))));
        refused("inside", q);
        say(
                "batch",
                () -> q.setKvBatch(List.of(new Writes.SetKvParams(1L, "b"), new Writes.SetKvParams(-1L, "b"))).length);
        say(
                "batch refused",
                () -> q.setKvBatch(List.of(new Writes.SetKvParams(2L, "c"), new Writes.SetKvParams(3L, "eleven bytes")))
                        .length);
        say("still there", total);
        c.commit();
        c.setAutoCommit(true);
        say("kept", total);
        begun(c, q, total);
        // A value that cannot be read: the observer is notified, and the statement is closed.
        try (var s = c.createStatement()) {
            s.execute("INSERT INTO days VALUES ('2025-01-31'), ('no day')");
        }
        say("no day", () -> {
            try (var watched = new Writes(
                            c, name -> (rows, error) -> System.out.println(name + " ends: " + rows + " " + error));
                    var days = watched.daysStream()) {
                return days.toList();
            }
        });
        say("update", () -> q.updateAllKv(rows(20_000, i -> kv(i / 2, i % 2 == 0 ? "first" : "last"))));
        say("upsert", () -> q.upsertAllKv(rows(3000, i -> kv(18_500 + i, "u"))));
        say("delete", () -> q.deleteAllKv(rows(5000, i -> new Writes.KvKey(i * 2L))));
        say("last wins", total);
        // A constraint that keeps what its statement wrote before.
        say(
                "fail",
                () -> q.insertAllNumbered(
                        rows(2000, i -> new Writes.NumberedRow(i == 1500 ? "7" : String.valueOf(i), (long) i))));
        say("none of it", () -> text(c, "SELECT count(*) FROM numbered"));
        // One that ends the transaction: nothing may be written after it.
        say(
                "end",
                () -> q.insertAllEnding(rows(2000, i -> new Writes.EndingRow(i == 1500 ? "1007" : String.valueOf(i)))));
        say("nothing", () -> text(c, "SELECT count(*) FROM ending"));
        say("commits by itself", () -> c.getAutoCommit());
        say("appender", () -> {
            try (var a = q.createAppendedAppender()) {
                for (int i = 0; i < 999; i++) {
                    a.append(kv(400_000 + i, i == 2 ? null : "x"));
                }
                say("appender refuses", () -> a.append(kv(400_999, "x")));
                say("appender refused", () -> a.append(kv(401_000, "x")));
            }
            return "no";
        });
        say("appended", () -> text(c, "SELECT count(*) FROM kv WHERE k >= 400000"));
    }

    /** Operations in a transaction that the driver does not know of. */
    private static void begun(Connection c, Writes q, Call total) throws SQLException {
        try (var s = c.createStatement()) {
            s.execute("BEGIN");
            say("begun by hand", () -> q.insertAllKv(rows(3000, i -> kv(200_000 + i, "h"))));
            say("batch in it", () -> q.setKvBatch(List.of(new Writes.SetKvParams(200_000L, "i"))).length);
            say("refused in it", () -> q.insertAllKv(rows(2000, i -> kv(300_000 + i, i == 1500 ? null : "h"))));
            say("transaction in it", () -> q.transaction(() -> q.setKv(200_001L, "i")));
            say("dry run in it", () -> Writes.applyMigrations(c, "other", true).size());
            say("still in it", () -> text(c, "SELECT count(*) FROM kv WHERE v IN ('h', 'i')"));
            s.execute("ROLLBACK");
        }
        say("out of it", () -> total.run() + " " + c.getAutoCommit());
    }

    /** Rows that are refused, of few and of many batches. */
    private static void refused(String where, Writes q) {
        for (int size : new int[] {3, 5000}) {
            say(where + " null of " + size, () -> q.insertAllKv(rows(size, i -> kv(100_000 + i, i == 2 ? null : "x"))));
            say(
                    where + " long of " + size,
                    () -> q.insertAllKv(rows(size, i -> kv(100_000 + i, i == 2 ? "eleven bytes" : "x"))));
            say(
                    where + " duplicate of " + size,
                    () -> q.insertAllKv(rows(size, i -> kv(i == 2 ? 7 : 100_000 + i, "x"))));
            say(where + " twice of " + size, () -> q.insertAllKv(rows(size, i -> kv(100_000 + (i == 2 ? 1 : i), "x"))));
            say(
                    where + " upsert long of " + size,
                    () -> q.upsertAllKv(rows(size, i -> kv(i, i == 2 ? "eleven bytes" : "x"))));
            say(
                    where + " update long of " + size,
                    () -> q.updateAllKv(rows(size, i -> kv(i, i == 2 ? "eleven bytes" : "x"))));
        }
        say(where + " half", () -> q.insertAllKv(rows(3, i -> kv(100_000 + i, i == 2 ? "\udc00" : "x"))));
        say(where + " late", () -> q.insertAllKv(rows(5000, i -> kv(100_000 + i, i == 4321 ? null : "x"))));
        say(
                where + " broken",
                () -> q.insertAllKv(() -> new Iterator<>() {
                    private int given;

                    @Override
                    public boolean hasNext() {
                        return true;
                    }

                    @Override
                    public Writes.KvRow next() {
                        if (given == 1500) {
                            throw new IllegalStateException("no row " + given);
                        }
                        return kv(100_000 + given++, "x");
                    }
                }));
    }
}
