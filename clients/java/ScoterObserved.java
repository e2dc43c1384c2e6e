package com.scoterdb.client;

import java.sql.SQLException;
import java.util.function.Function;

/** Runs operations and reports them to the observer, if there is one. */
class ScoterObserved {
    private final SqgObserver observer;

    ScoterObserved(SqgObserver observer) {
        this.observer = observer;
    }

    /** The work of an operation. */
    @FunctionalInterface
    interface Body<T> {
        T run() throws SQLException;
    }

    /**
     * Tells the observer that an operation begins. Returns null if there is no observer, or if it
     * ignores the operation's end.
     */
    SqgObserver.Scope start(String name) {
        return observer == null ? null : observer.start(name);
    }

    /**
     * Runs an operation and reports it to the observer. {@code count} returns the number of rows of
     * the result.
     */
    <T> T observe(String name, Function<T, Long> count, Body<T> body) throws SQLException {
        SqgObserver.Scope scope = start(name);
        if (scope == null) {
            return body.run();
        }
        T result;
        try {
            result = body.run();
        } catch (SQLException | RuntimeException | Error e) {
            scope.end(-1, e);
            throw e;
        }
        scope.end(count.apply(result), null);
        return result;
    }
}
