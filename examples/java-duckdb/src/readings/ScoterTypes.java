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
 * How values are read from a driver and given to it, without loss and without its classes. Dates
 * and times are {@link ScoterTimeTypes}.
 */
final class ScoterTypes {
    private ScoterTypes() {}

    /** The database behind a connection. */
    enum Engine {
        SQLITE,
        DUCKDB,
        POSTGRES
    }

    /** What values are, for the engines' binary formats. */
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
     * A column of a bulk operation: the function that returns its value from a row of type R,
     * whether it must not be null, and whether it is part of the key that rows are found by.
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

    /** The present row of a result. */
    interface Row {
        /** The value of a column, which count from 1; null for NULL. */
        <T> T get(Type<T> type, int column) throws SQLException;
    }

    /** A value with its type; the value may be null. */
    record Arg<T>(Type<T> type, T value) {
        void bind(Engine engine, Connection connection, PreparedStatement statement, int index) throws SQLException {
            if (value == null) {
                statement.setNull(index, engine == Engine.POSTGRES ? Types.OTHER : Types.NULL);
                return;
            }
            switch (engine) {
                // As the server's text of unknown type: the server knows the type from the
                // statement.
                case POSTGRES -> statement.setObject(index, type.text(value), Types.OTHER);
                case SQLITE -> statement.setObject(index, type.sqlite(value));
                case DUCKDB -> statement.setObject(index, ScoterNested.jdbc(connection, type, type.duck(value)));
            }
        }

        /** PostgreSQL's text form, or null. */
        String text() {
            return value == null ? null : type.text(value);
        }

        /** What DuckDB's appender takes, or null. */
        Object appended() {
            return value == null ? null : type.appended(value);
        }
    }

    /** The fields of a struct for DuckDB. */
    record StructValue(Type<?>[] types, String[] names, Object[] fields) {}

    /** The entries of a map for DuckDB. */
    record MapValue(Type<?> key, Type<?> value, Map<Object, Object> entries) {}

    /** How one type is read and written. Values are never null here. */
    abstract static class Type<T> {
        final Kind kind;
        /** DuckDB's name of the type, where its driver asks for one. */
        final String name;

        Type(Kind kind, String name) {
            this.kind = kind;
            this.name = name;
        }

        /** The value of what a driver returned, alone or inside of another value. */
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

        /** What DuckDB's appender takes, where that is not what its statements take. */
        Object appended(T value) {
            return duck(value);
        }

        Arg<T> arg(T value) {
            return new Arg<>(this, value);
        }
    }

    /** A function that may fail as JDBC does. */
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

    /** The appender takes the bits of an unsigned number as the signed one of its size. */
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
     * What is text in SQLite, of a form of its own, where dates and times may be numbers as well.
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

    /** Whether SQLite's text of a value may be a number's, not that of a date, time or UUID. */
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

        /** A 0 of SQLite may be NULL. Text that is no number is 0 too, as everywhere in JDBC. */
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

        /** As a parameter a number must fit HUGEINT. */
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

    /** A decimal; without limits if the precision is 0. */
    static Type<BigDecimal> decimal(int precision, int scale) {
        return new ScoterNested.DecimalType(precision, scale);
    }

    /** An enum of the generated code. A label that it does not know fails to be read. */
    static <T extends Enum<T>> Type<T> enumeration(T[] values, Function<T, String> label) {
        return new ScoterNested.EnumType<>(values, label);
    }

    /** A list; its elements may be null. */
    static <T> Type<List<T>> list(Type<T> elem) {
        return new ScoterNested.ListType<>(elem, 0);
    }

    /** A list of always the same length; its elements may be null. */
    static <T> Type<List<T>> array(Type<T> elem, int length) {
        return new ScoterNested.ListType<>(elem, length);
    }

    /** A map of DuckDB; its values may be null. */
    static <K, V> Type<Map<K, V>> map(Type<K> key, Type<V> value) {
        return new ScoterNested.MapType<>(key, value);
    }

    /** A struct of the generated code, made of and taken apart into its fields. */
    static <T> Type<T> struct(
            String name, String[] names, Type<?>[] types, Function<Object[], T> make, Function<T, Object[]> fields) {
        return new ScoterNested.StructType<>(name, names, types, make, fields);
    }
}
