package com.scoterdb.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A growing buffer with the values of one column in MessagePack. Null is written as nil. */
final class ScoterPack {
    private byte[] bytes = new byte[1 << 12];
    private int size;

    /** Appends each value of a row to its column. */
    interface Writer<T> {
        void write(ScoterPack[] columns, T row);
    }

    int size() {
        return size;
    }

    /** Returns the array with the bytes. Only the first {@link #size} bytes are valid. */
    byte[] array() {
        return bytes;
    }

    void clear() {
        size = 0;
    }

    private void reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), (int)
                    Math.min(2L * bytes.length, Integer.MAX_VALUE - 8)));
        }
    }

    private void code(int code) {
        reserve(1);
        bytes[size++] = (byte) code;
    }

    private void big16(int v) {
        reserve(2);
        bytes[size++] = (byte) (v >>> 8);
        bytes[size++] = (byte) v;
    }

    private void big32(int v) {
        reserve(4);
        big16(v >>> 16);
        big16(v);
    }

    private void big64(long v) {
        reserve(8);
        big32((int) (v >>> 32));
        big32((int) v);
    }

    private void none() {
        code(0xc0);
    }

    void append(ScoterPack other) {
        reserve(other.size);
        System.arraycopy(other.bytes, 0, bytes, size, other.size);
        size += other.size;
    }

    /**
     * Writes the header of a list of {@code n} elements or a map of {@code n} pairs. {@code few} is
     * the code for fewer than 16, {@code many} the code for a 32-bit count.
     */
    void header(int few, int many, int n) {
        if (n < 16) {
            code(few | n);
        } else {
            code(many);
            big32(n);
        }
    }

    void list(int n) {
        header(0x90, 0xdd, n);
    }

    void map(int n) {
        header(0x80, 0xdf, n);
    }

    void bool(boolean v) {
        code(v ? 0xc3 : 0xc2);
    }

    /** Writes an integer compactly. */
    void integer(long v) {
        if (v >= -32 && v < 128) {
            code((int) v);
        } else if (v == (short) v) {
            code(0xd1);
            big16((int) v);
        } else if (v == (int) v) {
            code(0xd2);
            big32((int) v);
        } else {
            code(0xd3);
            big64(v);
        }
    }

    void number(double v) {
        code(0xcb);
        big64(Double.doubleToRawLongBits(v));
    }

    void text(String v) {
        int chars = v.length();
        reserve(Math.addExact(5, Math.multiplyExact(3, chars)));
        // The header's size is chosen by the largest possible number of bytes, before that number
        // is known.
        int head = chars * 3 < 32 ? 1 : chars * 3 < 1 << 16 ? 3 : 5;
        int at = ScoterText.utf8(v, 0, bytes, size + head);
        int n = at - size - head;
        if (head == 1) {
            code(0xa0 | n);
        } else if (head == 3) {
            code(0xda);
            big16(n);
        } else {
            code(0xdb);
            big32(n);
        }
        size = at;
    }

    private void bin(byte[] v) {
        reserve(Math.addExact(5, v.length));
        if (v.length < 256) {
            code(0xc4);
            code(v.length);
        } else {
            code(0xc6);
            big32(v.length);
        }
        System.arraycopy(v, 0, bytes, size, v.length);
        size += v.length;
    }

    /** Writes a timestamp in the fewest bytes. */
    private void moment(long seconds, int nanos) {
        if (seconds >> 34 != 0) {
            code(0xc7);
            code(12);
            code(0xff);
            big32(nanos);
            big64(seconds);
        } else if (nanos == 0 && seconds >> 32 == 0) {
            code(0xd6);
            code(0xff);
            big32((int) seconds);
        } else {
            code(0xd7);
            code(0xff);
            big64((long) nanos << 34 | seconds);
        }
    }

    void bool(Boolean v) {
        if (v == null) {
            none();
        } else {
            bool(v.booleanValue());
        }
    }

    void int8(Byte v) {
        if (v == null) {
            none();
        } else {
            integer(v);
        }
    }

    void int16(Short v) {
        if (v == null) {
            none();
        } else {
            integer(v);
        }
    }

    void int32(Integer v) {
        if (v == null) {
            none();
        } else {
            integer(v);
        }
    }

    void int64(Long v) {
        if (v == null) {
            none();
        } else {
            integer(v);
        }
    }

    /** Writes a float as a double, which represents it exactly. */
    void float32(Float v) {
        if (v == null) {
            none();
        } else {
            number(v);
        }
    }

    void float64(Double v) {
        if (v == null) {
            none();
        } else {
            number(v);
        }
    }

    void string(String v) {
        if (v == null) {
            none();
        } else {
            text(v);
        }
    }

    void decimal(BigDecimal v) {
        if (v == null) {
            none();
        } else {
            text(v.toString());
        }
    }

    void uuid(UUID v) {
        if (v == null) {
            none();
            return;
        }
        code(0xc4);
        code(16);
        big64(v.getMostSignificantBits());
        big64(v.getLeastSignificantBits());
    }

    void date(LocalDate v) {
        if (v == null) {
            none();
        } else {
            moment(Math.multiplyExact(v.toEpochDay(), 86400L), 0);
        }
    }

    void timestamp(LocalDateTime v) {
        if (v == null) {
            none();
        } else {
            moment(v.toEpochSecond(ZoneOffset.UTC), v.getNano());
        }
    }

    void timestamptz(OffsetDateTime v) {
        if (v == null) {
            none();
        } else {
            moment(v.toEpochSecond(), v.getNano());
        }
    }

    /** Writes a value of any type. */
    @SuppressWarnings("unchecked")
    void value(ScoterTypes.Type<?> type, Object value) {
        if (value == null) {
            none();
            return;
        }
        switch (type.kind) {
            case BOOL -> bool(((Boolean) value).booleanValue());
            case INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32 -> integer(((Number) value).longValue());
            case UINT64 -> whole((BigInteger) value);
            case FLOAT32, FLOAT64 -> number(((Number) value).doubleValue());
            case BLOB -> bin((byte[]) value);
            case UUID -> uuid((UUID) value);
            case DATE -> date((LocalDate) value);
            case TIMESTAMP, TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP_NS -> timestamp((LocalDateTime) value);
            case TIMESTAMPTZ -> timestamptz((OffsetDateTime) value);
            case LIST -> {
                ScoterTypes.Type<?> elem = ((ScoterNested.ListType<?>) type).elem;
                List<?> list = (List<?>) value;
                list(list.size());
                for (Object item : list) {
                    value(elem, item);
                }
            }
            case MAP -> {
                var types = (ScoterNested.MapType<?, ?>) type;
                Map<?, ?> map = (Map<?, ?>) value;
                map(map.size());
                for (Map.Entry<?, ?> e : map.entrySet()) {
                    value(types.key, e.getKey());
                    value(types.value, e.getValue());
                }
            }
            case STRUCT -> {
                var struct = (ScoterNested.StructType<Object>) type;
                Object[] fields = struct.fields.apply(value);
                map(fields.length);
                for (int i = 0; i < fields.length; i++) {
                    text(struct.names[i]);
                    value(struct.types[i], fields[i]);
                }
            }
            case ANY -> any(value);
            default -> text(((ScoterTypes.Type<Object>) type).text(value));
        }
    }

    /**
     * Writes an integer as an unsigned 64-bit number. A number outside that range is written as
     * text, so that the server refuses it and names the row.
     */
    private void whole(BigInteger v) {
        if (v.bitLength() < 64) {
            integer(v.longValue());
        } else if (v.signum() > 0 && v.bitLength() == 64) {
            code(0xcf);
            big64(v.longValue());
        } else {
            text(v.toString());
        }
    }

    private void any(Object value) {
        if (value instanceof Boolean v) {
            bool(v.booleanValue());
        } else if (value instanceof Double || value instanceof Float) {
            number(((Number) value).doubleValue());
        } else if (value instanceof Byte
                || value instanceof Short
                || value instanceof Integer
                || value instanceof Long) {
            integer(((Number) value).longValue());
        } else if (value instanceof byte[] v) {
            bin(v);
        } else {
            text(value.toString());
        }
    }
}
