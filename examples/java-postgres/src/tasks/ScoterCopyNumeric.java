package tasks;

import java.math.BigDecimal;

/**
 * Writes numbers in PostgreSQL's binary format of NUMERIC. A number is a list of 16-bit groups of
 * four decimal digits. The weight is the position of the first group relative to the decimal point.
 * Numbers of up to 15 digits are written without allocating objects.
 */
final class ScoterCopyNumeric extends ScoterCopyType {
    /** A double represents every integer of up to this many digits exactly. */
    private static final int EXACT = 15;

    private static final long[] POWERS = new long[19];

    static {
        POWERS[0] = 1;
        for (int i = 1; i < POWERS.length; i++) {
            POWERS[i] = POWERS[i - 1] * 10;
        }
    }

    @Override
    void put(ScoterCopyBuffer out, Object value) {
        write(out, (BigDecimal) value);
    }

    static void write(ScoterCopyBuffer out, BigDecimal number) {
        int scale = number.scale();
        if (scale >= 0 && scale <= EXACT && number.precision() <= EXACT) {
            small(out, number.doubleValue(), scale);
        } else {
            large(out, scale < 0 ? number.setScale(0) : number);
        }
    }

    /**
     * Writes a small number. {@code nearest} is the double nearest to it. It differs from the
     * number by at most a ninth of a unit of the last digit, and never crosses a whole number.
     */
    private static void small(ScoterCopyBuffer out, double nearest, int scale) {
        double digits = Math.abs(nearest);
        long whole = (long) digits;
        long fraction = (long) ((digits - whole) * POWERS[scale] + 0.5);
        int groups = (scale + 3) / 4;
        fraction *= POWERS[4 * groups - scale];
        int began = begin(out, scale, 4 + groups);
        int weight = -1;
        // The divisors are constants, and the most frequent numbers need no division: a division
        // costs more than everything else here.
        if (whole >= 10_000) {
            long upper = whole / 10_000;
            int first = (int) (upper / 100_000_000);
            int second = (int) (upper / 10_000 % 10_000);
            weight = first != 0 ? 3 : second != 0 ? 2 : 1;
            if (weight == 3) {
                out.int16(first);
            }
            if (weight >= 2) {
                out.int16(second);
            }
            out.int16((int) (upper % 10_000));
            out.int16((int) (whole % 10_000));
        } else if (whole != 0) {
            weight = 0;
            out.int16((int) whole);
        }
        for (int i = groups - 1; i > 0; i--) {
            out.int16((int) (fraction / POWERS[4 * i] % 10_000));
        }
        if (groups > 0) {
            out.int16((int) (fraction % 10_000));
        }
        end(out, began, nearest < 0, scale, weight);
    }

    private static void large(ScoterCopyBuffer out, BigDecimal number) {
        String digits = number.unscaledValue().abs().toString();
        int scale = number.scale();
        int whole = digits.length() - scale;
        // Split the digits into groups of four before and after the decimal point. Missing digits
        // are zero.
        int first = Math.floorDiv(whole + 3, 4);
        int groups = first + (scale + 3) / 4;
        int began = begin(out, scale, groups);
        for (int g = 0; g < groups; g++) {
            int group = 0;
            for (int i = 0; i < 4; i++) {
                int at = whole - 4 * (first - g) + i;
                group = group * 10 + (at >= 0 && at < digits.length() ? digits.charAt(at) - '0' : 0);
            }
            out.int16(group);
        }
        end(out, began, number.signum() < 0, scale, first - 1);
    }

    /** Leaves space for the value's header. Returns the position at which the value begins. */
    private static int begin(ScoterCopyBuffer out, int scale, int groups) {
        if (scale > 0x3fff) {
            throw new ArithmeticException("has more than " + 0x3fff + " digits after the point");
        }
        int began = out.open();
        out.reserve(8 + 2 * groups);
        out.size += 8;
        return began;
    }

    /**
     * Writes the header of the value whose groups have been written. {@code weight} is that of the
     * first group.
     */
    private static void end(ScoterCopyBuffer out, int began, boolean negative, int scale, int weight) {
        int groups = (out.size - began - 8) / 2;
        if (groups > 0x7fff) {
            throw new ArithmeticException("has too many digits");
        }
        int sign = negative ? 0x4000 : 0;
        out.int64At(
                began, (long) groups << 48 | (groups == 0 ? 0 : weight & 0xffffL) << 32 | (long) sign << 16 | scale);
        out.close(began);
    }

    /**
     * Equal numbers can have different bytes: the number of digits after the decimal point may
     * differ.
     */
    @Override
    boolean canonical() {
        return false;
    }
}
