package com.scoterdb.client;

import java.nio.charset.StandardCharsets;
import java.sql.BatchUpdateException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Rows on their way into a table of PostgreSQL, in one of three forms: binary COPY, COPY of text
 * for columns of types that have no writer, and statements where COPY does not write or the
 * connection has none. After a failure the open transaction can only be rolled back.
 */
abstract class ScoterCopy<T> {
    final List<ScoterTypes.Column<T, ?>> columns;
    private long rows;

    private ScoterCopy(List<ScoterTypes.Column<T, ?>> columns) {
        this.columns = columns;
    }

    /**
     * Begins to write into a table, named in SQL. {@code keys} receives the rows' keys, if it is
     * not null and the plan's keys are canonical.
     */
    static <T> ScoterCopy<T> into(
            ScoterRuntime rt,
            ScoterCopyPlan plan,
            String table,
            ScoterPostgres.Operation<T> operation,
            ScoterCopyKeys keys)
            throws SQLException {
        ScoterRuntime.Bulk<T> bulk = operation.bulk();
        String target = table + " (" + bulk.columnList("") + ")";
        if (!plan.copies) {
            return new Statements<>(rt, target, bulk);
        }
        boolean binary = plan.types != null;
        CopyIn copy = rt.connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("COPY " + target + " FROM STDIN" + (binary ? " (FORMAT binary)" : ""));
        return binary
                ? new Binary<>(copy, operation, plan.types, plan.canonicalKeys ? keys : null)
                : new Text<>(copy, bulk.columns());
    }

    /** Adds a row. */
    final void add(T row) throws SQLException {
        write(row);
        rows++;
    }

    /** Rows added before the present one. */
    final long rows() {
        return rows;
    }

    abstract void write(T row) throws SQLException;

    /** Sends what is collected. */
    abstract void flush() throws SQLException;

    /** Ends; returns how many rows the server has taken. */
    abstract long finish() throws SQLException;

    /** Ends and has the transaction fail. */
    abstract void cancel() throws SQLException;

    /** The value of a column, which may be null only if the column may. */
    final Object value(ScoterTypes.Column<T, ?> column, T row) {
        Object value = column.value().apply(row);
        if (value == null && column.required()) {
            throw ScoterRowException.missing(rows, column);
        }
        return value;
    }

    private abstract static class Copy<T> extends ScoterCopy<T> {
        final CopyIn copy;

        Copy(CopyIn copy, List<ScoterTypes.Column<T, ?>> columns) {
            super(columns);
            this.copy = copy;
        }

        @Override
        long finish() throws SQLException {
            flush();
            return copy.endCopy();
        }

        @Override
        void cancel() throws SQLException {
            if (copy.isActive()) {
                copy.cancelCopy();
            }
        }
    }

    /**
     * Rows of values in the server's binary form. A chunk goes to the socket as soon as it is full;
     * while the server reads the socket's buffer, the next one is written.
     */
    private static final class Binary<T> extends Copy<T> {
        private static final int CHUNK_BYTES = 1 << 16;
        private static final byte[] HEADER = {
            'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
        };

        private final ScoterCopyRow to;
        private final ScoterCopyBuffer out;
        private final ScoterCopyType[] types;
        private final ScoterCopyRow.Writer<T> writer;
        private final ScoterCopyKeys keys;

        Binary(CopyIn copy, ScoterPostgres.Operation<T> operation, ScoterCopyType[] types, ScoterCopyKeys keys) {
            super(copy, operation.bulk().columns());
            this.types = types;
            this.keys = keys;
            to = new ScoterCopyRow(types);
            out = to.out;
            boolean direct = true;
            for (int i = 0; i < types.length; i++) {
                direct &= ScoterCopyRow.direct(types[i], columns.get(i).type());
            }
            writer = direct ? operation.writer() : this::each;
            out.raw(HEADER);
        }

        private void each(ScoterCopyRow to, T row) {
            for (int i = 0; i < types.length; i++) {
                to.value(i, columns.get(i).value().apply(row));
            }
        }

        @Override
        void write(T row) throws SQLException {
            out.reserve(2);
            out.int16(types.length);
            int began = out.size;
            to.nulls = false;
            try {
                writer.write(to, row);
            } catch (RuntimeException e) {
                refuse(row, began);
                throw e;
            }
            if (to.nulls) {
                for (ScoterTypes.Column<T, ?> column : columns) {
                    value(column, row);
                }
            }
            if (keys != null) {
                key(began);
            }
            if (out.size >= CHUNK_BYTES) {
                flush();
            }
        }

        /**
         * Looks for the column that cannot be written, by writing the row once more value by value.
         */
        private void refuse(T row, int began) throws SQLException {
            out.size = began;
            for (int i = 0; i < types.length; i++) {
                Object value = null;
                try {
                    value = columns.get(i).value().apply(row);
                    types[i].putNullable(out, value);
                } catch (RuntimeException e) {
                    throw ScoterRowException.at(rows(), columns.get(i), value, e);
                }
                if (value == null && columns.get(i).required()) {
                    throw ScoterRowException.missing(rows(), columns.get(i));
                }
            }
        }

        /** Tells the key of the row that began there. */
        private void key(int began) {
            long hash = 0;
            int at = began;
            for (int i = 0; i < types.length; i++) {
                int next = at + 4 + Math.max(0, out.int32Of(at));
                if (columns.get(i).key()) {
                    hash = ScoterHashes.mix(hash) ^ out.hash(at, next);
                    if (types[i] instanceof ScoterCopyType.Text && out.bytes[next - 1] == ' ') {
                        // a column's limit may cut off spaces, which makes keys the same
                        keys.found();
                    }
                }
                at = next;
            }
            keys.add(hash);
        }

        @Override
        void flush() throws SQLException {
            copy.writeToCopy(out.bytes, 0, out.size);
            out.clear();
        }

        @Override
        long finish() throws SQLException {
            out.reserve(2);
            out.int16(-1);
            return super.finish();
        }
    }

    /** Rows of PostgreSQL's text form, which every type has. */
    private static final class Text<T> extends Copy<T> {
        private static final int CHUNK_CHARS = 1 << 16;

        private final StringBuilder text = new StringBuilder();

        Text(CopyIn copy, List<ScoterTypes.Column<T, ?>> columns) {
            super(copy, columns);
        }

        @Override
        void write(T row) throws SQLException {
            for (int i = 0; i < columns.size(); i++) {
                ScoterTypes.Column<T, ?> column = columns.get(i);
                text.append(i == 0 ? "" : "\t");
                Object value = value(column, row);
                try {
                    escape(value == null ? null : column.arg(row).text());
                } catch (RuntimeException e) {
                    throw ScoterRowException.at(rows(), column, value, e);
                }
            }
            text.append('\n');
            if (text.length() >= CHUNK_CHARS) {
                flush();
            }
        }

        private void escape(String value) {
            if (value == null) {
                text.append("\\N");
                return;
            }
            for (int i = 0; i < value.length(); i++) {
                char c = value.charAt(i);
                switch (c) {
                    case '\\' -> text.append("\\\\");
                    case '\t' -> text.append("\\t");
                    case '\n' -> text.append("\\n");
                    case '\r' -> text.append("\\r");
                    default -> text.append(c);
                }
            }
        }

        @Override
        void flush() throws SQLException {
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            text.setLength(0);
            copy.writeToCopy(bytes, 0, bytes.length);
        }
    }

    /** An INSERT per row, in batches. */
    private static final class Statements<T> extends ScoterCopy<T> {
        private static final int BATCH_ROWS = 1000;
        private static final Pattern ENTRY = Pattern.compile("Batch entry (\\d+)");

        private final ScoterRuntime rt;
        private final PreparedStatement statement;
        private int waiting;

        Statements(ScoterRuntime rt, String target, ScoterRuntime.Bulk<T> bulk) throws SQLException {
            super(bulk.columns());
            this.rt = rt;
            this.statement = rt.connection.prepareStatement("INSERT INTO " + target + " VALUES ("
                    + String.join(", ", Collections.nCopies(bulk.columns().size(), "?")) + ")");
        }

        @Override
        void write(T row) throws SQLException {
            for (int i = 0; i < columns.size(); i++) {
                Object value = value(columns.get(i), row);
                try {
                    columns.get(i).arg(row).bind(rt.engine, rt.connection, statement, i + 1);
                } catch (RuntimeException e) {
                    throw ScoterRowException.at(rows(), columns.get(i), value, e);
                }
            }
            statement.addBatch();
            if (++waiting == BATCH_ROWS) {
                flush();
            }
        }

        @Override
        void flush() throws SQLException {
            // The row that fills a batch is not counted yet.
            long first = rows() + (waiting == BATCH_ROWS ? 1 : 0) - waiting;
            waiting = 0;
            try {
                statement.executeBatch();
            } catch (BatchUpdateException e) {
                Matcher entry = ENTRY.matcher(String.valueOf(e.getMessage()));
                throw entry.find() ? ScoterPostgresError.atRow(e, first + Long.parseLong(entry.group(1)) + 1) : e;
            }
        }

        @Override
        long finish() throws SQLException {
            flush();
            statement.close();
            return rows();
        }

        @Override
        void cancel() throws SQLException {
            statement.close();
            try {
                rt.execute("DO $$BEGIN RAISE 'a bulk operation of this transaction has failed'; END$$");
            } catch (SQLException e) {
                // As it should.
            }
        }
    }
}
