package readings;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/** Rows on their way, in batches, from the thread that adds them to those that take them. */
final class ScoterBatches {
    /** Rows of a batch. */
    static final int ROWS = ScoterDuckDbNative.VECTOR_ROWS;

    /**
     * Batches that wait before the thread that adds rows has to wait itself, until there are half
     * as many.
     */
    static final int MAX_READY = 64;

    static final class Batch {
        final Object[] rows = new Object[ROWS];
        int count;
        /** Its own number, in the order in which batches are taken, and that of its first row. */
        private long number;

        long first;
    }

    /** Guards what follows. To wake a thread without need takes as long as to write a batch. */
    private final ReentrantLock lock = new ReentrantLock();

    /** There is room for more; there is a batch, or none will come; another batch has its turn. */
    private final Condition room = lock.newCondition();

    private final Condition filled = lock.newCondition();
    private final Condition turn = lock.newCondition();

    private final ArrayDeque<Batch> ready = new ArrayDeque<>();
    private final ArrayDeque<Batch> free = new ArrayDeque<>();
    private long taken;
    private long turns;
    /** No more rows will be added. */
    private boolean ended;
    /** Nobody takes rows any more. */
    private boolean stopped;

    private RuntimeException failure;

    /** The batch that is being filled, and the rows that were added, by one thread. */
    private Batch open = new Batch();

    private volatile long rows;

    /** How many rows were added. */
    long rows() {
        return rows;
    }

    /**
     * Adds a row.
     *
     * @return false once nobody takes rows any more
     */
    boolean add(Object row) {
        Batch batch = open;
        batch.rows[batch.count++] = row;
        return batch.count < ROWS || send();
    }

    /** Says that all rows were added. */
    void end() {
        send();
        change(() -> ended = true);
    }

    /** Has those that take rows fail. */
    void fail(RuntimeException e) {
        change(() -> failure = failure == null ? e : failure);
    }

    /** Says that nobody takes rows any more. */
    void stop() {
        change(() -> stopped = true);
    }

    /** Why rows could not be taken, or null. */
    RuntimeException failure() {
        lock.lock();
        try {
            return failure;
        } finally {
            lock.unlock();
        }
    }

    /** How many batches there are once no more rows will be added, else -1. */
    int all() {
        lock.lock();
        try {
            return ended ? ready.size() : -1;
        } finally {
            lock.unlock();
        }
    }

    /** Changes what all that wait have to know. */
    private void change(Runnable to) {
        lock.lock();
        try {
            to.run();
            room.signalAll();
            filled.signalAll();
            turn.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean send() {
        lock.lock();
        try {
            if (open.count == 0) {
                return !stopped;
            }
            if (ready.size() >= MAX_READY) {
                while (ready.size() > MAX_READY / 2 && !stopped) {
                    await(room);
                }
            }
            open.first = rows;
            rows += open.count;
            ready.add(open);
            open = free.isEmpty() ? new Batch() : free.poll();
            filled.signal();
            return !stopped;
        } finally {
            lock.unlock();
        }
    }

    private void await(Condition condition) {
        try {
            condition.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            change(() -> {
                failure = failure == null ? new IllegalStateException("interrupted", e) : failure;
                stopped = true;
            });
        }
    }

    /** The next batch, or null at the end. Fails as {@link #fail} says. */
    Batch take() {
        lock.lock();
        try {
            while (ready.isEmpty() && !ended && failure == null && !stopped) {
                await(filled);
            }
            if (failure != null) {
                throw failure;
            }
            Batch batch = ready.poll();
            if (batch != null) {
                batch.number = taken++;
            }
            if (ready.size() == MAX_READY / 2) {
                room.signal();
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sets the rows of a batch to how many {@code keep} says, which is run in the order of all
     * batches.
     */
    void inTurn(Batch batch, IntSupplier keep) {
        lock.lock();
        try {
            while (turns != batch.number && failure == null && !stopped) {
                await(turn);
            }
            if (failure != null) {
                throw failure;
            }
            batch.count = keep.getAsInt();
            turns++;
            turn.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Gives a batch back, to be used again. */
    void release(Batch batch) {
        Arrays.fill(batch.rows, 0, batch.count, null);
        batch.count = 0;
        lock.lock();
        try {
            free.add(batch);
        } finally {
            lock.unlock();
        }
    }
}
