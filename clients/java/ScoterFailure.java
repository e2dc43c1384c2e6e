package com.scoterdb.client;

import java.sql.SQLException;

/**
 * The first error of an appender. Rows are missing since then, so the appender refuses further
 * rows, and closing it reports the error again, because the caller may have ignored it the first
 * time.
 */
final class ScoterFailure {
    private Throwable first;

    /** Remembers an error, unless there was one before. */
    <E extends Throwable> E of(E e) {
        first = first == null ? e : first;
        return e;
    }

    boolean happened() {
        return first != null;
    }

    /**
     * Fails if something has failed, with an error of its own: that of closing is suppressed by the
     * first, and none may suppress itself.
     */
    void check() throws SQLException {
        if (first != null) {
            throw new SQLException(
                    "the appender has failed before: " + first.getMessage(),
                    first instanceof SQLException e ? e.getSQLState() : null,
                    first);
        }
    }
}
