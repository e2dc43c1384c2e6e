package com.scoterdb.client;

import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.duckdb.DuckDBResultSet;

/**
 * A query result of DuckDB as Arrow record batches. The values are not copied. The caller must
 * close it.
 *
 * <pre>{@code
 * try (var result = queries.readingsArrow()) {
 *     while (result.loadNextBatch()) {
 *         var temperature = result.vector("temperature", Float8Vector.class);
 *         for (int i = 0; i < result.getRowCount(); i++) { ... }
 *     }
 * }
 * }</pre>
 */
public final class ScoterArrow implements AutoCloseable {
    /** The number of rows in a record batch: 32 of DuckDB's vectors. */
    private static final long BATCH_ROWS = 65_536;

    /**
     * The number of rows of a test query. A streaming result does not have this many rows in
     * memory.
     */
    private static final int STREAM_ROWS = 10_000;

    private final PreparedStatement statement;
    private final BufferAllocator allocator;
    /** The reader of the stream that DuckDB exports. */
    private final ArrowReader exported;

    private final List<ArrowRecordBatch> held = new ArrayList<>();
    /** The reader that callers use: {@code exported}, or one over the batches in {@code held}. */
    private ArrowReader reader;

    private ScoterArrow(PreparedStatement statement, BufferAllocator allocator, ArrowReader exported) {
        this.statement = statement;
        this.allocator = allocator;
        this.exported = exported;
        this.reader = exported;
    }

    /**
     * Loads all batches of a streaming result into memory. Without that, the result would end early
     * and without an error as soon as another statement runs on the connection.
     */
    private ScoterArrow whole(String name) throws SQLException {
        try {
            while (exported.loadNextBatch()) {
                held.add(new VectorUnloader(exported.getVectorSchemaRoot()).getRecordBatch());
            }
            reader = new ScoterHeldBatches(exported, allocator, held);
            return this;
        } catch (IOException e) {
            var failed = new SQLException(name + ": " + e.getMessage(), e);
            try {
                close();
            } catch (IOException closing) {
                failed.addSuppressed(closing);
            }
            throw failed;
        }
    }

    static ScoterArrow query(ScoterRuntime rt, String name, String sql, ScoterTypes.Arg<?>... args)
            throws SQLException {
        return rt.observe(name, r -> -1L, () -> {
            boolean streams = streams(rt);
            PreparedStatement statement = rt.connection.prepareStatement(sql);
            BufferAllocator allocator = new RootAllocator();
            ScoterArrow result;
            try {
                for (int i = 0; i < args.length; i++) {
                    args[i].bind(rt.engine, rt.connection, statement, i + 1);
                }
                ResultSet rs = statement.executeQuery();
                ArrowReader reader =
                        (ArrowReader) rs.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, BATCH_ROWS);
                result = new ScoterArrow(statement, allocator, reader);
            } catch (SQLException | RuntimeException e) {
                allocator.close();
                statement.close();
                throw e;
            }
            return streams ? result.whole(name) : result;
        });
    }

    /**
     * Returns whether the connection streams its results, which is its property
     * {@code jdbc_stream_results}. To find out, it runs a statement while a test result is open.
     */
    private static boolean streams(ScoterRuntime rt) throws SQLException {
        if (rt.streams == null) {
            int rows = 0;
            try (var statement = rt.connection.createStatement();
                    ResultSet rs = statement.executeQuery("FROM range(" + STREAM_ROWS + ")")) {
                rt.execute("SELECT 1");
                while (rs.next()) {
                    rows++;
                }
            } catch (SQLException e) {
                rows = 0; // the other statement closed the streaming result
            }
            rt.streams = rows < STREAM_ROWS;
        }
        return rt.streams;
    }

    /**
     * Loads the next batch in place of the current one. Returns false if there are no more batches.
     */
    public boolean loadNextBatch() throws IOException {
        return reader.loadNextBatch();
    }

    /** Returns the number of rows in the current batch. */
    public int getRowCount() throws IOException {
        return root().getRowCount();
    }

    /**
     * Returns the current batch. The next call of {@link #loadNextBatch} puts new values into the
     * same vectors.
     */
    public VectorSchemaRoot root() throws IOException {
        return reader.getVectorSchemaRoot();
    }

    /**
     * Returns a reader of the batches, for example for a bulk operation. The reader also has the
     * dictionaries, which hold the labels of DuckDB's enums.
     */
    public ArrowReader reader() {
        return reader;
    }

    /** Returns the vector of a column in the current batch. */
    public <V extends FieldVector> V vector(String column, Class<V> type) throws IOException {
        return type.cast(root().getVector(column));
    }

    /** Returns a value in the form that DuckDB prints in its duplicate-key errors. */
    static String text(FieldVector vector, int row, DictionaryProvider dictionaries) {
        Object value = vector.getObject(row);
        DictionaryEncoding encoding = vector.getField().getDictionary();
        if (value != null && encoding != null) {
            value = dictionaries.lookup(encoding.getId()).getVector().getObject(((Number) value).intValue());
        }
        if (value instanceof Integer days && vector instanceof DateDayVector) {
            return LocalDate.ofEpochDay(days).toString();
        }
        if (value instanceof Long micros && vector instanceof TimeStampMicroTZVector) {
            value = LocalDateTime.ofEpochSecond(
                    Math.floorDiv(micros, 1_000_000L), (int) Math.floorMod(micros, 1_000_000L) * 1000, ZoneOffset.UTC);
        }
        return value instanceof LocalDateTime time
                ? ScoterTimeTypes.TIMESTAMP.text(time)
                : value == null ? "NULL" : value.toString();
    }

    @Override
    public void close() throws IOException, SQLException {
        try (allocator;
                statement;
                exported) {
            if (reader != exported) {
                reader.close();
            }
            held.forEach(ArrowRecordBatch::close);
        }
    }
}
