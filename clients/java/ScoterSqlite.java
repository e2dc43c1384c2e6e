package com.scoterdb.client;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Runs bulk operations on SQLite: one statement for each row, in batches. */
final class ScoterSqlite<T> {
    private static final int BATCH_ROWS = 1000;

    private final ScoterRuntime rt;
    private final ScoterRuntime.Bulk<T> bulk;
    private final PreparedStatement statement;
    private final List<ScoterTypes.Arg<?>[]> batch = new ArrayList<>();
    /**
     * The number of rows in earlier batches. {@code changed} is the number of rows that they
     * changed.
     */
    private long written;

    private long changed;

    private ScoterSqlite(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, PreparedStatement statement) {
        this.rt = rt;
        this.bulk = bulk;
        this.statement = statement;
    }

    /**
     * Runs a bulk operation. Either all rows take effect or none. Returns the number of changed
     * rows.
     */
    static <T> long bulk(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows) throws SQLException {
        ScoterRuntime.Values<T> values = bulk.values();
        return rt.observe(
                bulk.name(),
                Function.identity(),
                () -> rt.transaction(() -> {
                    try (PreparedStatement statement = rt.connection.prepareStatement(bulk.statement())) {
                        var writer = new ScoterSqlite<>(rt, bulk, statement);
                        for (T row : rows) {
                            writer.add(values.of(row));
                        }
                        writer.write();
                        return writer.changed;
                    }
                }));
    }

    private void add(ScoterTypes.Arg<?>[] row) throws SQLException {
        batch.add(row);
        try {
            rt.bind(statement, row);
        } catch (SQLException | RuntimeException e) {
            throw at(batch.size(), e);
        }
        statement.addBatch();
        if (batch.size() == BATCH_ROWS) {
            write();
        }
    }

    private void write() throws SQLException {
        if (batch.isEmpty()) {
            return;
        }
        rt.execute("SAVEPOINT _scoter_batch");
        try {
            for (int n : statement.executeBatch()) {
                changed += Math.max(0, n);
            }
        } catch (SQLException e) {
            try {
                rt.undo("_scoter_batch");
            } catch (SQLException undone) {
                // SQLite has ended the whole transaction. Rows written one by one after that would
                // stay.
                e.addSuppressed(undone);
                throw e;
            }
            throw refused(e);
        }
        rt.execute("RELEASE _scoter_batch");
        written += batch.size();
        batch.clear();
    }

    /**
     * Finds the row that SQLite refuses. The driver does not report it for a batch, so the rows are
     * written again one by one.
     */
    private SQLException refused(SQLException failure) throws SQLException {
        statement.clearBatch();
        for (int i = 0; i < batch.size(); i++) {
            rt.bind(statement, batch.get(i));
            try {
                statement.executeUpdate();
            } catch (SQLException e) {
                return at(i + 1, e);
            }
        }
        return failure;
    }

    /**
     * Makes the error for a row of the current batch. {@code row} counts from 1 within the batch.
     */
    private SQLException at(int row, Exception e) {
        String state = e instanceof SQLException sql ? sql.getSQLState() : "22000";
        return new SQLException(bulk.name() + ": row " + (written + row) + ": " + e.getMessage(), state, e);
    }
}
