package tasks;

import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Days, times and intervals as drivers give them. SQLite has three forms: text, Unix seconds and Julian days. */
final class ScoterTimes {
    private ScoterTimes() {}

    static final DateTimeFormatter SPACED = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE).appendLiteral(' ')
            .appendPattern("HH:mm:ss").appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).toFormatter();
    static final DateTimeFormatter CLOCK = new DateTimeFormatterBuilder()
            .appendPattern("HH:mm:ss").appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).toFormatter();
    static final DateTimeFormatter ZONED = new DateTimeFormatterBuilder()
            .append(SPACED).appendOffset("+HH:mm:ss", "+00:00").toFormatter();

    static LocalDateTime fromNumber(Number n) {
        double seconds = n instanceof Double || n instanceof Float ? (n.doubleValue() - 2440587.5) * 86400 : n.longValue();
        long millis = Math.round(seconds * 1000);
        return LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC);
    }

    static LocalDateTime moment(Object raw) {
        if (raw instanceof LocalDateTime t) {
            return t;
        }
        if (raw instanceof Timestamp t) {
            return t.toLocalDateTime();
        }
        if (raw instanceof OffsetDateTime t) {
            return t.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime();
        }
        if (raw instanceof Number n) {
            return fromNumber(n);
        }
        String text = raw.toString().trim();
        LocalDateTime plain = plain(text);
        if (plain != null) {
            return plain;
        }
        if (text.length() <= 10) {
            return LocalDate.parse(text).atStartOfDay();
        }
        int zone = zoneAt(text);
        if (zone > 0) {
            return instant(raw).toLocalDateTime();
        }
        return LocalDateTime.parse(text.replace(' ', 'T'));
    }

    /** {@code 2025-01-31 12:30:00.5}, the form of nearly every moment, without a formatter; null for any other. */
    private static LocalDateTime plain(String text) {
        int length = text.length();
        if (length < 19 || length == 20 || length > 29 || text.charAt(4) != '-' || text.charAt(7) != '-' || text.charAt(13) != ':' || text.charAt(16) != ':'
                || text.charAt(10) != ' ' && text.charAt(10) != 'T' || length > 19 && text.charAt(19) != '.') {
            return null;
        }
        int year = digits(text, 0, 4);
        int month = digits(text, 5, 7);
        int day = digits(text, 8, 10);
        int hour = digits(text, 11, 13);
        int minute = digits(text, 14, 16);
        int second = digits(text, 17, 19);
        int nanos = length > 19 ? digits(text, 20, length) : 0;
        if ((year | month | day | hour | minute | second | nanos) < 0) {
            return null;
        }
        for (int i = length > 19 ? length : 29; i < 29; i++) {
            nanos *= 10;
        }
        return LocalDateTime.of(year, month, day, hour, minute, second, nanos);
    }

    /** The number of some digits, negative if there is anything else. */
    private static int digits(String text, int from, int to) {
        int value = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = 10 * value + digit;
        }
        return value;
    }

    /** Where the zone begins in the text of a moment or time, or -1. */
    static int zoneAt(String text) {
        for (int i = text.length() - 1; i > 7; i--) {
            char c = text.charAt(i);
            if (c == 'Z' || c == '+' || c == '-') {
                return i;
            }
            if (c == ' ' || c == 'T') {
                return -1;
            }
        }
        return -1;
    }

    static OffsetDateTime instant(Object raw) {
        if (raw instanceof OffsetDateTime t) {
            // Inside of a list DuckDB gives the time on the clock here with an offset of another day.
            return t.toLocalDateTime().atZone(ZoneId.systemDefault()).withZoneSameInstant(ZoneOffset.UTC).toOffsetDateTime();
        }
        if (raw instanceof Timestamp t) {
            return t.toInstant().atOffset(ZoneOffset.UTC);
        }
        if (raw instanceof Number n) {
            return fromNumber(n).atOffset(ZoneOffset.UTC);
        }
        String text = raw.toString().trim();
        int zone = text.length() > 10 ? zoneAt(text) : -1;
        if (zone < 0) {
            return moment(raw).atOffset(ZoneOffset.UTC);
        }
        return moment(text.substring(0, zone)).atOffset(ZoneOffset.of(text.substring(zone))).withOffsetSameInstant(ZoneOffset.UTC);
    }

    private static final Pattern INTERVAL_PART = Pattern.compile("([+-]?\\d+) (year|mon|day)");
    private static final Pattern INTERVAL_CLOCK = Pattern.compile("([+-]?)(\\d+):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,6}))?");

    /** PostgreSQL's and DuckDB's text of an interval: {@code 1 year 2 mons -3 days 04:05:06.7}. */
    static ScoterInterval interval(String text) {
        int months = 0;
        int days = 0;
        long micros = 0;
        Matcher part = INTERVAL_PART.matcher(text);
        while (part.find()) {
            int n = Integer.parseInt(part.group(1));
            switch (part.group(2)) {
                case "year" -> months += 12 * n;
                case "mon" -> months += n;
                default -> days += n;
            }
        }
        Matcher clock = INTERVAL_CLOCK.matcher(text);
        if (clock.find()) {
            micros = (Long.parseLong(clock.group(2)) * 3600 + Long.parseLong(clock.group(3)) * 60 + Long.parseLong(clock.group(4))) * 1_000_000;
            if (clock.group(5) != null) {
                micros += Long.parseLong((clock.group(5) + "000000").substring(0, 6));
            }
            micros = clock.group(1).equals("-") ? -micros : micros;
        }
        return new ScoterInterval(months, days, micros);
    }
}
