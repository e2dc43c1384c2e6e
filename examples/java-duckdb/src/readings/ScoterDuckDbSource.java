package readings;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.duckdb.DuckDBConnection;

/**
 * Rows that a statement can read as a table: {@code SELECT * FROM scoter_rows_x(7)}. One thread of
 * the program adds rows. DuckDB's threads take 2,048 of them at a time and write them into their
 * vectors.
 *
 * @param <R> the rows' type
 */
final class ScoterDuckDbSource<R> implements AutoCloseable {
    private static final Map<Long, ScoterDuckDbSource<?>> SOURCES = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();

    /**
     * The table function's name. It contains an address, because each copy of this class needs a
     * name of its own.
     */
    private static final String FUNCTION;

    private static final long BIND;
    private static final long INIT;
    private static final long LOCAL_INIT;
    private static final long FILL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            BIND = ScoterNative.callback(callback(lookup, "bind", 1));
            INIT = ScoterNative.callback(callback(lookup, "init", 1));
            LOCAL_INIT = ScoterNative.callback(callback(lookup, "localInit", 1));
            FILL = ScoterNative.callback(callback(lookup, "fill", 2));
            FUNCTION = "scoter_rows_" + Long.toHexString(FILL);
        } catch (Throwable e) {
            throw new UnsupportedOperationException("DuckDB cannot call back: " + e, e);
        }
    }

    private static MethodHandle callback(MethodHandles.Lookup lookup, String name, int parameters)
            throws ReflectiveOperationException {
        Class<?>[] types = new Class<?>[parameters];
        Arrays.fill(types, long.class);
        return lookup.findStatic(ScoterDuckDbSource.class, name, MethodType.methodType(void.class, types));
    }

    /** The buffers with which one of DuckDB's threads writes rows. */
    private static final class Writer {
        final ScoterHeap heap = new ScoterHeap();
        final ScoterVector[] vectors;
        final ScoterVectorLoop[] loops;

        Writer(List<? extends ScoterTypes.Column<?, ?>> columns, boolean many) {
            vectors = new ScoterVector[columns.size()];
            loops = new ScoterVectorLoop[vectors.length];
            for (int i = 0; i < vectors.length; i++) {
                vectors[i] = ScoterVector.of(columns.get(i).type(), heap);
                loops[i] = many ? ScoterVectorLoop.of(columns.get(i)) : ScoterVectorLoop.SHARED;
            }
        }
    }

    private final long id = LAST.incrementAndGet();
    private final List<ScoterTypes.Column<R, ?>> columns;
    private final int expected;
    /**
     * Filters out rows whose key occurred before. Null if repeated keys are allowed or were already
     * removed.
     */
    private final ScoterKeys<R> keys;

    private final ScoterBatches batches = new ScoterBatches();
    /** All writers by number. Each thread gets its own writer when it begins. */
    private final List<Writer> writers = new CopyOnWriteArrayList<>();

    /** A writer that no thread uses yet. Its vectors also provide the types of the columns. */
    private Writer next;

    /**
     * {@code expected} is the number of rows to be added, or 0 if it is not known. {@code keys}
     * filters out rows whose key occurred before, and may be null.
     */
    ScoterDuckDbSource(List<ScoterTypes.Column<R, ?>> columns, int expected, ScoterKeys<R> keys) {
        this.columns = columns;
        this.expected = expected;
        this.keys = keys;
        SOURCES.put(id, this);
    }

    /** Checks that DuckDB's memory can be accessed. Throws a LinkageError if not. */
    static void load() {
        ScoterDuckDbNative.load();
    }

    /**
     * The connections that have registered the table function. DuckDB drops the function again if
     * the transaction of the registration is rolled back.
     */
    private static final Set<DuckDBConnection> TOLD =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /**
     * Registers the table function once for each connection. {@code again} registers it again,
     * after a statement has failed because the function did not exist.
     */
    static void register(DuckDBConnection connection, boolean again) throws SQLException {
        if (TOLD.add(connection) || again) {
            ScoterDuckDbNative.register(connection, FUNCTION, BIND, INIT, LOCAL_INIT, FILL);
        }
    }

    /** Returns whether a statement failed because the table function is not registered. */
    static boolean isUnknown(SQLException e) {
        return String.valueOf(e.getMessage()).contains(FUNCTION + " does not exist");
    }

    /** Returns the call of the table function, for the FROM clause of a statement. */
    String sql() {
        return new StringBuilder(FUNCTION).append('(').append(id).append(')').toString();
    }

    /** Returns the queue to which the program adds rows. */
    ScoterBatches batches() {
        return batches;
    }

    /** Frees the writers' memory. Call it only after the statement has ended. */
    @Override
    public void close() {
        SOURCES.remove(id);
        for (Writer writer : writers) {
            writer.heap.free();
        }
        writers.clear();
    }

    // DuckDB calls the methods below with the addresses of its own structures. They must not throw.

    private static ScoterDuckDbSource<?> source(long id) {
        ScoterDuckDbSource<?> source = SOURCES.get(id);
        if (source == null) {
            throw new IllegalStateException("these rows are for one statement, which is over");
        }
        return source;
    }

    private static void bind(long info) {
        try {
            ScoterDuckDbSource<?> source = source(ScoterDuckDbNative.bindArgument(info));
            ScoterVector[] vectors = source.nextWriter().vectors;
            for (int i = 0; i < vectors.length; i++) {
                long type = vectors[i].logicalType();
                ScoterDuckDbNative.bindColumn(info, source.columns.get(i).name(), type);
                ScoterDuckDbNative.destroyType(type);
            }
            ScoterDuckDbNative.BIND_SET_BIND_DATA.call(info, source.id, 0);
            boolean all = source.batches.all() >= 0;
            ScoterDuckDbNative.BIND_SET_CARDINALITY.call(
                    info, Math.max(source.batches.rows(), all ? 0 : source.expected), all ? 1 : 0);
        } catch (Throwable e) {
            ScoterDuckDbNative.error(ScoterDuckDbNative.BIND_SET_ERROR, info, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the number of threads that can be kept busy. */
    private int threads() {
        int all = batches.all();
        return all < 0 ? ScoterBatches.MAX_READY : Math.max(1, all);
    }

    private static void init(long info) {
        ScoterDuckDbSource<?> source = SOURCES.get(ScoterDuckDbNative.INIT_GET_BIND_DATA.call(info));
        int threads = source == null ? 1 : source.threads();
        if (threads > 1) {
            ScoterDuckDbNative.INIT_SET_MAX_THREADS.call(info, threads);
        }
    }

    /** Creates a thread's writer, and stores the writer's number as the thread's state. */
    private static void localInit(long info) {
        ScoterDuckDbSource<?> source = SOURCES.get(ScoterDuckDbNative.INIT_GET_BIND_DATA.call(info));
        if (source != null) {
            ScoterDuckDbNative.INIT_SET_INIT_DATA.call(info, source.newWriter(), 0);
        }
    }

    private synchronized Writer nextWriter() {
        if (next == null) {
            next = new Writer(columns, batches.all() < 0);
        }
        return next;
    }

    private synchronized int newWriter() {
        writers.add(nextWriter());
        next = null;
        return writers.size();
    }

    private static void fill(long info, long chunk) {
        ScoterDuckDbSource<?> source = null;
        try {
            source = source(ScoterDuckDbNative.FUNCTION_GET_BIND_DATA.call(info));
            int writer = (int) ScoterDuckDbNative.FUNCTION_GET_LOCAL_INIT_DATA.call(info);
            ScoterDuckDbNative.CHUNK_SET_SIZE.call(chunk, source.write(chunk, writer - 1));
        } catch (Throwable e) {
            if (source != null) {
                source.batches.fail(e instanceof RuntimeException r ? r : new IllegalStateException(e));
            }
            ScoterDuckDbNative.error(ScoterDuckDbNative.FUNCTION_SET_ERROR, info, String.valueOf(e.getMessage()));
        }
    }

    private int write(long chunk, int number) {
        Writer writer = writers.get(number);
        for (ScoterBatches.Batch batch = batches.take(); batch != null; batch = batches.take()) {
            write(chunk, batch, writer);
            if (keys != null && leaveOut(batch, writer)) {
                ScoterDuckDbNative.CHUNK_RESET.call(chunk);
                if (batch.count > 0) {
                    write(chunk, batch, writer);
                }
            }
            int count = batch.count;
            batches.release(batch);
            if (count > 0) {
                return count; // an empty chunk would mean the end of the rows
            }
        }
        return 0;
    }

    /**
     * Removes rows whose key was seen before. Returns whether there were any. Threads check their
     * own batches at the same time. Then they compare them with earlier batches, one thread at a
     * time.
     */
    @SuppressWarnings("unchecked")
    private boolean leaveOut(ScoterBatches.Batch batch, Writer writer) {
        R[] rows = (R[]) batch.rows;
        int before = batch.count;
        ScoterKeys.Seen seen = keys.look(rows, before, writer.vectors);
        batches.inTurn(batch, () -> keys.keep(rows, before, seen));
        return batch.count < before;
    }

    private void write(long chunk, ScoterBatches.Batch batch, Writer writer) {
        writer.heap.clear();
        try {
            for (int i = 0; i < writer.vectors.length; i++) {
                ScoterVector vector = writer.vectors[i];
                vector.attach(ScoterDuckDbNative.CHUNK_GET_VECTOR.call(chunk, i));
                vector.fill(writer.loops[i], batch.rows, batch.count, columns.get(i));
                vector.finish();
            }
        } catch (ScoterRowException e) {
            throw e.behind(batch.first);
        }
    }
}
