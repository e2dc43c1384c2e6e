package tasks;

import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.postgresql.PGConnection;

/**
 * Runs bulk operations on PostgreSQL, on the given connection and in its transaction. Few rows are
 * written by one statement with an array per column. Many rows are written by COPY. For update,
 * delete and upsert, COPY fills a temporary table, which one statement then applies.
 */
public final class ScoterPostgres {
    /**
     * Up to this number of rows, one statement takes less time than COPY. The first limit is for
     * operations without a temporary table, the second for those with one. bench/javapostgres
     * measures these limits.
     */
    private static final int UNNEST_INSERT_ROWS = 500;

    private static final int UNNEST_STAGED_ROWS = 1000;

    /** A column of the temporary table that numbers its rows. */
    private static final String NUMBER = "\"_scoter_n\"";

    private ScoterPostgres() {}

    /**
     * Forces how a bulk operation writes its rows. Without a route, the operation chooses. If the
     * given route is not possible, the next one below it is used.
     */
    public enum Route {
        /** One statement with an array per column, whatever the number of rows. */
        UNNEST,
        /** COPY in binary format. Requires a binary writer for each column's type. */
        BINARY,
        /**
         * COPY in text format. Requires the connection of PostgreSQL's driver, and a table without
         * rules and row security.
         */
        TEXT,
        /** Writes each row with an INSERT, in batches. */
        INSERT
    }

    /** A bulk operation and the function that writes a row in binary format. */
    record Operation<T>(ScoterRuntime.Bulk<T> bulk, ScoterCopyRow.Writer<T> writer) {}

    /**
     * Runs a bulk operation in one transaction. Returns the number of changed rows. If
     * {@code route} is null, the number of rows decides.
     */
    static <T> long bulk(ScoterRuntime rt, Route route, Operation<T> operation, Iterable<T> rows) throws SQLException {
        ScoterRuntime.Bulk<T> bulk = operation.bulk();
        return rt.observe(bulk.name(), Function.identity(), () -> {
            if (bulk.statement() == null || route != null && route != Route.UNNEST) {
                return copied(rt, route, operation, rows, rows);
            }
            int most = route == Route.UNNEST
                    ? Integer.MAX_VALUE - 1
                    : bulk.stage() == null ? UNNEST_INSERT_ROWS : UNNEST_STAGED_ROWS;
            var read = new ScoterUnnest.Rows<>(rows, most);
            if (read.few(most)) {
                try {
                    return ScoterUnnest.run(rt, bulk, read);
                } catch (SQLException | RuntimeException e) {
                    // Nothing was written. COPY will fail too, but it says which row is to blame.
                    if (rt.connection.isClosed()) {
                        throw e;
                    }
                }
            }
            return copied(rt, route, operation, read, read.again(most));
        });
    }

    /**
     * Runs an operation with COPY. {@code again} provides the same rows a second time, to find the
     * row that the server refuses.
     */
    private static <T> long copied(
            ScoterRuntime rt, Route route, Operation<T> operation, Iterable<T> rows, Iterable<T> again)
            throws SQLException {
        ScoterRuntime.Bulk<T> bulk = operation.bulk();
        try {
            return rt.transaction(() -> bulk.stage() == null
                    ? copy(insert(rt, route, operation), rows)
                    : staged(rt, route, operation, rows));
        } catch (ScoterRowException e) {
            throw e.in(bulk.name());
        } catch (SQLException e) {
            throw ScoterPostgresError.named(e, bulk, again);
        }
    }

    private static <T> ScoterCopy<T> insert(ScoterRuntime rt, Route route, Operation<T> operation) throws SQLException {
        ScoterRuntime.Bulk<T> bulk = operation.bulk();
        // EXPLAIN INSERT takes the same lock as an INSERT, and needs only the privileges that the
        // INSERT needs. While the lock is held, the columns of the table cannot change.
        String columns = bulk.columnList("");
        String lock = "EXPLAIN INSERT INTO " + bulk.target() + " (" + columns + ") VALUES ("
                + "DEFAULT, ".repeat(bulk.columns().size() - 1) + "DEFAULT)";
        return ScoterCopy.into(rt, plan(rt, route, lock, bulk.target(), bulk), bulk.target(), operation, null);
    }

    private static <T> ScoterCopyPlan plan(
            ScoterRuntime rt, Route route, String before, String table, ScoterRuntime.Bulk<T> bulk)
            throws SQLException {
        boolean copies = route != Route.INSERT && rt.connection.isWrapperFor(PGConnection.class);
        return ScoterCopyPlan.of(rt.connection, before, table, bulk.columns(), copies, route != Route.TEXT);
    }

    private static <T> long copy(ScoterCopy<T> copy, Iterable<T> rows) throws SQLException {
        try {
            for (T row : rows) {
                copy.add(row);
            }
            return copy.finish();
        } catch (SQLException | RuntimeException | Error e) {
            cancel(copy, e);
            throw e;
        }
    }

    private static void cancel(ScoterCopy<?> copy, Throwable e) {
        try {
            copy.cancel();
        } catch (SQLException | RuntimeException cancelled) {
            e.addSuppressed(cancelled);
        }
    }

    private static <T> long staged(ScoterRuntime rt, Route route, Operation<T> operation, Iterable<T> rows)
            throws SQLException {
        ScoterRuntime.Bulk<T> bulk = operation.bulk();
        ScoterRuntime.Stage stage = bulk.stage();
        String table = '"' + stage.table() + '"';
        ScoterCopyPlan plan = plan(rt, route, stage.create(), table, bulk);
        // Repeated rows do no harm if they consist only of the key.
        boolean only = bulk.columns().stream().allMatch(ScoterTypes.Column::key);
        ScoterCopyKeys keys = only ? null : new ScoterCopyKeys();
        String dedupe = stage.dedupe();
        if (!only && !plan.copies) {
            // The physical order of the rows is their order only after COPY. INSERT may fill free
            // space in earlier pages, so the rows need numbers.
            rt.execute("ALTER TABLE " + table + " ADD COLUMN " + NUMBER + " bigint GENERATED ALWAYS AS IDENTITY");
            String key = ScoterRuntime.Bulk.columnList(
                    "", bulk.columns().stream().filter(ScoterTypes.Column::key).toList());
            dedupe = "DELETE FROM " + table + " AS t WHERE NOT EXISTS (SELECT 1 FROM (SELECT max(" + NUMBER
                    + ") AS last FROM " + table + " GROUP BY " + key + ") AS s WHERE s.last = t." + NUMBER + ")";
        }
        copy(ScoterCopy.into(rt, plan, table, operation, keys), rows);
        if (!only && (keys.repeated() || !plan.canonicalKeys)) {
            rt.execute(dedupe);
        }
        try (var statement = rt.connection.createStatement()) {
            statement.execute(stage.apply() + "; " + stage.drop());
            return statement.getLargeUpdateCount();
        }
    }

    /**
     * Copies rows until it is closed, and then writes all of them atomically. After a failure
     * nothing is written, and {@code append} and {@code close} throw. The connection cannot be used
     * for anything else until the appender is closed.
     */
    public static final class Appender<T> implements AutoCloseable {
        private final ScoterRuntime rt;
        private final ScoterRuntime.Bulk<T> bulk;
        private final ScoterCopy<T> copy;
        /** Whether the appender has begun the transaction itself. */
        private final boolean own;

        private final ScoterFailure failure = new ScoterFailure();
        private boolean closed;

        Appender(ScoterRuntime rt, Route route, Operation<T> operation) throws SQLException {
            this.rt = rt;
            this.bulk = operation.bulk();
            this.own = !rt.joins();
            if (own) {
                rt.connection.setAutoCommit(false);
            }
            try {
                this.copy = insert(rt, route, operation);
            } catch (SQLException | RuntimeException e) {
                failure.of(e);
                end();
                throw e;
            }
        }

        /** Runs a step whose failure is final: nothing is written after it. */
        private <R> R attempt(ScoterRuntime.Body<R> body) throws SQLException {
            failure.check();
            try {
                return body.run();
            } catch (ScoterRowException e) {
                throw failure.of(e.in(bulk.name()));
            } catch (SQLException e) {
                throw failure.of(ScoterPostgresError.named(e, bulk, List.of()));
            } catch (RuntimeException | Error e) {
                failure.of(e);
                throw e;
            }
        }

        /** Adds a row. Throws an exception with the row's number if the row cannot be written. */
        public Appender<T> append(T row) throws SQLException {
            return attempt(() -> {
                copy.add(row);
                return this;
            });
        }

        /** Adds all rows. If reading or adding one of them fails, the appender writes nothing. */
        public Appender<T> appendMany(Iterable<T> rows) throws SQLException {
            try {
                for (T row : rows) {
                    append(row);
                }
            } catch (RuntimeException | Error e) {
                failure.of(e);
                throw e;
            }
            return this;
        }

        /** Sends the collected rows to the server. They become visible only after {@code close}. */
        public Appender<T> flush() throws SQLException {
            return attempt(() -> {
                copy.flush();
                return this;
            });
        }

        @Override
        public void close() throws SQLException {
            if (closed) {
                return;
            }
            closed = true;
            try {
                if (failure.happened()) {
                    copy.cancel();
                } else {
                    attempt(copy::finish);
                }
            } finally {
                end();
            }
            failure.check();
        }

        private void end() throws SQLException {
            if (!own) {
                return;
            }
            try {
                if (failure.happened()) {
                    rt.connection.rollback();
                } else {
                    rt.connection.commit();
                }
            } finally {
                rt.connection.setAutoCommit(true);
            }
        }
    }
}
