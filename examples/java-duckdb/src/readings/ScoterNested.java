package readings;

import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The types with parameters: decimals, enums, lists, maps and structs. */
final class ScoterNested {
    private ScoterNested() {}

    /** A decimal. SQLite stores it as a number. */
    static final class DecimalType extends ScoterTypes.Type<BigDecimal> {
        final int precision;
        final int scale;

        DecimalType(int precision, int scale) {
            super(ScoterTypes.Kind.DECIMAL, precision == 0 ? "DECIMAL" : "DECIMAL(" + precision + "," + scale + ")");
            this.precision = precision;
            this.scale = scale;
        }

        @Override
        BigDecimal parse(Object raw) {
            if (raw instanceof BigDecimal d) {
                return d;
            }
            try {
                return new BigDecimal(raw.toString());
            } catch (NumberFormatException e) {
                throw new NumberFormatException(raw + " is no number that a BigDecimal has");
            }
        }

        @Override
        String text(BigDecimal value) {
            return value.toPlainString();
        }

        @Override
        Object sqlite(BigDecimal value) {
            // The column's affinity converts the text to a number, without loss if possible.
            return value.toPlainString();
        }

        @Override
        Object duck(BigDecimal value) {
            // Without a precision the type is BIGNUM. DuckDB converts text to BIGNUM, but not
            // DECIMAL.
            return precision == 0 ? value.toPlainString() : ScoterValues.decimal(value, precision, scale);
        }
    }

    /** An enum of the generated code. */
    static final class EnumType<T extends Enum<T>> extends ScoterTypes.Type<T> {
        /** The labels in the database's order, which is also the order of the Java constants. */
        final String[] labels;

        private final T[] values;

        EnumType(T[] values, Function<T, String> label) {
            super(ScoterTypes.Kind.ENUM, "VARCHAR");
            this.values = values;
            this.labels = new String[values.length];
            for (T value : values) {
                labels[value.ordinal()] = label.apply(value);
            }
        }

        @Override
        T parse(Object raw) {
            String label = raw.toString();
            for (int i = 0; i < labels.length; i++) {
                if (labels[i].equals(label)) {
                    return values[i];
                }
            }
            throw new IllegalArgumentException(
                    "unknown value of " + values.getClass().getComponentType().getSimpleName() + ": " + label);
        }

        @Override
        String text(T value) {
            return labels[value.ordinal()];
        }

        @Override
        Object sqlite(T value) {
            return labels[value.ordinal()];
        }

        @Override
        Object duck(T value) {
            return labels[value.ordinal()];
        }
    }

    /** A list, or a fixed-length array if {@code length} is not 0. */
    static final class ListType<T> extends ScoterTypes.Type<List<T>> {
        final ScoterTypes.Type<T> elem;
        /** The array's length; 0 for a list. */
        final int length;

        ListType(ScoterTypes.Type<T> elem, int length) {
            super(ScoterTypes.Kind.LIST, elem.name + "[]");
            this.elem = elem;
            this.length = length;
        }

        @Override
        List<T> parse(Object raw) throws SQLException {
            Object items = raw instanceof Array a ? a.getArray() : raw instanceof String s ? ScoterText.array(s) : raw;
            List<Object> source = new ArrayList<>();
            if (items instanceof Collection<?> c) {
                source.addAll(c);
            } else {
                for (int i = 0; i < java.lang.reflect.Array.getLength(items); i++) {
                    source.add(java.lang.reflect.Array.get(items, i));
                }
            }
            List<T> list = new ArrayList<>(source.size());
            for (Object item : source) {
                list.add(item == null ? null : elem.parse(item));
            }
            return Collections.unmodifiableList(list);
        }

        @Override
        String text(List<T> value) {
            StringBuilder b = new StringBuilder("{");
            for (T item : value) {
                b.append(b.length() > 1 ? "," : "");
                if (item == null) {
                    b.append("NULL");
                } else if (item instanceof List<?>) {
                    b.append(elem.text(item));
                } else {
                    ScoterText.quoteItem(b, elem.text(item));
                }
            }
            return b.append('}').toString();
        }

        /** Returns a JSON array, for an IN list. */
        @Override
        Object sqlite(List<T> value) {
            StringBuilder b = new StringBuilder("[");
            for (T item : value) {
                b.append(b.length() > 1 ? "," : "");
                Object bound = item == null ? null : elem.sqlite(item);
                if (bound == null || bound instanceof Number) {
                    b.append(bound);
                } else {
                    ScoterText.quoteJson(b, bound.toString());
                }
            }
            return b.append(']').toString();
        }

        @Override
        Object duck(List<T> value) {
            List<Object> list = new ArrayList<>(value.size());
            for (T item : value) {
                list.add(item == null ? null : elem.duck(item));
            }
            return list;
        }

        @Override
        Object appended(List<T> value) {
            if (length > 0) {
                ScoterValues.length(value.size(), length);
            }
            List<Object> list = new ArrayList<>(value.size());
            for (T item : value) {
                list.add(item == null ? null : elem.appended(item));
            }
            return list;
        }
    }

    /** A map. Its values may be null. */
    static final class MapType<K, V> extends ScoterTypes.Type<Map<K, V>> {
        final ScoterTypes.Type<K> key;
        final ScoterTypes.Type<V> value;

        MapType(ScoterTypes.Type<K> key, ScoterTypes.Type<V> value) {
            super(ScoterTypes.Kind.MAP, "MAP(" + key.name + ", " + value.name + ")");
            this.key = key;
            this.value = value;
        }

        @Override
        Map<K, V> parse(Object raw) throws SQLException {
            Map<K, V> map = new LinkedHashMap<>();
            for (Map.Entry<?, ?> e : ((Map<?, ?>) raw).entrySet()) {
                map.put(key.parse(e.getKey()), e.getValue() == null ? null : value.parse(e.getValue()));
            }
            return Collections.unmodifiableMap(map);
        }

        @Override
        Object duck(Map<K, V> v) {
            Map<Object, Object> map = new LinkedHashMap<>();
            v.forEach((k, e) -> map.put(key.duck(k), e == null ? null : value.duck(e)));
            return new ScoterTypes.MapValue(key, value, map);
        }

        @Override
        Object appended(Map<K, V> v) {
            Map<Object, Object> map = new LinkedHashMap<>();
            v.forEach((k, e) -> map.put(key.appended(k), e == null ? null : value.appended(e)));
            return map;
        }
    }

    /** A struct, which is a record of the generated code. */
    static final class StructType<T> extends ScoterTypes.Type<T> {
        final String[] names;
        final ScoterTypes.Type<?>[] types;
        final Function<T, Object[]> fields;
        final Function<Object[], T> make;

        StructType(
                String name,
                String[] names,
                ScoterTypes.Type<?>[] types,
                Function<Object[], T> make,
                Function<T, Object[]> fields) {
            super(ScoterTypes.Kind.STRUCT, name);
            this.names = names;
            this.types = types;
            this.make = make;
            this.fields = fields;
        }

        @Override
        T parse(Object raw) throws SQLException {
            Object[] values = raw instanceof Struct s ? s.getAttributes().clone() : ScoterText.fields(raw.toString());
            for (int i = 0; i < values.length; i++) {
                values[i] = values[i] == null ? null : types[i].parse(values[i]);
            }
            return make.apply(values);
        }

        @Override
        String text(T value) {
            StringBuilder b = new StringBuilder("(");
            Object[] values = fields.apply(value);
            for (int i = 0; i < values.length; i++) {
                b.append(i > 0 ? "," : "");
                if (values[i] != null) {
                    ScoterText.quoteField(b, textOf(types[i], values[i]));
                }
            }
            return b.append(')').toString();
        }

        @Override
        Object duck(T value) {
            Object[] values = fields.apply(value);
            for (int i = 0; i < values.length; i++) {
                values[i] = values[i] == null ? null : duckOf(types[i], values[i]);
            }
            return new ScoterTypes.StructValue(types, names, values);
        }

        @Override
        Object appended(T value) {
            Object[] values = fields.apply(value);
            for (int i = 0; i < values.length; i++) {
                values[i] = values[i] == null ? null : appendedOf(types[i], values[i]);
            }
            return new ScoterTypes.StructValue(types, names, values);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> String textOf(ScoterTypes.Type<T> type, Object value) {
        return type.text((T) value);
    }

    @SuppressWarnings("unchecked")
    private static <T> Object duckOf(ScoterTypes.Type<T> type, Object value) {
        return type.duck((T) value);
    }

    @SuppressWarnings("unchecked")
    private static <T> Object appendedOf(ScoterTypes.Type<T> type, Object value) {
        return type.appended((T) value);
    }

    /** Converts a nested value to DuckDB's JDBC classes, as DuckDB's statements require. */
    static Object jdbc(Connection connection, ScoterTypes.Type<?> type, Object value) throws SQLException {
        if (value instanceof List<?> list) {
            Object[] items = new Object[list.size()];
            for (int i = 0; i < items.length; i++) {
                items[i] = jdbc(connection, null, list.get(i));
            }
            String name = type == null ? "VARCHAR[]" : type.name;
            return connection.createArrayOf(name.substring(0, name.lastIndexOf('[')), items);
        }
        if (value instanceof ScoterTypes.StructValue s) {
            Object[] fields = new Object[s.fields().length];
            StringBuilder name = new StringBuilder("STRUCT(");
            for (int i = 0; i < fields.length; i++) {
                fields[i] = jdbc(connection, s.types()[i], s.fields()[i]);
                name.append(i > 0 ? ", " : "")
                        .append('"')
                        .append(s.names()[i].replace("\"", "\"\""))
                        .append("\" ")
                        .append(s.types()[i].name);
            }
            return connection.createStruct(name.append(')').toString(), fields);
        }
        if (value instanceof ScoterTypes.MapValue m) {
            Map<Object, Object> entries = new LinkedHashMap<>();
            for (Map.Entry<Object, Object> e : m.entries().entrySet()) {
                entries.put(jdbc(connection, m.key(), e.getKey()), jdbc(connection, m.value(), e.getValue()));
            }
            return map(connection, "MAP(" + m.key().name + ", " + m.value().name + ")", entries);
        }
        return value;
    }

    /**
     * Makes a map with a method of DuckDB's connection, because JDBC has no maps. The method is
     * called by reflection, because this file must also compile without DuckDB's driver.
     */
    private static Object map(Connection connection, String type, Map<Object, Object> entries) throws SQLException {
        try {
            Class<?> duck = Class.forName("org.duckdb.DuckDBConnection");
            return duck.getMethod("createMap", String.class, Map.class).invoke(connection.unwrap(duck), type, entries);
        } catch (ReflectiveOperationException e) {
            throw new SQLException("bind a map: " + e.getMessage(), e);
        }
    }
}
