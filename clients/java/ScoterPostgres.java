package com.scoterdb.client;

import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.postgresql.PGConnection;

/**
 * Bulk operations of PostgreSQL: few rows by one statement with an array per column; many by COPY,
 * and for update, delete and upsert into a temporary table that one statement then applies. All is
 * done on the connection it is given and in its transaction.
 */
public final class ScoterPostgres {
    /**
     * Up to so many rows one statement takes less time than COPY does, without and with a temporary
     * table. bench/javapostgres measures where they meet.
     */
    private static final int UNNEST_INSERT_ROWS = 500;

    private static final int UNNEST_STAGED_ROWS = 1000;

    /** A column of the temporary table that numbers its rows. */
    private static final String NUMBER = "\"_scoter_n\"";

    private ScoterPostgres() {}

    /**
     * A way to write rows, where it is not left to the operation. It is the first one that is
     * tried: the ones below it are taken where it cannot write.
     */
    public enum Route {
        /** One statement with an array per column, whatever the number of rows. */
        UNNEST,
        /** COPY in binary form, which needs a writer for every column's type. */
        BINARY,
        /**
         * COPY in text form, which needs the driver's connection and a table without rules and row
         * security.
         */
        TEXT,
        /** An INSERT per row, in batches. */
        INSERT
    }

    /** A bulk operation, and what writes a row of it in binary form. */
    record Operation<T>(ScoterRuntime.Bulk<T> bulk, ScoterCopyRow.Writer<T> writer) {}

    /**
     * Runs a bulk operation in one transaction; returns the rows it changed. Without a route it
     * depends on the number of rows.
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
                    // Nothing is written. COPY fails too, and says which row it was.
                    if (rt.connection.isClosed()) {
                        throw e;
                    }
                }
            }
            return copied(rt, route, operation, read, read.again(most));
        });
    }

    /**
     * Runs an operation by COPY; {@code again} are the same rows, to look for the one that is
     * refused.
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
        // To explain an INSERT takes its lock and asks for no other right: the columns stay as they
        // are.
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
        // Rows that are nothing but keys may come again.
        boolean only = bulk.columns().stream().allMatch(ScoterTypes.Column::key);
        ScoterCopyKeys keys = only ? null : new ScoterCopyKeys();
        String dedupe = stage.dedupe();
        if (!only && !plan.copies) {
            // Places rise with COPY alone: INSERT fills what earlier pages have left.
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
     * Copies rows until it is closed; nothing is written before, and nothing at all after a
     * failure: to append and to close are errors then. The connection can do nothing else
     * meanwhile.
     */
    public static final class Appender<T> implements AutoCloseable {
        private final ScoterRuntime rt;
        private final ScoterRuntime.Bulk<T> bulk;
        private final ScoterCopy<T> copy;
        /** Whether the transaction is this one's own. */
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

        /** Does what must not fail: nothing is written any more then. */
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

        /** Adds a row; one that cannot be written is named. */
        public Appender<T> append(T row) throws SQLException {
            return attempt(() -> {
                copy.add(row);
                return this;
            });
        }

        /** Adds all rows. If there is an error among them, nothing is written. */
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

        /** Sends the rows that are collected. */
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
