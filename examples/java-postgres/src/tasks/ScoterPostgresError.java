package tasks;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Finds the row that the server refuses, by the line number of COPY or by the key in the error. */
final class ScoterPostgresError {
    private static final Pattern LINE =
            Pattern.compile("COPY .*?, line (\\d+)(?:, column ([^\\n]*?))?(?:: |$)", Pattern.DOTALL);
    private static final Pattern KEY =
            Pattern.compile("Key \\((.*?)\\)=\\((.*)\\) (?:already exists|is not present|conflicts).*", Pattern.DOTALL);

    private ScoterPostgresError() {}

    /** A server error whose row is known. */
    private static final class RowError extends SQLException {
        private static final long serialVersionUID = 1L;

        private final long row;

        RowError(SQLException cause, long row) {
            super(cause.getMessage(), cause.getSQLState(), cause);
            this.row = row;
        }
    }

    /** Attaches a row's number, counted from 1, to a server error. */
    static SQLException atRow(SQLException e, long row) {
        return new RowError(e, row);
    }

    /** Adds the operation's name to an error, and the row's number if it can be found. */
    static <T> SQLException named(SQLException e, ScoterRuntime.Bulk<T> bulk, Iterable<T> rows) {
        ServerErrorMessage server = server(e);
        if (server == null) {
            return new SQLException(bulk.name() + ": " + e.getMessage(), e.getSQLState(), e);
        }
        long row = e instanceof RowError known ? known.row : 0;
        String column = server.getColumn();
        Matcher line = LINE.matcher(String.valueOf(server.getWhere()));
        if (line.find()) {
            row = Long.parseLong(line.group(1));
            column = column == null ? line.group(2) : column;
        }
        String text = server.getMessage();
        if (server.getDetail() != null) {
            Matcher key = KEY.matcher(server.getDetail());
            if (row == 0 && key.matches() && rows instanceof Collection<?>) {
                row = last(bulk.columns(), rows, key.group(1), key.group(2));
            }
            text += ": " + server.getDetail();
        }
        if (column != null && !text.contains('"' + column + '"')) {
            text = "column " + column + ": " + text;
        }
        return new SQLException(
                bulk.name() + ": " + (row > 0 ? "row " + row + ": " : "") + text, server.getSQLState(), e);
    }

    private static ServerErrorMessage server(Throwable e) {
        for (; e != null; e = e.getCause()) {
            if (e instanceof PSQLException p && p.getServerErrorMessage() != null) {
                return p.getServerErrorMessage();
            }
            if (e instanceof SQLException s && s.getNextException() != null && s.getCause() == null) {
                return server(s.getNextException());
            }
        }
        return null;
    }

    /**
     * Returns the number of the last row with a key, counted from 1, or 0 if there is none. Also
     * returns 0 if reading the rows a second time fails, so that the first error is reported.
     */
    private static <T> long last(
            List<ScoterTypes.Column<T, ?>> columns, Iterable<T> rows, String names, String values) {
        List<ScoterTypes.Column<T, ?>> named = columns.stream()
                .filter(c -> (", " + names + ", ").contains(", " + quoted(c.name()) + ", "))
                .toList();
        String[] parts = named.size() == 1 ? new String[] {values} : values.split(", ", -1);
        if (named.isEmpty() || parts.length != names.split(", ", -1).length || parts.length != named.size()) {
            return 0;
        }
        String[] order = names.split(", ", -1);
        long number = 0;
        long last = 0;
        try {
            for (T row : rows) {
                number++;
                boolean same = true;
                for (ScoterTypes.Column<T, ?> column : named) {
                    int at = named.size() == 1 ? 0 : List.of(order).indexOf(quoted(column.name()));
                    same &= same(column, row, parts[at]);
                }
                last = same ? number : last;
            }
        } catch (RuntimeException e) {
            return 0;
        }
        return last;
    }

    private static String quoted(String name) {
        return name.matches("[a-z_][a-z0-9_$]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    private static <T, V> boolean same(ScoterTypes.Column<T, V> column, T row, String text) {
        V value = column.value().apply(row);
        if (value == null) {
            return text.equals("null");
        }
        if (column.type().text(value).equals(text)) {
            return true;
        }
        try {
            V parsed = column.type().parse(text);
            return value instanceof BigDecimal d
                    ? d.compareTo((BigDecimal) parsed) == 0
                    : value instanceof java.time.OffsetDateTime t
                            ? t.isEqual((java.time.OffsetDateTime) parsed)
                            : value.equals(parsed);
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }
}
