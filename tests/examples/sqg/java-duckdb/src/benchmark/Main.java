package benchmark;

import java.math.BigDecimal;
import java.sql.DriverManager;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Appends, updates by batch and by a staging table, deletes by lists, streams. */
public final class Main {
    public static void main(String[] args) throws Exception {
        var start = OffsetDateTime.of(2025, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
        try (var connection = DriverManager.getConnection("jdbc:duckdb:")) {
            for (String migration : Queries.getMigrations()) {
                try (var statement = connection.createStatement()) {
                    statement.execute(migration);
                }
            }
            var queries = new Queries(connection);
            try (var appender = queries.createSensorReadingsAppender()) {
                for (int i = 0; i < 1000; i++) {
                    appender.append(
                            new UUID(0, i),
                            start.plusSeconds(10L * i),
                            20.0 + i,
                            new BigDecimal("1013.25"),
                            (short) 85,
                            i % 2 == 0,
                            "lab",
                            List.of("indoor", "n" + i));
                }
                appender.append(new UUID(0, 1000), start.plusSeconds(10000), null, null, null, null, null, null);
            }
            System.out.println("readings: " + queries.countReadings());

            var params = new ArrayList<Queries.UpdateReadingParams>();
            for (int i = 0; i < 3; i++) {
                params.add(new Queries.UpdateReadingParams(100.0 + i, new UUID(0, i), start.plusSeconds(10L * i)));
            }
            queries.updateReadingBatch(params);
            queries.createUpdateKeys();
            try (var appender = queries.createUpdateKeysAppender()) {
                appender.append(new UUID(0, 3), start.plusSeconds(30), 500.0);
            }
            System.out.println("staged: " + queries.updateViaStaging());
            System.out.println("one: " + queries.updateReading(null, new UUID(0, 4), start.plusSeconds(40)));

            var ids = new ArrayList<UUID>();
            var times = new ArrayList<OffsetDateTime>();
            for (int i = 5; i < 1000; i++) {
                ids.add(new UUID(0, i));
                times.add(start.plusSeconds(10L * i));
            }
            System.out.println("deleted: " + queries.deleteReadingsUnnest(ids, times));
            try (var rows = queries.allReadingsStream()) {
                rows.forEach(r -> System.out.println(
                        r.deviceId() + " " + r.timestamp().toInstant() + " " + r.temperature() + " " + r.pressure()
                                + " " + r.batteryLevel() + " " + r.isAnomaly() + " " + r.location() + " " + r.tags()));
            }
        }
    }
}
