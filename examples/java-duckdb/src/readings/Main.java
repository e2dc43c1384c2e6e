package readings;

import java.sql.DriverManager;
import java.time.LocalDateTime;
import java.util.List;
import java.util.stream.LongStream;

/** Writes a hundred thousand readings to DuckDB and asks about them. */
public final class Main {
    public static void main(String[] args) throws Exception {
        var start = LocalDateTime.of(2026, 1, 1, 0, 0);
        try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                var queries = new Queries(connection)) {
            System.out.println("migrations: " + Queries.applyMigrations(connection));

            // Rows are taken one at a time: a stream of any length fits in memory.
            Iterable<Queries.ReadingsRow> rows = () -> LongStream.range(0, 100_000)
                    .mapToObj(i -> new Queries.ReadingsRow(
                            "device " + i % 3,
                            start.plusSeconds(i),
                            i % 100 / 2.0,
                            i % 2 == 0 ? List.of("even") : null))
                    .iterator();
            System.out.println("inserted: " + queries.insertAllReadings(rows));

            for (var device : queries.deviceAverages()) {
                System.out.printf(
                        "%s: %.2f over %d, last %s%n",
                        device.device(), device.average(), device.readings(), device.lastSeen());
            }
            var first = new Queries.ReadingsRow("device 0", start, 1000.0, List.of("corrected"));
            System.out.println("upserted: " + queries.upsertAllReadings(List.of(first)));
            try (var stream = queries.readingsBetweenStream(start, start.plusSeconds(2))) {
                stream.forEach(r -> System.out.println(r.device() + " " + r.value() + " " + r.tags()));
            }
            // The same result as Arrow record batches.
            long values = 0;
            try (var batches = queries.deviceAveragesArrow()) {
                while (batches.loadNextBatch()) {
                    values += batches.getRowCount();
                }
            }
            System.out.println("rows as Arrow: " + values);
            System.out.println("forgotten: " + queries.forgetDevice("device 2") + ", left: " + queries.countReadings());
        }
    }
}
