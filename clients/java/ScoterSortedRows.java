package com.scoterdb.client;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Rows with rising keys, such as time series, that can be looked up by key. They are stored by
 * column in DuckDB's layout.
 *
 * <p>Looking up keys in roughly the same order costs one comparison per key. Other keys need a
 * binary search. There is no hash table to build, which would take most of the time of a join with
 * this many rows.
 *
 * @param <R> the rows' type
 */
final class ScoterSortedRows<R> implements AutoCloseable {
    private static final int BATCH = ScoterDuckDbNative.VECTOR_ROWS;

    final List<ScoterTypes.Column<R, ?>> columns;
    private final int count;

    /**
     * For each column: its writer, which knows the layout; the address of its values; and the
     * address of its validity mask.
     */
    final ScoterVector[] layouts;

    private final long[] values;
    private final long[] masks;
    private final long memory;

    /** The positions of the key's columns. The first one is the column that rises. */
    final int[] keys;

    /** The values of the rising column. */
    private final long[] order;

    /**
     * Stores rows. Returns null if no numeric column of the key rises from row to row, or if a
     * column's type is not supported.
     *
     * @throws ScoterRowException if a row cannot be written
     */
    static <R> ScoterSortedRows<R> of(List<ScoterTypes.Column<R, ?>> columns, Object[] rows) {
        boolean fixed = columns.stream()
                .allMatch(c -> ScoterVector.of(c.type(), null).size() > 0 && (!c.key() || isComparedByBits(c.type())));
        if (!fixed || columns.stream().noneMatch(c -> c.key() && ScoterKeys.isNumber(c.type()))) {
            return null;
        }
        // Check a small part first: rows in another order mostly show it early.
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
        return all;
    }

    /**
     * Returns whether values of a type are equal in the database exactly if their bytes are equal.
     */
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

    /**
     * Writes all rows. Returns the positions of the key's columns with the rising one first, or an
     * empty array if none rises.
     */
    private int[] fill(Object[] rows, int batches) {
        boolean[][] rising = new boolean[batches][];
        RuntimeException[] failures = new RuntimeException[batches];
        // Exceptions are collected. An exception would end the stream while other threads still
        // write into memory that the caller then frees.
        IntStream.range(0, batches).parallel().forEach(b -> {
            try {
                rising[b] = fill(rows, b * BATCH, Math.min(count, (b + 1) * BATCH));
            } catch (RuntimeException | Error e) {
                failures[b] = e instanceof RuntimeException failure ? failure : new IllegalStateException(e);
            }
        });
        for (RuntimeException failure : failures) {
            if (failure != null) {
                throw failure; // this is the failure of the first row that cannot be written
            }
        }
        int[] all = IntStream.range(0, layouts.length)
                .filter(i -> columns.get(i).key())
                .toArray();
        for (int k = 0; k < all.length; k++) {
            int column = all[k];
            if (IntStream.range(0, batches)
                    .allMatch(b ->
                            rising[b][column] && (b == 0 || bits(column, b * BATCH - 1) < bits(column, b * BATCH)))) {
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

    /**
     * Writes a batch of rows. Returns for each column whether it is part of the key and rises from
     * row to row.
     */
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
                    // a null key matches nothing, so these rows cannot be used
                    return new boolean[rising.length];
                }
                rising[i] = column.key() && ScoterKeys.isNumber(column.type()) && rises(vector, batch.length);
            }
        } catch (ScoterRowException e) {
            throw e.behind(from);
        }
        return rising;
    }

    /**
     * Finds keys and writes their positions, or -1, to the address {@code places}. {@code vectors}
     * has a vector for each column in {@code keys}, in the same order.
     */
    void find(long[] vectors, int count, long places) {
        int size = layouts[keys[0]].size();
        long first = ScoterDuckDbNative.VECTOR_GET_DATA.call(vectors[0]);
        int next = 0;
        for (int i = 0; i < count; i++) {
            long value = ScoterNative.bits(first + (long) i * size, size);
            int place = next < order.length && order[next] == value ? next : search(value, next);
            next = place < 0 ? -1 - place : place + 1;
            ScoterNative.LONG.set(places + 8L * i, (long) place);
        }
        for (int k = 0; k < keys.length; k++) {
            keepEqual(keys[k], vectors[k], count, places);
        }
    }

    /**
     * Finds a value in the rising column, searching from the position {@code near} outwards.
     * Returns its position, or -1 minus the position at which it would be.
     */
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

    /**
     * Sets a position to -1 if the key's column has another value there, or the vector has NULL.
     */
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
                        ? ScoterNative.bits(here, 8) == ScoterNative.bits(there, 8)
                                && ScoterNative.bits(here + 8, 8) == ScoterNative.bits(there + 8, 8)
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

    /**
     * Copies a column's values at the given positions into a vector. Writes NULL if a position is
     * -1.
     */
    void value(int column, int count, long places, long result) {
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
    /** Frees the rows. */
    @Override
    public void close() {
        ScoterDuckDbNative.free(memory);
    }
}
