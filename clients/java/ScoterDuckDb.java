package com.scoterdb.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** Bulk operations of DuckDB: the driver's appender, and a join with a temporary table. */
public final class ScoterDuckDb {
    private ScoterDuckDb() {}

    /** Runs a bulk operation in one transaction; returns the rows it changed. */
    static <T> long bulk(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows) throws SQLException {
        return rt.observe(bulk.name(), Function.identity(), () -> rt.transaction(() -> {
            if (bulk.stage() == null) {
                return append(rt, bulk.schema(), bulk.table(), bulk.values(), rows);
            }
            return rt.staged(bulk.stage(), () -> append(rt, null, bulk.stage().table(), bulk.values(), rows));
        }));
    }

    private static <T> long append(
            ScoterRuntime rt, String schema, String table, ScoterRuntime.Values<T> values, Iterable<T> rows)
            throws SQLException {
        long count = 0;
        try (DuckDBAppender appender = open(rt, schema, table)) {
            for (T row : rows) {
                row(appender, values.of(row));
                count++;
            }
            appender.flush();
        }
        return count;
    }

    private static DuckDBAppender open(ScoterRuntime rt, String schema, String table) throws SQLException {
        DuckDBConnection connection = rt.connection.unwrap(DuckDBConnection.class);
        if (!connection.getAutoCommit()) {
            // The driver begins the transaction with the first statement, not with an appender.
            rt.execute("SELECT 1");
        }
        return schema == null ? connection.createAppender(table) : connection.createAppender(schema, table);
    }

    private static void row(DuckDBAppender appender, ScoterTypes.Arg<?>[] values) throws SQLException {
        appender.beginRow();
        for (ScoterTypes.Arg<?> value : values) {
            append(appender, value.appended());
        }
        appender.endRow();
    }

    private static void append(DuckDBAppender appender, Object value) throws SQLException {
        if (value == null) {
            appender.appendNull();
        } else if (value instanceof String v) {
            appender.append(v);
        } else if (value instanceof Double v) {
            appender.append(v.doubleValue());
        } else if (value instanceof Long v) {
            appender.append(v.longValue());
        } else if (value instanceof Integer v) {
            appender.append(v.intValue());
        } else if (value instanceof Short v) {
            appender.append(v.shortValue());
        } else if (value instanceof Byte v) {
            appender.append(v.byteValue());
        } else if (value instanceof Boolean v) {
            appender.append(v.booleanValue());
        } else if (value instanceof Float v) {
            appender.append(v.floatValue());
        } else if (value instanceof BigDecimal v) {
            appender.append(v);
        } else if (value instanceof BigInteger v) {
            appender.append(v);
        } else if (value instanceof UUID v) {
            appender.append(v);
        } else if (value instanceof OffsetDateTime v) {
            appender.append(v);
        } else if (value instanceof LocalDateTime v) {
            appender.append(v);
        } else if (value instanceof LocalDate v) {
            appender.append(v);
        } else if (value instanceof LocalTime v) {
            appender.append(v);
        } else if (value instanceof OffsetTime v) {
            appender.append(v);
        } else if (value instanceof byte[] v) {
            appender.append(v);
        } else if (value instanceof List<?> v) {
            appender.append(v);
        } else if (value instanceof Map<?, ?> v) {
            appender.append(v);
        } else if (value instanceof ScoterTypes.StructValue v) {
            appender.beginStruct();
            for (Object field : v.fields()) {
                append(appender, field);
            }
            appender.endStruct();
        } else {
            throw new SQLException("the appender does not take a " + value.getClass().getName());
        }
    }

    /**
     * Appends rows until it is closed, which writes the last of them. What it wrote before a
     * failure stays unless the caller has opened a transaction.
     */
    public static final class Appender<T> implements AutoCloseable {
        private final DuckDBAppender appender;
        private final ScoterRuntime.Values<T> values;

        Appender(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk) throws SQLException {
            this.appender = open(rt, bulk.schema(), bulk.table());
            this.values = bulk.values();
        }

        public Appender<T> append(T row) throws SQLException {
            row(appender, values.of(row));
            return this;
        }

        public Appender<T> appendMany(Iterable<T> rows) throws SQLException {
            for (T row : rows) {
                append(row);
            }
            return this;
        }

        public Appender<T> flush() throws SQLException {
            appender.flush();
            return this;
        }

        @Override
        public void close() throws SQLException {
            appender.close();
        }
    }
}
