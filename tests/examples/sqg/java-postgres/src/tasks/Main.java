package tasks;

import java.sql.DriverManager;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;

/** Enums, arrays, COPY through the appender, and a second engine in the same package. */
public final class Main {
    public static void main(String[] args) throws Exception {
        try (var connection = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
            Queries.applyMigrations(connection);
            Queries.applyMigrations(connection);
            var queries = new Queries(connection);
            queries.addTask("Write", List.of("urgent", "backend"), List.of(10, 20, 30));
            queries.addUnnest(List.of("Read", "Rest"), List.of("{a,\"b c\"}", "{}"));
            queries.setStatus(Queries.TaskStatus.ACTIVE, 1);
            for (var task : queries.getTasksByStatus(Queries.TaskStatus.ACTIVE)) {
                System.out.println(
                        task.id() + " " + task.title() + " " + task.status().getValue());
            }
            System.out.println(Queries.TaskStatus.fromValue("cancelled"));

            var created = OffsetDateTime.of(2026, 2, 1, 0, 0, 0, 0, ZoneOffset.UTC);
            queries.bulkInsertTasksRow(
                    List.of(new Queries.TasksRow("Copied", Queries.TaskStatus.COMPLETED, List.of("x"), null, created)));
            try (var appender = queries.createTasksAppender()) {
                appender.append("Appended", null, null, List.of(1), created);
            }
            for (var task : queries.getAllTasks()) {
                System.out.println(task.id() + " " + task.title() + " " + task.status() + " " + task.tags() + " "
                        + task.priorityScores() + " " + task.createdAt().toInstant());
            }
        }
        try (var connection = DriverManager.getConnection("jdbc:duckdb:")) {
            QueriesDuckdb.applyMigrations(connection, "staging");
            var queries = new QueriesDuckdb(connection);
            try (var appender = queries.createStagedAppender()) {
                appender.append("two", List.of("t"));
                appender.append("one", null);
            }
            System.out.println(queries.stagedTitles());
        }
    }
}
