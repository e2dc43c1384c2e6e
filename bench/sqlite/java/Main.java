package bench;

import com.sun.management.ThreadMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.reflect.RecordComponent;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Runs the operations by hand and by the generated code; bench/sqlite asks it line by line. See
 * typescript/main.ts for the lines.
 */
final class Main {
    /**
     * The processor time of the whole process has steps of 10 ms. So this is the time of this
     * thread. It does not include the work of the threads that collect what this thread allocates.
     */
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS");
    private static final long USERS = 10_000;
    private static final long POSTS = 500_000;
    private static final List<Blog.UsersRow> BULK = new ArrayList<>();

    static {
        for (long i = 0; i < 5000; i++) {
            BULK.add(new Blog.UsersRow(
                    1_000_000 + i, "bulk " + i, "bulk" + i + "@example.com", i % 90, "2025-06-01 00:00:00"));
        }
    }

    interface Call {
        Object of(Operations o, long i) throws Exception;
    }

    private static long user(long i) {
        return i * 7919 % USERS + 1;
    }

    private static long post(long i) {
        return i * 7919 % POSTS + 1;
    }

    private static List<Long> users(long i) {
        List<Long> ids = new ArrayList<>(20);
        for (long k = 0; k < 20; k++) {
            ids.add(user(20 * i + k));
        }
        return ids;
    }

    /** The i-th call of an operation: look-ups hit, and no two neighbours are of one row. */
    private static final Map<String, Call> CALLS = Map.ofEntries(
            Map.entry("getAllUsers", (o, i) -> o.getAllUsers()),
            Map.entry("getUserById", (o, i) -> o.getUserById(user(i))),
            Map.entry("getUserByEmail", (o, i) -> o.getUserByEmail("user" + user(i) + "@example.com")),
            Map.entry("getUsersByIds", (o, i) -> o.getUsersByIds(users(i))),
            Map.entry("countUsers", (o, i) -> o.countUsers()),
            Map.entry("getPostsByUser", (o, i) -> o.getPostsByUser(user(i))),
            Map.entry("getPublishedPosts", (o, i) -> o.getPublishedPosts()),
            Map.entry("getPostWithAuthor", (o, i) -> o.getPostWithAuthor(post(i))),
            Map.entry("countPostsByUser", (o, i) -> o.countPostsByUser(user(i))),
            Map.entry("getOrders", (o, i) -> o.getOrders(user(i))),
            Map.entry("postsFrom", (o, i) -> o.postsFromStream(post(i) % (POSTS - 1000))),
            Map.entry(
                    "insertUser",
                    (o, i) -> o.insertUser("new", "new" + i + "@example.com", 30L, "2025-06-01 00:00:00")),
            Map.entry("updatePostViews", (o, i) -> o.updatePostViews(post(i))),
            Map.entry("insertAllUsers", (o, i) -> o.insertAllUsers(BULK)));

    private final String name;
    private final Map<String, Integer> calls = new HashMap<>();
    private Connection connection;
    private Hand hand;
    private Blog blog;

    private Main(String name) {
        this.name = name;
    }

    private Operations side(String side) {
        return side.equals("hand") ? hand : new Generated(blog);
    }

    /** How much a result is: rows, or a number. */
    private static long size(Object v) {
        if (v instanceof Number n) {
            return n.longValue();
        } else if (v instanceof List<?> rows) {
            return rows.size();
        } else if (v instanceof Stream<?> rows) {
            long[] n = {0};
            try (rows) {
                rows.forEach(row -> n[0]++);
            }
            return n[0];
        }
        return v == null ? 0 : 1;
    }

    /** A result as JSON, rows as arrays. */
    private static String json(Object v) throws ReflectiveOperationException {
        if (v instanceof Stream<?> rows) {
            try (rows) {
                return json(rows.toList());
            }
        } else if (v instanceof Record) {
            List<Object> values = new ArrayList<>();
            for (RecordComponent c : v.getClass().getRecordComponents()) {
                c.getAccessor().setAccessible(true);
                values.add(c.getAccessor().invoke(v));
            }
            return json(values);
        } else if (v instanceof List<?> items) {
            List<String> all = new ArrayList<>();
            for (Object item : items) {
                all.add(json(item));
            }
            return "[" + String.join(",", all) + "]";
        } else if (v instanceof LocalDateTime at) {
            return "\"" + MOMENT.format(at) + "\"";
        } else if (v instanceof String s) {
            return "\"" + s + "\""; // none has anything to escape
        }
        return String.valueOf(v);
    }

    private String open(String file) throws Exception {
        if (connection != null) {
            hand.close();
            blog.close();
            connection.close();
        }
        connection = DriverManager.getConnection(
                "jdbc:sqlite:" + file
                        + "?journal_mode=WAL&synchronous=NORMAL&cache_size=-64000&temp_store=MEMORY&mmap_size=268435456&transaction_mode=IMMEDIATE");
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA wal_autocheckpoint = 0");
        }
        hand = new Hand(connection);
        blog = new Blog(connection);
        return "{\"versions\":{\"" + name + "\":\"JDK " + Runtime.version() + ", SQLite "
                + value("SELECT sqlite_version()") + "\"}}";
    }

    private Object value(String sql) throws Exception {
        try (Statement statement = connection.createStatement()) {
            ResultSet rs = statement.executeQuery(sql);
            return rs.next() ? rs.getObject(1) : null;
        }
    }

    private String execute(String sql) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
        return "{}";
    }

    private static String check(Operations o, String operation, long first, int n) throws Exception {
        List<String> results = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            results.add(json(CALLS.get(operation).of(o, first + i)));
        }
        return "{\"results\":[" + String.join(",", results) + "]}";
    }

    /** What slices took, in milliseconds and bytes. */
    private static final class Used {
        final List<Double> millis = new ArrayList<>();
        final List<Double> cpu = new ArrayList<>();
        final List<Double> allocated = new ArrayList<>();
        long sum;

        static double median(List<Double> values) {
            Collections.sort(values);
            return (values.get((values.size() - 1) / 2) + values.get(values.size() / 2)) / 2;
        }

        @Override
        public String toString() {
            return "{\"millis\":" + median(millis) + ",\"cpu\":" + median(cpu) + ",\"allocated\":" + median(allocated)
                    + "}";
        }
    }

    private long next;

    private double slice(Call call, Operations o, int n, String undo, Used into) throws Exception {
        long sum = 0;
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        long cpu = THREADS.getCurrentThreadCpuTime();
        long started = System.nanoTime();
        for (long i = next; i < next + n; i++) {
            sum += size(call.of(o, i));
        }
        double millis = (System.nanoTime() - started) / 1e6;
        into.cpu.add((THREADS.getCurrentThreadCpuTime() - cpu) / 1e6);
        into.allocated.add((double) (THREADS.getCurrentThreadAllocatedBytes() - allocated));
        into.millis.add(millis);
        into.sum += sum;
        next += n;
        if (!undo.isEmpty()) {
            execute(undo);
        }
        return millis;
    }

    private String turn(String operation, double millis, int most, long first, String undo) throws Exception {
        Call call = CALLS.get(operation);
        Operations byHand = side("hand");
        Operations generated = side("generated");
        next = first;
        Used warmHand = new Used();
        Used warmGenerated = new Used();
        int n = calls.getOrDefault(operation, 0);
        if (n == 0) {
            n = 1;
            // What compiles only now takes longer once.
            for (double spent = 0; spent < 8 * millis; ) {
                double took = slice(call, byHand, n, undo, warmHand) + slice(call, generated, n, undo, warmGenerated);
                spent += took;
                n = Math.max(1, Math.min(Math.min(most, 4000), (int) (8 * n / took)));
            }
            calls.put(operation, n);
        }
        Used h = new Used();
        Used g = new Used();
        for (double spent = 0; spent < 2 * millis || h.millis.size() < 4; ) {
            if (h.millis.size() % 2 == 0) {
                spent += slice(call, byHand, n, undo, h) + slice(call, generated, n, undo, g);
            } else {
                spent += slice(call, generated, n, undo, g) + slice(call, byHand, n, undo, h);
            }
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < h.cpu.size(); i++) {
            ratios.add(g.cpu.get(i) / h.cpu.get(i));
        }
        return "{\"ratio\":" + Used.median(ratios) + ",\"calls\":" + n + ",\"next\":" + next + ",\"sums\":{\"hand\":"
                + (warmHand.sum + h.sum) + ",\"generated\":" + (warmGenerated.sum + g.sum) + "},\"hand\":" + h
                + ",\"generated\":" + g + "}";
    }

    public static void main(String[] args) throws Exception {
        Main main = new Main(args[0]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] w = Arrays.copyOf((line + "\t").split("\t", -1), 7);
            System.out.println(
                    switch (w[0]) {
                        case "open" -> main.open(w[1]);
                        case "check" -> check(main.side(w[2]), w[1], Long.parseLong(w[3]), Integer.parseInt(w[4]));
                        case "turn" ->
                            main.turn(
                                    w[1], Double.parseDouble(w[2]), Integer.parseInt(w[3]), Long.parseLong(w[4]), w[5]);
                        case "execute" -> main.execute(w[1]);
                        case "value" -> "{\"value\":" + json(main.value(w[1])) + "}";
                        default -> throw new IllegalArgumentException(line);
                    });
        }
    }
}
