package bench;

import java.util.Iterator;
import java.util.List;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;

/**
 * The published table function: one statement, which takes rows from an iterator by 2,048, row by
 * row through the driver's vectors. Those know neither UUID nor lists: the statement casts texts,
 * a list's being its literal. It is registered once for a connection.
 */
final class TableFunction implements DuckDBTableFunction<Iterator<Rows.Reading>, Object, Object>, Methods.Method {
    private final int columns;
    private final double delta;
    private final String sql;
    private final String name;
    private Iterator<Rows.Reading> next;

    /** {@code columns} and {@code delta} are as {@link Arrow#method}'s. */
    TableFunction(int columns, double delta, String sql) {
        this.columns = columns;
        this.delta = delta;
        this.sql = sql;
        this.name = "_bench_rows_" + columns;
    }

    @Override
    public void prepare(DuckDBConnection c) throws Exception {
        try (var function = DuckDBFunctions.tableFunction()) {
            function.withName(name).withFunction(this).register(c);
        }
    }

    @Override
    public void run(DuckDBConnection c, List<Rows.Reading> rows) throws Exception {
        next = rows.iterator();
        String casts = columns == 9 ? ", tags::VARCHAR[] AS tags" : "";
        Methods.execute(
                c, sql.formatted("(SELECT * REPLACE (device_id::UUID AS device_id" + casts + ") FROM " + name + "())"));
    }

    @Override
    public Iterator<Rows.Reading> bind(DuckDBTableFunctionBindInfo info) throws Exception {
        info.addResultColumn("device_id", DuckDBColumnType.VARCHAR);
        info.addResultColumn("timestamp", DuckDBColumnType.TIMESTAMP_WITH_TIME_ZONE);
        if (columns > 2) {
            info.addResultColumn("temperature", DuckDBColumnType.DOUBLE);
        }
        if (columns > 3) {
            info.addResultColumn("humidity", DuckDBColumnType.DOUBLE);
            info.addResultColumn("pressure", DuckDBColumnType.DECIMAL);
            info.addResultColumn("battery_level", DuckDBColumnType.SMALLINT);
            info.addResultColumn("is_anomaly", DuckDBColumnType.BOOLEAN);
            info.addResultColumn("location", DuckDBColumnType.VARCHAR);
            info.addResultColumn("tags", DuckDBColumnType.VARCHAR);
        }
        return next;
    }

    @Override
    public Object init(DuckDBTableFunctionInitInfo info) {
        return null;
    }

    @Override
    public long apply(DuckDBTableFunctionCallInfo info, DuckDBDataChunkWriter output) {
        Iterator<Rows.Reading> rows = info.getBindData();
        int capacity = (int) output.capacity();
        var device = output.vector(0);
        var timestamp = output.vector(1);
        var temperature = columns > 2 ? output.vector(2) : null;
        var humidity = columns > 3 ? output.vector(3) : null;
        var pressure = columns > 3 ? output.vector(4) : null;
        var battery = columns > 3 ? output.vector(5) : null;
        var anomaly = columns > 3 ? output.vector(6) : null;
        var location = columns > 3 ? output.vector(7) : null;
        var tags = columns > 3 ? output.vector(8) : null;
        int at = 0;
        for (; at < capacity && rows.hasNext(); at++) {
            Rows.Reading r = rows.next();
            device.setString(at, r.deviceId().toString());
            timestamp.setOffsetDateTime(at, r.timestamp());
            if (columns > 2) {
                temperature.setDouble(at, r.temperature() + delta);
            }
            if (columns > 3) {
                humidity.setDouble(at, r.humidity());
                pressure.setBigDecimal(at, r.pressure());
                battery.setShort(at, r.batteryLevel());
                anomaly.setBoolean(at, r.isAnomaly());
                location.setString(at, r.location());
                tags.setString(at, literal(r.tags()));
            }
        }
        return at;
    }

    /** A list of DuckDB's SQL. */
    private static String literal(List<String> items) {
        if (items.isEmpty()) {
            return "[]";
        }
        StringBuilder b = new StringBuilder("[");
        for (String item : items) {
            b.append(b.length() > 1 ? "," : "")
                    .append('\'')
                    .append(item.replace("'", "''"))
                    .append('\'');
        }
        return b.append(']').toString();
    }
}
