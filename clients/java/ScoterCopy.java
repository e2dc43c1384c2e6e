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
 * Writes rows into a PostgreSQL table in one of three ways:
 *
 * <ul>
 *   <li>binary COPY;
 *   <li>COPY in text format, if a column's type has no binary writer;
 *   <li>INSERT statements, if COPY cannot write into the table or the connection has no COPY.
 * </ul>
 *
 * <p>After a failure the open transaction can only be rolled back.
 */
abstract class ScoterCopy<T> {
    final List<ScoterTypes.Column<T, ?>> columns;
    private long rows;

    private ScoterCopy(List<ScoterTypes.Column<T, ?>> columns) {
        this.columns = columns;
    }

    /**
     * Begins to write into a table. {@code table} is its name in SQL. {@code keys} collects the
     * keys of the rows; it may be null and is only used if the plan's keys are canonical.
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

    /** Returns the number of rows before the current row. */
    final long rows() {
        return rows;
    }

    abstract void write(T row) throws SQLException;

    /** Sends the collected rows to the server. */
    abstract void flush() throws SQLException;

    /** Ends the COPY. Returns the number of rows that the server has accepted. */
    abstract long finish() throws SQLException;

    /** Cancels the COPY. The transaction has failed then. */
    abstract void cancel() throws SQLException;

    /** Returns a column's value. Throws if it is null and the column is required. */
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
     * Writes rows in PostgreSQL's binary COPY format. A chunk is sent as soon as it is full. The
     * next chunk is filled while the server still reads the last one.
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
         * Finds the column that cannot be written by writing the row again value by value, and
         * throws an exception that names it.
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

        /** Passes the key of the row that begins at the position {@code began} to {@code keys}. */
        private void key(int began) {
            long hash = 0;
            int at = began;
            for (int i = 0; i < types.length; i++) {
                int next = at + 4 + Math.max(0, out.int32Of(at));
                if (columns.get(i).key()) {
                    hash = ScoterHashes.mix(hash) ^ out.hash(at, next);
                    if (types[i] instanceof ScoterCopyType.Text && out.bytes[next - 1] == ' ') {
                        // A column with a length limit may remove trailing spaces, which can make
                        // two keys equal.
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

    /** Writes rows in PostgreSQL's text format, which works for every type. */
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

    /** Writes each row with an INSERT, in batches. */
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
            // If this row has filled the batch, it is not counted in rows() yet.
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
                // The statement fails on purpose, so that the transaction fails.
            }
        }
    }
}
