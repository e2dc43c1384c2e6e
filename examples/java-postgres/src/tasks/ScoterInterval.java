package tasks;

import java.time.Duration;
import java.time.Period;

/**
 * A time span of months, days and microseconds. The three parts are separate, because a month has
 * no fixed number of days and a day no fixed number of hours.
 */
public record ScoterInterval(int months, int days, long micros) {
    /** Returns the months and days. */
    public Period toPeriod() {
        return Period.of(0, months, days);
    }

    /** Returns the microseconds. */
    public Duration toDuration() {
        return Duration.ofSeconds(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
    }
}
