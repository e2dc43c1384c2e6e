package readings;

import java.lang.invoke.MethodHandles;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.duckdb.DuckDBConnection;

/**
 * The statement that updates or deletes by rows whose keys rise. It looks up the rows of the table
 * in them instead of joining both, by two functions that DuckDB calls: {@code find} gives the place
 * of a key, or -1, and {@code value} a column's value at a place.
 */
final class ScoterSortedLookup implements AutoCloseable {
    private static final Map<Long, ScoterSortedRows<?>> ALL = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();

    /**
     * The functions that connections have told their database of; it forgets those of a transaction
     * that was rolled back.
     */
    private static final Map<DuckDBConnection, Set<String>> TOLD = Collections.synchronizedMap(new WeakHashMap<>());

    private static final long FIND;
    private static final long VALUE;

    static {
        try {
            FIND = ScoterNative.callback(ScoterDuckDbNative.scalarCallback(MethodHandles.lookup(), "find"));
            VALUE = ScoterNative.callback(ScoterDuckDbNative.scalarCallback(MethodHandles.lookup(), "value"));
        } catch (Throwable e) {
            throw new UnsupportedOperationException("DuckDB cannot call back: " + e, e);
        }
    }

    private final long id = LAST.incrementAndGet();
    private final ScoterSortedRows<?> rows;

    private ScoterSortedLookup(ScoterSortedRows<?> rows) {
        this.rows = rows;
        ALL.put(id, rows);
    }

    /**
     * What looks up in rows, or null if they are none whose keys rise; see
     * {@link ScoterSortedRows#of}.
     */
    static <R> ScoterSortedLookup of(List<ScoterTypes.Column<R, ?>> columns, Object[] rows) {
        ScoterSortedRows<R> sorted = ScoterSortedRows.of(columns, rows);
        return sorted == null ? null : new ScoterSortedLookup(sorted);
    }

    /** The functions' names; every copy of this class has its own. */
    private String findName() {
        var name = new StringBuilder("scoter_find_" + Long.toHexString(FIND));
        for (int key : rows.keys) {
            name.append("_").append(rows.layouts[key].label());
        }
        return name.toString();
    }

    private String valueName(int column) {
        return "scoter_value_" + Long.toHexString(VALUE) + "_" + rows.layouts[column].label();
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** The place of the key that a row of a table has, or -1, in SQL. */
    private String place() {
        var sql = new StringBuilder(findName() + "(" + id);
        for (int key : rows.keys) {
            sql.append(", ").append(quoted(rows.columns.get(key).name()));
        }
        return sql.append(")").toString();
    }

    /** The statement that deletes the rows of a table with these keys. */
    String delete(String target) {
        return "DELETE FROM " + target + " WHERE " + place() + " >= 0";
    }

    /** The statement that gives the rows of a table with these keys their values. */
    String update(String target) {
        String values = IntStream.range(0, rows.layouts.length)
                .filter(i -> !rows.columns.get(i).key())
                .mapToObj(i -> quoted(rows.columns.get(i).name()) + " = " + valueName(i) + "(" + id + ", " + i + ", "
                        + place() + ")")
                .collect(Collectors.joining(", "));
        return "UPDATE " + target + " SET " + values + " WHERE " + place() + " >= 0";
    }

    /** Whether a statement has failed because its database does not know the functions. */
    static boolean isUnknown(SQLException e) {
        return String.valueOf(e.getMessage()).matches("(?s).*scoter_(find|value)_\\w+ does not exist.*");
    }

    /**
     * Makes the functions known to a connection's database; {@code again} if it turned out not to
     * know them.
     */
    void register(DuckDBConnection connection, boolean again) {
        Set<String> told = TOLD.computeIfAbsent(connection, key -> ConcurrentHashMap.newKeySet());
        if (told.add(findName()) || again) {
            long[] parameters = new long[rows.keys.length + 1];
            parameters[0] = ScoterDuckDbNative.logicalType(ScoterDuckDbNative.BIGINT);
            for (int i = 0; i < rows.keys.length; i++) {
                parameters[i + 1] = rows.layouts[rows.keys[i]].logicalType();
            }
            ScoterDuckDbNative.registerScalar(
                    connection,
                    findName(),
                    ScoterDuckDbNative.logicalType(ScoterDuckDbNative.BIGINT),
                    FIND,
                    parameters);
        }
        for (int i = 0; i < rows.layouts.length; i++) {
            if (!rows.columns.get(i).key() && (told.add(valueName(i)) || again)) {
                ScoterDuckDbNative.registerScalar(
                        connection,
                        valueName(i),
                        rows.layouts[i].logicalType(),
                        VALUE,
                        IntStream.range(0, 3)
                                .mapToLong(p -> ScoterDuckDbNative.logicalType(ScoterDuckDbNative.BIGINT))
                                .toArray());
            }
        }
    }

    /** Frees the rows. The statement must be over. */
    @Override
    public void close() {
        ALL.remove(id);
        rows.close();
    }

    // What DuckDB calls, with addresses of its own structures. Nothing may be thrown.

    private interface Body {
        void run(ScoterSortedRows<?> rows, int count);
    }

    private static void call(long info, long arguments, Body body) {
        try {
            int count = (int) ScoterDuckDbNative.CHUNK_GET_SIZE.call(arguments);
            if (count > 0) {
                ScoterSortedRows<?> rows = ALL.get(ScoterNative.bits(data(arguments, 0), 8));
                if (rows == null) {
                    throw new IllegalStateException("these rows are for one statement, which is over");
                }
                body.run(rows, count);
            }
        } catch (Throwable e) {
            ScoterDuckDbNative.error(
                    ScoterDuckDbNative.SCALAR_FUNCTION_SET_ERROR, info, String.valueOf(e.getMessage()));
        }
    }

    private static long vector(long chunk, int column) {
        return ScoterDuckDbNative.CHUNK_GET_VECTOR.call(chunk, column);
    }

    private static long data(long chunk, int column) {
        return ScoterDuckDbNative.VECTOR_GET_DATA.call(vector(chunk, column));
    }

    /** The places of the keys in all arguments but the first. */
    private static void find(long info, long arguments, long result) {
        call(
                info,
                arguments,
                (rows, count) -> rows.find(
                        IntStream.rangeClosed(1, rows.keys.length)
                                .mapToLong(i -> vector(arguments, i))
                                .toArray(),
                        count,
                        ScoterDuckDbNative.VECTOR_GET_DATA.call(result)));
    }

    /** The values of a column, the second argument, at the places in the third. */
    private static void value(long info, long arguments, long result) {
        call(
                info,
                arguments,
                (rows, count) ->
                        rows.value((int) ScoterNative.bits(data(arguments, 1), 8), count, data(arguments, 2), result));
    }
}
