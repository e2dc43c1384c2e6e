import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
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

    static void report(String name, int index, Body body) {
        String text;
        try {
            text = "ok\t" + canon(body.run());
        } catch (Throwable e) {
            var trace = new java.io.StringWriter();
            e.printStackTrace(new java.io.PrintWriter(trace));
            text = "error\t" + quote(trace.toString());
        }
        System.out.println(name + "\t" + index + "\t" + text);
    }

    static <T> List<T> take(Stream<T> rows, int count) {
        try (rows) {
            return count > 0 ? rows.limit(count).toList() : new ArrayList<>(rows.toList());
        }
    }

    static Connection postgres(String database) throws Exception {
        String base = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/";
        String login = "?user=" + System.getenv("PGUSER") + "&password=" + System.getenv("PGPASSWORD");
        try (var admin = DriverManager.getConnection(base + "postgres" + login); var s = admin.createStatement()) {
            s.execute("DROP DATABASE IF EXISTS " + database);
            s.execute("CREATE DATABASE " + database);
        }
        return DriverManager.getConnection(base + database + login);
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
