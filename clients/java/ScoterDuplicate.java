package com.scoterdb.client;

import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds the row of a key that DuckDB refuses, which names only the key. */
final class ScoterDuplicate {
    private static final Pattern DUPLICATE = Pattern.compile("[Dd]uplicate key \"(.*?)\"(?: violates|[.\\n]|$)", Pattern.DOTALL);

    private ScoterDuplicate() {}

    /** The error with the operation, and with the row if rows can be read once more. */
    static <T> SQLException named(SQLException e, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows) {
        String key = key(e);
        if (key == null) {
            return new SQLException(bulk.name() + ": " + e.getMessage(), e.getSQLState(), e);
        }
        long row = rows instanceof Collection<?> ? last(bulk.columns(), rows, key) : 0;
        return new SQLException(bulk.name() + ": " + (row > 0 ? "row " + row + ": " : "") + "duplicate key " + key, "23505", e);
    }

    /** The key that an error of DuckDB is about, or null. */
    static String key(SQLException e) {
        Matcher found = DUPLICATE.matcher(String.valueOf(e.getMessage()));
        return found.find() ? found.group(1) : null;
    }

    /** The last row that has the key, counted from 1, or 0. */
    private static <T> long last(List<ScoterTypes.Column<T, ?>> columns, Iterable<T> rows, String key) {
        long number = 0;
        long last = 0;
        for (T row : rows) {
            number++;
            if (isKey(key, columns, c -> c.arg(row).text())) {
                last = number;
            }
        }
        return last;
    }

    /** Whether a row has the key, {@code a: 1, b: x}, or {@code 1, x} of one that comes twice in a statement. */
    static <T> boolean isKey(String key, List<ScoterTypes.Column<T, ?>> columns, Function<ScoterTypes.Column<T, ?>, String> text) {
        List<ScoterTypes.Column<T, ?>> named = columns.stream().filter(c -> key.contains(c.name() + ": ")).toList();
        if (named.stream().map(c -> c.name() + ": " + text.apply(c)).collect(Collectors.joining(", ")).equals(key)) {
            return true;
        }
        return columns.stream().filter(ScoterTypes.Column::key).map(text).collect(Collectors.joining(", ")).equals(key);
    }
}
