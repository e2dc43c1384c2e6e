package readings;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Spliterator;
import java.util.function.Consumer;

/**
 * The rows of an open result set. It closes itself after the last row. The caller closes it if it
 * stops earlier.
 */
final class ScoterCursor<T> implements Spliterator<T> {
    private final ScoterRuntime rt;
    private final PreparedStatement statement;
    private final ScoterRuntime.Reader<T> reader;
    private final SqgObserver.Scope scope;
    private final boolean inTransaction;
    private ResultSet rows;
    private ScoterTypes.Row row;
    private boolean closed;
    private long count;
    private Throwable failure;

    /** {@code inTransaction} says whether this stream uses the transaction that streams share. */
    ScoterCursor(
            ScoterRuntime rt,
            PreparedStatement statement,
            ScoterRuntime.Reader<T> reader,
            SqgObserver.Scope scope,
            boolean inTransaction) {
        this.rt = rt;
        this.statement = statement;
        this.reader = reader;
        this.scope = scope;
        this.inTransaction = inTransaction;
    }

    void open() throws SQLException {
        rows = statement.executeQuery();
        row = new ScoterRuntime.ResultRow(rows, rt.engine);
    }

    @Override
    public boolean tryAdvance(Consumer<? super T> action) {
        if (closed) {
            return false;
        }
        T result;
        try {
            if (!rows.next()) {
                close();
                return false;
            }
            result = reader.read(row);
            count++;
        } catch (SQLException | RuntimeException e) {
            throw fail(e);
        }
        action.accept(result);
        return true;
    }

    @Override
    public Spliterator<T> trySplit() {
        return null;
    }

    @Override
    public long estimateSize() {
        return Long.MAX_VALUE;
    }

    @Override
    public int characteristics() {
        return ORDERED;
    }

    private RuntimeException fail(Exception e) {
        close(e);
        return e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
    }

    /** Closes the cursor after a failure and reports the failure to the observer. */
    void close(Exception e) {
        failure = e;
        try {
            close();
        } catch (SQLException closing) {
            e.addSuppressed(closing);
        }
    }

    void closeUnchecked() {
        try {
            close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void close() throws SQLException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            try {
                statement.close();
            } finally {
                if (inTransaction) {
                    rt.endStream();
                }
            }
        } catch (SQLException e) {
            failure = failure == null ? e : failure;
            throw e;
        } finally {
            if (scope != null) {
                scope.end(count, failure);
            }
        }
    }
}
