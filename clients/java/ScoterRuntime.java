package com.scoterdb.client;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Runs the statements of generated classes on one JDBC connection.
 *
 * <p>Like the connection, it must not be used by several threads at once.
 */
final class ScoterRuntime extends ScoterObserved {
    /** The maximum number of cached prepared statements. Most programs have fewer. */
    private static final int MAX_STATEMENTS = 256;

    /** The number of rows that a statement batch collects before it is sent. */
    private static final int BATCH_ROWS = 1000;

    /** The number of rows that a stream from PostgreSQL fetches at a time. */
    private static final int FETCH_ROWS = 1000;

    /**
     * The {@link #cursors} of each connection. All runtimes on a connection share them: otherwise
     * an operation could join the transaction of another runtime's stream, and report success
     * before the transaction is committed.
     *
     * <p>Classes that are generated into another package have a runtime class of their own, which
     * does not share this map.
     */
    private static final Map<Connection, AtomicInteger> CURSORS = Collections.synchronizedMap(new WeakHashMap<>());

    final Connection connection;
    final ScoterTypes.Engine engine;
    private final Map<String, PreparedStatement> statements;
    /** Whether DuckDB streams its results. Null until it is needed for the first time. */
    Boolean streams;
    /** The number of open streams in the transaction that the first of them began. */
    private final AtomicInteger cursors;

    ScoterRuntime(Connection connection, ScoterTypes.Engine engine, SqgObserver observer) {
        super(observer);
        this.connection = connection;
        this.engine = engine;
        this.cursors = CURSORS.computeIfAbsent(connection, c -> new AtomicInteger());
        this.statements = new LinkedHashMap<>(16, 0.75f, true);
    }

    /** The current row of a JDBC result. */
    record ResultRow(ResultSet rs, ScoterTypes.Engine engine) implements ScoterTypes.Row {
        @Override
        public <T> T get(ScoterTypes.Type<T> type, int column) throws SQLException {
            return type.read(engine, rs, column);
        }
    }

    /** Converts the current row to a result of the generated code. */
    @FunctionalInterface
    interface Reader<T> {
        T read(ScoterTypes.Row row) throws SQLException;
    }

    /** Returns the values of a row or parameter set. */
    @FunctionalInterface
    interface Values<T> {
        ScoterTypes.Arg<?>[] of(T row);
    }

    /**
     * A bulk operation on one table. {@code target} is the table in SQL. {@code statement} is
     * SQLite's statement for one row, or PostgreSQL's statement with an array of values per column;
     * it is null if there is none. {@code stage} is null if rows are written directly into the
     * table.
     */
    record Bulk<T>(
            String name,
            String schema,
            String table,
            String target,
            String statement,
            Stage stage,
            List<ScoterTypes.Column<T, ?>> columns) {
        /** Returns the columns' names for SQL, separated by commas, each with a prefix. */
        String columnList(String prefix) {
            return columnList(prefix, columns);
        }

        /** Returns the names of some columns for SQL, separated by commas, each with a prefix. */
        static String columnList(String prefix, List<? extends ScoterTypes.Column<?, ?>> columns) {
            StringBuilder list = new StringBuilder();
            for (ScoterTypes.Column<?, ?> column : columns) {
                list.append(list.isEmpty() ? "" : ", ")
                        .append(prefix)
                        .append('"')
                        .append(column.name().replace("\"", "\"\""))
                        .append('"');
            }
            return list.toString();
        }

        /** Returns the function that takes the values from a row. */
        Values<T> values() {
            return row -> {
                ScoterTypes.Arg<?>[] values = new ScoterTypes.Arg<?>[columns.size()];
                for (int i = 0; i < values.length; i++) {
                    values[i] = columns.get(i).arg(row);
                }
                return values;
            };
        }
    }

    /** The statements for a temporary table that is filled and then applied to the target. */
    record Stage(String table, String create, String dedupe, String apply, String drop) {}

    private PreparedStatement prepare(String sql, ScoterTypes.Arg<?>[] args) throws SQLException {
        PreparedStatement statement = statements.remove(sql);
        if (statement == null || statement.isClosed()) {
            statement = connection.prepareStatement(sql);
        }
        try {
            bind(statement, args);
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
        return statement;
    }

    /**
     * Caches a statement for its next use, and closes the oldest one if there are too many.
     * DuckDB's statements are closed instead: DuckDB plans a statement once with the statistics of
     * that moment, and returns wrong values after they have changed.
     */
    private void release(String sql, PreparedStatement statement) throws SQLException {
        if (engine == ScoterTypes.Engine.DUCKDB) {
            statement.close();
            return;
        }
        PreparedStatement other = statements.put(sql, statement);
        if (other != null) {
            other.close();
        }
        if (statements.size() > MAX_STATEMENTS) {
            Iterator<PreparedStatement> oldest = statements.values().iterator();
            oldest.next().close();
            oldest.remove();
        }
    }

    void bind(PreparedStatement statement, ScoterTypes.Arg<?>[] args) throws SQLException {
        for (int i = 0; i < args.length; i++) {
            args[i].bind(engine, connection, statement, i + 1);
        }
    }

    <T> List<T> all(String name, String sql, Reader<T> reader, ScoterTypes.Arg<?>... args) throws SQLException {
        return observe(name, r -> (long) r.size(), () -> {
            PreparedStatement statement = prepare(sql, args);
            List<T> results = new ArrayList<>();
            try (ResultSet rs = statement.executeQuery()) {
                ScoterTypes.Row row = new ResultRow(rs, engine);
                while (rs.next()) {
                    results.add(reader.read(row));
                }
            } catch (SQLException | RuntimeException e) {
                statement.close();
                throw e;
            }
            release(sql, statement);
            return results;
        });
    }

    /** Returns the first row, or null if there is none. */
    <T> T one(String name, String sql, Reader<T> reader, ScoterTypes.Arg<?>... args) throws SQLException {
        boolean[] found = {false};
        return observe(name, r -> found[0] ? 1L : 0L, () -> {
            PreparedStatement statement = prepare(sql, args);
            T result = null;
            // PostgreSQL's driver reads all rows before it returns the first. setMaxRows would
            // avoid that, but then the server uses no parallel workers, not even for SELECT
            // count(*), and does not call functions for later rows.
            try (ResultSet rs = statement.executeQuery()) {
                if (rs.next()) {
                    found[0] = true;
                    result = reader.read(new ResultRow(rs, engine));
                }
            } catch (SQLException | RuntimeException e) {
                statement.close();
                throw e;
            }
            release(sql, statement);
            return result;
        });
    }

    int exec(String name, String sql, ScoterTypes.Arg<?>... args) throws SQLException {
        return observe(name, Integer::longValue, () -> {
            PreparedStatement statement = prepare(sql, args);
            int changed;
            try {
                // Some kinds of statements return neither rows nor a count.
                changed = statement.execute() ? 0 : Math.max(0, statement.getUpdateCount());
            } catch (SQLException | RuntimeException e) {
                statement.close();
                throw e;
            }
            release(sql, statement);
            return changed;
        });
    }

    /**
     * Streams rows. PostgreSQL sends rows in portions only inside a transaction. If no transaction
     * is open, the stream begins one, which lasts until the stream is closed. Changes that other
     * statements make meanwhile are committed with it.
     */
    <T> Stream<T> stream(String name, String sql, Reader<T> reader, int fetchSize, ScoterTypes.Arg<?>... args)
            throws SQLException {
        SqgObserver.Scope scope = start(name);
        boolean own = false;
        ScoterCursor<T> cursor = null;
        try {
            own = engine == ScoterTypes.Engine.POSTGRES && (cursors.get() > 0 || !joins());
            if (own && cursors.getAndIncrement() == 0) {
                connection.setAutoCommit(false);
            }
            PreparedStatement statement = connection.prepareStatement(sql);
            cursor = new ScoterCursor<>(this, statement, reader, scope, own);
            if (fetchSize > 0 || engine == ScoterTypes.Engine.POSTGRES) {
                statement.setFetchSize(fetchSize > 0 ? fetchSize : FETCH_ROWS);
            }
            bind(statement, args);
            cursor.open();
        } catch (SQLException | RuntimeException e) {
            if (cursor != null) {
                cursor.close(e);
            } else {
                try {
                    if (own) {
                        endStream();
                    }
                } catch (SQLException ending) {
                    e.addSuppressed(ending);
                }
                if (scope != null) {
                    scope.end(-1, e);
                }
            }
            throw e;
        }
        ScoterCursor<T> open = cursor;
        return StreamSupport.stream(open, false).onClose(open::closeUnchecked);
    }

    /** Ends a stream's use of the transaction that streams share. The last stream commits it. */
    void endStream() throws SQLException {
        if (cursors.decrementAndGet() > 0) {
            return;
        }
        try {
            // fails if the server has ended the transaction; then the changes of other statements
            // are lost
            connection.commit();
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /**
     * Runs a statement once for each row. Either all runs take effect or none. Returns the number
     * of changed rows of each run.
     */
    <T> int[] batch(String name, String sql, Values<T> values, Iterable<T> rows) throws SQLException {
        return observe(
                name,
                counts -> {
                    long sum = 0;
                    for (int n : counts) {
                        sum += Math.max(0, n);
                    }
                    return sum;
                },
                () -> transaction(() -> {
                    List<int[]> parts = new ArrayList<>();
                    try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        int waiting = 0;
                        for (T row : rows) {
                            bind(statement, values.of(row));
                            statement.addBatch();
                            if (++waiting == BATCH_ROWS) {
                                parts.add(statement.executeBatch());
                                waiting = 0;
                            }
                        }
                        if (waiting > 0) {
                            parts.add(statement.executeBatch());
                        }
                    }
                    return parts.stream().flatMapToInt(Arrays::stream).toArray();
                }));
    }

    /**
     * Creates a temporary table, fills it with {@code fill}, and applies it. Returns the number of
     * changed rows.
     */
    long staged(Stage stage, Body<Long> fill) throws SQLException {
        execute(stage.create());
        try {
            fill.run();
            if (stage.dedupe() != null) {
                execute(stage.dedupe());
            }
            long changed;
            try (var statement = connection.createStatement()) {
                changed = statement.executeLargeUpdate(stage.apply());
            }
            execute(stage.drop());
            return changed;
        } catch (SQLException | RuntimeException e) {
            try {
                execute(stage.drop());
            } catch (SQLException dropped) {
                // The table is already dropped if the transaction was aborted.
                e.addSuppressed(dropped);
            }
            throw e;
        }
    }

    void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * Runs body in a transaction. If a transaction is already open, body runs in it behind a
     * savepoint, so that a failure undoes only body. DuckDB has no savepoints: after a failure
     * inside an open transaction, that transaction can only be rolled back.
     */
    <T> T transaction(Body<T> body) throws SQLException {
        return transaction(true, body);
    }

    <T> T transaction(boolean commit, Body<T> body) throws SQLException {
        if (joins()) {
            return engine == ScoterTypes.Engine.DUCKDB ? joined(body) : nested(commit, body);
        }
        connection.setAutoCommit(false);
        T result;
        try {
            result = body.run();
            if (commit) {
                connection.commit();
            } else {
                connection.rollback();
            }
        } catch (SQLException | RuntimeException | Error e) {
            // These calls fail if the database has already ended the transaction. That must not
            // hide the first error.
            try {
                connection.rollback();
            } catch (SQLException rollback) {
                e.addSuppressed(rollback);
            }
            try {
                connection.setAutoCommit(true);
            } catch (SQLException automatic) {
                e.addSuppressed(automatic);
            }
            throw e;
        }
        connection.setAutoCommit(true);
        return result;
    }

    private <T> T joined(Body<T> body) throws SQLException {
        try {
            return body.run();
        } catch (SQLException | RuntimeException | Error e) {
            try {
                execute("SELECT error('a part of this transaction has failed')");
            } catch (SQLException aborted) {
                // The statement fails on purpose, so that the transaction can no longer be
                // committed.
            }
            throw e;
        }
    }

    private <T> T nested(boolean commit, Body<T> body) throws SQLException {
        execute("SAVEPOINT _scoter");
        T result;
        try {
            result = body.run();
        } catch (SQLException | RuntimeException | Error e) {
            try {
                undo("_scoter");
            } catch (SQLException undone) {
                e.addSuppressed(undone); // the database has already ended the whole transaction
            }
            throw e;
        }
        if (commit) {
            execute("RELEASE _scoter");
        } else {
            undo("_scoter");
        }
        return result;
    }

    /** Undoes everything since a savepoint, and removes the savepoint. */
    void undo(String savepoint) throws SQLException {
        execute("ROLLBACK TO " + savepoint);
        execute("RELEASE " + savepoint);
    }

    /**
     * Returns whether a transaction is open that the next operation joins. Throws if that
     * transaction belongs to an open stream, because the operation could neither commit it nor roll
     * it back alone.
     */
    boolean joins() throws SQLException {
        if (cursors.get() > 0) {
            throw new SQLException("a stream is open: close it before, or run both in one transaction", "25001");
        }
        if (!connection.getAutoCommit()) {
            return true;
        }
        return switch (engine) {
            case SQLITE -> begunInSqlite();
            // The id is that of the default database. If that is not a DuckDB database, an open
            // transaction is not detected.
            case DUCKDB ->
                value("SELECT type FROM duckdb_databases() WHERE database_name = current_database()")
                                .equals("duckdb")
                        && constant("SELECT txid_current()");
            case POSTGRES -> begunInPostgres();
        };
    }

    /**
     * Returns whether a query returns the same value twice. A transaction id only does so inside a
     * transaction. This detects transactions begun by a BEGIN statement, which the drivers do not
     * notice.
     */
    private boolean constant(String sql) throws SQLException {
        return value(sql).equals(value(sql));
    }

    private boolean begunInSqlite() throws SQLException {
        try (var statement = connection.createStatement()) {
            // succeeds only outside a transaction, and takes no lock
            statement.executeUpdate("BEGIN; COMMIT");
            return false;
        } catch (SQLException e) {
            if (String.valueOf(e.getMessage()).contains("within a transaction")) {
                return true;
            }
            throw e;
        }
    }

    /**
     * Returns whether a BEGIN statement has begun a transaction in PostgreSQL. The driver knows
     * this from the server's responses. If the driver's connection is not accessible, the
     * transaction's lock on itself shows it.
     */
    private boolean begunInPostgres() throws SQLException {
        try {
            // Use reflection, because this file must also compile without PostgreSQL's driver.
            Class<?> driver = Class.forName("org.postgresql.core.BaseConnection");
            if (connection.isWrapperFor(driver)) {
                return !driver.getMethod("getTransactionState")
                        .invoke(connection.unwrap(driver))
                        .toString()
                        .equals("IDLE");
            }
        } catch (ReflectiveOperationException e) {
            // This is another driver, or a version without that method.
        }
        return constant("SELECT virtualxid FROM pg_locks WHERE locktype = 'virtualxid' AND pid = pg_backend_pid()");
    }

    /**
     * Returns the first value of a query's result as text, or an empty string if there are no rows.
     */
    String value(String sql) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet rs = statement.executeQuery(sql)) {
            return rs.next() ? rs.getString(1) : "";
        }
    }

    /**
     * Attaches a PostgreSQL database to DuckDB. {@code sqlName} is used in SQL as it is, so the
     * caller must quote it.
     */
    static void attachPostgres(Connection connection, String sqlName, String dsn) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("ATTACH '" + dsn.replace("'", "''") + "' AS " + sqlName + " (TYPE postgres)");
        }
    }

    /** Closes the cached statements, but not the connection. */
    void close() throws SQLException {
        for (PreparedStatement statement : statements.values()) {
            statement.close();
        }
        statements.clear();
    }
}
