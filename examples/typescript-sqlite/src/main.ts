// The same queries through the driver that is named on the command line.
import * as better from "./db-better-sqlite3.js";
import * as node from "./db-node-sqlite.js";
import * as libsql from "./db-libsql.js";
import * as turso from "./db-turso.js";

/** Two of the drivers answer at once, two with promises: await takes both. */
type Queries = better.Queries | node.Queries | libsql.Queries | turso.Queries;

async function open(driver: string): Promise<Queries> {
  switch (driver) {
    case "better-sqlite3": {
      const { default: Database } = await import("better-sqlite3");
      const db = new Database(":memory:");
      better.Queries.applyMigrations(db);
      return new better.Queries(db);
    }
    case "node": {
      const { DatabaseSync } = await import("node:sqlite");
      const db = new DatabaseSync(":memory:");
      node.Queries.applyMigrations(db);
      return new node.Queries(db);
    }
    case "libsql": {
      const { createClient } = await import("@libsql/client");
      const { mkdtempSync } = await import("node:fs");
      // Every connection to :memory: would be a database of its own.
      const db = createClient({ url: `file:${mkdtempSync("/tmp/scoter-example-")}/db` });
      await libsql.Queries.applyMigrations(db);
      return new libsql.Queries(db);
    }
    case "turso": {
      const { connect } = await import("@tursodatabase/database");
      const db = await connect(":memory:");
      await turso.Queries.applyMigrations(db);
      return new turso.Queries(db);
    }
    default:
      throw new Error(`no driver ${driver}`);
  }
}

async function main(driver: string): Promise<void> {
  const queries = await open(driver);
  const users = [
    { id: 1, name: "Ada", email: "ada@example.com" },
    { id: 2, name: "Grace", email: null },
  ];
  console.log(driver, "inserted", await queries.insertAllUsers(users));
  console.log(
    driver,
    "posted",
    await queries.addPostBatch([
      { user_id: 1, title: "Hello", published: true },
      { user_id: 1, title: "Draft", published: false },
    ]),
  );
  for (const row of await queries.usersWithPosts()) {
    console.log(driver, row.name, row.title ?? "(no posts)", row.published);
  }
  console.log(
    driver,
    "upserted",
    await queries.upsertAllUsers([{ id: 2, name: "Grace", email: "grace@example.com" }]),
  );
  console.log(driver, (await queries.getUser(2))?.email, await queries.getUser(3));
  console.log(driver, await queries.names([2, 1]));
}

for (const driver of process.argv.slice(2)) await main(driver);
