package com.scoterdb.client;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

/**
 * PostgreSQL's route for few rows: one statement with an array of values per column. It takes one
 * round trip, where COPY takes four or more and a temporary table has to be made and dropped.
 */
final class ScoterUnnest {
    private ScoterUnnest() {}

    /**
     * Runs an operation over all rows, all or nothing; returns the rows it changed. What fails
     * leaves the open transaction as it was, but does not say which row it was.
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
                // the server has ended the connection, or the transaction had failed before
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
                changed += count; // that of a savepoint is 0
            }
        }
        return changed;
    }

    /** The text of an array per column. */
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
     * Rows of which the first have been read, to find out how many there are. What their source
     * throws meanwhile is thrown again where it belongs, behind the rows before it.
     */
    static final class Rows<T> implements Iterable<T> {
        private final Iterable<T> source;
        private final Collection<T> first;
        /** What comes behind the first ones; null if there is nothing. */
        private final Iterator<T> rest;

        private final RuntimeException failure;

        /** Reads up to {@code most} rows, and one more. */
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

        /** Whether there are at most so many rows, all of them read. */
        boolean few(int most) {
            return failure == null && first.size() <= most;
        }

        /**
         * The rows if they can be read again, as those of a collection can, or what they came from.
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
