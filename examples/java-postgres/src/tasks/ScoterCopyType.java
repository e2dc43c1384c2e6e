package tasks;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;

/**
 * Writes the values of one type of the server in its binary form: the length in bytes and what the
 * server's receive function reads. Values are never null here; what they cannot be is a
 * RuntimeException that says so.
 */
abstract class ScoterCopyType {
    /** Days and seconds from 1970 to 2000, where PostgreSQL counts from. */
    private static final int EPOCH_DAYS = 10_957;

    private static final long EPOCH_SECONDS = EPOCH_DAYS * 86_400L;

    abstract void put(ScoterCopyBuffer out, Object value);

    /** Whether equal values have equal bytes, so that keys can be told apart by them. */
    boolean canonical() {
        return true;
    }

    final void putNullable(ScoterCopyBuffer out, Object value) {
        if (value == null) {
            out.reserve(4);
            out.int32(-1);
        } else {
            put(out, value);
        }
    }

    /** Writes a value of a fixed size. */
    private interface Write {
        void write(ScoterCopyBuffer out, Object value);
    }

    private static ScoterCopyType fixed(int size, boolean canonical, Write write) {
        return new ScoterCopyType() {
            @Override
            void put(ScoterCopyBuffer out, Object value) {
                out.reserve(4 + size);
                out.int32(size);
                write.write(out, value);
            }

            @Override
            boolean canonical() {
                return canonical;
            }
        };
    }

    /**
     * The writer of a type that is no array, domain or composite, by the name of its receive function; or
     * null if the function is another, or reads another kind of value than the program has.
     */
    static ScoterCopyType of(String receive, ScoterTypes.Type<?> type) {
        return switch (receive + " " + type.kind) {
            case "boolrecv BOOL" -> fixed(1, true, (out, v) -> out.int8((Boolean) v ? 1 : 0));
            case "int2recv INT16" -> fixed(2, true, (out, v) -> out.int16((Short) v));
            case "int4recv INT32" -> fixed(4, true, (out, v) -> out.int32((Integer) v));
            case "int8recv INT64" -> fixed(8, true, (out, v) -> out.int64((Long) v));
            case "oidrecv UINT32" -> fixed(4, true, (out, v) -> out.int32((int) ScoterValues.unsigned((Long) v, 32)));
            case "float4recv FLOAT32" -> fixed(4, false, (out, v) -> out.int32(Float.floatToIntBits((Float) v)));
            case "float8recv FLOAT64" -> fixed(8, false, (out, v) -> out.int64(Double.doubleToLongBits((Double) v)));
            case "uuid_recv UUID" -> fixed(16, true, (out, v) -> {
                out.int64(((UUID) v).getMostSignificantBits());
                out.int64(((UUID) v).getLeastSignificantBits());
            });
            case "date_recv DATE" -> fixed(4, true, (out, v) -> out.int32(Math.toIntExact(((LocalDate) v).toEpochDay() - EPOCH_DAYS)));
            case "time_recv TIME" -> fixed(8, true, (out, v) -> out.int64(clock((LocalTime) v)));
            case "timetz_recv TIMETZ" -> fixed(12, false, (out, v) -> {
                out.int64(clock(((OffsetTime) v).toLocalTime()));
                out.int32(-((OffsetTime) v).getOffset().getTotalSeconds()); // west of Greenwich is positive
            });
            case "timestamp_recv TIMESTAMP" -> fixed(8, true, (out, v) ->
                    out.int64(micros(((LocalDateTime) v).toEpochSecond(ZoneOffset.UTC), ((LocalDateTime) v).getNano())));
            case "timestamptz_recv TIMESTAMPTZ" -> fixed(8, true, (out, v) ->
                    out.int64(micros(((OffsetDateTime) v).toEpochSecond(), ((OffsetDateTime) v).getNano())));
            case "interval_recv INTERVAL" -> fixed(16, false, (out, v) -> {
                out.int64(((ScoterInterval) v).micros());
                out.int32(((ScoterInterval) v).days());
                out.int32(((ScoterInterval) v).months());
            });
            case "bytearecv BLOB" -> new ScoterCopyType() {
                @Override
                void put(ScoterCopyBuffer out, Object value) {
                    out.reserve(4);
                    out.int32(((byte[]) value).length);
                    out.raw((byte[]) value);
                }
            };
            case "textrecv TEXT", "varcharrecv TEXT" -> new Text(true);
            case "bpcharrecv TEXT", "json_recv TEXT", "xml_recv TEXT" -> new Text(false);
            case "jsonb_recv TEXT" -> new ScoterCopyType() {
                @Override
                void put(ScoterCopyBuffer out, Object value) {
                    int began = out.open();
                    out.reserve(1);
                    out.int8(1); // the format's version
                    out.utf8((String) value);
                    out.close(began);
                }

                @Override
                boolean canonical() {
                    return false;
                }
            };
            case "numeric_recv DECIMAL" -> new ScoterCopyNumeric();
            case "enum_recv ENUM" -> new Label(((ScoterNested.EnumType<?>) type).labels);
            default -> null;
        };
    }

    /** Microseconds of a part of a second, rounded as the server rounds the text of it. */
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

    private static final class Text extends ScoterCopyType {
        private final boolean canonical;

        Text(boolean canonical) {
            this.canonical = canonical;
        }

        @Override
        void put(ScoterCopyBuffer out, Object value) {
            int began = out.open();
            out.utf8((String) value);
            out.close(began);
        }

        @Override
        boolean canonical() {
            return canonical;
        }
    }

    private static final class Label extends ScoterCopyType {
        private final byte[][] labels;

        Label(String[] labels) {
            this.labels = new byte[labels.length][];
            for (int i = 0; i < labels.length; i++) {
                this.labels[i] = labels[i].getBytes(StandardCharsets.UTF_8);
            }
        }

        @Override
        void put(ScoterCopyBuffer out, Object value) {
            byte[] label = labels[((Enum<?>) value).ordinal()];
            out.reserve(4);
            out.int32(label.length);
            out.raw(label);
        }
    }

    /** An array of any number of dimensions, each a list of lists. */
    static final class Array extends ScoterCopyType {
        private final int oid;
        private final ScoterCopyType elem;
        /** How many lists are around an element of the program's type. */
        private final int depth;

        /** {@code oid} is the element's type. */
        Array(int oid, ScoterCopyType elem, int depth) {
            this.oid = oid;
            this.elem = elem;
            this.depth = depth;
        }

        @Override
        void put(ScoterCopyBuffer out, Object value) {
            int began = out.open();
            List<?> list = (List<?>) value;
            out.reserve(12 + 8 * depth);
            if (empty(list)) {
                out.int32(0);
                out.int32(0);
                out.int32(oid);
                out.close(began);
                return;
            }
            out.int32(depth);
            int nulls = out.size;
            out.int32(0);
            out.int32(oid);
            List<?> inner = list;
            for (int i = 1; ; i++) {
                out.int32(inner.size());
                out.int32(1); // indices count from 1
                if (i == depth) {
                    break;
                }
                if (!(inner.get(0) instanceof List<?> next)) {
                    throw ragged();
                }
                inner = next;
            }
            if (items(out, list, began + 12, 1)) {
                out.int32At(nulls, 1);
            }
            out.close(began);
        }

        /** Whether there is no element; only lists without elements may then be inside. */
        private boolean empty(List<?> list) {
            if (list.isEmpty() || depth == 1) {
                return list.isEmpty();
            }
            boolean empty = true;
            for (Object item : list) {
                empty &= item instanceof List<?> l && l.isEmpty();
            }
            return empty;
        }

        /** Writes the elements, whose numbers stand at {@code dimension}; returns whether one is null. */
        private boolean items(ScoterCopyBuffer out, List<?> list, int dimension, int level) {
            boolean nulls = false;
            for (int i = 0, n = list.size(); i < n; i++) {
                Object item = list.get(i);
                if (level == depth) {
                    nulls |= item == null;
                    elem.putNullable(out, item);
                } else {
                    if (!(item instanceof List<?> l) || l.size() != out.int32Of(dimension + 8)) {
                        throw ragged();
                    }
                    nulls |= items(out, l, dimension + 8, level + 1);
                }
            }
            return nulls;
        }

        private static IllegalArgumentException ragged() {
            return new IllegalArgumentException("has lists of different lengths in one dimension");
        }

        @Override
        boolean canonical() {
            return false;
        }
    }

    /** A composite value: each field with its type. */
    static final class Composite extends ScoterCopyType {
        private final int[] oids;
        private final ScoterCopyType[] types;
        private final ScoterNested.StructType<?> struct;

        Composite(ScoterNested.StructType<?> struct, int[] oids, ScoterCopyType[] types) {
            this.struct = struct;
            this.oids = oids;
            this.types = types;
        }

        @Override
        void put(ScoterCopyBuffer out, Object value) {
            int began = out.open();
            Object[] fields = fields(struct, value);
            out.reserve(4);
            out.int32(fields.length);
            for (int i = 0; i < fields.length; i++) {
                out.reserve(4);
                out.int32(oids[i]);
                types[i].putNullable(out, fields[i]);
            }
            out.close(began);
        }

        @SuppressWarnings("unchecked")
        private static <T> Object[] fields(ScoterNested.StructType<T> struct, Object value) {
            return struct.fields.apply((T) value);
        }

        @Override
        boolean canonical() {
            return false;
        }
    }
}
