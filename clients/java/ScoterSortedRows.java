package com.scoterdb.client;

import java.lang.invoke.MethodHandles;
import java.sql.SQLException;
import java.util.Arrays;
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
 * Rows whose keys rise, as those of time series do, kept by column in DuckDB's layout. A statement looks
 * up the rows of the table in them instead of joining both: {@code find} gives the place of a key, or
 * -1, and {@code value} a column's value at a place. A table in about the same order costs a comparison
 * per row, others a binary search; there is no hash table to build, which takes most of the time of a
 * join of as many rows.
 *
 * @param <R> the rows' type
 */
final class ScoterSortedRows<R> implements AutoCloseable {
    private static final Map<Long, ScoterSortedRows<?>> ALL = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();
    private static final int BATCH = ScoterDuckDbNative.VECTOR_ROWS;

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
    private final List<ScoterTypes.Column<R, ?>> columns;
    private final int count;

    /** By column: the writer that knows its layout, where its values begin, and its mask, 0 if it has none. */
    private final ScoterVector[] layouts;

    private final long[] values;
    private final long[] masks;
    private final long memory;

    /** Places of the columns of the key; the first is the one that rises. */
    private final int[] keys;

    /** The values of the column that rises. */
    private final long[] order;

    /**
     * The rows, or null if no column of their key rises from row to row or a column is of a type that is
     * not kept.
     *
     * @throws ScoterRowException for a row that cannot be written
     */
    static <R> ScoterSortedRows<R> of(List<ScoterTypes.Column<R, ?>> columns, Object[] rows) {
        boolean fixed = columns.stream().allMatch(c -> ScoterVector.of(c.type(), null).size() > 0 && (!c.key() || isComparedByBits(c.type())));
        if (!fixed || columns.stream().noneMatch(c -> c.key() && ScoterKeys.isNumber(c.type()))) {
            return null;
        }
        // Most rows in another order show it soon.
        Object[] few = Arrays.copyOf(rows, Math.min(rows.length, BATCH));
        try (var first = new ScoterSortedRows<R>(columns, few)) {
            if (first.keys.length == 0) {
                return null;
            }
        }
        var all = new ScoterSortedRows<R>(columns, rows);
        if (all.keys.length == 0) {
            all.close();
            return null;
        }
        ALL.put(all.id, all);
        return all;
    }

    /** Whether values are equal to the database exactly if their bytes are. */
    private static boolean isComparedByBits(ScoterTypes.Type<?> type) {
        return switch (type.kind) {
            case BOOL, UINT64, INT128, UINT128, UUID, DECIMAL -> true;
            default -> ScoterKeys.isNumber(type);
        };
    }

    private ScoterSortedRows(List<ScoterTypes.Column<R, ?>> columns, Object[] rows) {
        this.columns = columns;
        count = rows.length;
        layouts = columns.stream().map(c -> ScoterVector.of(c.type(), null)).toArray(ScoterVector[]::new);
        values = new long[layouts.length];
        masks = new long[layouts.length];
        long batches = (count + BATCH - 1) / BATCH;
        long bytes = 0;
        for (ScoterVector layout : layouts) {
            bytes += batches * (BATCH * (long) layout.size() + BATCH / 8);
        }
        memory = ScoterDuckDbNative.allocate(bytes);
        long next = memory;
        for (int i = 0; i < layouts.length; i++) {
            values[i] = next;
            masks[i] = next + batches * BATCH * layouts[i].size();
            next = masks[i] + batches * BATCH / 8;
        }
        order = new long[count];
        try {
            keys = fill(rows, (int) batches);
        } catch (RuntimeException | Error e) {
            ScoterDuckDbNative.free(memory);
            throw e;
        }
    }

    /** Writes all rows; returns the places of the key's columns, the one that rises first, or none. */
    private int[] fill(Object[] rows, int batches) {
        boolean[][] rising = new boolean[batches][];
        IntStream.range(0, batches).parallel().forEach(b -> rising[b] = fill(rows, b * BATCH, Math.min(count, (b + 1) * BATCH)));
        int[] all = IntStream.range(0, layouts.length).filter(i -> columns.get(i).key()).toArray();
        for (int k = 0; k < all.length; k++) {
            int column = all[k];
            if (IntStream.range(0, batches).allMatch(b -> rising[b][column] && (b == 0 || bits(column, b * BATCH - 1) < bits(column, b * BATCH)))) {
                all[k] = all[0];
                all[0] = column;
                IntStream.range(0, batches).parallel().forEach(b -> {
                    for (int i = b * BATCH; i < Math.min(count, (b + 1) * BATCH); i++) {
                        order[i] = bits(column, i);
                    }
                });
                return all;
            }
        }
        return new int[0];
    }

    private long bits(int column, int row) {
        int size = layouts[column].size();
        return ScoterNative.bits(values[column] + (long) row * size, size);
    }

    private static boolean rises(ScoterVector vector, int count) {
        for (int i = 1; i < count; i++) {
            if (vector.bits(i) <= vector.bits(i - 1)) {
                return false;
            }
        }
        return true;
    }

    /** Writes some rows; returns which columns rise from each to the next. */
    private boolean[] fill(Object[] rows, int from, int to) {
        Object[] batch = Arrays.copyOfRange(rows, from, to);
        boolean[] rising = new boolean[layouts.length];
        try {
            for (int i = 0; i < rising.length; i++) {
                ScoterTypes.Column<R, ?> column = columns.get(i);
                ScoterVector vector = ScoterVector.of(column.type(), null);
                vector.attach(values[i] + (long) from * vector.size(), masks[i] + from / 8);
                vector.fill(ScoterVectorLoop.of(column), batch, batch.length, column);
                if (column.key() && vector.hasNull()) {
                    return new boolean[rising.length]; // null is equal to nothing
                }
                rising[i] = column.key() && ScoterKeys.isNumber(column.type()) && rises(vector, batch.length);
            }
        } catch (ScoterRowException e) {
            throw e.behind(from);
        }
        return rising;
    }

    /** The functions' names; every copy of this class has its own. */
    private String findName() {
        var name = new StringBuilder("scoter_find_" + Long.toHexString(FIND));
        for (int key : keys) {
            name.append("_").append(layouts[key].label());
        }
        return name.toString();
    }

    private String valueName(int column) {
        return "scoter_value_" + Long.toHexString(VALUE) + "_" + layouts[column].label();
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** The place of the key that a row of a table has, or -1, in SQL. */
    private String place() {
        var sql = new StringBuilder(findName() + "(" + id);
        for (int key : keys) {
            sql.append(", ").append(quoted(columns.get(key).name()));
        }
        return sql.append(")").toString();
    }

    /** The statement that deletes the rows of a table with these keys. */
    String delete(String target) {
        return "DELETE FROM " + target + " WHERE " + place() + " >= 0";
    }

    /** The statement that gives the rows of a table with these keys their values. */
    String update(String target) {
        String values = IntStream.range(0, layouts.length).filter(i -> !columns.get(i).key())
                .mapToObj(i -> quoted(columns.get(i).name()) + " = " + valueName(i) + "(" + id + ", " + i + ", " + place() + ")")
                .collect(Collectors.joining(", "));
        return "UPDATE " + target + " SET " + values + " WHERE " + place() + " >= 0";
    }

    /** Whether a statement has failed because its database does not know the functions. */
    static boolean isUnknown(SQLException e) {
        return String.valueOf(e.getMessage()).matches("(?s).*scoter_(find|value)_\\w+ does not exist.*");
    }

    /** The functions that connections have told their database of; it forgets those of a transaction that was rolled back. */
    private static final Map<DuckDBConnection, Set<String>> TOLD = Collections.synchronizedMap(new WeakHashMap<>());

    /** Makes the functions known to a connection's database; {@code again} if it turned out not to know them. */
    void register(DuckDBConnection connection, boolean again) {
        Set<String> told = TOLD.computeIfAbsent(connection, key -> ConcurrentHashMap.newKeySet());
        if (told.add(findName()) || again) {
            long[] parameters = new long[keys.length + 1];
            parameters[0] = ScoterDuckDbNative.logicalType(ScoterDuckDbNative.BIGINT);
            for (int i = 0; i < keys.length; i++) {
                parameters[i + 1] = layouts[keys[i]].logicalType();
            }
            ScoterDuckDbNative.registerScalar(connection, findName(), ScoterDuckDbNative.logicalType(ScoterDuckDbNative.BIGINT), FIND, parameters);
        }
        for (int i = 0; i < layouts.length; i++) {
            if (!columns.get(i).key() && (told.add(valueName(i)) || again)) {
                ScoterDuckDbNative.registerScalar(connection, valueName(i), layouts[i].logicalType(), VALUE,
                        IntStream.range(0, 3).mapToLong(p -> ScoterDuckDbNative.logicalType(ScoterDuckDbNative.BIGINT)).toArray());
            }
        }
    }

    /** Frees the rows. The statement must be over. */
    @Override
    public void close() {
        ALL.remove(id);
        ScoterDuckDbNative.free(memory);
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
            ScoterDuckDbNative.error(ScoterDuckDbNative.SCALAR_FUNCTION_SET_ERROR, info, String.valueOf(e.getMessage()));
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
        call(info, arguments, (rows, count) -> rows.find(arguments, count, ScoterDuckDbNative.VECTOR_GET_DATA.call(result)));
    }

    private void find(long arguments, int count, long places) {
        int size = layouts[keys[0]].size();
        long first = data(arguments, 1);
        int next = 0;
        for (int i = 0; i < count; i++) {
            long value = ScoterNative.bits(first + (long) i * size, size);
            int place = next < order.length && order[next] == value ? next : search(value, next);
            next = place < 0 ? -1 - place : place + 1;
            ScoterNative.LONG.set(places + 8L * i, (long) place);
        }
        for (int k = 0; k < keys.length; k++) {
            keepEqual(keys[k], vector(arguments, k + 1), count, places);
        }
    }

    /** The place of a value in the order, from around a place on, or -1 - where it would be. */
    private int search(long value, int near) {
        int low = near;
        int high = near;
        int step = 1;
        while (high < order.length && order[high] < value) {
            low = high + 1;
            high += step;
            step *= 2;
        }
        while (low > 0 && order[low - 1] > value) {
            high = low - 1;
            low = Math.max(0, low - step);
            step *= 2;
        }
        return Arrays.binarySearch(order, Math.max(0, low - 1), Math.min(order.length, high + 1), value);
    }

    /** Sets places to -1 where a column of the key has another value or none. */
    private void keepEqual(int column, long vector, int count, long places) {
        int size = layouts[column].size();
        long data = ScoterDuckDbNative.VECTOR_GET_DATA.call(vector);
        long mask = ScoterDuckDbNative.VECTOR_GET_VALIDITY.call(vector);
        for (int i = 0; i < count; i++) {
            long place = (long) ScoterNative.LONG.get(places + 8L * i);
            if (place >= 0) {
                long here = values[column] + place * size;
                long there = data + (long) i * size;
                boolean equal = size == 16
                        ? ScoterNative.bits(here, 8) == ScoterNative.bits(there, 8) && ScoterNative.bits(here + 8, 8) == ScoterNative.bits(there + 8, 8)
                        : ScoterNative.bits(here, size) == ScoterNative.bits(there, size);
                if (equal && isSet(mask, i)) {
                    continue;
                }
            }
            ScoterNative.LONG.set(places + 8L * i, -1L);
        }
    }

    private static boolean isSet(long mask, long at) {
        return mask == 0 || ((long) ScoterNative.LONG.get(mask + (at >> 6) * 8) & 1L << at) != 0;
    }

    /** The values of a column, the second argument, at the places in the third. */
    private static void value(long info, long arguments, long result) {
        call(info, arguments, (rows, count) -> rows.value((int) ScoterNative.bits(data(arguments, 1), 8), count, data(arguments, 2), result));
    }

    private void value(int column, int count, long places, long result) {
        int size = layouts[column].size();
        long data = ScoterDuckDbNative.VECTOR_GET_DATA.call(result);
        long mask = 0;
        for (int i = 0; i < count; i++) {
            long place = (long) ScoterNative.LONG.get(places + 8L * i);
            if (place < 0 || place >= this.count || !isSet(masks[column], place)) {
                mask = mask == 0 ? ScoterDuckDbNative.validity(result) : mask;
                long word = mask + (i >> 6) * 8L;
                ScoterNative.LONG.set(word, (long) ScoterNative.LONG.get(word) & ~(1L << i));
                continue;
            }
            long from = values[column] + place * size;
            long to = data + (long) i * size;
            switch (size) {
                case 1 -> ScoterNative.BYTE.set(to, (byte) ScoterNative.BYTE.get(from));
                case 2 -> ScoterNative.SHORT.set(to, (short) ScoterNative.SHORT.get(from));
                case 4 -> ScoterNative.INT.set(to, (int) ScoterNative.INT.get(from));
                case 8 -> ScoterNative.LONG.set(to, (long) ScoterNative.LONG.get(from));
                default -> {
                    ScoterNative.LONG.set(to, (long) ScoterNative.LONG.get(from));
                    ScoterNative.LONG.set(to + 8, (long) ScoterNative.LONG.get(from + 8));
                }
            }
        }
    }
}
