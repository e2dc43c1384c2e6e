package com.scoterdb.client;

import java.sql.SQLException;

/** A row that cannot be written. Rows count from 1. */
final class ScoterRowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long row;

    private ScoterRowException(long row, String message, Throwable cause) {
        super(message, cause);
        this.row = row;
    }

    /** A required value that is null; {@code at} counts from 0. */
    static ScoterRowException missing(long at, ScoterTypes.Column<?, ?> column) {
        return new ScoterRowException(at, "column " + column.name() + " must not be null", null);
    }

    /** A value that the column cannot hold. */
    static ScoterRowException at(long at, ScoterTypes.Column<?, ?> column, Object value, Exception e) {
        String text = String.valueOf(value);
        text = text.length() > 60 ? text.substring(0, 60) + "..." : text;
        return new ScoterRowException(at, "column " + column.name() + ": " + text + " " + e.getMessage(), e);
    }

    /** The same behind that many rows. */
    ScoterRowException behind(long rows) {
        return new ScoterRowException(row + rows, getMessage(), getCause());
    }

    /** The error of an operation. */
    SQLException in(String operation) {
        return new SQLException(operation + ": row " + (row + 1) + ": " + getMessage(), "22000", this);
    }
}
