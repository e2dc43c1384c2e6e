package tasks;

import java.sql.DriverManager;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Tasks with an enum, an array, JSON and a moment in time. */
public final class Main {
    public static void main(String[] args) throws Exception {
        var due = OffsetDateTime.of(2026, 12, 24, 18, 0, 0, 0, ZoneOffset.UTC);
        try (var connection = DriverManager.getConnection(System.getenv("JDBC_URL"));
                var queries = new Queries(connection)) {
            System.out.println("migrations: " + Queries.applyMigrations(connection));
            System.out.println("again: " + Queries.applyMigrations(connection));

            var guide = queries.addTask("Write the guide", List.of("docs", "urgent"), due);
            queries.commentOn(guide, "It is half done");
            var rest = queries.addTask("Rest", List.of(), null);

            // COPY into a staging table, then one statement that inserts or updates.
            var rows = new ArrayList<Queries.TasksRow>();
            rows.add(new Queries.TasksRow(
                    rest, "Rest", Queries.TaskStatus.DONE, List.of("home"), "{\"hours\": 8}", null));
            for (long i = 0; i < 1000; i++) {
                rows.add(new Queries.TasksRow(
                        100 + i, "Task " + i, Queries.TaskStatus.PENDING, List.of(), null, due.plusDays(i)));
            }
            System.out.println("upserted: " + queries.upsertAllTasks(rows));

            for (var task : queries.listTasks(Queries.TaskStatus.DONE)) {
                System.out.println(task.title() + " " + task.status() + " " + task.tags() + " " + task.comment());
            }
            try (var all = queries.listTasksStream(null)) {
                System.out.println("first: " + all.findFirst().orElseThrow());
            }
            for (var task : queries.tasksById(List.of(guide, rest))) {
                System.out.println(task.id() + " " + task.details() + " "
                        + (task.due() == null ? null : task.due().toInstant()));
            }
            try {
                queries.transaction(() -> {
                    queries.addTask("Never there", List.of(), null);
                    throw new IllegalStateException("changed my mind");
                });
            } catch (IllegalStateException e) {
                System.out.println(
                        e.getMessage() + ": " + queries.listTasks(null).size() + " tasks");
            }
        }
    }
}
