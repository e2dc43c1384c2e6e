package readings;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The loop that writes the values of a column.
 *
 * <p>A column with many rows gets its own copy of the class {@link Each}. The JIT compiles each
 * copy for the single accessor and writer that it calls. The loop that all columns share has to
 * find the accessor and writer for each value, but it is compiled earlier.
 */
abstract class ScoterVectorLoop {
    /** The shared loop, for columns with few rows. */
    static final ScoterVectorLoop SHARED = new Each();

    private static final Map<Function<?, ?>, ScoterVectorLoop> LOOPS = new ConcurrentHashMap<>();
    private static final byte[] EACH = load();

    /**
     * Returns the loop for a column. It is cached by the column's accessor, which is a constant of
     * the generated code.
     */
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
            return SHARED; // slower, but does the same
        }
    }

    /** Writes the values of {@code count} rows, beginning with the first value of the vector. */
    abstract void fill(ScoterVector vector, Object[] rows, int count, ScoterTypes.Column<?, ?> column);

    /**
     * Writes the values of {@code count} rows, each of {@code size} bytes, beginning at an address.
     */
    abstract void fill(
            ScoterVector vector,
            ScoterVector.Put put,
            long address,
            int size,
            Object[] rows,
            int count,
            ScoterTypes.Column<?, ?> column);

    /** Writes a null. Throws if the column is required. */
    static void putNull(ScoterVector vector, int at, ScoterTypes.Column<?, ?> column) {
        if (column.required()) {
            throw ScoterRowException.missing(at, column);
        }
        vector.putNull(at);
    }

    /** The class of which copies are made. */
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
