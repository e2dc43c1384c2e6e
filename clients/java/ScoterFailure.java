package com.scoterdb.client;

import java.sql.SQLException;

/**
 * The first error of an appender. Rows are missing since then, so the appender refuses further
 * rows, and closing it reports the error again, because the caller may have ignored it the first
 * time.
 */
final class ScoterFailure {
    private Throwable first;

    /** Stores an error, unless one is already stored. Returns the error. */
    <E extends Throwable> E of(E e) {
        first = first == null ? e : first;
        return e;
    }

    boolean happened() {
        return first != null;
    }

    /**
     * Throws if an error is stored. The exception is a new one: try-with-resources adds the
     * exception of {@code close} to the first one as suppressed, and an exception cannot suppress
     * itself.
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
