package com.scoterdb.client;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Appends rows until it is closed, which writes the last of them. What it has written stays when a
 * later row fails, and nothing is written after that: to append and to close are errors then.
 */
public final class ScoterAppender<T> implements AutoCloseable {
    /** Rows that are written at a time, each time as a whole. */
    private static final int ROWS = 1000;

    private final Write<T> write;
    private final ScoterFailure failure = new ScoterFailure();
    private List<T> rows = new ArrayList<>();

    /** Writes rows as a whole. */
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

    /** Writes what is waiting. */
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
