package readings;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.duckdb.DuckDBConnection;

/**
 * Rows that a statement reads as a table: {@code SELECT * FROM scoter_rows_x(7)}. One thread adds rows,
 * DuckDB's threads take them by 2,048 and write them into their vectors.
 *
 * @param <R> the rows' type
 */
final class ScoterDuckDbSource<R> implements AutoCloseable {
    static final int BATCH_ROWS = ScoterDuckDbNative.VECTOR_ROWS;

    private static final Map<Long, ScoterDuckDbSource<?>> SOURCES = new ConcurrentHashMap<>();
    private static final AtomicLong LAST = new AtomicLong();

    /** The table function's name; every copy of this class has its own. */
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

    private static MethodHandle callback(MethodHandles.Lookup lookup, String name, int parameters) throws ReflectiveOperationException {
        Class<?>[] types = new Class<?>[parameters];
        Arrays.fill(types, long.class);
        return lookup.findStatic(ScoterDuckDbSource.class, name, MethodType.methodType(void.class, types));
    }

    /** Rows on their way from the thread that adds them to one that writes them. */
    private static final class Batch {
        final Object[] rows = new Object[BATCH_ROWS];
        int count;
        /** Its own number, and that of its first row. */
        long number;

        long first;
    }

    /** What one of DuckDB's threads writes with. */
    private static final class Writer {
        final ScoterHeap heap = new ScoterHeap();
        final ScoterVector[] vectors;

        Writer(List<? extends ScoterTypes.Column<?, ?>> columns) {
            vectors = new ScoterVector[columns.size()];
            for (int i = 0; i < vectors.length; i++) {
                vectors[i] = ScoterVector.of(columns.get(i).type(), heap);
            }
        }
    }

    private final long id = LAST.incrementAndGet();
    private final List<ScoterTypes.Column<R, ?>> columns;
    private final int expected;
    /** Leaves out rows whose key has come before; null if they may or if that was done already. */
    private final ScoterKeys<R> keys;

    private final ArrayDeque<Batch> ready = new ArrayDeque<>();
    private final ArrayDeque<Batch> free = new ArrayDeque<>();
    private final List<Writer> writers = new ArrayList<>();
    private Batch open = new Batch();
    private long rows;
    /** Batches that were taken, and those of them whose keys are looked at. */
    private long taken;

    private long distinct;
    /** No more rows will be added. */
    private boolean ended;
    /** The statement is over: nobody takes rows any more. */
    private boolean stopped;
    /** Why the statement has to fail. */
    private RuntimeException failure;

    /**
     * {@code expected} is how many rows will be added, or 0 if that is not known. {@code keys}, if not
     * null, leaves out rows whose key has come before.
     */
    ScoterDuckDbSource(List<ScoterTypes.Column<R, ?>> columns, int expected, ScoterKeys<R> keys) {
        this.columns = columns;
        this.expected = expected;
        this.keys = keys;
        SOURCES.put(id, this);
    }

    /** Fails with a LinkageError where there is no way into DuckDB's memory. */
    static void load() {
        ScoterDuckDbNative.load();
    }

    /** Connections that have told their database of the table function; it forgets if that was rolled back. */
    private static final Set<DuckDBConnection> TOLD = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** Makes the table function known to a connection's database; {@code again} if it turned out not to be. */
    static void register(DuckDBConnection connection, boolean again) throws SQLException {
        if (TOLD.add(connection) || again) {
            ScoterDuckDbNative.register(connection, FUNCTION, BIND, INIT, LOCAL_INIT, FILL);
        }
    }

    /** Whether a statement has failed because its database does not know the table function. */
    static boolean isUnknown(SQLException e) {
        return String.valueOf(e.getMessage()).contains(FUNCTION + " does not exist");
    }

    /** The rows as a table in a statement. */
    String sql() {
        return FUNCTION + "(" + id + ")";
    }

    /** How many rows were added. */
    long rows() {
        return rows;
    }

    /**
     * Adds a row.
     *
     * @return false once the statement is over, which then has failed
     */
    boolean add(R row) {
        Batch batch = open;
        batch.rows[batch.count++] = row;
        rows++;
        return batch.count < BATCH_ROWS || send();
    }

    /** Says that all rows were added. */
    void end() {
        send();
        synchronized (this) {
            ended = true;
            notifyAll();
        }
    }

    /** Makes the statement fail. */
    synchronized void fail(RuntimeException e) {
        failure = failure == null ? e : failure;
        notifyAll();
    }

    /** Why rows could not be taken, or null. */
    synchronized RuntimeException failure() {
        return failure;
    }

    /** Says that the statement is over. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    /** Batches that wait before the thread that adds rows has to wait itself. */
    static final int MAX_READY = 64;

    private synchronized boolean send() {
        if (open.count == 0) {
            return !stopped;
        }
        while (ready.size() >= MAX_READY && !stopped) {
            await();
        }
        open.first = rows - open.count;
        ready.add(open);
        open = free.isEmpty() ? new Batch() : free.poll();
        notifyAll();
        return !stopped;
    }

    private void await() {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = new IllegalStateException("interrupted", e);
            stopped = true;
        }
    }

    /** The next batch, or null at the end. */
    private synchronized Batch take() {
        while (ready.isEmpty() && !ended && failure == null && !stopped) {
            await();
        }
        if (failure != null) {
            throw failure;
        }
        Batch batch = ready.poll();
        if (batch != null) {
            batch.number = taken++;
        }
        notifyAll();
        return batch;
    }

    /**
     * Leaves out rows whose key has come before. Threads look at their batches beside each other, then
     * compare them with those before one after the other.
     */
    @SuppressWarnings("unchecked")
    private void leaveOut(Batch batch) {
        long[][] spans = keys.spans((R[]) batch.rows, batch.count);
        synchronized (this) {
            while (distinct != batch.number && failure == null && !stopped) {
                await();
            }
            if (failure != null) {
                throw failure;
            }
            batch.count = keys.keep((R[]) batch.rows, batch.count, spans);
            distinct++;
            notifyAll();
        }
    }

    private synchronized void release(Batch batch) {
        Arrays.fill(batch.rows, 0, batch.count, null);
        batch.count = 0;
        free.add(batch);
    }

    /** Frees what the writers hold. The statement must be over. */
    @Override
    public synchronized void close() {
        SOURCES.remove(id);
        for (Writer writer : writers) {
            writer.heap.free();
        }
        writers.clear();
    }

    // What DuckDB calls, with addresses of its own structures. Nothing may be thrown.

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
            Writer writer = new Writer(source.columns);
            for (int i = 0; i < writer.vectors.length; i++) {
                long type = writer.vectors[i].logicalType();
                ScoterDuckDbNative.bindColumn(info, source.columns.get(i).name(), type);
                ScoterDuckDbNative.destroyType(type);
            }
            ScoterDuckDbNative.BIND_SET_BIND_DATA.call(info, source.id, 0);
            synchronized (source) {
                ScoterDuckDbNative.BIND_SET_CARDINALITY.call(info, Math.max(source.rows, source.ended ? 0 : source.expected), source.ended ? 1 : 0);
            }
        } catch (Throwable e) {
            ScoterDuckDbNative.error(ScoterDuckDbNative.BIND_SET_ERROR, info, String.valueOf(e.getMessage()));
        }
    }

    /** How many threads have something to do. */
    private synchronized int threads() {
        return ended ? Math.max(1, ready.size()) : MAX_READY;
    }

    private static void init(long info) {
        ScoterDuckDbSource<?> source = SOURCES.get(ScoterDuckDbNative.INIT_GET_BIND_DATA.call(info));
        ScoterDuckDbNative.INIT_SET_MAX_THREADS.call(info, source == null ? 1 : source.threads());
    }

    /** Gives a thread its writer; its number is what the thread is told by. */
    private static void localInit(long info) {
        ScoterDuckDbSource<?> source = SOURCES.get(ScoterDuckDbNative.INIT_GET_BIND_DATA.call(info));
        if (source != null) {
            Writer writer = new Writer(source.columns);
            synchronized (source) {
                source.writers.add(writer);
                ScoterDuckDbNative.INIT_SET_INIT_DATA.call(info, source.writers.size(), 0);
            }
        }
    }

    private static void fill(long info, long chunk) {
        ScoterDuckDbSource<?> source = null;
        try {
            source = source(ScoterDuckDbNative.FUNCTION_GET_BIND_DATA.call(info));
            int writer = (int) ScoterDuckDbNative.FUNCTION_GET_LOCAL_INIT_DATA.call(info);
            ScoterDuckDbNative.CHUNK_SET_SIZE.call(chunk, source.write(chunk, writer - 1));
        } catch (Throwable e) {
            if (source != null) {
                source.fail(e instanceof RuntimeException r ? r : new IllegalStateException(e));
            }
            ScoterDuckDbNative.error(ScoterDuckDbNative.FUNCTION_SET_ERROR, info, String.valueOf(e.getMessage()));
        }
    }

    private int write(long chunk, int number) {
        Batch batch = take();
        while (batch != null && keys != null) {
            leaveOut(batch);
            if (batch.count > 0) {
                break;
            }
            release(batch);
            batch = take(); // no rows would mean the end
        }
        if (batch == null) {
            return 0;
        }
        Writer writer;
        synchronized (this) {
            writer = writers.get(number);
        }
        writer.heap.clear();
        try {
            for (int i = 0; i < writer.vectors.length; i++) {
                ScoterVector vector = writer.vectors[i];
                vector.attach(ScoterDuckDbNative.CHUNK_GET_VECTOR.call(chunk, i));
                vector.fill(batch.rows, batch.count, columns.get(i));
                vector.finish();
            }
        } catch (ScoterRowException e) {
            throw e.behind(batch.first);
        }
        int count = batch.count;
        release(batch);
        return count;
    }
}
