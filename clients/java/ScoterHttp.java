package com.scoterdb.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Runs the statements of generated classes over Scoter's HTTP interface. Each statement is a
 * transaction of its own.
 */
final class ScoterHttp extends ScoterObserved {
    /**
     * A request is sent when its rows reach this many bytes. The server applies each request
     * atomically.
     */
    private static final int REQUEST_BYTES = 4 << 20;

    private final ScoterConnection connection;

    ScoterHttp(ScoterConnection connection, SqgObserver observer) {
        super(observer);
        this.connection = connection;
    }

    /** One row of a response. */
    record Values(Object[] values) implements ScoterTypes.Row {
        @Override
        public <T> T get(ScoterTypes.Type<T> type, int column) throws SQLException {
            return ScoterJson.read(type, values[column - 1]);
        }
    }

    /**
     * A response that is read as it arrives. It has one JSON object per line. Closing it early ends
     * the statement on the server.
     */
    private static final class Answer implements AutoCloseable {
        private final BufferedReader lines;

        Answer(InputStream body) {
            this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8), 1 << 16);
        }

        /** Returns the next object, or null at the end. */
        Map<?, ?> next() throws SQLException {
            try {
                String line = lines.readLine();
                return line == null ? null : (Map<?, ?>) ScoterJson.parse(line);
            } catch (IOException e) {
                throw new SQLException("read the answer: " + e, e);
            }
        }

        ScoterTypes.Row row() throws SQLException {
            Map<?, ?> object = next();
            return object == null ? null : new Values(object.values().toArray());
        }

        /** Returns the number of rows that a statement or request has changed. */
        long changed() throws SQLException {
            long sum = 0;
            for (Map<?, ?> counts = next(); counts != null; counts = next()) {
                for (String name : List.of("inserted", "updated", "deleted")) {
                    sum += counts.get(name) instanceof Number n ? n.longValue() : 0;
                }
            }
            return sum;
        }

        @Override
        public void close() {
            try {
                lines.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Sends a statement. The response has one JSON object per line. */
    private Answer run(String sql, ScoterTypes.Arg<?>[] args) throws SQLException {
        return new Answer(ask("ndjson", sql, args));
    }

    private InputStream ask(String format, String sql, ScoterTypes.Arg<?>[] args) throws SQLException {
        StringBuilder params = new StringBuilder("[");
        for (ScoterTypes.Arg<?> arg : args) {
            params.append(params.length() > 1 ? "," : "");
            ScoterJson.bind(params, arg.type(), arg.value());
        }
        return connection.sql(format, sql, params.append(']').toString());
    }

    private long execute(String sql, ScoterTypes.Arg<?>... args) throws SQLException {
        try (Answer answer = run(sql, args)) {
            return answer.changed();
        }
    }

    <T> List<T> all(String name, String sql, ScoterRuntime.Reader<T> reader, ScoterTypes.Arg<?>... args)
            throws SQLException {
        return observe(name, r -> (long) r.size(), () -> {
            List<T> results = new ArrayList<>();
            try (Answer answer = run(sql, args)) {
                for (ScoterTypes.Row row = answer.row(); row != null; row = answer.row()) {
                    results.add(reader.read(row));
                }
            }
            return results;
        });
    }

    /** Returns the first row, or null if there is none. */
    <T> T one(String name, String sql, ScoterRuntime.Reader<T> reader, ScoterTypes.Arg<?>... args) throws SQLException {
        boolean[] found = {false};
        return observe(name, r -> found[0] ? 1L : 0L, () -> {
            try (Answer answer = run(sql, args)) {
                ScoterTypes.Row row = answer.row();
                found[0] = row != null;
                T result = found[0] ? reader.read(row) : null;
                // Read to the end: the server reports failures there, and the HTTP connection can
                // be reused only after that.
                while (answer.next() != null) {
                    continue;
                }
                return result;
            }
        });
    }

    int exec(String name, String sql, ScoterTypes.Arg<?>... args) throws SQLException {
        return observe(name, Integer::longValue, () -> Math.toIntExact(execute(sql, args)));
    }

    /**
     * Returns the result as an Arrow IPC stream, as it arrives from the server. Reading throws an
     * IOException if the server breaks it off. The caller must close it.
     */
    InputStream arrow(String name, String sql, ScoterTypes.Arg<?>... args) throws SQLException {
        return observe(name, r -> -1L, () -> ask("arrow", sql, args));
    }

    /** Streams rows as they arrive from the server. */
    <T> Stream<T> stream(String name, String sql, ScoterRuntime.Reader<T> reader, ScoterTypes.Arg<?>... args)
            throws SQLException {
        SqgObserver.Scope scope = start(name);
        Rows<T> rows;
        try {
            rows = new Rows<>(run(sql, args), reader, scope);
        } catch (SQLException | RuntimeException e) {
            if (scope != null) {
                scope.end(-1, e);
            }
            throw e;
        }
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(rows, Spliterator.ORDERED), false)
                .onClose(() -> rows.close(null));
    }

    /** The rows of a response. The response is closed after the last row. */
    private static final class Rows<T> implements Iterator<T> {
        private final Answer answer;
        private final ScoterRuntime.Reader<T> reader;
        private final SqgObserver.Scope scope;
        private ScoterTypes.Row fetched;
        private boolean closed;
        private long count;

        Rows(Answer answer, ScoterRuntime.Reader<T> reader, SqgObserver.Scope scope) {
            this.answer = answer;
            this.reader = reader;
            this.scope = scope;
        }

        @Override
        public boolean hasNext() {
            if (closed || fetched != null) {
                return fetched != null;
            }
            try {
                fetched = answer.row();
            } catch (SQLException | RuntimeException e) {
                throw fail(e);
            }
            if (fetched == null) {
                close(null);
            }
            return fetched != null;
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            ScoterTypes.Row row = fetched;
            fetched = null;
            try {
                T result = reader.read(row);
                count++;
                return result;
            } catch (SQLException | RuntimeException e) {
                throw fail(e);
            }
        }

        private RuntimeException fail(Exception e) {
            try {
                close(e);
            } catch (RuntimeException closing) {
                e.addSuppressed(closing);
            }
            return e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
        }

        void close(Throwable failure) {
            if (closed) {
                return;
            }
            closed = true;
            fetched = null;
            try {
                answer.close();
            } finally {
                if (scope != null) {
                    scope.end(count, failure);
                }
            }
        }
    }

    /**
     * Runs a statement once for each row. Returns the number of changed rows of each run. Each run
     * is a transaction of its own: the runs before a failure stay applied.
     */
    <T> int[] batch(String name, String sql, ScoterRuntime.Values<T> values, Iterable<T> rows) throws SQLException {
        return observe(
                name,
                counts -> {
                    long sum = 0;
                    for (int n : counts) {
                        sum += n;
                    }
                    return sum;
                },
                () -> {
                    List<Integer> counts = new ArrayList<>();
                    for (T row : rows) {
                        counts.add(Math.toIntExact(execute(sql, values.of(row))));
                    }
                    return counts.stream().mapToInt(Integer::intValue).toArray();
                });
    }

    /** A bulk operation: the path of its requests, its columns, and the writer that packs a row. */
    record Bulk<T>(String name, String path, List<String> columns, ScoterPack.Writer<T> writer) {}

    /**
     * Sends rows in several requests, and returns the number of changed rows once all are durable.
     * Each request is atomic: if one fails, the rows of earlier requests stay stored.
     */
    <T> long bulk(Bulk<T> bulk, Iterable<T> rows) throws SQLException {
        return observe(bulk.name(), Function.identity(), () -> {
            long count = 0;
            long stored = 0;
            int waiting = 0;
            ScoterPack[] columns = new ScoterPack[bulk.columns().size()];
            Arrays.setAll(columns, i -> new ScoterPack());
            for (T row : rows) {
                try {
                    bulk.writer().write(columns, row);
                } catch (RuntimeException e) {
                    String before = stored == 0 ? "" : " (the first " + stored + " rows are stored)";
                    throw new SQLException(
                            bulk.name() + ": row " + (stored + waiting + 1) + ": " + e.getMessage() + before,
                            "22000",
                            e);
                }
                waiting++;
                int size = 0;
                for (ScoterPack column : columns) {
                    size += column.size();
                }
                if (size >= REQUEST_BYTES) {
                    count += send(bulk, columns, waiting, stored);
                    stored += waiting;
                    waiting = 0;
                }
            }
            return waiting == 0 ? count : count + send(bulk, columns, waiting, stored);
        });
    }

    /**
     * Sends one request. {@code stored} is the number of rows in the operation's earlier requests.
     */
    private long send(Bulk<?> bulk, ScoterPack[] columns, int rows, long stored) throws SQLException {
        ScoterPack body = new ScoterPack();
        body.map(1);
        body.text("columns");
        body.map(columns.length);
        for (int i = 0; i < columns.length; i++) {
            body.text(bulk.columns().get(i));
            body.list(rows);
            body.append(columns[i]);
            columns[i].clear();
        }
        try (Answer answer = new Answer(connection.rows(bulk.path(), body))) {
            return answer.changed();
        } catch (ScoterException e) {
            throw stored == 0 ? e : new ScoterException(e, stored + 1);
        }
    }

    /**
     * Applies the pending migrations. If a migration fails, its earlier statements stay applied.
     */
    static List<String> migrate(
            ScoterConnection connection, String project, List<ScoterMigrations.Migration> migrations)
            throws SQLException {
        var rt = new ScoterHttp(connection, null);
        rt.execute("CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, "
                + "applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT)");
        Map<String, String> applied = new HashMap<>();
        rt.all(
                "",
                "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = $1",
                r -> applied.put(r.get(ScoterTypes.TEXT, 1), r.get(ScoterTypes.TEXT, 2)),
                ScoterTypes.TEXT.arg(project));
        List<String> done = new ArrayList<>();
        for (ScoterMigrations.Migration m : ScoterMigrations.pending(project, migrations, applied)) {
            for (String statement : m.statements()) {
                rt.execute(statement);
            }
            rt.execute(
                    "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES ($1, $2, $3)",
                    ScoterTypes.TEXT.arg(project),
                    ScoterTypes.TEXT.arg(m.id()),
                    ScoterTypes.TEXT.arg(m.checksum()));
            done.add(m.id());
        }
        return done;
    }
}
