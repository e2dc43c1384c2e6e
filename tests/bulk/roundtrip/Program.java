package roundtrip;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Reads rows of every type and writes them into another table by each bulk operation; what differs
 * there is printed.
 */
public final class Program {
    private Program() {}

    private static void check(Every q, String operation, Callable<Long> write) throws Exception {
        Object written;
        try {
            written = write.call();
        } catch (Exception e) {
            written = e.getMessage();
        }
        var different = q.different();
        System.out.println(operation + ": " + written + ", different: " + different.size());
        different.stream()
                .limit(5)
                .forEach(d -> System.out.println("  " + d.name() + ": " + d.values() + " values, " + d.first()));
    }

    public static void main(String[] args) throws Exception {
        ScoterDuckDb.Route route = args.length > 0 ? ScoterDuckDb.Route.valueOf(args[0]) : null;
        try (Connection c = DriverManager.getConnection("jdbc:duckdb:");
                var q = new Every(c).withRoute(route)) {
            Every.applyMigrations(c);
            q.fill();
            List<Every.CopiedRow> rows = q.source();
            check(q, "insert", () -> q.insertAllCopied(rows));
            q.clear();
            q.blank();
            check(q, "update", () -> q.updateAllCopied(rows));
            q.clear();
            q.blank();
            q.halve();
            check(q, "upsert", () -> q.upsertAllCopied(rows));
            var some = rows.subList(0, 100).stream()
                    .map(r -> new Every.CopiedKey(r.id()))
                    .toList();
            check(q, "delete", () -> q.deleteAllCopied(some) + q.insertAllCopied(rows.subList(0, 100)));
        }
    }
}
