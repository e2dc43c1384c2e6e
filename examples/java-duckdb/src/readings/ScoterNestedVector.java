package readings;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import java.util.function.Function;

/** Writers for vectors of the types with parameters: decimals, enums, lists, maps and structs. */
final class ScoterNestedVector {
    private ScoterNestedVector() {}

    static ScoterVector decimal(ScoterNested.DecimalType type, ScoterHeap heap) {
        return type.precision == 0 ? new Digits(heap) : new Decimal(type.precision, type.scale);
    }

    /** Writes BIGNUM values as text, which DuckDB converts. */
    private static final class Digits extends ScoterVector.Text {
        Digits(ScoterHeap heap) {
            super(heap);
        }

        @Override
        void put(int at, Object value) {
            super.put(at, ((BigDecimal) value).toPlainString());
        }
    }

    static ScoterVector enumeration(ScoterNested.EnumType<?> type) {
        return new Enumeration(type.labels);
    }

    static ScoterVector list(ScoterNested.ListType<?> type, ScoterHeap heap) {
        ScoterVector elements = ScoterVector.of(type.elem, heap);
        return type.length > 0 ? new Array(elements, type.length) : new Lists(elements);
    }

    static ScoterVector map(ScoterNested.MapType<?, ?> type, ScoterHeap heap) {
        return new Maps(ScoterVector.of(type.key, heap), ScoterVector.of(type.value, heap));
    }

    static ScoterVector struct(ScoterNested.StructType<?> type, ScoterHeap heap) {
        ScoterVector[] fields = new ScoterVector[type.types.length];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = ScoterVector.of(type.types[i], heap);
        }
        @SuppressWarnings("unchecked")
        Function<Object, Object[]> values = (Function<Object, Object[]>) type.fields;
        return new Struct(fields, type.names, values);
    }

    /**
     * Writes a decimal as an integer without its decimal point. The integer has the smallest size
     * that the precision allows.
     */
    private static final class Decimal extends ScoterVector {
        private final int precision;
        private final int scale;
        private final double power;
        /** Digits below this limit are exact in a double. */
        private final double limit;

        private final int size;

        Decimal(int precision, int scale) {
            this.precision = precision;
            this.scale = scale;
            this.power = Math.pow(10, Math.min(scale, 22));
            this.limit = scale > 15 ? 0 : Math.min(1L << 50, Math.pow(10, Math.min(precision, 18)));
            this.size = precision <= 4 ? 2 : precision <= 9 ? 4 : precision <= 18 ? 8 : 16;
        }

        @Override
        long logicalType() {
            return ScoterDuckDbNative.decimalType(precision, scale);
        }

        @Override
        int size() {
            return size;
        }

        @Override
        String label() {
            return "19_" + precision + "_" + scale;
        }

        @Override
        void put(int at, Object value) {
            BigDecimal decimal = (BigDecimal) value;
            long place = data + (long) at * size;
            if (decimal.scale() <= scale && decimal.scale() >= 0) {
                // For few digits the nearest double is exact after rounding. This path allocates no
                // object.
                double digits = Math.rint(decimal.doubleValue() * power);
                if (Math.abs(digits) < limit) {
                    putDigits(place, (long) digits);
                    return;
                }
            }
            BigInteger digits = ScoterValues.decimal(decimal, precision, scale).unscaledValue();
            if (size == 16) {
                huge(place, digits);
            } else {
                putDigits(place, digits.longValue());
            }
        }

        private void putDigits(long place, long digits) {
            switch (size) {
                case 2 -> ScoterNative.SHORT.set(place, (short) digits);
                case 4 -> ScoterNative.INT.set(place, (int) digits);
                case 8 -> ScoterNative.LONG.set(place, digits);
                default -> {
                    ScoterNative.LONG.set(place, digits);
                    ScoterNative.LONG.set(place + 8, digits >> 63);
                }
            }
        }
    }

    private static final class Enumeration extends ScoterVector {
        private final String[] labels;

        Enumeration(String[] labels) {
            this.labels = labels;
        }

        @Override
        long logicalType() {
            return ScoterDuckDbNative.enumType(labels);
        }

        @Override
        void put(int at, Object value) {
            int ordinal = ((Enum<?>) value).ordinal();
            if (labels.length <= 0xff) {
                ScoterNative.BYTE.set(data + at, (byte) ordinal);
            } else if (labels.length <= 0xffff) {
                ScoterNative.SHORT.set(data + 2L * at, (short) ordinal);
            } else {
                ScoterNative.INT.set(data + 4L * at, ordinal);
            }
        }
    }

    /**
     * Writes lists. The list's vector contains the offset and length of each list; another vector
     * contains the elements of all lists.
     */
    private abstract static class Listed extends ScoterVector {
        private long capacity;
        private long size;

        /** Returns the writer of the elements' vector. */
        abstract ScoterVector child();

        @Override
        void attach(long vector) {
            super.attach(vector);
            size = 0;
            capacity = ScoterDuckDbNative.VECTOR_ROWS;
            child().attach(ScoterDuckDbNative.LIST_GET_CHILD.call(vector));
        }

        /**
         * Begins the list of the row number {@code at}. Returns the position of its first element
         * in the elements' vector.
         */
        int begin(int at, int length) {
            long first = size;
            entry(at, first, length);
            if (first + length > capacity) {
                capacity = Math.max(2 * capacity, first + length);
                if (capacity > Integer.MAX_VALUE || ScoterDuckDbNative.LIST_RESERVE.call(vector, capacity) != 0) {
                    throw new IllegalStateException("lists of " + capacity + " elements in "
                            + ScoterDuckDbNative.VECTOR_ROWS + " rows are too long");
                }
                child().moved();
            }
            size = first + length;
            return (int) first;
        }

        private void entry(int at, long first, long length) {
            ScoterNative.LONG.set(data + 16L * at, first);
            ScoterNative.LONG.set(data + 16L * at + 8, length);
        }

        @Override
        void putNull(int at) {
            super.putNull(at);
            entry(at, size, 0);
        }

        @Override
        void finish() {
            ScoterDuckDbNative.LIST_SET_SIZE.call(vector, size);
            child().finish();
        }
    }

    private static final class Lists extends Listed {
        private final ScoterVector elements;

        Lists(ScoterVector elements) {
            this.elements = elements;
        }

        @Override
        ScoterVector child() {
            return elements;
        }

        @Override
        long logicalType() {
            return ScoterDuckDbNative.listType(elements.logicalType(), 0);
        }

        @Override
        void put(int at, Object value) {
            List<?> list = (List<?>) value;
            putAll(elements, begin(at, list.size()), list);
        }
    }

    private static void putAll(ScoterVector elements, int first, List<?> list) {
        if (list instanceof RandomAccess) {
            for (int i = 0, n = list.size(); i < n; i++) {
                elements.putNullable(first + i, list.get(i));
            }
            return;
        }
        Iterator<?> items = list.iterator();
        for (int i = first; items.hasNext(); i++) {
            elements.putNullable(i, items.next());
        }
    }

    /** Writes maps, which DuckDB stores as lists of key-value pairs. */
    private static final class Maps extends Listed {
        private final Struct pairs;
        private final ScoterVector keys;
        private final ScoterVector values;

        Maps(ScoterVector keys, ScoterVector values) {
            this.keys = keys;
            this.values = values;
            this.pairs = new Struct(new ScoterVector[] {keys, values}, new String[] {"key", "value"}, null);
        }

        @Override
        ScoterVector child() {
            return pairs;
        }

        @Override
        long logicalType() {
            return ScoterDuckDbNative.mapType(keys.logicalType(), values.logicalType());
        }

        @Override
        void put(int at, Object value) {
            Map<?, ?> map = (Map<?, ?>) value;
            int i = begin(at, map.size());
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                if (entry.getKey() == null) {
                    throw new IllegalArgumentException("has the key null");
                }
                keys.put(i, entry.getKey());
                values.putNullable(i++, entry.getValue());
            }
        }
    }

    /** Writes fixed-length arrays, which are stored one after the other without offsets. */
    private static final class Array extends ScoterVector {
        private final ScoterVector elements;
        private final int length;

        Array(ScoterVector elements, int length) {
            this.elements = elements;
            this.length = length;
        }

        @Override
        long logicalType() {
            return ScoterDuckDbNative.listType(elements.logicalType(), length);
        }

        @Override
        void attach(long vector) {
            this.vector = vector;
            super.moved();
            elements.attach(ScoterDuckDbNative.ARRAY_GET_CHILD.call(vector));
        }

        @Override
        void moved() {
            super.moved();
            elements.moved();
        }

        @Override
        void put(int at, Object value) {
            List<?> list = (List<?>) value;
            ScoterValues.length(list.size(), length);
            putAll(elements, at * length, list);
        }

        @Override
        void putNull(int at) {
            super.putNull(at);
            for (int i = 0; i < length; i++) {
                elements.putNull(at * length + i);
            }
        }

        @Override
        void finish() {
            elements.finish();
        }
    }

    /** Writes structs, which have one vector per field. */
    private static final class Struct extends ScoterVector {
        private final ScoterVector[] fields;
        private final String[] names;
        private final Function<Object, Object[]> values;

        Struct(ScoterVector[] fields, String[] names, Function<Object, Object[]> values) {
            this.fields = fields;
            this.names = names;
            this.values = values;
        }

        @Override
        long logicalType() {
            long[] types = new long[fields.length];
            for (int i = 0; i < types.length; i++) {
                types[i] = fields[i].logicalType();
            }
            return ScoterDuckDbNative.structType(types, names);
        }

        @Override
        void attach(long vector) {
            this.vector = vector;
            super.moved();
            for (int i = 0; i < fields.length; i++) {
                fields[i].attach(ScoterDuckDbNative.STRUCT_GET_CHILD.call(vector, i));
            }
        }

        @Override
        void moved() {
            super.moved();
            for (ScoterVector field : fields) {
                field.moved();
            }
        }

        @Override
        void put(int at, Object value) {
            Object[] row = values.apply(value);
            for (int i = 0; i < fields.length; i++) {
                fields[i].putNullable(at, row[i]);
            }
        }

        @Override
        void putNull(int at) {
            super.putNull(at);
            for (ScoterVector field : fields) {
                field.putNull(at);
            }
        }

        @Override
        void finish() {
            for (ScoterVector field : fields) {
                field.finish();
            }
        }
    }
}
