/**
 * Reads rows of every type and writes them into another table by each bulk operation; what differs
 * there is printed.
 */
import { DuckDBInstance } from "@duckdb/node-api";
import { Every } from "./every/every.js";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
await Every.applyMigrations(connection);
const q = new Every(connection);
await q.fill();
const rows = await q.source();

async function check(operation: string, write: () => Promise<number>): Promise<void> {
  const written = await write().catch((error: unknown) => String(error));
  const different = await q.different();
  console.log(`${operation}: ${written}, different: ${different.length}`);
  for (const d of different.slice(0, 5)) console.log(`  ${d.name}: ${d.values} values, ${d.first}`);
}

await check("insert", () => q.insertAllCopied(rows));
await q.clear();
await q.blank();
await check("update", () => q.updateAllCopied(rows));
await q.clear();
await q.blank();
await q.halve();
await check("upsert", () => q.upsertAllCopied(rows));
await check(
  "delete",
  async () =>
    (await q.deleteAllCopied(rows.slice(0, 100))) + (await q.insertAllCopied(rows.slice(0, 100))),
);
connection.closeSync();
