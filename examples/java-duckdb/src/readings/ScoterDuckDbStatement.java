package readings;

import java.sql.SQLException;
import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.duckdb.DuckDBConnection;

/**
 * Runs a bulk operation as one statement that reads the rows from a table function. The calling
 * thread takes the rows from the program, and DuckDB's threads write them into their vectors.
 * Meanwhile an additional thread waits for the statement. If there are only a few rows, the calling
 * thread does everything.
 */
final class ScoterDuckDbStatement {
    /**
     * From this number of rows on, several of DuckDB's threads insert, and the table does not keep
     * the order of the rows. bench/javaduckdb measures where this pays.
     */
    private static final int PARALLEL_ROWS = 65_536;

    /**
     * The limits for looking up rising keys instead of joining. There must be at least SORTED_ROWS
     * rows, and the table may have at most SORTED_SHARE times as many rows as the input.
     */
    private static final int SORTED_ROWS = 32_768;

    private static final int SORTED_SHARE = 4;

    private ScoterDuckDbStatement() {}

    /**
     * Runs an operation. Either all rows take effect or none. It joins the open transaction if
     * there is one. Returns the number of changed rows. {@code ordered} says whether an insert
     * keeps the order of the rows.
     */
    static <T> long run(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows, boolean ordered)
            throws SQLException {
        long looked = rows instanceof Collection<T> c && c.size() >= SORTED_ROWS ? sorted(rt, bulk, c) : -1;
        if (looked >= 0) {
            return looked;
        }
        ScoterKeys<T> keys = null;
        // Deleting a key a second time changes nothing, so a delete needs no deduplication.
        if (bulk.stage() != null
                && bulk.stage().dedupe() != null
                && !bulk.stage().apply().startsWith("DELETE ")) {
            keys = new ScoterKeys<>(bulk.columns(), rows);
        }
        return new Run<>(rt, bulk, keys, ordered).over(rows.iterator(), rows instanceof Collection<?> c ? c.size() : 0);
    }

    /**
     * Updates or deletes rows of the table without a join, if the keys of the input rise. Returns
     * -1 without a change if the keys do not rise or the input is too small a part of the table.
     */
    private static <T> long sorted(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, Collection<T> rows)
            throws SQLException {
        boolean delete = bulk.stage() != null && bulk.stage().apply().startsWith("DELETE ");
        if (!delete && (bulk.stage() == null || !bulk.stage().apply().startsWith("UPDATE "))) {
            return -1;
        }
        var connection = rt.connection.unwrap(DuckDBConnection.class);
        try (var statement = connection.createStatement();
                var count = statement.executeQuery("SELECT count(*) FROM " + bulk.target())) {
            count.next();
            if (count.getLong(1) / SORTED_SHARE > rows.size()) {
                return -1;
            }
        }
        try (ScoterSortedLookup lookup = ScoterSortedLookup.of(bulk.columns(), rows.toArray())) {
            if (lookup == null) {
                return -1;
            }
            String sql = delete ? lookup.delete(bulk.target()) : lookup.update(bulk.target());
            lookup.register(connection, false);
            try {
                return execute(connection, sql);
            } catch (SQLException e) {
                if (!ScoterSortedLookup.isUnknown(e)) {
                    throw e;
                }
                lookup.register(connection, true);
                return execute(connection, sql);
            }
        }
    }

    private static long execute(DuckDBConnection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            return statement.executeLargeUpdate(sql);
        }
    }

    /**
     * One run of an operation: a statement over the rows, and a second one for the last row of each
     * repeated key.
     */
    private static final class Run<T> {
        private final ScoterRuntime rt;
        private final ScoterRuntime.Bulk<T> bulk;
        /** Filters out rows whose key occurred before. Null if repeated keys are allowed. */
        private final ScoterKeys<T> keys;

        private final boolean ordered;

        Run(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, ScoterKeys<T> keys, boolean ordered) {
            this.rt = rt;
            this.bulk = bulk;
            this.keys = keys;
            this.ordered = ordered;
        }

        /**
         * Runs the operation over rows. {@code expected} is the number of rows, or 0 if it is not
         * known.
         */
        long over(Iterator<T> rows, int expected) throws SQLException {
            // If there are many rows, DuckDB's threads check the keys, because that takes as long
            // as writing the rows.
            boolean many = expected > PARALLEL_ROWS;
            try (var source = new ScoterDuckDbSource<T>(bulk.columns(), expected, many ? keys : null)) {
                ScoterKeys<T> here = many ? null : keys;
                while (source.batches().rows() < PARALLEL_ROWS && rows.hasNext()) {
                    add(source, here, rows.next());
                }
                boolean few = !rows.hasNext();
                if (few) {
                    source.batches().end();
                }
                ScoterRuntime.Body<Long> statement = () -> few
                        ? change(source, sql(source, false))
                        : overlapped(source, here, rows, sql(source, !ordered));
                // A single statement is atomic without a transaction.
                boolean one = keys == null || few && !many && keys.again().isEmpty();
                return one
                        ? statement.run()
                        : rt.transaction(() -> {
                            long changed = statement.run();
                            if (!keys.again().isEmpty()) {
                                // These rows are already included in the count.
                                new Run<>(rt, bulk, null, ordered)
                                        .over(
                                                keys.again().iterator(),
                                                keys.again().size());
                            }
                            return changed;
                        });
            }
        }

        private boolean add(ScoterDuckDbSource<T> source, ScoterKeys<T> keys, T row) {
            return keys != null && !isNew(keys, row) || source.batches().add(row);
        }

        private boolean isNew(ScoterKeys<T> keys, T row) {
            try {
                return keys.isNew(row);
            } catch (RuntimeException e) {
                // Writing the row fails for the same reason and names the row.
                return true;
            }
        }

        /**
         * Returns the statement over the rows of a source. It uses a StringBuilder, because each
         * concatenation with {@code +} is code of its own that takes a tenth of a millisecond when
         * it has not run for a while.
         */
        private String sql(ScoterDuckDbSource<T> source, boolean parallel) {
            StringBuilder sql = new StringBuilder(512);
            if (bulk.stage() != null) {
                String stage =
                        sql.append('"').append(bulk.stage().table()).append('"').toString();
                return bulk.stage().apply().replace(stage, source.sql());
            }
            sql.append("INSERT INTO ")
                    .append(bulk.target())
                    .append(" (")
                    .append(bulk.columnList(""))
                    .append(") SELECT ")
                    .append(bulk.columnList("s."))
                    .append(" FROM ")
                    .append(source.sql())
                    .append(" AS s");
            // DuckDB inserts with a single thread if it has to keep the order of the rows. Rows
            // that are joined with a grouped query have no order to keep.
            return sql.append(parallel ? ", (SELECT DISTINCT n FROM (VALUES (1), (1)) AS v(n)) AS one" : "")
                    .toString();
        }

        private long overlapped(ScoterDuckDbSource<T> source, ScoterKeys<T> keys, Iterator<T> rows, String sql)
                throws SQLException {
            var statement = new FutureTask<Long>(() -> {
                try {
                    return change(source, sql);
                } finally {
                    source.batches().stop();
                }
            });
            var thread = new Thread(statement, "scoter-bulk");
            thread.setDaemon(true);
            thread.start();
            try {
                boolean wanted = true;
                while (wanted && rows.hasNext()) {
                    wanted = add(source, keys, rows.next());
                }
                source.batches().end();
            } catch (RuntimeException | Error e) {
                source.batches().fail(new IllegalStateException("the rows end with an error", e));
                finish(statement);
                throw e;
            }
            try {
                return finish(statement).get();
            } catch (InterruptedException | ExecutionException e) {
                if (e.getCause() instanceof SQLException sqlError) {
                    throw sqlError;
                }
                if (e.getCause() instanceof RuntimeException unchecked) {
                    throw unchecked;
                }
                throw new SQLException(e);
            }
        }

        /**
         * Waits for the end of the statement. The caller must not use the connection before that.
         */
        private static FutureTask<Long> finish(FutureTask<Long> statement) {
            boolean interrupted = false;
            while (!statement.isDone()) {
                try {
                    statement.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    break;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return statement;
        }

        private long change(ScoterDuckDbSource<T> source, String sql) throws SQLException {
            var connection = rt.connection.unwrap(DuckDBConnection.class);
            ScoterDuckDbSource.register(connection, false);
            try {
                try {
                    return execute(connection, sql);
                } catch (SQLException e) {
                    if (!ScoterDuckDbSource.isUnknown(e)) {
                        throw e;
                    }
                    ScoterDuckDbSource.register(connection, true);
                    return execute(connection, sql);
                }
            } catch (SQLException e) {
                if (source.batches().failure() instanceof ScoterRowException wrong) {
                    throw wrong;
                }
                throw e;
            }
        }
    }
}
