package readings;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** Values as the numbers that databases store. What does not fit is an error that says so. */
final class ScoterValues {
    private ScoterValues() {}

    /** A number of so many bits, without a sign. */
    static long unsigned(long value, int bits) {
        if (value >>> bits != 0) {
            throw new ArithmeticException("is not an unsigned number of " + bits + " bits");
        }
        return value;
    }

    /** A number of so many bits, the sign's included. */
    static BigInteger whole(BigInteger value, boolean signed, int bits) {
        if (value.bitLength() > (signed ? bits - 1 : bits) || !signed && value.signum() < 0) {
            throw new ArithmeticException(
                    "is not " + (signed ? "a signed" : "an unsigned") + " number of " + bits + " bits");
        }
        return value;
    }

    /** A decimal with exactly so many digits after the point, none of which is lost. */
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

    /** Refuses an array of another length. */
    static void length(int elements, int length) {
        if (elements != length) {
            throw new IllegalArgumentException("has " + elements + " elements instead of " + length);
        }
    }

    /** Since 1970, in units of which a second has that many. What is smaller is cut off. */
    static long moment(LocalDateTime value, int perSecond) {
        return units(value.toEpochSecond(ZoneOffset.UTC), value.getNano(), perSecond);
    }

    /** Microseconds since 1970. */
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
