package com.scoterdb.client;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Field;
import org.duckdb.DuckDBConnection;

/**
 * Runs a bulk operation of DuckDB over Arrow record batches. Each statement writes a portion of the
 * batches.
 */
final class ScoterArrowBulk<T> implements AutoCloseable {
    /** The minimum number of rows in a portion: the size of a row group in DuckDB. */
    private static final int PORTION_ROWS = 122_880;

    /** The name of the temporary view that exposes a portion to SQL on this connection. */
    private static final String VIEW = "_scoter_arrow_rows";

    private final ScoterRuntime rt;
    private final ScoterRuntime.Bulk<T> bulk;
    private final ArrowReader rows;
    private final VectorSchemaRoot source;
    private final BufferAllocator allocator;
    private final List<ArrowRecordBatch> held = new ArrayList<>();
    private int heldRows;
    /** The number of rows read so far, including those in {@code held}. */
    private long number;

    private int portionRows = PORTION_ROWS;
    /**
     * Whether any column uses a dictionary. The dictionary may change with each batch, so a portion
     * is a single batch then.
     */
    private final boolean encoded;

    private ScoterArrowBulk(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, ArrowReader rows) throws SQLException {
        this.rt = rt;
        this.bulk = bulk;
        this.rows = rows;
        this.source = reading(rows::getVectorSchemaRoot);
        this.encoded = encoded(source.getSchema().getFields());
        checkColumns();
        // Arrow transfers buffers only between allocators with the same root.
        this.allocator = source.getVector(0).getAllocator().getRoot().newChildAllocator("scoter", 0, Long.MAX_VALUE);
    }

    /**
     * Runs the operation. Either all rows take effect or none. Returns the number of changed rows.
     */
    static <T> long run(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, ArrowReader rows) throws SQLException {
        return rt.observe(bulk.name(), Function.identity(), () -> {
            try (var run = new ScoterArrowBulk<>(rt, bulk, rows)) {
                return run.all();
            } catch (ScoterRowException e) {
                throw e.in(bulk.name());
            }
        });
    }

    private long all() throws SQLException {
        ScoterRuntime.Stage stage = bulk.stage();
        boolean joins = rt.joins();
        if (stage == null) {
            if (!joins) {
                return rt.transaction(() -> insert(bulk.target() + " (" + bulk.columnList("") + ")"));
            }
            // Inside the application's transaction, the rows go through a temporary table, so that
            // a failure leaves none of them in the transaction.
            String name = '"' + "_scoter_arrow_stage" + '"';
            stage = new ScoterRuntime.Stage(
                    "_scoter_arrow_stage",
                    "CREATE TEMP TABLE " + name + " AS SELECT " + bulk.columnList("") + " FROM " + bulk.target()
                            + " LIMIT 0",
                    null,
                    "INSERT INTO " + bulk.target() + " (" + bulk.columnList("") + ") SELECT " + bulk.columnList("")
                            + " FROM " + name,
                    "DROP TABLE " + name);
        }
        ScoterRuntime.Stage filled = stage;
        ScoterRuntime.Body<Long> operation = () -> {
            if (filled.dedupe() != null
                    && !rt.value("SELECT current_setting('preserve_insertion_order')")
                            .equals("true")) {
                // with this setting DuckDB keeps the row order only within a single batch
                portionRows = 1;
            }
            try {
                return rt.staged(filled, () -> insert('"' + filled.table() + '"'));
            } catch (SQLException e) {
                throw named(e);
            }
        };
        return joins ? operation.run() : rt.transaction(operation);
    }

    /** Inserts all rows into a table. Returns the number of inserted rows. */
    private long insert(String target) throws SQLException {
        // The driver begins the transaction with the first statement. The view must be created
        // inside that transaction.
        rt.execute("SELECT 1");
        String sql = "INSERT INTO " + target + " SELECT " + bulk.columnList("") + " FROM " + VIEW;
        DuckDBConnection connection = rt.connection.unwrap(DuckDBConnection.class);
        long count = 0;
        boolean viewed = false;
        while (gather()) {
            try (var stream = ArrowArrayStream.allocateNew(allocator)) {
                Data.exportArrayStream(allocator, reading(() -> new ScoterHeldBatches(rows, allocator, held)), stream);
                try (var statement = connection.createStatement()) {
                    connection.registerArrowStream(VIEW, stream);
                    viewed = true;
                    count += statement.executeLargeUpdate(sql);
                } catch (SQLException e) {
                    throw named(e);
                } finally {
                    stream.release();
                }
            }
        }
        if (viewed) {
            rt.execute("DROP VIEW " + VIEW);
        }
        return count;
    }

    /**
     * Reads the batches of the next portion into {@code held} and releases those of the portion
     * before. If there are no more rows, returns false and keeps the last portion for error
     * messages.
     */
    private boolean gather() throws SQLException {
        boolean taken = false;
        while ((!taken || heldRows < portionRows) && reading(rows::loadNextBatch)) {
            if (source.getRowCount() == 0) {
                continue;
            }
            if (!taken) {
                drop();
                taken = true;
            }
            for (ScoterTypes.Column<T, ?> column : bulk.columns()) {
                FieldVector vector = source.getVector(column.name());
                if (column.required() && vector.getNullCount() > 0) {
                    int at = 0;
                    while (!vector.isNull(at)) {
                        at++;
                    }
                    throw ScoterRowException.missing(number + at, column);
                }
            }
            held.add(new VectorUnloader(source).getRecordBatch());
            heldRows += source.getRowCount();
            number += source.getRowCount();
            if (encoded) {
                break;
            }
        }
        return taken;
    }

    private static boolean encoded(List<Field> fields) {
        return fields.stream().anyMatch(f -> f.getDictionary() != null || encoded(f.getChildren()));
    }

    private interface Reading<V> {
        V read() throws IOException;
    }

    private <V> V reading(Reading<V> body) throws SQLException {
        try {
            return body.read();
        } catch (IOException e) {
            throw new SQLException(bulk.name() + ": the rows end with an error: " + e.getMessage(), e);
        }
    }

    /** Checks that the rows have exactly the operation's columns, in any order. */
    private void checkColumns() throws SQLException {
        List<String> given =
                source.getSchema().getFields().stream().map(Field::getName).toList();
        List<String> wanted = new ArrayList<>();
        for (ScoterTypes.Column<T, ?> column : bulk.columns()) {
            String name = column.name();
            wanted.add(name);
            long times = given.stream().filter(name::equals).count();
            if (times != 1) {
                String why = times == 0
                        ? "no column " + name + ": they have " + String.join(", ", given)
                        : "more than one column " + name;
                throw new SQLException(bulk.name() + ": the rows have " + why);
            }
        }
        for (String name : given) {
            if (!wanted.contains(name)) {
                throw new SQLException(bulk.name() + ": there is no column " + name + ", which the rows have, but "
                        + String.join(", ", wanted));
            }
        }
    }

    /**
     * Adds the operation's name to an error. For a duplicate key it also adds the number of the
     * last row with that key.
     */
    private SQLException named(SQLException e) {
        String key = ScoterDuplicate.key(e);
        // not about a key, or already converted
        if (key == null || e.getCause() instanceof SQLException) {
            return e.getMessage().startsWith(bulk.name() + ": ")
                    ? e
                    : new SQLException(bulk.name() + ": " + e.getMessage(), e.getSQLState(), e);
        }
        var wanted = new ScoterDuplicate.Key<>(key, bulk.columns());
        Map<String, FieldVector> columns = new HashMap<>();
        long found = 0;
        try (var root = VectorSchemaRoot.create(source.getSchema(), allocator)) {
            root.getFieldVectors().forEach(v -> columns.put(v.getName(), v));
            long at = number - heldRows;
            for (ArrowRecordBatch batch : held) {
                new VectorLoader(root).load(batch);
                for (int i = 0; i < root.getRowCount(); i++) {
                    at++;
                    int row = i;
                    if (wanted.isOf(c -> ScoterArrow.text(columns.get(c.name()), row, rows))) {
                        found = at;
                    }
                }
            }
        }
        return new SQLException(
                bulk.name() + ": " + (found > 0 ? "row " + found + ": " : "") + "duplicate key " + key, "23505", e);
    }

    private void drop() {
        held.forEach(ArrowRecordBatch::close);
        held.clear();
        heldRows = 0;
    }

    @Override
    public void close() {
        drop();
        allocator.close();
    }
}
