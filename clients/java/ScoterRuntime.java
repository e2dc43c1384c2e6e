package com.scoterdb.client;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
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

    final Connection connection;
    final ScoterTypes.Engine engine;
    private final Map<String, PreparedStatement> statements;
    /** Whether DuckDB's results stream, null if nobody asked. */
    Boolean streams;

    ScoterRuntime(Connection connection, ScoterTypes.Engine engine, SqgObserver observer) {
        super(observer);
        this.connection = connection;
        this.engine = engine;
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
     * A bulk operation on a table, named in SQL by {@code target}. {@code statement} is SQLite's, of one
     * row, or PostgreSQL's, of an array of values per column, null where there is none. {@code stage} is
     * null when rows go straight into the table.
     */
    record Bulk<T>(
            String name, String schema, String table, String target, String statement, Stage stage, List<ScoterTypes.Column<T, ?>> columns) {
        /** The columns' names in SQL, each behind the prefix. */
        String columnList(String prefix) {
            StringBuilder list = new StringBuilder();
            for (ScoterTypes.Column<T, ?> column : columns) {
                list.append(list.isEmpty() ? "" : ", ").append(prefix).append('"').append(column.name().replace("\"", "\"\"")).append('"');
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
     * Reads row by row. PostgreSQL sends rows in portions only inside a transaction: when the
     * connection commits automatically, one is opened for as long as the stream lives.
     */
    <T> Stream<T> stream(String name, String sql, Reader<T> reader, int fetchSize, ScoterTypes.Arg<?>... args)
            throws SQLException {
        SqgObserver.Scope scope = start(name);
        boolean own = engine == ScoterTypes.Engine.POSTGRES && connection.getAutoCommit();
        ScoterCursor<T> cursor = null;
        try {
            if (own) {
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
                if (own) {
                    connection.setAutoCommit(true);
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

    /** Runs a statement once per parameter set, all or nothing; returns each one's count. */
    <T> int[] batch(String name, String sql, Values<T> values, Iterable<T> rows) throws SQLException {
        return observe(name, counts -> {
            long sum = 0;
            for (int n : counts) {
                sum += Math.max(0, n);
            }
            return sum;
        }, () -> transaction(() -> {
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

    /** Runs body in a transaction, or in the one that is open already: in SQLite behind a savepoint, so that what fails leaves it as it was. */
    <T> T transaction(Body<T> body) throws SQLException {
        return transaction(true, body);
    }

    <T> T transaction(boolean commit, Body<T> body) throws SQLException {
        if (joins()) {
            return engine == ScoterTypes.Engine.SQLITE ? nested(commit, body) : body.run();
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
            // A database that has ended the transaction by itself refuses these, which must not hide why.
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

    private <T> T nested(boolean commit, Body<T> body) throws SQLException {
        execute("SAVEPOINT _scoter");
        T result;
        try {
            result = body.run();
        } catch (SQLException | RuntimeException | Error e) {
            try {
                undo("_scoter");
            } catch (SQLException undone) {
                e.addSuppressed(undone); // SQLite has ended the whole transaction
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

    /** Whether what runs now belongs to a transaction that is open. */
    boolean joins() throws SQLException {
        return !connection.getAutoCommit() || engine == ScoterTypes.Engine.DUCKDB && inTransaction();
    }

    /**
     * Whether a transaction was opened by BEGIN in DuckDB, which the driver does not know of: two
     * statements have one id only then. The id is of the default database, which must be one of
     * DuckDB's own: in another, a transaction is not seen.
     */
    private boolean inTransaction() throws SQLException {
        return value("SELECT type FROM duckdb_databases() WHERE database_name = current_database()").equals("duckdb")
                && value("SELECT txid_current()").equals(value("SELECT txid_current()"));
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
