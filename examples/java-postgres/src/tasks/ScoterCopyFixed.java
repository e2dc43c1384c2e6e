package tasks;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.UUID;

/**
 * Writes values of types with a fixed size. One class handles all these types with a switch,
 * because that costs less per value than a virtual call to a class for each type.
 */
final class ScoterCopyFixed extends ScoterCopyType {
    static final ScoterCopyType BOOL = new ScoterCopyFixed(Form.BOOL, true);
    static final ScoterCopyType INT16 = new ScoterCopyFixed(Form.INT16, true);
    static final ScoterCopyType INT32 = new ScoterCopyFixed(Form.INT32, true);
    static final ScoterCopyType INT64 = new ScoterCopyFixed(Form.INT64, true);
    static final ScoterCopyType OID = new ScoterCopyFixed(Form.OID, true);
    static final ScoterCopyType FLOAT32 = new ScoterCopyFixed(Form.FLOAT32, false);
    static final ScoterCopyType FLOAT64 = new ScoterCopyFixed(Form.FLOAT64, false);
    static final ScoterCopyType UUID = new ScoterCopyFixed(Form.UUID, true);
    static final ScoterCopyType DATE = new ScoterCopyFixed(Form.DATE, true);
    static final ScoterCopyType TIME = new ScoterCopyFixed(Form.TIME, true);
    static final ScoterCopyType TIMETZ = new ScoterCopyFixed(Form.TIMETZ, false);
    static final ScoterCopyType TIMESTAMP = new ScoterCopyFixed(Form.TIMESTAMP, true);
    static final ScoterCopyType TIMESTAMPTZ = new ScoterCopyFixed(Form.TIMESTAMPTZ, true);
    static final ScoterCopyType INTERVAL = new ScoterCopyFixed(Form.INTERVAL, false);

    private enum Form {
        BOOL,
        INT16,
        INT32,
        INT64,
        OID,
        FLOAT32,
        FLOAT64,
        UUID,
        DATE,
        TIME,
        TIMETZ,
        TIMESTAMP,
        TIMESTAMPTZ,
        INTERVAL
    }

    /** Days and seconds between 1970 and 2000, which is PostgreSQL's epoch. */
    private static final int EPOCH_DAYS = 10_957;

    private static final long EPOCH_SECONDS = EPOCH_DAYS * 86_400L;

    private final Form form;
    private final boolean canonical;

    private ScoterCopyFixed(Form form, boolean canonical) {
        this.form = form;
        this.canonical = canonical;
    }

    @Override
    void put(ScoterCopyBuffer out, Object value) {
        switch (form) {
            case BOOL -> bool(out, (Boolean) value);
            case INT16 -> int16(out, (Short) value);
            case INT32 -> int32(out, (Integer) value);
            case INT64 -> int64(out, (Long) value);
            case OID -> int32(out, (int) ScoterValues.unsigned((Long) value, 32));
            case FLOAT32 -> float32(out, (Float) value);
            case FLOAT64 -> float64(out, (Double) value);
            case UUID -> uuid(out, (UUID) value);
            case DATE -> date(out, (LocalDate) value);
            case TIME -> int64(out, clock((LocalTime) value));
            case TIMETZ -> {
                OffsetTime time = (OffsetTime) value;
                out.reserve(16);
                out.int32(12);
                out.int64(clock(time.toLocalTime()));
                // PostgreSQL stores offsets west of Greenwich as positive numbers
                out.int32(-time.getOffset().getTotalSeconds());
            }
            case TIMESTAMP -> timestamp(out, (LocalDateTime) value);
            case TIMESTAMPTZ -> timestamptz(out, (OffsetDateTime) value);
            case INTERVAL -> {
                ScoterInterval interval = (ScoterInterval) value;
                out.reserve(20);
                out.int32(16);
                out.int64(interval.micros());
                out.int32(interval.days());
                out.int32(interval.months());
            }
        }
    }

    static void bool(ScoterCopyBuffer out, boolean value) {
        out.small(1, value ? 1 << 24 : 0);
    }

    static void int16(ScoterCopyBuffer out, short value) {
        out.small(2, value << 16);
    }

    static void int32(ScoterCopyBuffer out, int value) {
        out.small(4, value);
    }

    static void int64(ScoterCopyBuffer out, long value) {
        out.reserve(12);
        out.int32(8);
        out.int64(value);
    }

    static void float32(ScoterCopyBuffer out, float value) {
        int32(out, Float.floatToIntBits(value));
    }

    static void float64(ScoterCopyBuffer out, double value) {
        int64(out, Double.doubleToLongBits(value));
    }

    static void uuid(ScoterCopyBuffer out, UUID value) {
        out.reserve(20);
        out.int32(16);
        out.int64(value.getMostSignificantBits());
        out.int64(value.getLeastSignificantBits());
    }

    static void date(ScoterCopyBuffer out, LocalDate value) {
        int32(out, Math.toIntExact(value.toEpochDay() - EPOCH_DAYS));
    }

    static void timestamp(ScoterCopyBuffer out, LocalDateTime value) {
        int64(out, micros(value.toEpochSecond(ZoneOffset.UTC), value.getNano()));
    }

    static void timestamptz(ScoterCopyBuffer out, OffsetDateTime value) {
        int64(out, micros(value.toEpochSecond(), value.getNano()));
    }

    /**
     * Converts nanoseconds of a second to microseconds. Rounds like the server does when it parses
     * text.
     */
    private static long round(int nanos) {
        return nanos % 1000 == 0 ? nanos / 1000 : (long) Math.rint(nanos / 1e9 * 1e6);
    }

    private static long clock(LocalTime value) {
        return value.toSecondOfDay() * 1_000_000L + round(value.getNano());
    }

    private static long micros(long seconds, int nanos) {
        try {
            return Math.addExact(Math.multiplyExact(seconds - EPOCH_SECONDS, 1_000_000L), round(nanos));
        } catch (ArithmeticException e) {
            throw new ArithmeticException("is too far from 1970");
        }
    }

    @Override
    boolean canonical() {
        return canonical;
    }
}
