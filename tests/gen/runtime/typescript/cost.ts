/** Generated code against statements written by hand, in turn; prints the ratio of the medians of their CPU time. */
import { Cost } from "./cost/cost.js";

interface Hand {
  all(...values: unknown[]): unknown[];
  get(...values: unknown[]): unknown;
  run(...values: unknown[]): unknown;
}

const rounds = 120;

function median(samples: number[]): number {
  return samples.sort((a, b) => a - b)[samples.length >> 1]!;
}

/** Runs both in turn, so that what disturbs the machine disturbs both. */
function compare(driver: string, name: string, calls: number, hand: () => void, generated: () => void): void {
  const times: [number[], number[]] = [[], []];
  const one = (which: 0 | 1): void => {
    const body = which === 0 ? hand : generated;
    const start = process.cpuUsage();
    for (let i = 0; i < calls; i++) body();
    const used = process.cpuUsage(start);
    times[which].push((used.user + used.system) * 1000 / calls);
  };
  for (let round = 0; round < rounds; round++) {
    one((round % 2) as 0 | 1);
    one((1 - (round % 2)) as 0 | 1);
  }
  const [h, g] = [median(times[0].slice(20)), median(times[1].slice(20))];
  console.log(`${driver}\t${name}\t${h.toFixed(0)}\t${g.toFixed(0)}\t${(100 * (g / h - 1)).toFixed(1)}`);
}

async function main(): Promise<void> {
  const driver = process.argv[2]!;
  let db;
  if (driver === "node") {
    const { DatabaseSync } = await import("node:sqlite");
    db = new DatabaseSync(":memory:");
  } else {
    const { default: Database } = await import("better-sqlite3");
    db = new Database(":memory:");
  }
  // Both drivers have the methods that this uses.
  const queries = new Cost(db as never);
  Cost.applyMigrations(db as never);
  queries.insertAllUsers(Array.from({ length: 10000 }, (_, id) => ({ id, name: "name " + id, email: id % 3 === 0 ? null : "mail" + id })));
  const prepare = (sql: string): Hand => db.prepare(sql) as unknown as Hand;
  let next = 0;
  const id = (): number => (next = (next + 7919) % 10000);
  const ids = Array.from({ length: 20 }, (_, i) => i * 37);

  const byId = prepare("SELECT id, name, email FROM users WHERE id = ?");
  compare(driver, "one row by key", 2000, () => byId.get(id()), () => queries.userById(id()));
  const byIds = prepare("SELECT id, name, email FROM users WHERE id IN (SELECT value FROM json_each(?))");
  compare(driver, "20 rows of an IN list", 200, () => byIds.all(JSON.stringify(ids)), () => queries.usersByIds(ids));
  const names = prepare("SELECT name FROM users WHERE id < ?");
  compare(driver, "100 values", 100, () => (names.all(100) as { name: string }[]).map((r) => r.name), () => queries.names(100));
  const page = prepare("SELECT id, name, email FROM users WHERE id >= ? ORDER BY id LIMIT ?");
  compare(driver, "100 rows", 100, () => page.all(id(), 100), () => queries.page(id(), 100));
  const update = prepare("UPDATE users SET email = ? WHERE id = ?");
  compare(driver, "one update", 1000, () => update.run("mail", id()), () => queries.setEmail("mail", id()));
}

await main();
