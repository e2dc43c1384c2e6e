import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Prints one line per call: case, number of the call, result. */
final class Harness {
    interface Body {
        Object run() throws Exception;
    }

    static final class Rollback extends RuntimeException {}

    static int begun;
    static int ended;

    static void report(String name, Object call, Body body) {
        String text;
        try {
            text = "ok\t" + canon(body.run());
        } catch (Throwable e) {
            var trace = new java.io.StringWriter();
            e.printStackTrace(new java.io.PrintWriter(trace));
            text = "error\t" + quote(trace.toString());
        }
        System.out.println(name + "\t" + call + "\t" + text);
    }

    static <T> List<T> take(Stream<T> rows, int count) {
        try (rows) {
            return count > 0 ? rows.limit(count).toList() : new ArrayList<>(rows.toList());
        }
    }

    /** The bytes of an Arrow IPC stream. */
    static byte[] bytes(java.io.InputStream stream) throws Exception {
        return stream.readAllBytes();
    }

    interface Batches {
        boolean next() throws Exception;
    }

    /** Record batches as an Arrow IPC stream. */
    static byte[] batches(
            org.apache.arrow.vector.VectorSchemaRoot root,
            org.apache.arrow.vector.dictionary.DictionaryProvider dictionaries,
            Batches batches)
            throws Exception {
        var out = new java.io.ByteArrayOutputStream();
        try (var writer = new org.apache.arrow.vector.ipc.ArrowStreamWriter(root, dictionaries, out)) {
            writer.start();
            while (batches.next()) {
                writer.writeBatch();
            }
        }
        return out.toByteArray();
    }

    /** An empty database. */
    static Connection postgres() throws Exception {
        String base = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/";
        String login = "?user=" + System.getenv("PGUSER") + "&password=" + System.getenv("PGPASSWORD");
        try (var admin = DriverManager.getConnection(base + "cases" + login);
                var s = admin.createStatement()) {
            s.execute(System.getenv("EMPTY_POSTGRES"));
        }
        return DriverManager.getConnection(base + "cases" + login);
    }

    static <K, V> Map<K, V> map(List<Map.Entry<K, V>> entries) {
        Map<K, V> map = new LinkedHashMap<>();
        entries.forEach(e -> map.put(e.getKey(), e.getValue()));
        return map;
    }

    static <K, V> Map.Entry<K, V> entry(K key, V value) {
        return new java.util.AbstractMap.SimpleEntry<>(key, value);
    }

    static void execute(Connection db, String sql) throws Exception {
        try (var s = db.createStatement()) {
            s.execute(sql);
        }
    }

    /** Makes a database of Scoter's. */
    static String database(String name) throws Exception {
        execute("default", "CREATE DATABASE " + name);
        return name;
    }

    /** Runs a statement in a database of Scoter's. */
    static void execute(String database, String sql) throws Exception {
        var body = "{\"sql\":" + quote(sql) + ",\"database\":" + quote(database) + "}";
        var request = HttpRequest.newBuilder(URI.create(System.getenv("SCOTER_URL") + "/api/v1/sql"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 400) {
            throw new IllegalStateException(response.body());
        }
    }

    private static String canon(Object v) throws Exception {
        if (v == null) {
            return "null";
        }
        if (v instanceof BigDecimal d) {
            return d.toPlainString();
        }
        if (v instanceof Number || v instanceof Boolean) {
            return v.toString();
        }
        if (v instanceof byte[] b) {
            return quote(HexFormat.of().formatHex(b));
        }
        List<String> parts = new ArrayList<>();
        if (v instanceof int[] counts) {
            long sum = 0;
            for (int n : counts) {
                sum += n;
            }
            return Long.toString(sum);
        }
        if (v instanceof Collection<?> c) {
            for (Object e : c) {
                parts.add(canon(e));
            }
        } else if (v instanceof Map<?, ?> m) {
            for (var e : m.entrySet()) {
                parts.add("[" + canon(e.getKey()) + "," + canon(e.getValue()) + "]");
            }
        } else if (v instanceof Record r) {
            for (RecordComponent c : r.getClass().getRecordComponents()) {
                c.getAccessor().setAccessible(true);
                parts.add(canon(c.getAccessor().invoke(r)));
            }
        } else if (v instanceof Enum<?> e) {
            return quote((String) e.getClass().getMethod("getValue").invoke(e));
        } else {
            return quote(v.toString());
        }
        return "[" + String.join(",", parts) + "]";
    }

    private static String quote(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            if (c == '"' || c == '\\') {
                b.append('\\').append(c);
            } else if (c < 0x20) {
                b.append(String.format("\\u%04x", (int) c));
            } else {
                b.append(c);
            }
        }
        return b.append('"').toString();
    }
}
