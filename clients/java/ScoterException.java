package com.scoterdb.client;

import java.sql.SQLException;

/** The server refused a request: nothing of it was applied. */
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
     * The refusal of a request whose rows follow others, which are stored: the row that is its
     * first.
     */
    ScoterException(ScoterException refused, long first) {
        super(refused.getMessage() + " (rows are counted from row " + first + ", those before it are stored)", refused);
        this.kind = refused.kind;
        this.hint = refused.hint;
    }

    /** What kind of error it is: one of those in docs/API.md, such as {@code conflict}. */
    public String kind() {
        return kind;
    }

    /** What may help, or null. */
    public String hint() {
        return hint;
    }
}
