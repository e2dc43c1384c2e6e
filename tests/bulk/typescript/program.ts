/**
 * What bulk writes do on a driver. `DRIVER results [PLACE [ROUTE]]` prints it: a test compares it
 * over drivers and routes. `DRIVER hang PLACE OPERATION` writes without an end, to be killed;
 * `DRIVER count PLACE` counts the rows, and those of before.
 */
import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

interface Row {
  k: number;
  v: string;
  n: string | null;
}

type Rows = Iterable<Row> | AsyncIterable<Row>;

/** What the generated classes of all drivers have, with results or promises of them. */
interface Queries {
  summary(): Promise<object[]> | object[];
  insertAllKv(rows: Rows): Promise<number> | number;
  updateAllKv(rows: Rows): Promise<number> | number;
  upsertAllKv(rows: Rows): Promise<number> | number;
  deleteAllKv(
    rows: Iterable<{ k: number }> | AsyncIterable<{ k: number }>,
  ): Promise<number> | number;
}

/** A database: its queries, and how something runs in a transaction of the program's own. */
interface Database {
  queries: Queries;
  inside(body: (queries: Queries) => Promise<void>): Promise<void>;
  close(): unknown;
}

type Asynchronous = Queries & {
  transaction(body: (queries: Queries) => Promise<void>): Promise<void>;
};

const asynchronous = (queries: unknown, close: () => unknown): Database => {
  const q = queries as Asynchronous;
  return { queries: q, inside: (body) => q.transaction(body), close };
};

const synchronous = (
  queries: unknown,
  db: { exec(sql: string): unknown; close(): unknown },
): Database => ({
  queries: queries as Queries,
  inside: async (body) => {
    db.exec("BEGIN");
    try {
      await body(queries as Queries);
      db.exec("COMMIT");
    } catch (error) {
      db.exec("ROLLBACK");
      throw error;
    }
  },
  close: () => db.close(),
});

const open: Record<
  string,
  (place: string, route: "unnest" | "copy" | undefined) => Promise<Database>
> = {
  "better-sqlite3": async (place) => {
    const { default: Driver } = await import("better-sqlite3");
    const { Kv } = await import("./better-sqlite3/kv.js");
    const db = new Driver(place || ":memory:");
    Kv.applyMigrations(db);
    return synchronous(new Kv(db), db);
  },
  node: async (place) => {
    const { DatabaseSync } = await import("node:sqlite");
    const { Kv } = await import("./node/kv.js");
    const db = new DatabaseSync(place || ":memory:");
    Kv.applyMigrations(db);
    return synchronous(new Kv(db), db);
  },
  libsql: async (place) => {
    const { createClient } = await import("@libsql/client");
    const { Kv } = await import("./libsql/kv.js");
    const db = createClient({ url: "file:" + place });
    await Kv.applyMigrations(db);
    return asynchronous(new Kv(db), () => db.close());
  },
  turso: async (place) => {
    const { connect } = await import("@tursodatabase/database");
    const { Kv } = await import("./turso/kv.js");
    const db = await connect(place || ":memory:");
    await Kv.applyMigrations(db);
    return asynchronous(new Kv(db), () => db.close());
  },
  duckdb: async (place) => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const { Kv } = await import("./duckdb/kv.js");
    const db = await (await DuckDBInstance.create(place || ":memory:")).connect();
    await Kv.applyMigrations(db);
    return asynchronous(new Kv(db), () => db.closeSync());
  },
  postgres: async (place, route) => {
    const { default: pg } = await import("pg");
    const { Kv } = await import("./postgres/kv.js");
    const db = new pg.Client({ database: place });
    await db.connect();
    await Kv.applyMigrations(db);
    return asynchronous(new Kv(db).withRoute(route), () => db.end());
  },
};

const row = (k: number, v: string | null): Row => ({ k, v: v as string, n: null });
const rows = (from: number, to: number, v: string): Row[] =>
  Array.from({ length: to - from }, (_, i) => row(from + i, v));

function* failing(from: number, at: number): Generator<Row> {
  for (let i = 0; i < at; i++) yield row(from + i, "x");
  throw new Error(`no row ${at}`);
}

/**
 * Prints a result, or of an error its class and message up to the number of the row, which drivers
 * have in common.
 */
async function say(what: string, call: () => unknown): Promise<void> {
  let result: unknown;
  try {
    result = await call();
  } catch (error) {
    const { name, message } = error as Error;
    result = `${name}: ${/^.*?: row \d+: column \w+ must not be null$|^.*?: row \d+|^no row \d+/.exec(message)?.[0] ?? message}`;
  }
  console.log(`${what}: ${String(result)}`);
}

async function results(driver: string, { queries: q, inside }: Database): Promise<void> {
  const all = async (): Promise<string> =>
    (await q.summary()).map((r) => Object.values(r).map(String).join(" ")).join(", ");
  const counted = (count: number): string => (count < 0 ? "" : String(count));

  for (const many of [3, 3000]) {
    await say(`insert ${many}`, () => q.insertAllKv(rows(0, many, "a")));
    const late = rows(9000, 9000 + many, "x");
    const at = many === 3 ? 1 : 2345;
    late[at] = row(999_999, null);
    await say(`null ${many}`, () => q.insertAllKv(late));
    late[at] = row(1, "x");
    await say(`duplicate ${many}`, () => q.insertAllKv(late));
    await say(`broken ${many}`, () => q.insertAllKv(failing(9000, at)));
    await say(`nothing behind ${many}`, all);
    // Of several rows with one key the last wins.
    await say(`update ${many}`, async () =>
      counted(
        driver === "duckdb" || driver === "postgres"
          ? await q.updateAllKv([...rows(1, many, "first"), ...rows(1, many, "last")])
          : (await q.updateAllKv([...rows(1, many, "first"), ...rows(1, many, "last")])) / 2,
      ),
    );
    await say(`updated ${many}`, all);
    late[at] = row(2, null);
    await say(`update null ${many}`, () => q.updateAllKv(late));
    await say(`upsert ${many}`, () =>
      q.upsertAllKv(
        (function* () {
          yield* rows(1, many + 2, "u");
        })(),
      ),
    );
    await say(`upserted ${many}`, all);
    await say(`delete ${many}`, () => q.deleteAllKv(rows(0, many + 10, "")));
    await say(`deleted ${many}`, all);
    await say(
      "no rows",
      async () =>
        (await q.insertAllKv([])) +
        (await q.updateAllKv([])) +
        (await q.upsertAllKv([])) +
        (await q.deleteAllKv([])),
    );

    await say(`taken back ${many}`, () =>
      inside(async (t) => {
        await t.insertAllKv(rows(0, many, "t"));
        await t.updateAllKv(rows(0, many, "tt"));
        throw new Error("no row 0");
      }),
    );
    await say(`after it ${many}`, all);
    await say(`kept ${many}`, () =>
      inside(async (t) => {
        await t.insertAllKv(rows(0, many, "t"));
        await t.updateAllKv(rows(1, many, "tt"));
      }),
    );
    await say(`after them ${many}`, all);
    await say(`fails inside ${many}`, () =>
      inside(async (t) => {
        late[at] = row(1, "x");
        await t.insertAllKv(late);
      }),
    );
    await say(`after that ${many}`, all);
    // A program that continues after a failed operation does not commit what the operation began.
    await inside(async (t) => {
      await t.insertAllKv(failing(9000, at));
    }).catch(() => undefined);
    await inside(async (t) => {
      try {
        await t.insertAllKv(late);
      } catch {
        // continue
      }
    }).catch(() => undefined);
    await say(`goes on ${many}`, all);
    await q.deleteAllKv(rows(0, many, ""));
  }
}

/** Rows without an end, but slow ones once it has been said that many are written. */
const manyRows = 100_000;
const written = (): number => writeSync(1, "written\n");

function* endless(from: number): Generator<Row> {
  for (let i = 0; i <= manyRows; i++) yield row(from + i, "new");
  written();
  for (let i = manyRows + 1; ; i++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    yield row(from + i, "new");
  }
}

async function* endlessAsync(from: number): AsyncGenerator<Row> {
  for (let i = 0; i <= manyRows; i++) yield row(from + i, "new");
  written();
  for (let i = manyRows + 1; ; i++) {
    await setTimeout(1);
    yield row(from + i, "new");
  }
}

async function hang(driver: string, { queries: q }: Database, operation: string): Promise<void> {
  await q.insertAllKv(rows(0, 1000, "old"));
  const make = driver === "better-sqlite3" || driver === "node" ? endless : endlessAsync;
  const made = make(operation === "insert" ? 1000 : 0);
  await (operation === "insert"
    ? q.insertAllKv(made)
    : operation === "update"
      ? q.updateAllKv(made)
      : operation === "delete"
        ? q.deleteAllKv(made)
        : q.upsertAllKv(made));
}

async function count({ queries: q }: Database): Promise<void> {
  const found = (await q.summary()) as { v: string; keys: number | bigint }[];
  const keys = found.map((r) => Number(r.keys));
  console.log(
    keys.reduce((sum, n) => sum + n, 0),
    Number(found.find((r) => r.v === "old")?.keys ?? 0),
  );
}

const [driver = "", mode = "", place = "", last = ""] = process.argv.slice(2);
const database = await open[driver]!(
  place,
  mode === "results" ? ((last || undefined) as "unnest" | "copy" | undefined) : undefined,
);
if (mode === "results") await results(driver, database);
else if (mode === "hang") await hang(driver, database, last);
else await count(database);
await database.close();
