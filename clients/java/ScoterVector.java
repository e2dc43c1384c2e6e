package com.scoterdb.client;

import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.UUID;

/**
 * Writes the values of one column into the memory of DuckDB's vectors, in DuckDB's layout and
 * without an object per value. Must be used by one thread at a time.
 */
abstract class ScoterVector {
    /**
     * The addresses of the vector and of its values. They belong to DuckDB and change with each
     * chunk.
     */
    long vector;

    long data;
    /**
     * The address of the validity mask. It is 0 until the first null is written, unless
     * {@link #attach(long, long)} has set it.
     */
    private long validity;

    private boolean nulls;

    /** Returns the writer for a type. {@code heap} holds the long texts of a chunk. */
    static ScoterVector of(ScoterTypes.Type<?> type, ScoterHeap heap) {
        return switch (type.kind) {
            case BOOL -> new Fixed(1, 1, (at, v) -> ScoterNative.BYTE.set(at, (Boolean) v ? (byte) 1 : (byte) 0));
            case INT8 -> new Fixed(2, 1, (at, v) -> ScoterNative.BYTE.set(at, (byte) (Byte) v));
            case INT16 -> new Fixed(3, 2, (at, v) -> ScoterNative.SHORT.set(at, (short) (Short) v));
            case INT32 -> new Fixed(4, 4, (at, v) -> ScoterNative.INT.set(at, (int) (Integer) v));
            case INT64 -> new Fixed(5, 8, (at, v) -> ScoterNative.LONG.set(at, (long) (Long) v));
            case UINT8 ->
                new Fixed(6, 1, (at, v) -> ScoterNative.BYTE.set(at, (byte) ScoterValues.unsigned((Short) v, 8)));
            case UINT16 ->
                new Fixed(7, 2, (at, v) -> ScoterNative.SHORT.set(at, (short) ScoterValues.unsigned((Integer) v, 16)));
            case UINT32 ->
                new Fixed(8, 4, (at, v) -> ScoterNative.INT.set(at, (int) ScoterValues.unsigned((Long) v, 32)));
            case UINT64 ->
                new Fixed(
                        9,
                        8,
                        (at, v) -> ScoterNative.LONG.set(
                                at,
                                ScoterValues.whole((BigInteger) v, false, 64).longValue()));
            case FLOAT32 -> new Fixed(10, 4, (at, v) -> ScoterNative.FLOAT.set(at, (float) (Float) v));
            case FLOAT64 -> new Fixed(11, 8, (at, v) -> ScoterNative.DOUBLE.set(at, (double) (Double) v));
            case TIMESTAMP ->
                new Fixed(
                        12, 8, (at, v) -> ScoterNative.LONG.set(at, ScoterValues.moment((LocalDateTime) v, 1_000_000)));
            case DATE ->
                new Fixed(13, 4, (at, v) -> ScoterNative.INT.set(at, Math.toIntExact(((LocalDate) v).toEpochDay())));
            case TIME -> new Fixed(14, 8, (at, v) -> ScoterNative.LONG.set(at, ((LocalTime) v).toNanoOfDay() / 1000));
            case INTERVAL -> new Fixed(15, 16, (at, v) -> interval(at, (ScoterInterval) v));
            case INT128 -> new Fixed(16, 16, (at, v) -> huge(at, ScoterValues.whole((BigInteger) v, true, 128)));
            case UINT128 -> new Fixed(32, 16, (at, v) -> huge(at, ScoterValues.whole((BigInteger) v, false, 128)));
            case TIMESTAMP_S ->
                new Fixed(20, 8, (at, v) -> ScoterNative.LONG.set(at, ScoterValues.moment((LocalDateTime) v, 1)));
            case TIMESTAMP_MS ->
                new Fixed(21, 8, (at, v) -> ScoterNative.LONG.set(at, ScoterValues.moment((LocalDateTime) v, 1000)));
            case TIMESTAMP_NS ->
                new Fixed(
                        22,
                        8,
                        (at, v) -> ScoterNative.LONG.set(at, ScoterValues.moment((LocalDateTime) v, 1_000_000_000)));
            case UUID -> new Fixed(27, 16, (at, v) -> uuid(at, (UUID) v));
            case TIMETZ -> new Fixed(30, 8, (at, v) -> ScoterNative.LONG.set(at, timetz((OffsetTime) v)));
            case TIMESTAMPTZ ->
                new Fixed(31, 8, (at, v) -> ScoterNative.LONG.set(at, ScoterValues.instant((OffsetDateTime) v)));
            case DECIMAL -> ScoterNestedVector.decimal((ScoterNested.DecimalType) type, heap);
            case ENUM -> ScoterNestedVector.enumeration((ScoterNested.EnumType<?>) type);
            case LIST -> ScoterNestedVector.list((ScoterNested.ListType<?>) type, heap);
            case MAP -> ScoterNestedVector.map((ScoterNested.MapType<?, ?>) type, heap);
            case STRUCT -> ScoterNestedVector.struct((ScoterNested.StructType<?>) type, heap);
            case BLOB -> new Blob(heap);
            case TEXT, ANY -> new Text(heap);
        };
    }

    /** Writes a value to an address. */
    interface Put {
        void put(long at, Object value);
    }

    /** Makes a handle of DuckDB's type. The caller must destroy it. */
    abstract long logicalType();

    /** Uses the vector of the next chunk, which has no values yet. */
    void attach(long vector) {
        this.vector = vector;
        nulls = false;
        moved();
    }

    /**
     * Uses memory of the caller for a chunk's values and their validity mask. Only for types that
     * have a {@link #size}.
     */
    final void attach(long values, long mask) {
        data = values;
        validity = mask;
        nulls = false;
        for (int i = 0; i < ScoterDuckDbNative.VECTOR_ROWS / 64; i++) {
            ScoterNative.LONG.set(mask + 8L * i, -1L);
        }
    }

    /** Returns the size of a value in bytes. Returns 0 if a value is not stored in one place. */
    int size() {
        return 0;
    }

    /**
     * Returns a name of the type for use in a function's name. Only for types that have a
     * {@link #size}.
     */
    String label() {
        throw new UnsupportedOperationException();
    }

    /**
     * Reads the vector's addresses again, because DuckDB has moved its memory. The values are
     * unchanged.
     */
    void moved() {
        data = ScoterDuckDbNative.VECTOR_GET_DATA.call(vector);
        validity = 0;
    }

    /**
     * Writes a value that is not null. Throws a RuntimeException with the reason if the value
     * cannot be written.
     */
    abstract void put(int at, Object value);

    void putNull(int at) {
        if (validity == 0) {
            validity = ScoterDuckDbNative.validity(vector);
        }
        long word = validity + (at >> 6) * 8L;
        ScoterNative.LONG.set(word, (long) ScoterNative.LONG.get(word) & ~(1L << (at & 63)));
        nulls = true;
    }

    final void putNullable(int at, Object value) {
        if (value == null) {
            putNull(at);
        } else {
            put(at, value);
        }
    }

    /** Writes the column's values of a chunk's rows, using a loop. */
    void fill(ScoterVectorLoop loop, Object[] rows, int count, ScoterTypes.Column<?, ?> column) {
        loop.fill(this, rows, count, column);
    }

    /** Returns whether a null was written into the chunk. */
    final boolean hasNull() {
        return nulls;
    }

    /**
     * Returns the bits of a value as a number. The value must have one, two, four or eight bytes.
     * Different values have different numbers.
     */
    final long bits(int at) {
        return ScoterNative.bits(data + (long) at * size(), size());
    }

    /** Completes the chunk. */
    void finish() {}

    /** Writes values of a fixed size. */
    static final class Fixed extends ScoterVector {
        private final int type;
        private final int size;
        private final Put put;

        /** {@code type} is the C API's number for the type. {@code size} is in bytes. */
        Fixed(int type, int size, Put put) {
            this.type = type;
            this.size = size;
            this.put = put;
        }

        @Override
        long logicalType() {
            return ScoterDuckDbNative.logicalType(type);
        }

        @Override
        void put(int at, Object value) {
            put.put(data + (long) at * size, value);
        }

        @Override
        void fill(ScoterVectorLoop loop, Object[] rows, int count, ScoterTypes.Column<?, ?> column) {
            loop.fill(this, put, data, size, rows, count, column);
        }

        @Override
        int size() {
            return size;
        }

        @Override
        String label() {
            return Integer.toString(type);
        }
    }

    /**
     * Writes text. Up to 12 bytes are stored in the value itself. A longer text has its first four
     * bytes and an address there.
     */
    static class Text extends ScoterVector {
        private final ScoterHeap heap;

        Text(ScoterHeap heap) {
            this.heap = heap;
        }

        @Override
        long logicalType() {
            return ScoterDuckDbNative.logicalType(17);
        }

        @Override
        void put(int at, Object value) {
            String text = value.toString();
            int length = text.length();
            long place = data + 16L * at;
            if (length <= 12) {
                long low = length;
                long high = 0;
                int i = 0;
                for (; i < length; i++) {
                    char c = text.charAt(i);
                    if (c >= 0x80) {
                        break;
                    }
                    if (i < 4) {
                        low |= (long) c << 32 + 8 * i;
                    } else {
                        high |= (long) c << 8 * i - 32;
                    }
                }
                if (i == length) {
                    ScoterNative.LONG.set(place, low);
                    ScoterNative.LONG.set(place + 8, high);
                    return;
                }
            }
            long bytes = heap.reserve(3L * length);
            int size = ScoterHeap.utf8(text, bytes);
            if (size > 12) {
                heap.take(size);
            }
            putBytes(place, bytes, size);
        }
    }

    private static final class Blob extends ScoterVector {
        private final ScoterHeap heap;

        Blob(ScoterHeap heap) {
            this.heap = heap;
        }

        @Override
        long logicalType() {
            return ScoterDuckDbNative.logicalType(18);
        }

        @Override
        void put(int at, Object value) {
            byte[] source = (byte[]) value;
            long bytes = heap.reserve(source.length);
            for (int i = 0; i < source.length; i++) {
                ScoterNative.BYTE.set(bytes + i, source[i]);
            }
            if (source.length > 12) {
                heap.take(source.length);
            }
            putBytes(data + 16L * at, bytes, source.length);
        }
    }

    private static void putBytes(long place, long bytes, int size) {
        ScoterNative.INT.set(place, size);
        if (size > 12) {
            ScoterNative.INT.set(place + 4, (int) ScoterNative.INT.get(bytes));
            ScoterNative.LONG.set(place + 8, bytes);
            return;
        }
        ScoterNative.INT.set(place + 4, 0);
        ScoterNative.LONG.set(place + 8, 0L);
        for (int i = 0; i < size; i++) {
            ScoterNative.BYTE.set(place + 4 + i, (byte) ScoterNative.BYTE.get(bytes + i));
        }
    }

    /** Writes a 128-bit number with its lower half first. */
    static void huge(long at, BigInteger value) {
        ScoterNative.LONG.set(at, value.longValue());
        ScoterNative.LONG.set(
                at + 8,
                value.bitLength() < 64
                        ? (value.signum() < 0 ? -1L : 0L)
                        : value.shiftRight(64).longValue());
    }

    /**
     * Writes a UUID as a number. The first bit is flipped, so that the numbers sort like the text.
     */
    private static void uuid(long at, UUID value) {
        ScoterNative.LONG.set(at, value.getLeastSignificantBits());
        ScoterNative.LONG.set(at + 8, value.getMostSignificantBits() ^ Long.MIN_VALUE);
    }

    private static void interval(long at, ScoterInterval value) {
        ScoterNative.INT.set(at, value.months());
        ScoterNative.INT.set(at + 4, value.days());
        ScoterNative.LONG.set(at + 8, value.micros());
    }

    /**
     * Returns DuckDB's form of a TIMETZ: 40 bits for the microseconds, and 24 bits for the
     * difference between the largest possible offset and the offset.
     */
    private static long timetz(OffsetTime value) {
        final int largest = 16 * 3600 - 1;
        return value.toLocalTime().toNanoOfDay() / 1000 << 24
                | largest - value.getOffset().getTotalSeconds();
    }
}
