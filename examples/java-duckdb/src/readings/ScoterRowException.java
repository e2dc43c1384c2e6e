package readings;

import java.sql.SQLException;

/** A row cannot be written. Its message counts rows from 1. */
final class ScoterRowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long row;

    private ScoterRowException(long row, String message, Throwable cause) {
        super(message, cause);
        this.row = row;
    }

    /**
     * Makes the exception for a required column that is null. {@code at} is the row's index,
     * counted from 0.
     */
    static ScoterRowException missing(long at, ScoterTypes.Column<?, ?> column) {
        return new ScoterRowException(at, "column " + column.name() + " must not be null", null);
    }

    /**
     * Makes the exception for a value that the column cannot hold. {@code at} is the row's index,
     * counted from 0.
     */
    static ScoterRowException at(long at, ScoterTypes.Column<?, ?> column, Object value, Exception e) {
        String text = String.valueOf(value);
        text = text.length() > 60 ? text.substring(0, 60) + "..." : text;
        return new ScoterRowException(at, "column " + column.name() + ": " + text + " " + e.getMessage(), e);
    }

    /**
     * Returns the same exception with {@code rows} added to the row's number, for a row of a later
     * batch.
     */
    ScoterRowException behind(long rows) {
        return new ScoterRowException(row + rows, getMessage(), getCause());
    }

    /** Returns the exception that the operation throws to its caller. */
    SQLException in(String operation) {
        return new SQLException(operation + ": row " + (row + 1) + ": " + getMessage(), "22000", this);
    }
}
