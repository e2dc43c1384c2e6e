package tasks;

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
 * Runs statements for generated classes over one JDBC connection.
 *
 * <p>Not for use by several threads at once, like the connection itself.
 */
final class ScoterRuntime extends ScoterObserved {
    /** Prepared statements kept open: more than most programs have. */
    private static final int MAX_STATEMENTS = 256;

    /** Rows that a statement batch collects before it is sent. */
    private static final int BATCH_ROWS = 1000;

    /** Rows that a stream from PostgreSQL asks for at a time. */
    private static final int FETCH_ROWS = 1000;

    /**
     * For each connection {@link #cursors} of all runtimes over it: a class that joined the
     * transaction of another's stream would say that something is written which is not committed. A
     * class generated into another package has a runtime of its own, which does not know.
     */
    private static final Map<Connection, AtomicInteger> CURSORS = Collections.synchronizedMap(new WeakHashMap<>());

    final Connection connection;
    final ScoterTypes.Engine engine;
    private final Map<String, PreparedStatement> statements;
    /** Whether DuckDB's results stream, null if nobody asked. */
    Boolean streams;
    /** Streams that are open in a transaction which one of them began. */
    private final AtomicInteger cursors;

    ScoterRuntime(Connection connection, ScoterTypes.Engine engine, SqgObserver observer) {
        super(observer);
        this.connection = connection;
        this.engine = engine;
        this.cursors = CURSORS.computeIfAbsent(connection, c -> new AtomicInteger());
        this.statements = new LinkedHashMap<>(16, 0.75f, true);
    }

    /** The present row of a JDBC result. */
    record ResultRow(ResultSet rs, ScoterTypes.Engine engine) implements ScoterTypes.Row {
        @Override
        public <T> T get(ScoterTypes.Type<T> type, int column) throws SQLException {
            return type.read(engine, rs, column);
        }
    }

    /** Makes one result of the present row. */
    @FunctionalInterface
    interface Reader<T> {
        T read(ScoterTypes.Row row) throws SQLException;
    }

    /** The values of one parameter set or row. */
    @FunctionalInterface
    interface Values<T> {
        ScoterTypes.Arg<?>[] of(T row);
    }

    /**
     * A bulk operation on a table, named in SQL by {@code target}. {@code statement} is SQLite's,
     * of one row, or PostgreSQL's, of an array of values per column, null where there is none.
     * {@code stage} is null when rows go straight into the table.
     */
    record Bulk<T>(
            String name,
            String schema,
            String table,
            String target,
            String statement,
            Stage stage,
            List<ScoterTypes.Column<T, ?>> columns) {
        /** The columns' names in SQL, each behind the prefix. */
        String columnList(String prefix) {
            return columnList(prefix, columns);
        }

        /** The same of some columns. */
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

        /** The values of a row. */
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

    /** A temporary table that is filled and then applied. */
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
     * Keeps a statement for its next use; the oldest goes when there are too many. DuckDB plans a
     * statement once, by the statistics of that moment, and gives wrong values when they have
     * changed: there none is kept.
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

    /** The first row, or null. */
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
                // A statement may be of a kind that is neither rows nor a count.
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
     * Reads row by row. PostgreSQL sends rows in portions only inside a transaction: when there is
     * none, one is begun for as long as the stream lives. What other statements change meanwhile is
     * committed with it.
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
            // an error if the server has ended it: what other statements changed is lost then
            connection.commit();
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /** Runs a statement once per parameter set, all or nothing; returns each one's count. */
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

    /** Fills a stage by {@code fill}, applies it, and returns the rows it changed. */
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
                // The failed transaction takes the table with it.
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
     * Runs body in a transaction, or in the one that is open already: behind a savepoint, so that
     * what fails leaves it as it was. DuckDB has none: there the open one can only be rolled back
     * after a failure.
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
            // A database that has ended the transaction by itself refuses these, which must not
            // hide why.
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
                // As it should.
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
                e.addSuppressed(undone); // the database has ended the whole transaction
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

    /** Takes back what was done since a savepoint. */
    void undo(String savepoint) throws SQLException {
        execute("ROLLBACK TO " + savepoint);
        execute("RELEASE " + savepoint);
    }

    /**
     * Whether what runs now belongs to a transaction that is open; an error if that is the one of a
     * stream, which could not end as this wants it to.
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
            // The id is of the default database, which must be one of DuckDB's own: in another, a
            // transaction is not seen.
            case DUCKDB ->
                value("SELECT type FROM duckdb_databases() WHERE database_name = current_database()")
                                .equals("duckdb")
                        && constant("SELECT txid_current()");
            case POSTGRES -> begunInPostgres();
        };
    }

    /**
     * Whether two statements see one value, as of a transaction's id they only do in a transaction
     * that was begun by BEGIN, which drivers do not know of.
     */
    private boolean constant(String sql) throws SQLException {
        return value(sql).equals(value(sql));
    }

    private boolean begunInSqlite() throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.executeUpdate("BEGIN; COMMIT"); // takes no lock
            return false;
        } catch (SQLException e) {
            if (String.valueOf(e.getMessage()).contains("within a transaction")) {
                return true;
            }
            throw e;
        }
    }

    /**
     * By what the server says with every answer; where the driver is hidden, by a lock that a
     * transaction has on itself.
     */
    private boolean begunInPostgres() throws SQLException {
        try {
            // This file, used without that driver too, cannot name its classes.
            Class<?> driver = Class.forName("org.postgresql.core.BaseConnection");
            if (connection.isWrapperFor(driver)) {
                return !driver.getMethod("getTransactionState")
                        .invoke(connection.unwrap(driver))
                        .toString()
                        .equals("IDLE");
            }
        } catch (ReflectiveOperationException e) {
            // Another driver, or one without that method.
        }
        return constant("SELECT virtualxid FROM pg_locks WHERE locktype = 'virtualxid' AND pid = pg_backend_pid()");
    }

    /** The first value of a query as text. */
    String value(String sql) throws SQLException {
        try (var statement = connection.createStatement();
                ResultSet rs = statement.executeQuery(sql)) {
            return rs.next() ? rs.getString(1) : "";
        }
    }

    /** Attaches a PostgreSQL database to DuckDB under a name that is already quoted. */
    static void attachPostgres(Connection connection, String sqlName, String dsn) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("ATTACH '" + dsn.replace("'", "''") + "' AS " + sqlName + " (TYPE postgres)");
        }
    }

    /** Closes the statements that are kept, not the connection. */
    void close() throws SQLException {
        for (PreparedStatement statement : statements.values()) {
            statement.close();
        }
        statements.clear();
    }
}
