package com.scoterdb.client;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What generated code offers beyond bulk operations where the database is SQLite. */
public final class ScoterSqlite {
    private ScoterSqlite() {}

    /** Rows that are written at a time, each time in one transaction. */
    private static final int ROWS = 1000;

    /** Appends rows until it is closed, which writes the last of them. */
    public static final class Appender<T> implements AutoCloseable {
        private final ScoterRuntime rt;
        private final ScoterRuntime.Bulk<T> bulk;
        private List<T> rows = new ArrayList<>();

        Appender(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk) {
            this.rt = rt;
            this.bulk = bulk;
        }

        public Appender<T> append(T row) throws SQLException {
            rows.add(row);
            return rows.size() >= ROWS ? flush() : this;
        }

        public Appender<T> appendMany(Iterable<T> rows) throws SQLException {
            for (T row : rows) {
                append(row);
            }
            return this;
        }

        /** Writes what is waiting. */
        public Appender<T> flush() throws SQLException {
            List<T> waiting = rows;
            rows = new ArrayList<>();
            rt.eachRow(bulk, waiting);
            return this;
        }

        @Override
        public void close() throws SQLException {
            flush();
        }
    }
}
