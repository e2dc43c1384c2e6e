package com.scoterdb.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * Runs bulk operations on DuckDB. If Java has the foreign-function API (Java 22 or later) and
 * native access is not denied, rows are written directly into DuckDB's memory. Otherwise they go
 * through the driver's appender and a temporary table.
 */
public final class ScoterDuckDb {
    /** The reason why DuckDB's memory cannot be accessed, or null if it can. */
    private static final Throwable NOT_COLUMNAR = load();

    private ScoterDuckDb() {}

    private static Throwable load() {
        try {
            ScoterDuckDbSource.load();
            return null;
        } catch (LinkageError e) {
            return e;
        }
    }

    /** Forces how a bulk operation writes its rows. Without a route, the operation chooses. */
    public enum Route {
        /**
         * Writes into DuckDB's vectors. Several threads write many rows, so the order of the rows
         * is not kept.
         */
        COLUMNAR,
        /** Writes into DuckDB's vectors and keeps the order of the rows. */
        COLUMNAR_ORDERED,
        /**
         * Writes through the driver's appender, and through a temporary table for operations other
         * than inserts.
         */
        APPENDER
    }

    /**
     * Runs a bulk operation in one transaction. Returns the number of changed rows. With the route
     * null, the operation chooses the best available one. Throws an SQLException if this Java does
     * not support the given route.
     */
    static <T> long bulk(ScoterRuntime rt, Route route, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows)
            throws SQLException {
        if (NOT_COLUMNAR != null && (route == Route.COLUMNAR || route == Route.COLUMNAR_ORDERED)) {
            throw new SQLException(bulk.name() + ": route " + route + ": " + NOT_COLUMNAR.getMessage(), NOT_COLUMNAR);
        }
        return rt.observe(bulk.name(), Function.identity(), () -> {
            try {
                if (NOT_COLUMNAR != null || route == Route.APPENDER) {
                    return rt.transaction(() -> portable(rt, bulk, rows));
                }
                return ScoterDuckDbStatement.run(rt, bulk, rows, route == Route.COLUMNAR_ORDERED);
            } catch (ScoterRowException e) {
                throw e.in(bulk.name());
            } catch (SQLException e) {
                throw ScoterDuplicate.named(e, bulk, rows);
            }
        });
    }

    private static <T> long portable(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows)
            throws SQLException {
        if (bulk.stage() != null) {
            return rt.staged(
                    bulk.stage(),
                    () -> insert(
                            rt, null, bulk.stage().table(), '"' + bulk.stage().table() + '"', bulk, rows));
        }
        return insert(rt, bulk.schema(), bulk.table(), bulk.target(), bulk, rows);
    }

    /**
     * Fills a table with the appender. Uses INSERT statements if the appender does not support a
     * column's type.
     */
    private static <T> long insert(
            ScoterRuntime rt, String schema, String table, String target, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows)
            throws SQLException {
        boolean all = bulk.columns().stream().allMatch(c -> appendable(c.type(), true));
        return all ? append(rt, schema, table, bulk, rows) : statements(rt, target, bulk, rows);
    }

    /**
     * Returns whether the appender supports a type. It supports no intervals, and structs and maps
     * only outside lists. {@code outside} says whether the type is outside a list.
     */
    private static boolean appendable(ScoterTypes.Type<?> type, boolean outside) {
        return switch (type.kind) {
            case INTERVAL, ANY -> false;
            case LIST -> appendable(((ScoterNested.ListType<?>) type).elem, false);
            case MAP ->
                outside
                        && appendable(((ScoterNested.MapType<?, ?>) type).key, false)
                        && appendable(((ScoterNested.MapType<?, ?>) type).value, false);
            case STRUCT ->
                outside
                        && Arrays.stream(((ScoterNested.StructType<?>) type).types)
                                .allMatch(t -> appendable(t, true));
            default -> true;
        };
    }

    private static <T> long statements(ScoterRuntime rt, String target, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows)
            throws SQLException {
        String sql = "INSERT INTO " + target + " (" + bulk.columnList("") + ") VALUES ("
                + String.join(", ", Collections.nCopies(bulk.columns().size(), "?")) + ")";
        long count = 0;
        try (var statement = rt.connection.prepareStatement(sql)) {
            for (T row : rows) {
                for (int i = 0; i < bulk.columns().size(); i++) {
                    ScoterTypes.Arg<?> arg = checked(bulk.columns().get(i), row, count);
                    try {
                        arg.bind(rt.engine, rt.connection, statement, i + 1);
                    } catch (RuntimeException e) {
                        throw ScoterRowException.at(count, bulk.columns().get(i), arg.value(), e);
                    }
                }
                statement.executeUpdate();
                count++;
            }
        }
        return count;
    }

    private static <T> ScoterTypes.Arg<?> checked(ScoterTypes.Column<T, ?> column, T row, long number) {
        ScoterTypes.Arg<?> arg = column.arg(row);
        if (arg.value() == null && column.required()) {
            throw ScoterRowException.missing(number, column);
        }
        return arg;
    }

    private static <T> long append(
            ScoterRuntime rt, String schema, String table, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows)
            throws SQLException {
        long count = 0;
        try (DuckDBAppender appender = open(rt, schema, table)) {
            for (T row : rows) {
                write(appender, bulk.columns(), values(bulk.columns(), row, count), count);
                count++;
            }
            appender.flush();
        }
        return count;
    }

    private static DuckDBAppender open(ScoterRuntime rt, String schema, String table) throws SQLException {
        DuckDBConnection connection = rt.connection.unwrap(DuckDBConnection.class);
        if (!connection.getAutoCommit()) {
            // The driver begins a transaction only with a statement, not with an appender.
            rt.execute("SELECT 1");
        }
        return schema == null ? connection.createAppender(table) : connection.createAppender(schema, table);
    }

    /**
     * Converts a row's values for the appender. Throws an exception with the column if it cannot
     * hold its value.
     */
    private static <T> Object[] values(List<ScoterTypes.Column<T, ?>> columns, T row, long number) {
        Object[] values = new Object[columns.size()];
        for (int i = 0; i < values.length; i++) {
            ScoterTypes.Arg<?> arg = checked(columns.get(i), row, number);
            try {
                values[i] = arg.appended();
            } catch (RuntimeException e) {
                throw ScoterRowException.at(number, columns.get(i), arg.value(), e);
            }
        }
        return values;
    }

    /**
     * Appends a row. After an error the appender must not be used any more, because the driver
     * cannot remove the incomplete row.
     */
    private static <T> void write(
            DuckDBAppender appender, List<ScoterTypes.Column<T, ?>> columns, Object[] values, long number)
            throws SQLException {
        appender.beginRow();
        for (int i = 0; i < values.length; i++) {
            try {
                append(appender, values[i]);
            } catch (SQLException | RuntimeException e) {
                throw ScoterRowException.at(number, columns.get(i), values[i], e);
            }
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
        } else if (value instanceof Collection<?> v) {
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
            throw new SQLException(
                    "the appender does not take a " + value.getClass().getName());
        }
    }

    /**
     * Collects rows and writes them with DuckDB's appender. Closing it writes the last rows.
     *
     * <p>If a column cannot hold a value, only that row is left out, and more rows may be appended.
     * Any other failure is final: {@code append} and {@code close} throw after it. Rows that were
     * written before stay written, unless the caller has opened a transaction.
     */
    public static final class Appender<T> implements AutoCloseable {
        private final DuckDBAppender appender;
        private final ScoterRuntime.Bulk<T> bulk;
        private final ScoterFailure failure = new ScoterFailure();
        private long count;
        private boolean closed;

        Appender(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk) throws SQLException {
            this.appender = open(rt, bulk.schema(), bulk.table());
            this.bulk = bulk;
        }

        /**
         * Runs a step whose failure is final: a row may be incomplete then, and the collected rows
         * are lost.
         */
        private Appender<T> attempt(ScoterRuntime.Body<?> body) throws SQLException {
            failure.check();
            try {
                body.run();
                return this;
            } catch (ScoterRowException e) {
                throw failure.of(e.in(bulk.name()));
            } catch (SQLException e) {
                throw failure.of(ScoterDuplicate.named(e, bulk, List.of()));
            } catch (RuntimeException | Error e) {
                failure.of(e);
                throw e;
            }
        }

        /** Adds a row. Throws an exception with the row's number if the row cannot be written. */
        public Appender<T> append(T row) throws SQLException {
            failure.check();
            long number = count++;
            Object[] values;
            try {
                values = values(bulk.columns(), row, number);
            } catch (ScoterRowException e) {
                throw e.in(bulk.name());
            }
            return attempt(() -> {
                write(appender, bulk.columns(), values, number);
                return null;
            });
        }

        public Appender<T> appendMany(Iterable<T> rows) throws SQLException {
            for (T row : rows) {
                append(row);
            }
            return this;
        }

        public Appender<T> flush() throws SQLException {
            return attempt(appender::flush);
        }

        @Override
        public void close() throws SQLException {
            if (closed) {
                return;
            }
            closed = true;
            try {
                flush(); // the driver would flush when it is closed, but ignore an error
            } finally {
                appender.close();
            }
        }
    }
}
