package tasks;

import java.sql.SQLException;
import java.util.function.Function;
import org.postgresql.PGConnection;

/**
 * Bulk operations of PostgreSQL: COPY, and for update, delete and upsert a temporary table that is
 * filled by COPY and then applied by one statement. All is done on the connection it is given and in
 * its transaction.
 *
 * <p>Rows go in PostgreSQL's binary form; as text if a column's type has no writer for that; by INSERT
 * statements if the connection, some pool's, does not lead to the driver's, or if the table is a view
 * or has row security or rules. The system property {@code scoter.postgres.route}, {@code binary},
 * {@code text} or {@code insert}, names the first of them to try.
 */
public final class ScoterPostgres {
    private ScoterPostgres() {}

    /** Runs a bulk operation in one transaction; returns the rows it changed. */
    static <T> long bulk(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows) throws SQLException {
        return rt.observe(bulk.name(), Function.identity(), () -> {
            try {
                return rt.transaction(() -> bulk.stage() == null ? copy(insert(rt, bulk), rows) : staged(rt, bulk, rows));
            } catch (ScoterRowException e) {
                throw e.in(bulk.name());
            } catch (SQLException e) {
                throw ScoterPostgresError.named(e, bulk, rows);
            }
        });
    }

    private static <T> ScoterCopy<T> insert(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk) throws SQLException {
        // To explain an INSERT takes its lock and asks for no other right: the columns stay as they are.
        String columns = bulk.columnList("");
        String lock = "EXPLAIN INSERT INTO " + bulk.target() + " (" + columns + ") VALUES (" + "DEFAULT, ".repeat(bulk.columns().size() - 1) + "DEFAULT)";
        return ScoterCopy.into(rt, plan(rt, lock, bulk.target(), bulk), bulk.target(), bulk, null);
    }

    private static <T> ScoterCopyPlan plan(ScoterRuntime rt, String before, String table, ScoterRuntime.Bulk<T> bulk) throws SQLException {
        String route = System.getProperty("scoter.postgres.route", "binary");
        boolean copies = rt.connection.isWrapperFor(PGConnection.class);
        return switch (route) {
            case "binary" -> ScoterCopyPlan.of(rt.connection, before, table, bulk.columns(), copies, true);
            case "text" -> ScoterCopyPlan.of(rt.connection, before, table, bulk.columns(), copies, false);
            case "insert" -> ScoterCopyPlan.of(rt.connection, before, table, bulk.columns(), false, false);
            default -> throw new SQLException("scoter.postgres.route is binary, text or insert, not " + route);
        };
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

    private static <T> long staged(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows) throws SQLException {
        ScoterRuntime.Stage stage = bulk.stage();
        String table = '"' + stage.table() + '"';
        ScoterCopyPlan plan = plan(rt, stage.create(), table, bulk);
        // Rows that are nothing but keys may come again.
        boolean only = bulk.columns().stream().allMatch(ScoterTypes.Column::key);
        ScoterCopyKeys keys = only ? null : new ScoterCopyKeys();
        copy(ScoterCopy.into(rt, plan, table, bulk, keys), rows);
        if (!only && (keys.repeated() || !plan.canonicalKeys)) {
            rt.execute(stage.dedupe());
        }
        try (var statement = rt.connection.createStatement()) {
            statement.execute(stage.apply() + "; " + stage.drop());
            return statement.getLargeUpdateCount();
        }
    }

    /**
     * Copies rows until it is closed; nothing is written before, and nothing at all after a failure. The
     * connection can do nothing else meanwhile.
     */
    public static final class Appender<T> implements AutoCloseable {
        private final ScoterRuntime rt;
        private final ScoterRuntime.Bulk<T> bulk;
        private final ScoterCopy<T> copy;
        /** Whether the transaction is this one's own. */
        private final boolean own;

        private boolean failed;
        private boolean closed;

        Appender(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk) throws SQLException {
            this.rt = rt;
            this.bulk = bulk;
            this.own = rt.connection.getAutoCommit();
            if (own) {
                rt.connection.setAutoCommit(false);
            }
            try {
                this.copy = insert(rt, bulk);
            } catch (SQLException | RuntimeException e) {
                failed = true;
                end();
                throw e;
            }
        }

        /** Adds a row; one that cannot be written is named. */
        public Appender<T> append(T row) throws SQLException {
            try {
                copy.add(row);
                return this;
            } catch (ScoterRowException e) {
                failed = true;
                throw e.in(bulk.name());
            } catch (SQLException e) {
                failed = true;
                throw ScoterPostgresError.named(e, bulk, () -> java.util.Collections.emptyIterator());
            }
        }

        /** Adds all rows. If there is an error among them, nothing is written. */
        public Appender<T> appendMany(Iterable<T> rows) throws SQLException {
            boolean all = false;
            try {
                for (T row : rows) {
                    append(row);
                }
                all = true;
            } finally {
                failed |= !all;
            }
            return this;
        }

        /** Sends the rows that are collected. */
        public Appender<T> flush() throws SQLException {
            copy.flush();
            return this;
        }

        @Override
        public void close() throws SQLException {
            if (closed) {
                return;
            }
            closed = true;
            try {
                if (failed) {
                    copy.cancel();
                } else {
                    failed = true;
                    copy.finish();
                    failed = false;
                }
            } catch (SQLException e) {
                throw ScoterPostgresError.named(e, bulk, () -> java.util.Collections.emptyIterator());
            } finally {
                end();
            }
        }

        private void end() throws SQLException {
            if (!own) {
                return;
            }
            try {
                if (failed) {
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
