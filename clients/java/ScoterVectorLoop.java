package com.scoterdb.client;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The loop over the values of a column. A column of many rows has a copy of the class {@link Each}:
 * the JIT compiles a copy for the one accessor and the one writer that it calls. In the loop that
 * all columns share it has to look for them at every value; but that one is compiled sooner.
 */
abstract class ScoterVectorLoop {
    /** The loop of columns with few rows. */
    static final ScoterVectorLoop SHARED = new Each();

    private static final Map<Function<?, ?>, ScoterVectorLoop> LOOPS = new ConcurrentHashMap<>();
    private static final byte[] EACH = load();

    /** The loop of a column: accessors are constants of the generated code. */
    static ScoterVectorLoop of(ScoterTypes.Column<?, ?> column) {
        return LOOPS.computeIfAbsent(column.value(), key -> copy());
    }

    private static byte[] load() {
        try (InputStream in = ScoterVectorLoop.class.getResourceAsStream("ScoterVectorLoop$Each.class")) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            return null;
        }
    }

    private static ScoterVectorLoop copy() {
        if (EACH == null) {
            return SHARED;
        }
        try {
            MethodHandles.Lookup copy = MethodHandles.lookup().defineHiddenClass(EACH, true);
            return (ScoterVectorLoop) copy.findConstructor(copy.lookupClass(), MethodType.methodType(void.class))
                    .invoke();
        } catch (Throwable e) {
            return SHARED; // it does the same
        }
    }

    /** Writes the values of rows from the vector's first place on. */
    abstract void fill(ScoterVector vector, Object[] rows, int count, ScoterTypes.Column<?, ?> column);

    /** Writes values of one size, which go from the address on. */
    abstract void fill(
            ScoterVector vector,
            ScoterVector.Put put,
            long address,
            int size,
            Object[] rows,
            int count,
            ScoterTypes.Column<?, ?> column);

    /** Writes a null where there may be one. */
    static void putNull(ScoterVector vector, int at, ScoterTypes.Column<?, ?> column) {
        if (column.required()) {
            throw ScoterRowException.missing(at, column);
        }
        vector.putNull(at);
    }

    /** What is copied. */
    static final class Each extends ScoterVectorLoop {
        @Override
        void fill(ScoterVector vector, Object[] rows, int count, ScoterTypes.Column<?, ?> column) {
            @SuppressWarnings("unchecked")
            Function<Object, ?> values = (Function<Object, ?>) column.value();
            int at = 0;
            Object value = null;
            try {
                for (; at < count; at++) {
                    value = null;
                    value = values.apply(rows[at]);
                    if (value == null) {
                        putNull(vector, at, column);
                    } else {
                        vector.put(at, value);
                    }
                }
            } catch (ScoterRowException e) {
                throw e;
            } catch (RuntimeException e) {
                throw ScoterRowException.at(at, column, value, e);
            }
        }

        @Override
        void fill(
                ScoterVector vector,
                ScoterVector.Put put,
                long address,
                int size,
                Object[] rows,
                int count,
                ScoterTypes.Column<?, ?> column) {
            @SuppressWarnings("unchecked")
            Function<Object, ?> values = (Function<Object, ?>) column.value();
            int at = 0;
            Object value = null;
            try {
                for (; at < count; at++) {
                    value = null;
                    value = values.apply(rows[at]);
                    if (value == null) {
                        putNull(vector, at, column);
                    } else {
                        put.put(address + (long) at * size, value);
                    }
                }
            } catch (ScoterRowException e) {
                throw e;
            } catch (RuntimeException e) {
                throw ScoterRowException.at(at, column, value, e);
            }
        }
    }
}
