package tasks;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** Converts values to the numbers that databases store. Throws if a value does not fit. */
final class ScoterValues {
    private ScoterValues() {}

    /** Checks that a value fits into an unsigned number of {@code bits} bits. */
    static long unsigned(long value, int bits) {
        if (value >>> bits != 0) {
            throw new ArithmeticException("is not an unsigned number of " + bits + " bits");
        }
        return value;
    }

    /** Checks that a value fits into a number of {@code bits} bits, including the sign. */
    static BigInteger whole(BigInteger value, boolean signed, int bits) {
        if (value.bitLength() > (signed ? bits - 1 : bits) || !signed && value.signum() < 0) {
            throw new ArithmeticException(
                    "is not " + (signed ? "a signed" : "an unsigned") + " number of " + bits + " bits");
        }
        return value;
    }

    /**
     * Returns the decimal with exactly {@code scale} digits after the decimal point. Throws if
     * digits would be lost or there are too many.
     */
    static BigDecimal decimal(BigDecimal value, int precision, int scale) {
        if (value.scale() > scale && value.stripTrailingZeros().scale() > scale) {
            throw new ArithmeticException("has more than " + scale + " digits after the point");
        }
        BigDecimal scaled = value.setScale(scale);
        if (scaled.precision() > precision) {
            throw new ArithmeticException("has more than " + (precision - scale) + " digits before the point");
        }
        return scaled;
    }

    /** Throws if an array does not have the required length. */
    static void length(int elements, int length) {
        if (elements != length) {
            throw new IllegalArgumentException("has " + elements + " elements instead of " + length);
        }
    }

    /**
     * Returns the time since 1970 in units of 1/{@code perSecond} seconds. Smaller digits are
     * dropped.
     */
    static long moment(LocalDateTime value, int perSecond) {
        return units(value.toEpochSecond(ZoneOffset.UTC), value.getNano(), perSecond);
    }

    /** Returns the microseconds since 1970. */
    static long instant(OffsetDateTime value) {
        return units(value.toEpochSecond(), value.getNano(), 1_000_000);
    }

    private static long units(long seconds, int nanos, int perSecond) {
        try {
            return Math.addExact(Math.multiplyExact(seconds, (long) perSecond), nanos / (1_000_000_000 / perSecond));
        } catch (ArithmeticException e) {
            throw new ArithmeticException("is too far from 1970");
        }
    }
}
