package com.scoterdb.client;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects rows and writes them 1,000 at a time. Closing it writes the last rows. Rows that were
 * written before a failure stay written. After a failure, nothing more is written: {@code append}
 * and {@code close} throw.
 */
public final class ScoterAppender<T> implements AutoCloseable {
    /** The number of rows that are written at a time. Each such write is atomic. */
    private static final int ROWS = 1000;

    private final Write<T> write;
    private final ScoterFailure failure = new ScoterFailure();
    private List<T> rows = new ArrayList<>();

    /** Writes rows atomically. */
    interface Write<T> {
        long write(Iterable<T> rows) throws SQLException;
    }

    ScoterAppender(Write<T> write) {
        this.write = write;
    }

    public ScoterAppender<T> append(T row) throws SQLException {
        failure.check();
        rows.add(row);
        return rows.size() >= ROWS ? flush() : this;
    }

    public ScoterAppender<T> appendMany(Iterable<T> rows) throws SQLException {
        for (T row : rows) {
            append(row);
        }
        return this;
    }

    /** Writes the collected rows. */
    public ScoterAppender<T> flush() throws SQLException {
        failure.check();
        List<T> waiting = rows;
        rows = new ArrayList<>();
        try {
            write.write(waiting);
            return this;
        } catch (SQLException | RuntimeException | Error e) {
            failure.of(e);
            throw e;
        }
    }

    @Override
    public void close() throws SQLException {
        flush();
    }
}
