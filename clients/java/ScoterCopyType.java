package com.scoterdb.client;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes values of one PostgreSQL type in binary format: the length in bytes, then the bytes that
 * the server's receive function reads. Values must not be null. Throws a RuntimeException with the
 * reason if a value cannot be written.
 */
abstract class ScoterCopyType {
    abstract void put(ScoterCopyBuffer out, Object value);

    /**
     * Returns whether equal values always have equal bytes, so that keys can be compared by their
     * bytes.
     */
    boolean canonical() {
        return true;
    }

    /**
     * Writes a value or NULL. The most frequent classes are checked first, because a direct call
     * costs less than a virtual one.
     */
    final void putNullable(ScoterCopyBuffer out, Object value) {
        if (value == null) {
            out.reserve(4);
            out.int32(-1);
        } else if (this instanceof ScoterCopyFixed fixed) {
            fixed.put(out, value);
        } else if (this instanceof Text text) {
            text.put(out, value);
        } else {
            put(out, value);
        }
    }

    /**
     * Returns the writer of a scalar type by the name of its receive function. Returns null if
     * there is no writer for that function, or if the function does not fit the program's type.
     * Arrays, domains and composite types are handled by the caller.
     */
    static ScoterCopyType of(String receive, ScoterTypes.Type<?> type) {
        return switch (receive + " " + type.kind) {
            case "boolrecv BOOL" -> ScoterCopyFixed.BOOL;
            case "int2recv INT16" -> ScoterCopyFixed.INT16;
            case "int4recv INT32" -> ScoterCopyFixed.INT32;
            case "int8recv INT64" -> ScoterCopyFixed.INT64;
            case "oidrecv UINT32" -> ScoterCopyFixed.OID;
            case "float4recv FLOAT32" -> ScoterCopyFixed.FLOAT32;
            case "float8recv FLOAT64" -> ScoterCopyFixed.FLOAT64;
            case "uuid_recv UUID" -> ScoterCopyFixed.UUID;
            case "date_recv DATE" -> ScoterCopyFixed.DATE;
            case "time_recv TIME" -> ScoterCopyFixed.TIME;
            case "timetz_recv TIMETZ" -> ScoterCopyFixed.TIMETZ;
            case "timestamp_recv TIMESTAMP" -> ScoterCopyFixed.TIMESTAMP;
            case "timestamptz_recv TIMESTAMPTZ" -> ScoterCopyFixed.TIMESTAMPTZ;
            case "interval_recv INTERVAL" -> ScoterCopyFixed.INTERVAL;
            case "bytearecv BLOB" ->
                new ScoterCopyType() {
                    @Override
                    void put(ScoterCopyBuffer out, Object value) {
                        out.reserve(4);
                        out.int32(((byte[]) value).length);
                        out.raw((byte[]) value);
                    }
                };
            case "textrecv TEXT", "varcharrecv TEXT" -> new Text(true);
            case "bpcharrecv TEXT", "json_recv TEXT", "xml_recv TEXT" -> new Text(false);
            case "jsonb_recv TEXT" ->
                new ScoterCopyType() {
                    @Override
                    void put(ScoterCopyBuffer out, Object value) {
                        int began = out.open();
                        out.reserve(1);
                        out.int8(1); // the version of jsonb's format
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

    static final class Text extends ScoterCopyType {
        private final boolean canonical;

        Text(boolean canonical) {
            this.canonical = canonical;
        }

        @Override
        void put(ScoterCopyBuffer out, Object value) {
            out.text((String) value);
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

    /** Writes arrays of any number of dimensions. Each dimension is a level of nested lists. */
    static final class Array extends ScoterCopyType {
        private final int oid;
        private final ScoterCopyType elem;
        /** The number of nested lists, which is the number of dimensions. */
        private final int depth;

        /** {@code oid} is the OID of the element's type. */
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
                out.int32(1); // indices begin at 1
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

        /** Returns whether a list has no elements, or contains only empty lists. */
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

        /**
         * Writes the elements of a list. The buffer has the required length of the inner lists
         * after the position {@code dimension}. Returns whether an element is null.
         */
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

    /** Writes composite values: each field with its type. */
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
