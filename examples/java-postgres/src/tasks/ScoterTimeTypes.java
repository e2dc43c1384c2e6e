package tasks;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;

/** The types for dates, times and timestamps: how they are read from a driver and passed to it. */
final class ScoterTimeTypes {
    private ScoterTimeTypes() {}

    static final ScoterTypes.Type<LocalDate> DATE = new ScoterTypes.Type<>(ScoterTypes.Kind.DATE, "DATE") {
        @Override
        LocalDate parse(Object raw) {
            if (raw instanceof LocalDate d) {
                return ScoterTimes.finite(d);
            }
            if (raw instanceof java.sql.Date d) {
                return d.toLocalDate();
            }
            return raw instanceof Number n ? ScoterTimes.fromNumber(n).toLocalDate() : ScoterTimes.day(raw.toString());
        }

        @Override
        LocalDate read(ScoterTypes.Engine engine, ResultSet rs, int column) throws SQLException {
            String text = engine == ScoterTypes.Engine.SQLITE ? rs.getString(column) : null;
            return text != null && !ScoterTypes.number(text) ? parse(text) : super.read(engine, rs, column);
        }

        @Override
        String text(LocalDate value) {
            return ScoterTimes.era(value.toString(), value.getYear());
        }

        @Override
        Object sqlite(LocalDate value) {
            return ScoterTimes.sqlite(value.toString(), value.getYear());
        }

        /**
         * For a date parameter DuckDB's driver drops the era (BC). It keeps the era of a timestamp,
         * so early dates are passed as timestamps.
         */
        @Override
        Object duck(LocalDate value) {
            return value.getYear() < 1 ? value.atStartOfDay() : value;
        }

        @Override
        Object appended(LocalDate value) {
            return value;
        }
    };

    static final ScoterTypes.Type<LocalTime> TIME = ScoterTypes.textual(
            ScoterTypes.Kind.TIME,
            "TIME",
            raw -> {
                if (raw instanceof LocalTime t) {
                    return t;
                }
                return raw instanceof Number n
                        ? ScoterTimes.fromNumber(n).toLocalTime()
                        : LocalTime.parse(raw.toString());
            },
            ScoterTimes.CLOCK::format,
            ScoterTimes.CLOCK::format);

    /** DuckDB's TIME_NS. It is passed as text, because DuckDB does not convert TIME to it. */
    static final ScoterTypes.Type<LocalTime> TIME_NS = new ScoterTypes.Type<>(ScoterTypes.Kind.ANY, "TIME_NS") {
        @Override
        LocalTime parse(Object raw) throws SQLException {
            return TIME.parse(raw);
        }

        @Override
        Object duck(LocalTime value) {
            return value.toString();
        }
    };

    static final ScoterTypes.Type<OffsetTime> TIMETZ = new ScoterTypes.Type<>(ScoterTypes.Kind.TIMETZ, "TIMETZ") {
        @Override
        OffsetTime parse(Object raw) {
            if (raw instanceof OffsetTime t) {
                return t;
            }
            String text = raw.toString();
            int zone = ScoterTimes.zoneAt(text);
            return LocalTime.parse(text.substring(0, zone)).atOffset(ZoneOffset.of(text.substring(zone)));
        }

        @Override
        String text(OffsetTime value) {
            return ScoterTimes.CLOCK.format(value)
                    + (value.getOffset().getTotalSeconds() == 0
                            ? "+00:00"
                            : value.getOffset().getId());
        }

        @Override
        Object sqlite(OffsetTime value) {
            return text(value);
        }

        /** DuckDB's statements do not accept an OffsetTime, but its appender does. */
        @Override
        Object duck(OffsetTime value) {
            return text(value);
        }

        @Override
        Object appended(OffsetTime value) {
            return value;
        }
    };

    private static ScoterTypes.Type<LocalDateTime> timestampOf(ScoterTypes.Kind kind) {
        return new ScoterTypes.Type<>(kind, kind.name()) {
            @Override
            LocalDateTime parse(Object raw) {
                return ScoterTimes.moment(raw);
            }

            @Override
            LocalDateTime read(ScoterTypes.Engine engine, ResultSet rs, int column) throws SQLException {
                if (engine == ScoterTypes.Engine.DUCKDB) {
                    // Ask for a LocalDateTime: a java.sql.Timestamp has been converted through the
                    // JVM's time zone.
                    try {
                        LocalDateTime moment = rs.getObject(column, LocalDateTime.class);
                        return moment == null ? null : ScoterTimes.finite(moment);
                    } catch (DateTimeException e) {
                        if (kind != ScoterTypes.Kind.TIMESTAMP_S) {
                            throw e;
                        }
                        throw new DateTimeException("infinity or -infinity is not a day or moment that Java has", e);
                    }
                }
                String text = engine == ScoterTypes.Engine.SQLITE ? rs.getString(column) : null;
                return text != null && !ScoterTypes.number(text)
                        ? ScoterTimes.moment(text)
                        : super.read(engine, rs, column);
            }

            @Override
            String text(LocalDateTime value) {
                return ScoterTimes.era(ScoterTimes.SPACED.format(value), value.getYear());
            }

            /**
             * As a parameter, a timestamp would lose its digits below a microsecond, so it is
             * passed as text.
             */
            @Override
            Object duck(LocalDateTime value) {
                return kind == ScoterTypes.Kind.TIMESTAMP_NS && value.getNano() % 1000 != 0 ? text(value) : value;
            }

            @Override
            Object appended(LocalDateTime value) {
                return value;
            }

            @Override
            Object sqlite(LocalDateTime value) {
                return ScoterTimes.sqlite(ScoterTimes.SPACED.format(value), value.getYear());
            }
        };
    }

    static final ScoterTypes.Type<LocalDateTime> TIMESTAMP = timestampOf(ScoterTypes.Kind.TIMESTAMP);
    static final ScoterTypes.Type<LocalDateTime> TIMESTAMP_S = timestampOf(ScoterTypes.Kind.TIMESTAMP_S);
    static final ScoterTypes.Type<LocalDateTime> TIMESTAMP_MS = timestampOf(ScoterTypes.Kind.TIMESTAMP_MS);
    static final ScoterTypes.Type<LocalDateTime> TIMESTAMP_NS = timestampOf(ScoterTypes.Kind.TIMESTAMP_NS);

    static final ScoterTypes.Type<OffsetDateTime> TIMESTAMPTZ =
            new ScoterTypes.Type<>(ScoterTypes.Kind.TIMESTAMPTZ, "TIMESTAMP WITH TIME ZONE") {
                @Override
                OffsetDateTime parse(Object raw) {
                    return ScoterTimes.instant(raw);
                }

                @Override
                OffsetDateTime read(ScoterTypes.Engine engine, ResultSet rs, int column) throws SQLException {
                    if (engine != ScoterTypes.Engine.DUCKDB) {
                        String text = engine == ScoterTypes.Engine.SQLITE ? rs.getString(column) : null;
                        return text != null && !ScoterTypes.number(text)
                                ? ScoterTimes.instant(text)
                                : super.read(engine, rs, column);
                    }
                    // getObject returns a wrong offset around changes of daylight saving time.
                    long micros = rs.getLong(column);
                    if (rs.wasNull()) {
                        return null;
                    }
                    if (micros == Long.MAX_VALUE || micros == -Long.MAX_VALUE) {
                        throw ScoterTimes.infinite(micros > 0);
                    }
                    return Instant.ofEpochSecond(
                                    Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000)
                            .atOffset(ZoneOffset.UTC);
                }

                @Override
                String text(OffsetDateTime value) {
                    return ScoterTimes.era(ScoterTimes.ZONED.format(value), value.getYear());
                }

                @Override
                Object sqlite(OffsetDateTime value) {
                    return ScoterTimes.sqlite(ScoterTimes.ZONED.format(value), value.getYear());
                }
            };

    static final ScoterTypes.Type<ScoterInterval> INTERVAL =
            new ScoterTypes.Type<>(ScoterTypes.Kind.INTERVAL, "INTERVAL") {
                @Override
                ScoterInterval parse(Object raw) {
                    return ScoterTimes.interval(raw.toString());
                }

                @Override
                ScoterInterval read(ScoterTypes.Engine engine, ResultSet rs, int column) throws SQLException {
                    String text = rs.getString(column);
                    return text == null ? null : parse(text);
                }

                @Override
                String text(ScoterInterval value) {
                    return value.months() + " mons " + value.days() + " days " + value.micros() + " microseconds";
                }

                @Override
                Object duck(ScoterInterval value) {
                    return text(value);
                }
            };
}
