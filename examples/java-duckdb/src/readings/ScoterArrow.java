package readings;

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

    /** Rows of which a streaming result has not all at hand. */
    private static final int STREAM_ROWS = 10_000;

    private final PreparedStatement statement;
    private final BufferAllocator allocator;
    /** What DuckDB gives. */
    private final ArrowReader exported;

    private final List<ArrowRecordBatch> held = new ArrayList<>();
    /** What is read: that, or the batches that are held. */
    private ArrowReader reader;

    private ScoterArrow(PreparedStatement statement, BufferAllocator allocator, ArrowReader exported) {
        this.statement = statement;
        this.allocator = allocator;
        this.exported = exported;
        this.reader = exported;
    }

    /**
     * The result with all of its batches in memory: a streaming one ends without an error, whole or
     * not, as soon as another statement runs.
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
     * Whether results of the connection are not in memory: its property
     * {@code jdbc_stream_results}.
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
                rows = 0; // the stream is closed
            }
            rt.streams = rows < STREAM_ROWS;
        }
        return rt.streams;
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

    /**
     * The batches as a bulk operation takes them; it also has the dictionaries, which DuckDB's
     * enums are.
     */
    public ArrowReader reader() {
        return reader;
    }

    /** A column of the present batch. */
    public <V extends FieldVector> V vector(String column, Class<V> type) throws IOException {
        return type.cast(root().getVector(column));
    }

    /** A value as DuckDB prints it in the errors about keys. */
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
