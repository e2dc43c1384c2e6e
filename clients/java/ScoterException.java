package com.scoterdb.client;

import java.sql.SQLException;

/** The server refused a request. Nothing of that request was applied. */
public final class ScoterException extends SQLException {
    private static final long serialVersionUID = 1;

    private final String kind;
    private final String hint;

    ScoterException(String kind, String message, String hint) {
        super(hint == null ? message : message + " (" + hint + ")");
        this.kind = kind;
        this.hint = hint;
    }

    /**
     * Makes the exception for a request of an operation whose earlier requests were stored.
     * {@code first} is the number of the first row in the refused request.
     */
    ScoterException(ScoterException refused, long first) {
        super(refused.getMessage() + " (rows are counted from row " + first + ", those before it are stored)", refused);
        this.kind = refused.kind;
        this.hint = refused.hint;
    }

    /** Returns the kind of the error, such as {@code conflict}. docs/API.md lists the kinds. */
    public String kind() {
        return kind;
    }

    /** Returns a hint how to avoid the error, or null. */
    public String hint() {
        return hint;
    }
}
