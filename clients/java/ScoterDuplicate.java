package com.scoterdb.client;

import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds the row to which a duplicate-key error of DuckDB belongs. The error itself contains only
 * the key.
 */
final class ScoterDuplicate {
    private static final Pattern DUPLICATE =
            Pattern.compile("[Dd]uplicate key \"(.*?)\"(?: violates|[.\\n]|$)", Pattern.DOTALL);

    private ScoterDuplicate() {}

    /**
     * Adds the operation's name to an error, and the row's number if the rows can be read a second
     * time.
     */
    static <T> SQLException named(SQLException e, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows) {
        String key = key(e);
        if (key == null) {
            return new SQLException(bulk.name() + ": " + e.getMessage(), e.getSQLState(), e);
        }
        long row = rows instanceof Collection<?> ? last(bulk.columns(), rows, key) : 0;
        return new SQLException(
                bulk.name() + ": " + (row > 0 ? "row " + row + ": " : "") + "duplicate key " + key, "23505", e);
    }

    /** Returns the key in an error of DuckDB, or null if the error is not about a key. */
    static String key(SQLException e) {
        Matcher found = DUPLICATE.matcher(String.valueOf(e.getMessage()));
        return found.find() ? found.group(1) : null;
    }

    /**
     * Returns the number of the last row with a key, counted from 1, or 0 if there is none. Also
     * returns 0 if reading the rows a second time fails, so that the first error is reported.
     */
    private static <T> long last(List<ScoterTypes.Column<T, ?>> columns, Iterable<T> rows, String key) {
        Key<T> wanted = new Key<>(key, columns);
        long number = 0;
        long last = 0;
        try {
            for (T row : rows) {
                number++;
                if (wanted.isOf(c -> c.arg(row).text())) {
                    last = number;
                }
            }
        } catch (RuntimeException e) {
            return 0;
        }
        return last;
    }

    /**
     * A key in the text of an error. DuckDB writes {@code a: 1, b: x}, or {@code 1, x} for a key
     * that is repeated within a statement.
     */
    static final class Key<T> {
        private final String text;
        private final List<ScoterTypes.Column<T, ?>> named;
        private final List<ScoterTypes.Column<T, ?>> keys;

        Key(String text, List<ScoterTypes.Column<T, ?>> columns) {
            this.text = text;
            named = columns.stream().filter(c -> text.contains(c.name() + ": ")).toList();
            keys = columns.stream().filter(ScoterTypes.Column::key).toList();
        }

        /**
         * Returns whether a row has this key. {@code value} returns the text of a column's value.
         */
        boolean isOf(Function<ScoterTypes.Column<T, ?>, String> value) {
            return named.stream()
                            .map(c -> c.name() + ": " + value.apply(c))
                            .collect(Collectors.joining(", "))
                            .equals(text)
                    || keys.stream()
                            .map(value)
                            .collect(Collectors.joining(", "))
                            .equals(text);
        }
    }
}
