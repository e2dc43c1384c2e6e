package com.scoterdb.client;

import java.sql.SQLException;
import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.duckdb.DuckDBConnection;

/**
 * Bulk operations by one statement that reads the rows from a table function. The thread that calls
 * takes the rows from the program and DuckDB's threads write them into their vectors; a thread of
 * its own waits for the statement. Few rows need none of that.
 */
final class ScoterDuckDbStatement {
    /**
     * From so many rows on, several of DuckDB's threads insert, and the order of rows in the table
     * is no longer theirs. bench/javaduckdb measures where it pays.
     */
    private static final int PARALLEL_ROWS = 65_536;

    /**
     * From so many rows on, and if the table has at most so many times as many, keys that rise are
     * looked up instead of joined.
     */
    private static final int SORTED_ROWS = 32_768;

    private static final int SORTED_SHARE = 4;

    private ScoterDuckDbStatement() {}

    /**
     * Runs an operation, all or nothing and in the open transaction if there is one; returns the
     * rows it changed. {@code ordered} is whether rows are inserted in their order.
     */
    static <T> long run(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows, boolean ordered)
            throws SQLException {
        long looked = rows instanceof Collection<T> c && c.size() >= SORTED_ROWS ? sorted(rt, bulk, c) : -1;
        if (looked >= 0) {
            return looked;
        }
        ScoterKeys<T> keys = null;
        // What is deleted again is not there any more.
        if (bulk.stage() != null
                && bulk.stage().dedupe() != null
                && !bulk.stage().apply().startsWith("DELETE ")) {
            keys = new ScoterKeys<>(bulk.columns(), rows);
        }
        return new Run<>(rt, bulk, keys, ordered).over(rows.iterator(), rows instanceof Collection<?> c ? c.size() : 0);
    }

    /**
     * Updates or deletes by rows whose keys rise, which need no join; -1 if these are others, or a
     * small part of the table.
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

    /** One operation: a statement, and one more for keys that came again. */
    private static final class Run<T> {
        private final ScoterRuntime rt;
        private final ScoterRuntime.Bulk<T> bulk;
        /** Leaves out rows whose key has come before; null if they may. */
        private final ScoterKeys<T> keys;

        private final boolean ordered;

        Run(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, ScoterKeys<T> keys, boolean ordered) {
            this.rt = rt;
            this.bulk = bulk;
            this.keys = keys;
            this.ordered = ordered;
        }

        /** {@code expected} is how many rows there are, or 0 if that is not known. */
        long over(Iterator<T> rows, int expected) throws SQLException {
            // Of many rows DuckDB's threads look at the keys, which takes as long as to write them.
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
                // One statement is all or nothing by itself.
                boolean one = keys == null || few && !many && keys.again().isEmpty();
                return one
                        ? statement.run()
                        : rt.transaction(() -> {
                            long changed = statement.run();
                            if (!keys.again().isEmpty()) {
                                // These have been counted.
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
                // Who writes the key fails too, and says which row it is.
                return true;
            }
        }

        /**
         * The statement over the rows of a source. Every concatenation by operators would be code
         * of its own, which takes a tenth of a millisecond where it was not run for a while.
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
            // DuckDB inserts with one thread where rows have an order to keep, which those of a
            // group by have not.
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

        /** Waits for the statement's end: before it, the connection is not the caller's. */
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
