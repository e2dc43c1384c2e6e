package tasks;

import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads dates, times and intervals in the forms that drivers return. SQLite has three forms: text,
 * Unix seconds and Julian days.
 *
 * <p>In Java's text, years before 0 and years with more than four digits have a sign. PostgreSQL
 * writes BC instead of a minus, and no plus.
 */
final class ScoterTimes {
    private ScoterTimes() {}

    static final DateTimeFormatter SPACED = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendLiteral(' ')
            .appendPattern("HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .toFormatter();
    static final DateTimeFormatter CLOCK = new DateTimeFormatterBuilder()
            .appendPattern("HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .toFormatter();
    static final DateTimeFormatter ZONED = new DateTimeFormatterBuilder()
            .append(SPACED)
            .appendOffset("+HH:mm:ss", "+00:00")
            .toFormatter();

    static LocalDateTime fromNumber(Number n) {
        double seconds =
                n instanceof Double || n instanceof Float ? (n.doubleValue() - 2440587.5) * 86400 : n.longValue();
        long millis = Math.round(seconds * 1000);
        return LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC);
    }

    /**
     * Converts Java's text of a date or timestamp to PostgreSQL's: {@code -0043-03-15} becomes
     * {@code 0044-03-15 BC}. {@code year} is the year in the text.
     */
    static String era(String iso, int year) {
        if (year > 0) {
            return year > 9999 ? iso.substring(1) : iso;
        }
        return String.format(Locale.ROOT, "%04d", 1 - year) + iso.substring(iso.indexOf('-', 1)) + " BC";
    }

    /**
     * The values that DuckDB's driver returns for infinite timestamps: the largest number of the
     * column's unit and its negative. For TIMESTAMP_S these are outside Java's range.
     */
    private static final Set<LocalDateTime> INFINITE = Stream.of(1000L, 1_000_000L, 1_000_000_000L)
            .flatMap(unit -> Stream.of(Long.MAX_VALUE, -Long.MAX_VALUE)
                    .map(n -> LocalDateTime.ofEpochSecond(
                            Math.floorDiv(n, unit),
                            (int) (Math.floorMod(n, unit) * (1_000_000_000L / unit)),
                            ZoneOffset.UTC)))
            .collect(Collectors.toUnmodifiableSet());

    static DateTimeException infinite(boolean after) {
        return new DateTimeException((after ? "infinity" : "-infinity") + " is not a day or moment that Java has");
    }

    /** Returns a date from DuckDB's driver unchanged. Throws if it stands for infinity. */
    static LocalDate finite(LocalDate day) {
        long number = day.toEpochDay();
        if (Math.abs(number) == Integer.MAX_VALUE) {
            throw infinite(number > 0);
        }
        return day;
    }

    /** Returns a timestamp from DuckDB's driver unchanged. Throws if it stands for infinity. */
    static LocalDateTime finite(LocalDateTime moment) {
        int year = moment.getYear();
        if ((year >= 2262 || year <= 1677) && INFINITE.contains(moment)) {
            throw infinite(year >= 2262);
        }
        return moment;
    }

    /** Returns the text of a date, timestamp or instant, with a space before the time. */
    static String iso(Object value) {
        if (value instanceof LocalDateTime t) {
            return SPACED.format(t);
        }
        return value instanceof OffsetDateTime t ? ZONED.format(t) : value.toString();
    }

    /**
     * Returns the text unchanged if its year is one that SQLite's functions can read: 0 to 9999.
     * Throws otherwise.
     */
    static String sqlite(String iso, int year) {
        if (year < 0 || year > 9999) {
            throw new DateTimeException("the year " + year + " is not of SQLite's 0 to 9999");
        }
        return iso;
    }

    /** Parses the date of a text that may also contain a time. */
    static LocalDate day(String text) {
        int length = text.length();
        if (length < 10
                || text.charAt(4) != '-'
                || text.charAt(7) != '-'
                || length > 10 && (text.charAt(10) != ' ' && text.charAt(10) != 'T' || text.indexOf("BC") > 0)) {
            return parse(text).toLocalDate();
        }
        int year = digits(text, 0, 4);
        int month = digits(text, 5, 7);
        int day = digits(text, 8, 10);
        return (year | month | day) < 0 ? parse(text).toLocalDate() : LocalDate.of(year, month, day);
    }

    static LocalDateTime moment(Object raw) {
        if (raw instanceof LocalDateTime t) {
            return finite(t);
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
        return plain != null
                ? plain
                : parse(text).withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime();
    }

    /** Matches a date with an optional time, zone and era, as PostgreSQL and DuckDB write them. */
    private static final Pattern MOMENT = Pattern.compile(
            "([+-]?\\d{4,9})-(\\d\\d)-(\\d\\d)( \\(BC\\))?(?:[ T](\\d\\d:\\d\\d[:.\\d]*) ?(Z|[+-][\\d:]+)?)?( BC)?");

    /** Parses a date or timestamp of any form. The zone is UTC if the text has none. */
    private static OffsetDateTime parse(String text) {
        Matcher m = MOMENT.matcher(text);
        if (!m.matches()) {
            throw new DateTimeException(text + " is not a day or moment that Java has");
        }
        int year = Integer.parseInt(m.group(1));
        LocalDate day = LocalDate.of(
                m.group(4) == null && m.group(7) == null ? year : 1 - year,
                Integer.parseInt(m.group(2)),
                Integer.parseInt(m.group(3)));
        LocalTime clock = m.group(5) == null ? LocalTime.MIDNIGHT : LocalTime.parse(m.group(5));
        return day.atTime(clock).atOffset(m.group(6) == null ? ZoneOffset.UTC : ZoneOffset.of(m.group(6)));
    }

    /**
     * Parses the most frequent form, {@code 2025-01-31 12:30:00.5}, quickly and without a
     * formatter. Returns null for any other form.
     */
    private static LocalDateTime plain(String text) {
        int length = text.length();
        if (length < 19
                || length == 20
                || length > 29
                || text.charAt(4) != '-'
                || text.charAt(7) != '-'
                || text.charAt(13) != ':'
                || text.charAt(16) != ':'
                || text.charAt(10) != ' ' && text.charAt(10) != 'T'
                || length > 19 && text.charAt(19) != '.') {
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

    /**
     * Parses the digits between two indices. Returns a negative number if there is another
     * character.
     */
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

    /** Returns the index at which the zone begins in the text of a time or timestamp, or -1. */
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
            // Inside a nested value, DuckDB's driver returns the local time with the offset of
            // another date. Once a year two instants have the same local time; queries avoid this
            // by asking for text.
            return t.toLocalDateTime()
                    .atZone(ZoneId.systemDefault())
                    .withZoneSameInstant(ZoneOffset.UTC)
                    .toOffsetDateTime();
        }
        if (raw instanceof Timestamp t) {
            return t.toInstant().atOffset(ZoneOffset.UTC);
        }
        if (raw instanceof Number n) {
            return fromNumber(n).atOffset(ZoneOffset.UTC);
        }
        String text = raw.toString().trim();
        int zone = text.length() > 10 ? zoneAt(text) : -1;
        LocalDateTime plain = plain(zone < 0 ? text : text.substring(0, zone));
        OffsetDateTime moment = plain == null
                ? parse(text)
                : plain.atOffset(zone < 0 ? ZoneOffset.UTC : ZoneOffset.of(text.substring(zone)));
        return moment.withOffsetSameInstant(ZoneOffset.UTC);
    }

    private static final Pattern INTERVAL =
            Pattern.compile("(?:([+-]?\\d+) years? ?)?(?:([+-]?\\d+) mon(?:th)?s? ?)?(?:([+-]?\\d+) days? ?)?"
                    + "(?:([+-]?)(\\d+):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,6}))?)?");

    /**
     * Parses the interval text of PostgreSQL and DuckDB, such as {@code 1 year 2 mons -3 days
     * 04:05:06.7}.
     */
    static ScoterInterval interval(String text) {
        Matcher m = INTERVAL.matcher(text);
        if (!m.matches() || text.isEmpty()) {
            throw new DateTimeException(
                    text + " is no interval as PostgreSQL writes it with intervalstyle = 'postgres'");
        }
        long micros = 0;
        if (m.group(5) != null) {
            micros = (Long.parseLong(m.group(5)) * 3600 + Long.parseLong(m.group(6)) * 60 + Long.parseLong(m.group(7)))
                    * 1_000_000;
            if (m.group(8) != null) {
                micros += Long.parseLong((m.group(8) + "000000").substring(0, 6));
            }
            micros = m.group(4).equals("-") ? -micros : micros;
        }
        return new ScoterInterval(12 * number(m.group(1)) + number(m.group(2)), number(m.group(3)), micros);
    }

    private static int number(String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }
}
