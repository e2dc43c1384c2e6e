package bench;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** The sensor rows of the benchmarks: the same ones for every size and program. */
final class Rows {
    record Reading(
            UUID deviceId,
            OffsetDateTime timestamp,
            double temperature,
            double humidity,
            BigDecimal pressure,
            short batteryLevel,
            boolean isAnomaly,
            String location,
            List<String> tags) {}

    private static final String[] LOCATIONS = {
        "warehouse-A", "warehouse-B", "outdoor-north", "outdoor-south", "lab-clean-room",
        "lab-general", "roof-sensor", "basement-hvac", "server-room-1", "server-room-2"
    };

    private static final List<List<String>> TAGS = List.of(
            List.of("temperature", "indoor"),
            List.of("temperature", "outdoor"),
            List.of("humidity", "critical"),
            List.of("pressure", "calibrated"),
            List.of("battery", "low-power"),
            List.of("anomaly", "flagged"),
            List.of());

    private Rows() {}

    static List<Reading> readings(int count) {
        Random devices = new Random(12345);
        UUID[] pool = new UUID[100];
        for (int i = 0; i < pool.length; i++) {
            pool[i] = new UUID(devices.nextLong(), devices.nextLong());
        }
        OffsetDateTime base = OffsetDateTime.of(2025, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
        Random random = new Random(42);
        List<Reading> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            UUID device = pool[random.nextInt(100)];
            double temperature = 18 + random.nextDouble() * 15;
            double humidity = 30 + random.nextDouble() * 50;
            BigDecimal pressure =
                    BigDecimal.valueOf(980 + random.nextDouble() * 40).setScale(2, RoundingMode.HALF_UP);
            short battery = (short) (20 + random.nextInt(80));
            boolean anomaly = random.nextDouble() < 0.05;
            String location = LOCATIONS[random.nextInt(LOCATIONS.length)];
            rows.add(new Reading(
                    device,
                    base.plusSeconds(10L * i),
                    temperature,
                    humidity,
                    pressure,
                    battery,
                    anomaly,
                    location,
                    TAGS.get(random.nextInt(TAGS.size()))));
        }
        return rows;
    }
}
