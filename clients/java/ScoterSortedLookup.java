package com.scoterdb.client;

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
 * Builds the statement that updates or deletes by rows with rising keys. Instead of joining the
 * table with these rows, the statement looks up each key of the table. For that it calls two
 * functions of this class: {@code find} returns the position of a key among the rows, or -1, and
 * {@code value} returns a column's value at a position.
 */
final class ScoterSortedLookup implements AutoCloseable {
    private static final Map<Long, ScoterSortedRows<?>> ALL = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();

    /**
     * The functions that each connection has registered. DuckDB drops functions again if the
     * transaction of their registration is rolled back.
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
     * Prepares the lookup. Returns null if the rows cannot be looked up; see
     * {@link ScoterSortedRows#of}.
     */
    static <R> ScoterSortedLookup of(List<ScoterTypes.Column<R, ?>> columns, Object[] rows) {
        ScoterSortedRows<R> sorted = ScoterSortedRows.of(columns, rows);
        return sorted == null ? null : new ScoterSortedLookup(sorted);
    }

    /**
     * Returns the name of the find function. It contains an address, because each copy of this
     * class needs names of its own.
     */
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

    /** Returns the SQL that finds the position of a table row's key among the input rows, or -1. */
    private String place() {
        var sql = new StringBuilder(findName() + "(" + id);
        for (int key : rows.keys) {
            sql.append(", ").append(quoted(rows.columns.get(key).name()));
        }
        return sql.append(")").toString();
    }

    /** Returns the statement that deletes the table's rows with these keys. */
    String delete(String target) {
        return "DELETE FROM " + target + " WHERE " + place() + " >= 0";
    }

    /** Returns the statement that updates the table's rows with these keys. */
    String update(String target) {
        String values = IntStream.range(0, rows.layouts.length)
                .filter(i -> !rows.columns.get(i).key())
                .mapToObj(i -> quoted(rows.columns.get(i).name()) + " = " + valueName(i) + "(" + id + ", " + i + ", "
                        + place() + ")")
                .collect(Collectors.joining(", "));
        return "UPDATE " + target + " SET " + values + " WHERE " + place() + " >= 0";
    }

    /** Returns whether a statement failed because the functions are not registered. */
    static boolean isUnknown(SQLException e) {
        return String.valueOf(e.getMessage()).matches("(?s).*scoter_(find|value)_\\w+ does not exist.*");
    }

    /**
     * Registers the functions once for each connection. {@code again} registers them again, after a
     * statement has failed because they did not exist.
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

    /** Frees the rows. Call it only after the statement has ended. */
    @Override
    public void close() {
        ALL.remove(id);
        rows.close();
    }

    // DuckDB calls the methods below with the addresses of its own structures. They must not throw.

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

    /** Implements the find function. All arguments but the first are the columns of the key. */
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

    /**
     * Implements the value function. The second argument is the column, the third contains the
     * positions.
     */
    private static void value(long info, long arguments, long result) {
        call(
                info,
                arguments,
                (rows, count) ->
                        rows.value((int) ScoterNative.bits(data(arguments, 1), 8), count, data(arguments, 2), result));
    }
}
