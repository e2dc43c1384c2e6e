package bulk;

import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Writes without an end into the table kv, said once much is written: to be killed. */
final class Hang {
    private final int much;
    private final IntFunction<Writes.KvRow> row;
    private final IntFunction<Writes.KvKey> key;

    /** @param much rows after which "written" is printed, and rows come slowly */
    Hang(int much, IntFunction<Writes.KvRow> row, IntFunction<Writes.KvKey> key) {
        this.much = much;
        this.row = row;
        this.key = key;
    }

    void write(Writes q, String operation) throws Exception {
        switch (operation) {
            case "insert" -> q.insertAllKv(() -> rows(1000).iterator());
            case "update" -> q.updateAllKv(() -> rows(0).iterator());
            case "delete" -> q.deleteAllKv(() -> numbers().mapToObj(key).iterator());
            case "upsert" -> q.upsertAllKv(() -> rows(0).iterator());
            case "done" -> {
                q.upsertAllKv(rows(0).limit(2000).toList());
                System.out.println("written");
                Thread.sleep(Long.MAX_VALUE);
            }
            default -> throw new IllegalArgumentException(operation);
        }
    }

    private Stream<Writes.KvRow> rows(int first) {
        return numbers().mapToObj(i -> row.apply(first + i));
    }

    private IntStream numbers() {
        return IntStream.range(0, Integer.MAX_VALUE).peek(i -> {
            if (i == much) {
                System.out.println("written");
            }
            if (i > much) {
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
    }
}
