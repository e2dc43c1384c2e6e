package com.scoterdb.client;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * A queue of row batches between one thread that adds rows and several threads that take batches.
 */
final class ScoterBatches {
    /** The number of rows in a full batch. */
    static final int ROWS = ScoterDuckDbNative.VECTOR_ROWS;

    /**
     * The maximum number of waiting batches. At this limit the adding thread waits until only half
     * of them are left.
     */
    static final int MAX_READY = 64;

    static final class Batch {
        final Object[] rows = new Object[ROWS];
        int count;
        /**
         * The batch's position in the order in which batches are taken. {@code first} is the number
         * of rows before the batch.
         */
        private long number;

        long first;
    }

    /**
     * Guards the fields below. Waking up a thread takes as long as writing a batch, so threads are
     * only woken up when necessary.
     */
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * Three conditions. {@code room}: the queue can take more batches. {@code filled}: a batch is
     * waiting, or none will follow. {@code turn}: the turn has passed to another batch.
     */
    private final Condition room = lock.newCondition();

    private final Condition filled = lock.newCondition();
    private final Condition turn = lock.newCondition();

    private final ArrayDeque<Batch> ready = new ArrayDeque<>();
    private final ArrayDeque<Batch> free = new ArrayDeque<>();
    private long taken;
    private long turns;
    /** Whether all rows have been added. */
    private boolean ended;
    /** Whether the taking threads have stopped. */
    private boolean stopped;

    private RuntimeException failure;

    /** The batch that is being filled. Only the adding thread uses it. */
    private Batch open = new Batch();

    private volatile long rows;

    /** Returns the number of rows in all batches that were handed over. */
    long rows() {
        return rows;
    }

    /**
     * Adds a row. Waits if too many batches are waiting.
     *
     * @return false if the taking threads have stopped
     */
    boolean add(Object row) {
        Batch batch = open;
        batch.rows[batch.count++] = row;
        return batch.count < ROWS || send();
    }

    /** Marks the end of the rows. The adding thread calls it after the last row. */
    void end() {
        send();
        change(() -> ended = true);
    }

    /** Makes {@link #take} throw the given exception. Only the first exception counts. */
    void fail(RuntimeException e) {
        change(() -> failure = failure == null ? e : failure);
    }

    /** Marks that no more batches will be taken. {@link #add} returns false from now on. */
    void stop() {
        change(() -> stopped = true);
    }

    /** Returns the exception given to {@link #fail}, or null. */
    RuntimeException failure() {
        lock.lock();
        try {
            return failure;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of waiting batches if all rows have been added, and -1 otherwise. */
    int all() {
        lock.lock();
        try {
            return ended ? ready.size() : -1;
        } finally {
            lock.unlock();
        }
    }

    /** Changes the state under the lock and wakes up all waiting threads. */
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

    /**
     * Takes the next batch, waiting for one if necessary. Returns null at the end. Throws the
     * exception given to {@link #fail}.
     */
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
     * Runs {@code keep} and sets the batch's row count to its result. Waits for the batch's turn
     * first, so that {@code keep} runs for one batch at a time, in the order in which batches were
     * taken.
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

    /** Returns a batch for reuse. */
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
