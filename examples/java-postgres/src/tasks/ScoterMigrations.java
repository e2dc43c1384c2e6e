package tasks;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Applies schema changes that the application contains. */
final class ScoterMigrations {
    private ScoterMigrations() {}

    /** One schema change. */
    record Migration(String id, String checksum, List<String> statements) {}

    /**
     * Applies the pending migrations in one transaction under a lock.
     *
     * @param dryRun runs the migrations and then rolls them back
     * @return the ids of the applied migrations
     */
    static List<String> migrate(
            Connection connection,
            ScoterTypes.Engine engine,
            String project,
            List<Migration> migrations,
            boolean dryRun)
            throws SQLException {
        var rt = new ScoterRuntime(connection, engine, null);
        String create =
                "CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, "
                        + "applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT, PRIMARY KEY (project, migration_id))";
        String addChecksum = "ALTER TABLE _sqg_migrations ADD COLUMN IF NOT EXISTS checksum TEXT";
        if (engine == ScoterTypes.Engine.DUCKDB) {
            if (dryRun && rt.joins()) {
                throw new SQLException("a dry run needs a connection without an open transaction");
            }
            // This runs before the transaction: DuckDB cannot alter a table and write to it in the
            // same transaction.
            rt.execute(create);
            rt.execute(addChecksum);
        }
        return rt.transaction(!dryRun, () -> {
            if (engine == ScoterTypes.Engine.POSTGRES) {
                rt.execute("SELECT pg_advisory_xact_lock(hashtext('_sqg_migrations'))");
                rt.execute(create);
                rt.execute(addChecksum);
            } else if (engine == ScoterTypes.Engine.SQLITE) {
                rt.execute(create);
                // Take the write lock before reading which migrations are applied.
                rt.execute("DELETE FROM _sqg_migrations WHERE false");
                var columns = rt.all(
                        "", "SELECT name FROM pragma_table_info('_sqg_migrations')", r -> r.get(ScoterTypes.TEXT, 1));
                if (!columns.contains("checksum")) {
                    rt.execute("ALTER TABLE _sqg_migrations ADD COLUMN checksum TEXT");
                }
            }
            Map<String, String> applied = new HashMap<>();
            rt.all(
                    "",
                    "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = ?",
                    r -> applied.put(r.get(ScoterTypes.TEXT, 1), r.get(ScoterTypes.TEXT, 2)),
                    ScoterTypes.TEXT.arg(project));
            List<String> done = new ArrayList<>();
            for (Migration m : pending(project, migrations, applied)) {
                for (String statement : m.statements()) {
                    rt.execute(statement);
                }
                rt.exec(
                        "",
                        "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES (?, ?, ?)",
                        ScoterTypes.TEXT.arg(project),
                        ScoterTypes.TEXT.arg(m.id()),
                        ScoterTypes.TEXT.arg(m.checksum()));
                done.add(m.id());
            }
            for (Migration m : migrations) {
                if (applied.containsKey(m.id()) && applied.get(m.id()) == null) {
                    rt.exec(
                            "",
                            "UPDATE _sqg_migrations SET checksum = ? WHERE project = ? AND migration_id = ?",
                            ScoterTypes.TEXT.arg(m.checksum()),
                            ScoterTypes.TEXT.arg(project),
                            ScoterTypes.TEXT.arg(m.id()));
                }
            }
            rt.close();
            return done;
        });
    }

    /**
     * Returns the migrations that are not applied yet, in order. Throws if an applied migration has
     * changed.
     *
     * @param applied the checksums of the applied migrations by id; null if none was recorded
     */
    static List<Migration> pending(String project, List<Migration> migrations, Map<String, String> applied)
            throws SQLException {
        List<Migration> todo = new ArrayList<>();
        for (Migration m : migrations) {
            if (!applied.containsKey(m.id())) {
                todo.add(m);
            } else if (applied.get(m.id()) != null && !applied.get(m.id()).equals(m.checksum())) {
                throw new SQLException(
                        "migration " + m.id() + " of " + project + " was changed after it had been applied");
            }
        }
        return todo;
    }
}
