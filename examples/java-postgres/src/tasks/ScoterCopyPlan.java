package tasks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides how rows are written into a table: with COPY or not, and in binary format or not. The
 * server is asked for the columns' types every time. The table may have changed since the code was
 * generated, and the server would misread bytes of another type with the same size.
 */
final class ScoterCopyPlan {
    /**
     * The receive functions of built-in types that are frequent in arrays, by the types' fixed
     * OIDs.
     */
    private static final Map<Integer, String> ELEMENTS = Map.ofEntries(
            Map.entry(16, "boolrecv"),
            Map.entry(20, "int8recv"),
            Map.entry(21, "int2recv"),
            Map.entry(23, "int4recv"),
            Map.entry(25, "textrecv"),
            Map.entry(700, "float4recv"),
            Map.entry(701, "float8recv"),
            Map.entry(1043, "varcharrecv"),
            Map.entry(1082, "date_recv"),
            Map.entry(1114, "timestamp_recv"),
            Map.entry(1184, "timestamptz_recv"),
            Map.entry(1700, "numeric_recv"),
            Map.entry(2950, "uuid_recv"),
            Map.entry(3802, "jsonb_recv"));

    /**
     * The SQL columns that describe a type. The receive function is null if it is not a built-in
     * one.
     */
    private static final String TYPE =
            "t.oid::int, CASE WHEN t.typreceive::oid < 16384 THEN t.typreceive::regproc::text END, t.typelem::int, t.typbasetype::int, t.typrelid::int";

    /**
     * Whether COPY can write into the table. COPY cannot write into views, and it would ignore
     * rules and row security.
     */
    final boolean copies;
    /** The binary writer of each column. Null if any column has none. */
    final ScoterCopyType[] types;
    /** Whether keys that are equal in the database always have equal bytes. */
    final boolean canonicalKeys;

    private ScoterCopyPlan(boolean copies, ScoterCopyType[] types, boolean canonicalKeys) {
        this.copies = copies;
        this.types = types;
        this.canonicalKeys = canonicalKeys;
    }

    private record Served(int oid, String receive, int elem, int base, int relation) {
        static Served read(ResultSet rs, int from) throws SQLException {
            return new Served(
                    rs.getInt(from),
                    String.valueOf(rs.getString(from + 1)),
                    rs.getInt(from + 2),
                    rs.getInt(from + 3),
                    rs.getInt(from + 4));
        }
    }

    private record Attribute(Served type, boolean exact) {}

    /**
     * Makes the plan for a table. {@code before} is a statement that runs in the same round trip:
     * it creates the table or locks it against changes. {@code table} is the table's name in SQL.
     * {@code copies} and {@code binary} say whether COPY and its binary format may be used.
     */
    static <T> ScoterCopyPlan of(
            Connection connection,
            String before,
            String table,
            List<ScoterTypes.Column<T, ?>> columns,
            boolean copies,
            boolean binary)
            throws SQLException {
        Map<String, Attribute> attributes = new HashMap<>();
        String sql = before + "; SELECT c.relkind = 'v' OR c.relhasrules OR row_security_active(c.oid), a.attname,"
                + " coalesce(l.collisdeterministic, true) AND (a.atttypmod = -1 AND t.typbasetype = 0 OR t.typreceive = 'varcharrecv'::regproc), "
                + TYPE
                + " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation l ON l.oid = a.attcollation"
                + " WHERE c.oid = '" + table.replace("'", "''") + "'::regclass AND a.attnum > 0 AND NOT a.attisdropped";
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            while (!statement.getMoreResults() && statement.getUpdateCount() >= 0) {
                // Skip the results of the statement before the query.
            }
            try (ResultSet rs = statement.getResultSet()) {
                while (rs.next()) {
                    copies &= !rs.getBoolean(1);
                    attributes.put(rs.getString(2), new Attribute(Served.read(rs, 4), rs.getBoolean(3)));
                }
            }
        }
        if (!copies || !binary) {
            return new ScoterCopyPlan(copies, null, false);
        }
        Lookup lookup = new Lookup(connection);
        ScoterCopyType[] types = new ScoterCopyType[columns.size()];
        boolean canonical = true;
        for (int i = 0; i < types.length; i++) {
            ScoterTypes.Column<T, ?> column = columns.get(i);
            Attribute attribute = attributes.get(column.name());
            types[i] = attribute == null ? null : lookup.writer(attribute.type(), column.type());
            if (types[i] == null) {
                return new ScoterCopyPlan(true, null, false);
            }
            canonical &= !column.key() || attribute.exact() && types[i].canonical();
        }
        return new ScoterCopyPlan(true, types, canonical);
    }

    /** Finds the writers of types. It asks the server for each nested type once. */
    private static final class Lookup {
        private final Connection connection;
        private final Map<Integer, Served> known = new HashMap<>();

        Lookup(Connection connection) {
            this.connection = connection;
        }

        private Served type(int oid) throws SQLException {
            Served type = known.get(oid);
            if (type == null && ELEMENTS.containsKey(oid)) {
                return new Served(oid, ELEMENTS.get(oid), 0, 0, 0);
            }
            if (type == null) {
                type = query("SELECT " + TYPE + " FROM pg_type t WHERE t.oid = ?", oid)
                        .get(0);
                known.put(oid, type);
            }
            return type;
        }

        private List<Served> query(String sql, int oid) throws SQLException {
            List<Served> types = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setInt(1, oid);
                try (ResultSet rs = statement.executeQuery()) {
                    while (rs.next()) {
                        types.add(Served.read(rs, 1));
                    }
                }
            }
            return types;
        }

        /** Returns the binary writer of a type, or null if there is none. */
        ScoterCopyType writer(Served served, ScoterTypes.Type<?> type) throws SQLException {
            switch (served.receive()) {
                case "domain_recv":
                    return writer(type(served.base()), type);
                case "array_recv":
                    int depth = 0;
                    ScoterTypes.Type<?> inner = type;
                    while (inner instanceof ScoterNested.ListType<?> list) {
                        inner = list.elem;
                        depth++;
                    }
                    ScoterCopyType elem = depth == 0 ? null : writer(type(served.elem()), inner);
                    return elem == null ? null : new ScoterCopyType.Array(served.elem(), elem, depth);
                case "record_recv":
                    return type instanceof ScoterNested.StructType<?> struct && served.relation() != 0
                            ? composite(served, struct)
                            : null;
                default:
                    return ScoterCopyType.of(served.receive(), type);
            }
        }

        private ScoterCopyType composite(Served served, ScoterNested.StructType<?> struct) throws SQLException {
            List<Served> fields = query(
                    "SELECT " + TYPE + " FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid"
                            + " WHERE a.attrelid = ? AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
                    served.relation());
            if (fields.size() != struct.types.length) {
                return null;
            }
            int[] oids = new int[fields.size()];
            ScoterCopyType[] types = new ScoterCopyType[oids.length];
            for (int i = 0; i < oids.length; i++) {
                oids[i] = fields.get(i).oid();
                types[i] = writer(fields.get(i), struct.types[i]);
                if (types[i] == null) {
                    return null;
                }
            }
            return new ScoterCopyType.Composite(struct, oids, types);
        }
    }
}
