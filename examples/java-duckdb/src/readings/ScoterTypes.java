package readings;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/**
 * The types of values: how they are read from a driver and passed to it, without loss and without
 * the driver's own classes. The types for dates and times are in {@link ScoterTimeTypes}.
 */
final class ScoterTypes {
    private ScoterTypes() {}

    /** The database behind a connection. */
    enum Engine {
        SQLITE,
        DUCKDB,
        POSTGRES
    }

    /** The kind of a type, by which the binary formats of the databases choose how to write it. */
    enum Kind {
        BOOL,
        INT8,
        INT16,
        INT32,
        INT64,
        INT128,
        UINT8,
        UINT16,
        UINT32,
        UINT64,
        UINT128,
        FLOAT32,
        FLOAT64,
        DECIMAL,
        TEXT,
        BLOB,
        UUID,
        DATE,
        TIME,
        TIMETZ,
        TIMESTAMP_S,
        TIMESTAMP_MS,
        TIMESTAMP,
        TIMESTAMP_NS,
        TIMESTAMPTZ,
        INTERVAL,
        ENUM,
        LIST,
        MAP,
        STRUCT,
        ANY
    }

    /**
     * A column of a bulk operation. {@code value} returns its value from a row of type R.
     * {@code required} means that the value must not be null. {@code key} means that the column is
     * part of the key that identifies a row.
     */
    record Column<R, V>(String name, Type<V> type, Function<R, V> value, boolean required, boolean key) {
        Column<R, V> notNull() {
            return new Column<>(name, type, value, true, key);
        }

        Column<R, V> inKey() {
            return new Column<>(name, type, value, required, true);
        }

        Arg<V> arg(R row) {
            return type.arg(value.apply(row));
        }
    }

    static <R, V> Column<R, V> column(String name, Type<V> type, Function<R, V> value) {
        return new Column<>(name, type, value, false, false);
    }

    /** The current row of a result. */
    interface Row {
        /** Returns the value of a column, counted from 1. Returns null for NULL. */
        <T> T get(Type<T> type, int column) throws SQLException;
    }

    /** A value with its type. The value may be null. */
    record Arg<T>(Type<T> type, T value) {
        void bind(Engine engine, Connection connection, PreparedStatement statement, int index) throws SQLException {
            if (value == null) {
                statement.setNull(index, engine == Engine.POSTGRES ? Types.OTHER : Types.NULL);
                return;
            }
            switch (engine) {
                // The value is passed as text of unknown type. The server takes the type from the
                // statement.
                case POSTGRES -> statement.setObject(index, type.text(value), Types.OTHER);
                case SQLITE -> statement.setObject(index, type.sqlite(value));
                case DUCKDB -> statement.setObject(index, ScoterNested.jdbc(connection, type, type.duck(value)));
            }
        }

        /** Returns PostgreSQL's text of the value, or null. */
        String text() {
            return value == null ? null : type.text(value);
        }

        /** Returns the object for DuckDB's appender, or null. */
        Object appended() {
            return value == null ? null : type.appended(value);
        }
    }

    /** A struct's fields for DuckDB. */
    record StructValue(Type<?>[] types, String[] names, Object[] fields) {}

    /** A map's entries for DuckDB. */
    record MapValue(Type<?> key, Type<?> value, Map<Object, Object> entries) {}

    /** How values of one type are read and written. The methods never receive null. */
    abstract static class Type<T> {
        final Kind kind;
        /** DuckDB's name of the type, for methods of its driver that need it. */
        final String name;

        Type(Kind kind, String name) {
            this.kind = kind;
            this.name = name;
        }

        /** Converts an object from a driver, which may have been part of a nested value. */
        abstract T parse(Object raw) throws SQLException;

        T read(Engine engine, ResultSet rs, int column) throws SQLException {
            Object raw = engine == Engine.POSTGRES ? rs.getString(column) : rs.getObject(column);
            return raw == null ? null : parse(raw);
        }

        String text(T value) {
            return value.toString();
        }

        Object sqlite(T value) {
            return value;
        }

        Object duck(T value) {
            return value;
        }

        /**
         * Returns the object for DuckDB's appender. Overridden where the appender needs another
         * object than a statement.
         */
        Object appended(T value) {
            return duck(value);
        }

        Arg<T> arg(T value) {
            return new Arg<>(this, value);
        }
    }

    /** A function that may throw an SQLException. */
    interface Parse<T> {
        T apply(Object raw) throws SQLException;
    }

    private static <T> Type<T> simple(Kind kind, String name, Parse<T> parse) {
        return new Type<>(kind, name) {
            @Override
            T parse(Object raw) throws SQLException {
                return parse.apply(raw);
            }
        };
    }

    /**
     * Makes an unsigned type. For the appender, {@code bits} converts a value to the signed number
     * with the same bits.
     */
    private static <T> Type<T> unsigned(Kind kind, String name, Parse<T> parse, Function<T, Object> bits) {
        return new Type<>(kind, name) {
            @Override
            T parse(Object raw) throws SQLException {
                return parse.apply(raw);
            }

            @Override
            Object appended(T value) {
                return bits.apply(value);
            }
        };
    }

    /**
     * Makes a type whose values SQLite stores as text in a format of its own. Dates and times may
     * also be stored as numbers.
     */
    static <T> Type<T> textual(
            Kind kind, String name, Parse<T> parse, Function<T, String> format, Function<T, String> sqlite) {
        return new Type<>(kind, name) {
            @Override
            T parse(Object raw) throws SQLException {
                return parse.apply(raw);
            }

            @Override
            T read(Engine engine, ResultSet rs, int column) throws SQLException {
                String text = engine == Engine.SQLITE ? rs.getString(column) : null;
                return text != null && !number(text) ? parse.apply(text) : super.read(engine, rs, column);
            }

            @Override
            String text(T value) {
                return format.apply(value);
            }

            @Override
            Object sqlite(T value) {
                return sqlite.apply(value);
            }
        };
    }

    /**
     * Returns whether a text from SQLite may be a number. A date, time or UUID has a hyphen or
     * colon after its first character.
     */
    static boolean number(String text) {
        for (int i = 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '-' || c == ':') {
                return false;
            }
        }
        return true;
    }

    private static BigInteger whole(Object raw) {
        return raw instanceof BigInteger i ? i : new BigInteger(raw.toString());
    }

    static final Type<Boolean> BOOL = new Type<>(Kind.BOOL, "BOOLEAN") {
        @Override
        Boolean parse(Object raw) {
            return raw instanceof Boolean b
                    ? b
                    : raw instanceof Number n
                            ? n.doubleValue() != 0
                            : raw.toString().startsWith("t");
        }

        @Override
        Boolean read(Engine engine, ResultSet rs, int column) throws SQLException {
            return engine == Engine.SQLITE && rs.getLong(column) != 0 ? (Boolean) true : super.read(engine, rs, column);
        }

        @Override
        Object sqlite(Boolean value) {
            return value ? 1 : 0;
        }
    };
    static final Type<Byte> INT8 = simple(
            Kind.INT8, "TINYINT", raw -> raw instanceof Number n ? (Byte) n.byteValue() : Byte.valueOf(raw.toString()));
    static final Type<Short> INT16 = simple(
            Kind.INT16,
            "SMALLINT",
            raw -> raw instanceof Number n ? (Short) n.shortValue() : Short.valueOf(raw.toString()));
    static final Type<Short> UINT8 =
            unsigned(Kind.UINT8, "UTINYINT", INT16::parse, v -> (byte) ScoterValues.unsigned(v, 8));
    static final Type<Integer> INT32 = simple(
            Kind.INT32,
            "INTEGER",
            raw -> raw instanceof Number n ? (Integer) n.intValue() : Integer.valueOf(raw.toString()));
    static final Type<Integer> UINT16 =
            unsigned(Kind.UINT16, "USMALLINT", INT32::parse, v -> (short) ScoterValues.unsigned(v, 16));
    static final Type<Long> INT64 = new Type<>(Kind.INT64, "BIGINT") {
        @Override
        Long parse(Object raw) {
            return raw instanceof Number n ? (Long) n.longValue() : Long.valueOf(raw.toString());
        }

        /**
         * JDBC also returns 0 for NULL in SQLite, so a 0 is checked with wasNull. Text that is not
         * a number is read as 0, as usual in JDBC.
         */
        @Override
        Long read(Engine engine, ResultSet rs, int column) throws SQLException {
            if (engine != Engine.SQLITE) {
                return super.read(engine, rs, column);
            }
            long value = rs.getLong(column);
            return value == 0 && rs.wasNull() ? null : (Long) value;
        }
    };
    static final Type<Long> UINT32 =
            unsigned(Kind.UINT32, "UINTEGER", INT64::parse, v -> (int) ScoterValues.unsigned(v, 32));
    static final Type<BigInteger> UINT64 = unsigned(
            Kind.UINT64,
            "UBIGINT",
            ScoterTypes::whole,
            v -> ScoterValues.whole(v, false, 64).longValue());
    static final Type<BigInteger> INT128 = new Type<>(Kind.INT128, "HUGEINT") {
        @Override
        BigInteger parse(Object raw) {
            return whole(raw);
        }

        @Override
        Object appended(BigInteger value) {
            return ScoterValues.whole(value, true, 128);
        }
    };
    static final Type<BigInteger> UINT128 = new Type<>(Kind.UINT128, "UHUGEINT") {
        @Override
        BigInteger parse(Object raw) {
            return whole(raw);
        }

        /** As a parameter, a number must fit into HUGEINT. */
        @Override
        Object duck(BigInteger value) {
            return value.toString();
        }

        @Override
        Object appended(BigInteger value) {
            return ScoterValues.whole(value, false, 128);
        }
    };
    static final Type<Float> FLOAT32 = simple(
            Kind.FLOAT32,
            "FLOAT",
            raw -> raw instanceof Number n ? (Float) n.floatValue() : Float.valueOf(raw.toString()));
    static final Type<Double> FLOAT64 = new Type<>(Kind.FLOAT64, "DOUBLE") {
        @Override
        Double parse(Object raw) {
            return raw instanceof Number n ? (Double) n.doubleValue() : Double.valueOf(raw.toString());
        }

        @Override
        Double read(Engine engine, ResultSet rs, int column) throws SQLException {
            if (engine != Engine.SQLITE) {
                return super.read(engine, rs, column);
            }
            double value = rs.getDouble(column);
            return value == 0 && rs.wasNull() ? null : (Double) value;
        }
    };
    static final Type<String> TEXT = new Type<>(Kind.TEXT, "VARCHAR") {
        @Override
        String parse(Object raw) {
            return raw.toString();
        }

        @Override
        String text(String value) {
            return ScoterText.whole(value);
        }

        @Override
        Object sqlite(String value) {
            return ScoterText.whole(value);
        }

        @Override
        Object duck(String value) {
            return ScoterText.whole(value);
        }

        @Override
        String read(Engine engine, ResultSet rs, int column) throws SQLException {
            return engine == Engine.SQLITE ? rs.getString(column) : super.read(engine, rs, column);
        }
    };
    static final Type<String> JSON = TEXT;
    static final Type<Object> ANY = simple(Kind.ANY, "VARCHAR", raw -> raw);

    static final Type<UUID> UUID = textual(
            Kind.UUID,
            "UUID",
            raw -> raw instanceof UUID u ? u : java.util.UUID.fromString(raw.toString()),
            Object::toString,
            Object::toString);

    static final Type<byte[]> BLOB = new Type<>(Kind.BLOB, "BLOB") {
        @Override
        byte[] parse(Object raw) throws SQLException {
            if (raw instanceof Blob b) {
                return b.getBytes(1, (int) b.length());
            }
            if (raw instanceof byte[] b) {
                return b;
            }
            String text = raw.toString();
            if (!text.startsWith("\\x")) {
                throw new IllegalArgumentException("bytes in a form other than that of bytea_output = 'hex'");
            }
            return HexFormat.of().parseHex(text.substring(2));
        }

        @Override
        byte[] read(Engine engine, ResultSet rs, int column) throws SQLException {
            return engine == Engine.DUCKDB ? super.read(engine, rs, column) : rs.getBytes(column);
        }

        @Override
        String text(byte[] value) {
            return "\\x" + HexFormat.of().formatHex(value);
        }
    };

    /** Returns a decimal type. A precision of 0 means no limits. */
    static Type<BigDecimal> decimal(int precision, int scale) {
        return new ScoterNested.DecimalType(precision, scale);
    }

    /**
     * Returns the type of an enum of the generated code. Reading a label that the enum does not
     * have throws.
     */
    static <T extends Enum<T>> Type<T> enumeration(T[] values, Function<T, String> label) {
        return new ScoterNested.EnumType<>(values, label);
    }

    /** Returns a list type. Elements may be null. */
    static <T> Type<List<T>> list(Type<T> elem) {
        return new ScoterNested.ListType<>(elem, 0);
    }

    /** Returns the type of lists with a fixed length. Elements may be null. */
    static <T> Type<List<T>> array(Type<T> elem, int length) {
        return new ScoterNested.ListType<>(elem, length);
    }

    /** Returns a map type of DuckDB. Values may be null. */
    static <K, V> Type<Map<K, V>> map(Type<K> key, Type<V> value) {
        return new ScoterNested.MapType<>(key, value);
    }

    /**
     * Returns the type of a struct of the generated code, with functions that make it from its
     * fields and return its fields.
     */
    static <T> Type<T> struct(
            String name, String[] names, Type<?>[] types, Function<Object[], T> make, Function<T, Object[]> fields) {
        return new ScoterNested.StructType<>(name, names, types, make, fields);
    }
}
