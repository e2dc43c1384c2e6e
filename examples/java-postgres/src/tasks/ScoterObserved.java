package tasks;

import java.sql.SQLException;
import java.util.function.Function;

/** Runs operations under an observer, if there is one. */
class ScoterObserved {
    private final SqgObserver observer;

    ScoterObserved(SqgObserver observer) {
        this.observer = observer;
    }

    /** What runs between the beginning and the end of an operation. */
    @FunctionalInterface
    interface Body<T> {
        T run() throws SQLException;
    }

    /** Tells the observer that an operation begins; null if nobody wants to know its end. */
    SqgObserver.Scope start(String name) {
        return observer == null ? null : observer.start(name);
    }

    /** Runs an operation under the observer. */
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
