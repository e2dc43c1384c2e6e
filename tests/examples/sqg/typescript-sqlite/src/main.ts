import Database from "better-sqlite3";
import { MyApp } from "./generated/my-app.js";

const db = new Database(":memory:");
MyApp.applyMigrations(db);
MyApp.applyMigrations(db, "tenant-123");
const queries = new MyApp(db);

queries.insertUser("Alice", "alice@example.com");
queries.insertUser("Bob", "bob@example.com");
queries.insertPost(1, "Hello World", 1);
queries.insertPost(1, "Draft", 0);
queries.insertPost(2, "Bob's Post", 1);
const bob = queries.getUserByEmail("bob@example.com");
if (bob) {
  console.log(
    `${bob.name} <${bob.email}> since ${bob.created_at}, posts: ${queries.countUserPosts(bob.id)}`,
  );
}
for (const post of queries.getPublishedPosts(100)) {
  console.log(`"${post.title}" by ${post.author_name}`);
}
console.log(queries.getUserByEmail("nobody@example.com"));
db.close();
