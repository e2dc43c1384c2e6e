package com.scoterdb.client;

import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.duckdb.DuckDBResultSet;

/**
 * A result of DuckDB as Arrow record batches, without a copy of the values.
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
    /** Rows of a batch: 32 of DuckDB's vectors. */
    private static final long BATCH_ROWS = 65_536;

    private final PreparedStatement statement;
    private final BufferAllocator allocator;
    private final ArrowReader reader;

    private ScoterArrow(PreparedStatement statement, BufferAllocator allocator, ArrowReader reader) {
        this.statement = statement;
        this.allocator = allocator;
        this.reader = reader;
    }

    static ScoterArrow query(ScoterRuntime rt, String name, String sql, ScoterTypes.Arg<?>... args) throws SQLException {
        return rt.observe(name, r -> -1L, () -> {
            PreparedStatement statement = rt.connection.prepareStatement(sql);
            BufferAllocator allocator = new RootAllocator();
            try {
                for (int i = 0; i < args.length; i++) {
                    args[i].bind(rt.engine, rt.connection, statement, i + 1);
                }
                ResultSet rs = statement.executeQuery();
                ArrowReader reader = (ArrowReader) rs.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, BATCH_ROWS);
                return new ScoterArrow(statement, allocator, reader);
            } catch (SQLException | RuntimeException e) {
                allocator.close();
                statement.close();
                throw e;
            }
        });
    }

    /** Replaces the batch by the next one; false at the end. */
    public boolean loadNextBatch() throws IOException {
        return reader.loadNextBatch();
    }

    /** Rows of the present batch. */
    public int getRowCount() throws IOException {
        return root().getRowCount();
    }

    /** The present batch. The next one has the same vectors with other values. */
    public VectorSchemaRoot root() throws IOException {
        return reader.getVectorSchemaRoot();
    }

    /** The values of dictionary-encoded columns, which DuckDB's enums are. */
    public DictionaryProvider dictionaries() {
        return reader;
    }

    /** A column of the present batch. */
    public <V extends FieldVector> V vector(String column, Class<V> type) throws IOException {
        return type.cast(root().getVector(column));
    }

    @Override
    public void close() throws IOException, SQLException {
        try (allocator; statement) {
            reader.close();
        }
    }
}
