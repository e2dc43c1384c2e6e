import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import writes.ScoterConnection;
import writes.ScoterException;
import writes.Writes;

/** Prints what results in Arrow's form are over HTTP: a test compares it. */
final class Main {
    public static void main(String[] args) throws Exception {
        var queries = new Writes(new ScoterConnection(args[0]));
        System.out.println("rows: " + count(queries.numbersArrow("7")));
        System.out.println("failing: " + (count(queries.failingArrow()) > 0));
        try {
            queries.numbersArrow("x");
        } catch (ScoterException e) {
            System.out.println("refused: true " + e.getMessage());
        }
        Writes.applyMigrations(new ScoterConnection(args[0]));
        try {
            queries.insertAllKv(List.of(
                    new Writes.KvRow(1L, "x", null, null, null), new Writes.KvRow(2L, "\ud800", null, null, null)));
        } catch (SQLException e) {
            System.out.println("half: " + e.getMessage());
        }
        try {
            queries.numbers("\ud800");
        } catch (IllegalArgumentException e) {
            System.out.println("half of a parameter: " + e.getMessage());
        }
        var many = new ArrayList<Writes.KvRow>();
        for (long i = 0; i < 100_000; i++) {
            many.add(new Writes.KvRow(i, "x".repeat(100), i == 99_999 ? new BigDecimal("12345.67") : null, null, null));
        }
        try {
            queries.insertAllKv(many);
        } catch (ScoterException e) {
            System.out.println("one of many: true " + e.getMessage());
        }
    }

    private static long count(InputStream stream) throws IOException {
        long rows = 0;
        try (var allocator = new RootAllocator();
                var reader = new ArrowStreamReader(stream, allocator)) {
            while (reader.loadNextBatch()) {
                rows += reader.getVectorSchemaRoot().getRowCount();
            }
        } catch (IOException e) {
            System.out.println("broken off: " + (rows > 0) + " true");
        }
        return rows;
    }
}
