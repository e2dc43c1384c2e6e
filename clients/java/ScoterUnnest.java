package com.scoterdb.client;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

/**
 * Writes few rows into PostgreSQL with one statement that takes an array of values per column. This
 * needs one round trip. COPY needs four or more, and often has to create and drop a temporary
 * table.
 */
final class ScoterUnnest {
    private ScoterUnnest() {}

    /**
     * Runs an operation over all rows. Either all rows take effect or none. Returns the number of
     * changed rows. A failure leaves the open transaction as it was. The exception does not say
     * which row caused it.
     */
    static <T> long run(ScoterRuntime rt, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows) throws SQLException {
        String[] arrays = arrays(bulk.columns(), rows);
        if (!rt.joins()) {
            return execute(rt, bulk.statement(), arrays);
        }
        try {
            return execute(rt, "SAVEPOINT _scoter; " + bulk.statement() + "; RELEASE SAVEPOINT _scoter", arrays);
        } catch (SQLException e) {
            try {
                rt.undo("_scoter");
            } catch (SQLException undone) {
                // The server has closed the connection, or the transaction had already failed.
                e.addSuppressed(undone);
            }
            throw e;
        }
    }

    private static long execute(ScoterRuntime rt, String sql, String[] arrays) throws SQLException {
        long changed = 0;
        try (PreparedStatement statement = rt.connection.prepareStatement(sql)) {
            for (int i = 0; i < arrays.length; i++) {
                statement.setObject(i + 1, arrays[i], Types.OTHER);
            }
            statement.execute();
            for (long count; (count = statement.getLargeUpdateCount()) >= 0; statement.getMoreResults()) {
                changed += count; // the count of a savepoint is 0
            }
        }
        return changed;
    }

    /** Returns the text of an array for each column. */
    private static <T> String[] arrays(List<ScoterTypes.Column<T, ?>> columns, Iterable<T> rows) {
        String[] arrays = new String[columns.size()];
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < arrays.length; i++) {
            ScoterTypes.Column<T, ?> column = columns.get(i);
            text.setLength(0);
            long number = 0;
            for (T row : rows) {
                text.append(number == 0 ? '{' : ',');
                String value = column.arg(row).text();
                if (value == null && column.required()) {
                    throw ScoterRowException.missing(number, column);
                }
                if (value == null) {
                    text.append("NULL");
                } else {
                    ScoterText.quoteItem(text, value);
                }
                number++;
            }
            arrays[i] = text.append(number == 0 ? "{}" : "}").toString();
        }
        return arrays;
    }

    /**
     * Rows whose beginning has been read to find out how many there are. An exception of the source
     * is thrown again after the rows before it.
     */
    static final class Rows<T> implements Iterable<T> {
        private final Iterable<T> source;
        private final Collection<T> first;
        /** The rows after {@code first}; null if there are none. */
        private final Iterator<T> rest;

        private final RuntimeException failure;

        /**
         * Reads up to {@code most} rows and one more. Reads nothing if the source is a collection.
         */
        Rows(Iterable<T> source, int most) {
            this.source = source;
            Iterator<T> behind = null;
            RuntimeException thrown = null;
            if (source instanceof Collection<T> all) {
                first = all;
            } else {
                first = new ArrayList<>();
                try {
                    for (behind = source.iterator(); behind.hasNext() && first.size() <= most; ) {
                        first.add(behind.next());
                    }
                } catch (RuntimeException e) {
                    thrown = e;
                }
            }
            rest = thrown == null ? behind : null;
            failure = thrown;
        }

        /** Returns whether there are at most {@code most} rows, and all of them were read. */
        boolean few(int most) {
            return failure == null && first.size() <= most;
        }

        /**
         * Returns the rows for a second reading if all are in memory. Otherwise returns their
         * source, which may be readable only once.
         */
        Iterable<T> again(int most) {
            return few(most) ? first : source;
        }

        @Override
        public Iterator<T> iterator() {
            Iterator<T> before = first.iterator();
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return before.hasNext() || failure != null || rest != null && rest.hasNext();
                }

                @Override
                public T next() {
                    if (before.hasNext()) {
                        return before.next();
                    }
                    if (failure != null) {
                        throw failure;
                    }
                    return rest.next();
                }
            };
        }
    }
}
