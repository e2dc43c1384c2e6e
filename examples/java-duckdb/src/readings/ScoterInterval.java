package readings;

import java.time.Duration;
import java.time.Period;

/** A length of time in three parts that do not convert into each other. */
public record ScoterInterval(int months, int days, long micros) {
    /** Months and days as a period. */
    public Period toPeriod() {
        return Period.of(0, months, days);
    }

    /** The part below a day. */
    public Duration toDuration() {
        return Duration.ofSeconds(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
    }
}
