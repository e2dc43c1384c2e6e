import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;
import writes.Writes;

/** Prints what Java's record batches of DuckDB do: a test compares it. */
final class Bulk {
    private static final String EVERY = "SELECT string_agg(every::VARCHAR, chr(10) ORDER BY id) FROM every";
    private static final String TOTAL =
            "SELECT count(*) || ' ' || coalesce(sum(k), 0) || ' ' || count(DISTINCT v) || ' ' || coalesce(min(v), '') FROM kv";

    private static final List<Batches> OPENED = new ArrayList<>();

    private interface Call {
        Object run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        var properties = new Properties();
        if (args.length > 0) {
            properties.setProperty("jdbc_stream_results", "true");
        }
        try (var db = DriverManager.getConnection("jdbc:duckdb:", properties);
                var q = new Writes(db);
                var allocator = new RootAllocator()) {
            Writes.applyMigrations(db);
            if (args.length == 0) {
                types(db, q);
                writes(db, q, allocator);
            }
            say("whole", () -> many(db, q));
            for (Batches batches : OPENED) {
                batches.close();
            }
            System.out.println(
                    "left: "
                            + text(
                                    db,
                                    "SELECT (SELECT count(*) FROM duckdb_tables() WHERE temporary) + (SELECT count(*) FROM duckdb_views() WHERE NOT internal) || ''"));
        }
    }

    /** Reads a result with another statement between two batches. */
    private static int many(Connection db, Writes q) throws Exception {
        try (var result = q.manyArrow(500_000)) {
            result.loadNextBatch();
            int rows = result.getRowCount();
            System.out.println("beside: " + text(db, TOTAL));
            while (result.loadNextBatch()) {
                rows += result.getRowCount();
            }
            return rows;
        }
    }

    private static void types(Connection db, Writes q) throws Exception {
        execute(
                db,
                "INSERT INTO every SELECT i, true, -8, -16, -64, -170141183460469231731687303715884105727, 8, 16, 32, 18446744073709551615, "
                        + "340282366920938463463374607431768211455, 1.5, 2.5, -1.5, 1.125, 1.125, 1.0123456789, 'text ' || i, '\\x00\\xFF'::BLOB, uuid(), '2024-02-29', "
                        + "'13:14:15.000123', '2024-01-01 00:00:01', '2024-01-01 00:00:01.001', '1969-12-31 23:59:59.5', '2024-01-01 00:00:00.123456789', "
                        + "'2024-03-10 07:30:00.000001+00', INTERVAL '14 months 3 days 1 second', '{\"a\": 1}', 'so so', ['a', NULL], [[1, NULL], NULL, []], [1, NULL, 3], "
                        + "{'x': 1.5, 'tags': ['t']}, [{'x': NULL, 's': 's'}], MAP {'a': 1}, MAP {1: ['x', NULL]} FROM range(1000) AS r(i)");
        execute(db, "INSERT INTO every (id) VALUES (1000)");
        String whole = text(db, EVERY);
        execute(db, "CREATE TABLE copy AS FROM every");
        try (var result = q.allEveryArrow()) {
            execute(db, "DELETE FROM every");
            say("every", () -> q.insertAllEvery(result.reader()));
        }
        System.out.println("inserted the same: " + text(db, EVERY).equals(whole));
        execute(db, "UPDATE every SET i8 = 1, tags = NULL, m = NULL");
        try (var result = q.allEveryArrow()) {
            execute(db, "DELETE FROM every");
            execute(db, "INSERT INTO every FROM copy");
            say("updated", () -> q.updateAllEvery(result.reader()));
        }
        System.out.println("changed: " + !text(db, EVERY).equals(whole));
    }

    private static void writes(Connection db, Writes q, BufferAllocator allocator) throws Exception {
        say("insert", () -> q.insertAllKv(kvs(allocator, 50_000, IntStream.range(0, 300_000), "a")));
        say("inserted", () -> text(db, TOTAL));
        say(
                "null",
                () -> q.insertAllKv(
                        new Batches(allocator, 2, row(300_000, "x"), row(300_001, "x"), row(300_002, null))));
        say(
                "duplicate",
                () -> q.insertAllKv(new Batches(allocator, 2, row(300_000, "x"), row(300_001, "x"), row(7, "x"))));
        say(
                "twice",
                () -> q.insertAllKv(
                        new Batches(allocator, 2, row(300_000, "x"), row(300_001, "x"), row(300_001, "x"))));
        say("long", () -> q.insertAllKv(new Batches(allocator, 2, row(300_000, "eleven bytes"))));
        say(
                "late",
                () -> q.insertAllKv(kvs(
                        allocator,
                        1000,
                        IntStream.concat(IntStream.range(300_000, 550_000), IntStream.of(299_999)),
                        "x")));
        say(
                "broken",
                () -> q.insertAllKv(new Batches(
                        allocator,
                        10_000,
                        IntStream.range(300_000, 500_000)
                                .mapToObj(k -> row(k, k < 499_999 ? "x" : "broken"))
                                .iterator())));
        say(
                "missing",
                () -> q.insertAllKv(new Batches(
                        allocator,
                        10,
                        List.of("k", "v"),
                        List.<Object[]>of(row(1, "x")).iterator())));
        say("unknown", () -> q.deleteAllKv(new Batches(allocator, 10, row(1, "x"))));
        say(
                "two of a name",
                () -> q.deleteAllKv(new Batches(
                        allocator,
                        10,
                        List.of("k", "k"),
                        List.<Object[]>of(row(1, "x")).iterator())));
        say("nothing behind", () -> text(db, TOTAL));
        say("no rows", () -> q.upsertAllKv(new Batches(allocator, 10)));
        say(
                "update twice",
                () -> q.updateAllKv(new Batches(
                        allocator,
                        7000,
                        Stream.concat(
                                        IntStream.range(0, 100_000).mapToObj(k -> row(k, "first")),
                                        IntStream.range(0, 100_000).mapToObj(k -> row(k, "last")))
                                .iterator())));
        say("last wins", () -> text(db, "SELECT list(DISTINCT v ORDER BY v)::VARCHAR FROM kv"));
        say("upsert", () -> q.upsertAllKv(kvs(allocator, 100_000, IntStream.range(200_000, 400_000), "u")));
        say(
                "delete",
                () -> q.deleteAllKv(new Batches(
                        allocator,
                        100_000,
                        List.of("k"),
                        IntStream.range(0, 390_000).mapToObj(k -> row(k, "")).iterator())));
        say("upserted", () -> text(db, TOTAL));
        for (boolean driver : new boolean[] {true, false}) {
            if (driver) {
                db.setAutoCommit(false);
            } else {
                execute(db, "BEGIN TRANSACTION");
            }
            say("in a transaction", () -> q.insertAllKv(kvs(allocator, 100, IntStream.range(0, 1000), "t")));
            say(
                    "fails in it",
                    () -> q.insertAllKv(new Batches(
                            allocator,
                            10_000,
                            IntStream.range(2000, 200_000)
                                    .mapToObj(k -> row(k, k < 199_999 ? "x" : "broken"))
                                    .iterator())));
            say("in it", () -> text(db, TOTAL));
            if (driver) {
                db.rollback();
                db.setAutoCommit(true);
            } else {
                execute(db, "ROLLBACK");
            }
            say("rolled back", () -> text(db, TOTAL));
        }
    }

    private static Object[] row(int k, String v) {
        return new Object[] {k, v};
    }

    private static Batches kvs(BufferAllocator allocator, int size, IntStream keys, String v) {
        return new Batches(allocator, size, keys.mapToObj(k -> row(k, v)).iterator());
    }

    private static void say(String what, Call call) {
        Object said;
        try {
            said = call.run();
        } catch (Exception e) {
            said = e.getClass().getSimpleName() + ": " + e.getMessage();
        }
        System.out.println(what + ": " + String.valueOf(said).split("\n")[0]);
    }

    private static String text(Connection db, String sql) throws Exception {
        try (var s = db.createStatement();
                var rs = s.executeQuery(sql)) {
            rs.next();
            return rs.getString(1);
        }
    }

    private static void execute(Connection db, String sql) throws Exception {
        try (var s = db.createStatement()) {
            s.execute(sql);
        }
    }

    /** Batches of so many rows, made as they are read; one with the value broken fails. */
    private static final class Batches extends ArrowReader {
        private final VectorSchemaRoot root;
        private final int size;
        private final Iterator<Object[]> rows;

        Batches(BufferAllocator allocator, int size, Object[]... rows) {
            this(allocator, size, Arrays.asList(rows).iterator());
        }

        /** The columns of kv in another order than the table's. */
        Batches(BufferAllocator allocator, int size, Iterator<Object[]> rows) {
            this(allocator, size, List.of("v", "seen", "k", "doc", "n"), rows);
        }

        Batches(BufferAllocator allocator, int size, List<String> columns, Iterator<Object[]> rows) {
            super(allocator);
            this.size = size;
            this.rows = rows;
            OPENED.add(this);
            this.root = new VectorSchemaRoot(columns.stream()
                    .map(c -> switch (c) {
                        case "v" -> (FieldVector) new VarCharVector(c, allocator);
                        case "k" -> new BigIntVector(c, allocator);
                        case "doc" -> new VarBinaryVector(c, allocator);
                        default -> new NullVector(c);
                    })
                    .toList());
        }

        @Override
        public VectorSchemaRoot getVectorSchemaRoot() {
            return root;
        }

        @Override
        public boolean loadNextBatch() throws IOException {
            int n = 0;
            root.clear();
            for (; n < size && rows.hasNext(); n++) {
                Object[] row = rows.next();
                if ("broken".equals(row[1])) {
                    throw new IOException("no more rows");
                }
                for (FieldVector vector : root.getFieldVectors()) {
                    if (vector instanceof BigIntVector keys) {
                        keys.setSafe(n, ((Integer) row[0]).longValue());
                    } else if (vector instanceof VarBinaryVector bytes) {
                        bytes.setSafe(n, new byte[] {'d'});
                    } else if (vector instanceof VarCharVector texts && row[1] != null) {
                        texts.setSafe(n, ((String) row[1]).getBytes(StandardCharsets.UTF_8));
                    }
                }
            }
            root.setRowCount(n);
            if (n == 0) {
                root.clear();
            }
            return n > 0;
        }

        @Override
        public long bytesRead() {
            return 0;
        }

        @Override
        protected void closeReadSource() {
            root.close();
        }

        @Override
        protected Schema readSchema() {
            return root.getSchema();
        }
    }
}
