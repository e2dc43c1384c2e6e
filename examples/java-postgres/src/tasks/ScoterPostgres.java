package tasks;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.function.Function;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Bulk operations of PostgreSQL: COPY, and a join with a temporary table. */
public final class ScoterPostgres {
    /** Characters collected before they are sent. */
    private static final int COPY_CHARS = 1 << 16;

    private ScoterPostgres() {}

    /** Runs a bulk operation in one transaction; returns the rows it changed. */
    static <T> long bulk(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows) throws SQLException {
        return rt.observe(bulk.name(), Function.identity(), () -> rt.transaction(() -> {
            if (bulk.stage() == null) {
                return copy(rt, bulk.target() + " (" + bulk.columnList("") + ")", bulk.values(), rows);
            }
            return rt.staged(bulk.stage(), () -> copy(rt, '"' + bulk.stage().table() + '"', bulk.values(), rows));
        }));
    }

    private static <T> long copy(ScoterRuntime rt, String target, ScoterRuntime.Values<T> values, Iterable<T> rows)
            throws SQLException {
        try (Appender<T> appender = new Appender<>(rt, target, values)) {
            appender.appendMany(rows);
            return appender.finish();
        }
    }

    /**
     * Copies rows until it is closed; nothing is written before. The connection can do nothing else
     * meanwhile.
     */
    public static final class Appender<T> implements AutoCloseable {
        private final CopyIn copy;
        private final ScoterRuntime.Values<T> values;
        private final StringBuilder text = new StringBuilder();
        private boolean failed;

        Appender(ScoterRuntime rt, String target, ScoterRuntime.Values<T> values) throws SQLException {
            this.copy = rt.connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY " + target + " FROM STDIN");
            this.values = values;
        }

        Appender(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk) throws SQLException {
            this(rt, bulk.target() + " (" + bulk.columnList("") + ")", bulk.values());
        }

        public Appender<T> append(T row) throws SQLException {
            try {
                char separator = 0;
                for (ScoterTypes.Arg<?> value : values.of(row)) {
                    if (separator != 0) {
                        text.append(separator);
                    }
                    separator = '\t';
                    escape(value.text());
                }
                text.append('\n');
                return text.length() >= COPY_CHARS ? flush() : this;
            } catch (SQLException | RuntimeException e) {
                failed = true;
                throw e;
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

        public Appender<T> appendMany(Iterable<T> rows) throws SQLException {
            try {
                for (T row : rows) {
                    append(row);
                }
            } catch (RuntimeException e) {
                failed = true;
                throw e;
            }
            return this;
        }

        public Appender<T> flush() throws SQLException {
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            text.setLength(0);
            copy.writeToCopy(bytes, 0, bytes.length);
            return this;
        }

        /** Ends the copy; returns how many rows it wrote. */
        long finish() throws SQLException {
            flush();
            return copy.endCopy();
        }

        @Override
        public void close() throws SQLException {
            if (copy.isActive()) {
                if (failed) {
                    copy.cancelCopy();
                } else {
                    finish();
                }
            }
        }
    }
}
