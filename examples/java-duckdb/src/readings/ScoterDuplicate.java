package readings;

import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the row of a key that DuckDB refuses, which names only the key. */
final class ScoterDuplicate {
    private static final Pattern DUPLICATE = Pattern.compile("[Dd]uplicate key \"(.*?)\"(?: violates|[.\\n]|$)", Pattern.DOTALL);

    private ScoterDuplicate() {}

    /** The error with the operation, and with the row if rows can be read once more. */
    static <T> SQLException named(SQLException e, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows) {
        String message = String.valueOf(e.getMessage());
        Matcher found = DUPLICATE.matcher(message);
        if (!found.find()) {
            return new SQLException(bulk.name() + ": " + message, e.getSQLState(), e);
        }
        long row = rows instanceof Collection<?> ? last(bulk.columns(), rows, found.group(1)) : 0;
        return new SQLException(bulk.name() + ": " + (row > 0 ? "row " + row + ": " : "") + "duplicate key " + found.group(1), "23505", e);
    }

    /** The last row that has the key, counted from 1, or 0. */
    private static <T> long last(List<ScoterTypes.Column<T, ?>> columns, Iterable<T> rows, String key) {
        List<ScoterTypes.Column<T, ?>> named = columns.stream().filter(c -> key.contains(c.name() + ": ")).toList();
        long number = 0;
        long last = 0;
        for (T row : rows) {
            number++;
            StringBuilder text = new StringBuilder();
            for (ScoterTypes.Column<T, ?> column : named) {
                text.append(text.isEmpty() ? "" : ", ").append(column.name()).append(": ").append(column.arg(row).text());
            }
            if (text.toString().equals(key)) {
                last = number;
            }
        }
        return last;
    }
}
