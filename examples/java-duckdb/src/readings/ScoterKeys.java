package readings;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Finds the rows of a bulk operation whose key has come before, so that a statement sees every key
 * once. Rows that come in the order of a column of their key, as those of time series do, are all
 * new; of others it keeps 16 bytes each, and of the keys that come again the last row.
 */
final class ScoterKeys<R> {
    private static final long SEED = 0x9e3779b97f4a7c15L;

    private record Id(long high, long low) {}

    private final Iterable<R> rows;
    private final List<ScoterTypes.Column<R, ?>> keys;
    /** Whether a row is nothing but its key: coming again changes nothing. */
    private final boolean only;
    /**
     * Columns of the key that are numbers, and the places that as many of them have among all
     * columns.
     */
    private final List<ScoterTypes.Column<R, ?>> numbers;

    private final int[] places;

    /** Whether their numbers have risen with every row so far, and those of the last row. */
    private final boolean[] rising;

    private final long[] last;

    /** Hashes of the keys that have come. Null while a column rises. */
    private ScoterHashes seen;

    private int count;
    private final Map<Id, R> again = new LinkedHashMap<>();

    /** For rows that are given to {@link #isNew} or {@link #keep} in their order. */
    ScoterKeys(List<ScoterTypes.Column<R, ?>> columns, Iterable<R> rows) {
        this.rows = rows;
        keys = new ArrayList<>(columns.size());
        numbers = new ArrayList<>(columns.size());
        int[] places = new int[columns.size()];
        // Not by streams: what those call takes 0.4 ms where it was not run for a while, a tenth of
        // 1,000 rows' update.
        for (int i = 0; i < columns.size(); i++) {
            ScoterTypes.Column<R, ?> column = columns.get(i);
            if (column.key()) {
                keys.add(column);
                if (isNumber(column.type())) {
                    places[numbers.size()] = i;
                    numbers.add(column);
                }
            }
        }
        this.places = places;
        only = keys.size() == columns.size();
        rising = new boolean[numbers.size()];
        // Rows that can be read once only could not be looked at again when a number falls.
        Arrays.fill(rising, rows instanceof Collection<?>);
        last = new long[rising.length];
        Arrays.fill(last, Long.MIN_VALUE);
    }

    /**
     * Whether the row's key is new; if not, the row is kept in place of others of its key that came
     * again.
     */
    boolean isNew(R row) {
        if (seen == null) {
            if (rises(row)) {
                count++;
                return true;
            }
            remember();
        }
        return isNew(row, hash(row, 0));
    }

    private boolean isNew(R row, long hash) {
        if (seen.isFull()) {
            throw new IllegalStateException("more than " + (1 << 29) + " rows in one operation: write them in several");
        }
        if (seen.add(hash)) {
            return true;
        }
        if (!only) {
            again.put(new Id(hash, hash(row, SEED)), row);
        }
        return false;
    }

    /** Whether some number of the key is larger than in all rows before. */
    private boolean rises(R row) {
        boolean rises = false;
        for (int i = 0; i < rising.length; i++) {
            if (rising[i]) {
                long number = number(numbers.get(i), row);
                rising[i] = number > last[i];
                last[i] = number;
                rises |= rising[i];
            }
        }
        return rises;
    }

    private static <R> long number(ScoterTypes.Column<R, ?> column, R row) {
        Object value = column.value().apply(row);
        return value == null ? Long.MIN_VALUE : number(column.type(), value);
    }

    /** What is seen of a batch of rows by itself. */
    static final class Seen {
        /**
         * For each of the key's numbers the first and the last if it rises from row to row, else
         * null.
         */
        private final long[][] spans;
        /** The hashes of the rows' keys, null while a number rises in all of them. */
        private long[] hashes;

        private Seen(int numbers) {
            spans = new long[numbers][];
        }
    }

    /**
     * Looks at rows that are written into vectors, one per column. Any thread may do this with any
     * rows; it is most of the work.
     */
    Seen look(R[] rows, int count, ScoterVector[] vectors) {
        Seen seen = new Seen(rising.length);
        if (this.seen != null) {
            seen.hashes = new long[count];
            for (int i = 0; i < count; i++) {
                seen.hashes[i] = hash(rows[i], 0);
            }
            return seen;
        }
        for (int i = 0; i < rising.length; i++) {
            ScoterVector vector = vectors[places[i]];
            // other threads may have found out that it does not rise
            if (rising[i] && !vector.hasNull()) {
                seen.spans[i] = span(vector, count);
            }
        }
        return seen;
    }

    private static long[] span(ScoterVector vector, int count) {
        long first = vector.bits(0);
        long before = first;
        for (int at = 1; at < count; at++) {
            long number = vector.bits(at);
            if (number <= before) {
                return null;
            }
            before = number;
        }
        return new long[] {first, before};
    }

    /** Keeps those of the next rows whose key is new, in the front; returns how many. */
    int keep(R[] rows, int count, Seen batch) {
        if (seen == null) {
            boolean rises = false;
            for (int i = 0; i < rising.length; i++) {
                rising[i] &= batch.spans[i] != null && batch.spans[i][0] > last[i];
                if (rising[i]) {
                    last[i] = batch.spans[i][1];
                    rises = true;
                }
            }
            if (rises) {
                this.count += count;
                return count;
            }
            remember();
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            R row = rows[i];
            if (isNew(row, batch.hashes != null ? batch.hashes[i] : hash(row, 0))) {
                rows[kept++] = row;
            }
        }
        Arrays.fill(rows, kept, count, null);
        return kept;
    }

    /** Goes over to hashes: of the rows that have come, too. */
    private void remember() {
        int expected = rows instanceof Collection<?> c ? c.size() : 0;
        seen = new ScoterHashes(Integer.highestOneBit(Math.max(1024, Math.min(expected, 1 << 28))) << 2, 2);
        Iterator<R> before = rows instanceof Collection<?> ? rows.iterator() : Collections.emptyIterator();
        for (int i = 0; i < count; i++) {
            seen.add(hash(before.next(), 0));
        }
    }

    /** The last row of every key that came more than once. */
    Collection<R> again() {
        return again.values();
    }

    private long hash(R row, long seed) {
        long hash = seed;
        for (int i = 0; i < keys.size(); i++) {
            ScoterTypes.Column<R, ?> key = keys.get(i);
            Object value = key.value().apply(row);
            hash = ScoterHashes.mix(hash ^ (value == null ? SEED : hash(key.type(), value, seed)));
        }
        return hash;
    }

    /** Equal values of the database have equal hashes. */
    private static long hash(ScoterTypes.Type<?> type, Object value, long seed) {
        if (isNumber(type)) {
            return number(type, value) + seed;
        }
        return switch (type.kind) {
            case UUID ->
                ScoterHashes.mix(((UUID) value).getMostSignificantBits() ^ seed)
                        + ((UUID) value).getLeastSignificantBits();
            case TEXT -> text((String) value, seed);
            case UINT64, INT128, UINT128 ->
                ScoterHashes.mix(((BigInteger) value).longValue() ^ seed)
                        + ((BigInteger) value).shiftRight(64).longValue();
            // Minus zero is zero.
            case FLOAT32, FLOAT64 -> Double.doubleToLongBits(((Number) value).doubleValue() + 0.0) ^ seed;
            case DECIMAL -> text(((BigDecimal) value).stripTrailingZeros().toPlainString(), seed);
            case BOOL -> (Boolean) value ? seed + 1 : seed + 2;
            case ENUM -> ((Enum<?>) value).ordinal() + seed;
            default -> text(textOf(type, value), seed);
        };
    }

    /** Whether the values of a type are whole numbers of at most 64 bits to the database. */
    static boolean isNumber(ScoterTypes.Type<?> type) {
        return switch (type.kind) {
            case INT8,
                    INT16,
                    INT32,
                    INT64,
                    UINT8,
                    UINT16,
                    UINT32,
                    DATE,
                    TIME,
                    TIMESTAMP_S,
                    TIMESTAMP_MS,
                    TIMESTAMP,
                    TIMESTAMP_NS,
                    TIMESTAMPTZ -> true;
            default -> false;
        };
    }

    private static long number(ScoterTypes.Type<?> type, Object value) {
        return switch (type.kind) {
            case DATE -> ((LocalDate) value).toEpochDay();
            case TIME -> ((LocalTime) value).toNanoOfDay() / 1000;
            case TIMESTAMP_S -> ScoterValues.moment((LocalDateTime) value, 1);
            case TIMESTAMP_MS -> ScoterValues.moment((LocalDateTime) value, 1000);
            case TIMESTAMP -> ScoterValues.moment((LocalDateTime) value, 1_000_000);
            case TIMESTAMP_NS -> ScoterValues.moment((LocalDateTime) value, 1_000_000_000);
            case TIMESTAMPTZ -> ScoterValues.instant((OffsetDateTime) value);
            default -> ((Number) value).longValue();
        };
    }

    @SuppressWarnings("unchecked")
    private static <T> String textOf(ScoterTypes.Type<T> type, Object value) {
        return type.text((T) value);
    }

    private static long text(String text, long seed) {
        long hash = seed + text.length();
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
            hash ^= hash >>> 32;
        }
        return hash;
    }
}
