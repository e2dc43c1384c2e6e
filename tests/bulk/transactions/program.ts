/**
 * What statements of one connection do to each other on a driver: `DRIVER PLACE` prints a line for
 * each of what it tries.
 */

interface Row {
  id: number;
  v: string;
}

type Result<T> = Promise<T> | T;

interface Observer {
  start(): { end(rows: number): void };
}

/** What the generated classes of all drivers have, with results or promises of them. */
interface Queries {
  insertAllA(rows: Iterable<Row>): Result<number>;
  insertAllB(rows: Iterable<Row>): Result<number>;
  insertAllC(rows: Iterable<{ v: string }> | AsyncIterable<{ v: string }>): Result<number>;
  createCAppender(): Result<{
    appendMany(rows: Iterable<{ v: string }>): unknown;
    close(): unknown;
  }>;
  allAStream(): AsyncIterable<Row>;
  mark(id: number): Result<unknown>;
  addB(id: number, v: string): Result<unknown>;
  addBBatch(rows: Iterable<Row> | AsyncIterable<Row>): Result<number>;
  counts(): Result<{ a: bigint; b: bigint; c: bigint; marked: bigint }>;
  transaction<T>(body: (queries: Queries) => Result<T>): Result<T>;
  withRoute(route: string): Queries;
  numbersStream(): AsyncIterable<number>;
  first(): Promise<bigint>;
}

/** A connection, and objects of the generated class for it. */
interface Database {
  db: unknown;
  make(observer?: Observer): Queries;
  migrate(project: string, options?: { dryRun: boolean }): Result<string[]>;
  exec(sql: string): unknown;
  close(): unknown;
}

function database(
  db: any,
  made: any,
  exec: (sql: string) => unknown,
  close: () => unknown,
): Database {
  return {
    db,
    make: (observer) => new made(db, observer) as Queries,
    migrate: (project, options) => made.applyMigrations(db, project, options),
    exec,
    close,
  };
}

const open: Record<string, (place: string) => Promise<Database>> = {
  "better-sqlite3": async () => {
    const { default: Driver } = await import("better-sqlite3");
    const db = new Driver(":memory:");
    return database(
      db,
      (await import("./better-sqlite3/queries.js")).Queries,
      (sql) => db.exec(sql),
      () => db.close(),
    );
  },
  node: async () => {
    const { DatabaseSync } = await import("node:sqlite");
    const db = new DatabaseSync(":memory:");
    return database(
      db,
      (await import("./node/queries.js")).Queries,
      (sql) => db.exec(sql),
      () => db.close(),
    );
  },
  libsql: async (place) => {
    const { createClient } = await import("@libsql/client");
    const db = createClient({ url: "file:" + place });
    return database(
      db,
      (await import("./libsql/queries.js")).Queries,
      (sql) => db.execute(sql),
      () => db.close(),
    );
  },
  turso: async () => {
    const { connect } = await import("@tursodatabase/database");
    const db = await connect(":memory:");
    return database(
      db,
      (await import("./turso/queries.js")).Queries,
      (sql) => db.exec(sql),
      () => db.close(),
    );
  },
  duckdb: async () => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const db = await (await DuckDBInstance.create(":memory:")).connect();
    return database(
      db,
      (await import("./duckdb/queries.js")).Queries,
      (sql) => db.run(sql),
      () => db.closeSync(),
    );
  },
  postgres: async (place) => {
    const { default: pg } = await import("pg");
    const db = new pg.Client({ database: place });
    await db.connect();
    return database(
      db,
      (await import("./postgres/queries.js")).Queries,
      (sql) => db.query(sql),
      () => db.end(),
    );
  },
};

const rows = (from: number, to: number): Row[] =>
  Array.from({ length: to - from }, (_, i) => ({ id: from + i, v: "v" }));

function* failing(from: number): Generator<Row> {
  yield* rows(from, from + 3);
  throw new Error("no more rows");
}

/** Prints a result, or of an error its class and the beginning of its message. */
async function say(what: string, call: () => unknown): Promise<void> {
  let result: unknown;
  try {
    result = await call();
  } catch (error) {
    const { name, message } = error as Error;
    result = `${name}: ${message.split("\n")[0]!.slice(0, 60)}`;
  }
  console.log(`${what}: ${String(result)}`);
}

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

/** Not called: that the compiler refuses it is the test. */
export function refused(q: import("./better-sqlite3/queries.js").Queries): void {
  // @ts-expect-error: a promise
  q.transaction(async (t) => t.addB(1, "v"));
}

const [driver = "", place = ""] = process.argv.slice(2);
const it = await open[driver]!(place);
const { db, make, migrate, exec } = it;
const synchronous = driver === "better-sqlite3" || driver === "node";
const q = make();
const other = make();
await migrate("transactions");
const counts = async (): Promise<string> => {
  const n = await q.counts();
  return `${n.a} ${n.b} ${n.c}`;
};

if (!synchronous) {
  await say("at once", async () => {
    const twice = rows(0, 3000);
    twice[2999] = twice[0]!;
    const ends = await Promise.allSettled([
      q.insertAllA(rows(0, 3000)),
      other.insertAllB(twice),
      q.transaction((t) => t.addB(1, "v")),
    ]);
    return ends.map((end) => end.status).join(" ");
  });
  await say("after that", counts); // libsql's other connections see what is committed alone
  const tried = async (body: (t: Queries) => Promise<unknown>): Promise<string> =>
    ((await Promise.allSettled([q.transaction(body)])) as [{ status: string }])[0].status;
  await say("one of several fails", () =>
    tried((t) =>
      Promise.all([
        t.insertAllA(rows(1, 2)),
        t.insertAllB(rows(20_000, 20_010)),
        t.insertAllC([{ v: "x" }]),
      ]),
    ),
  );
  await later();
  await say("after one of several", counts);
  await say("statements of which one fails", () =>
    tried((t) => Promise.all(rows(1, 20).map(({ id, v }) => t.addB(id, v)))),
  );
  await later();
  await say("after the statements", counts);
  await say("not awaited and taken back", () =>
    q.transaction(async (t) => {
      void t.insertAllC([{ v: "x" }]);
      throw new Error("back");
    }),
  );
  await later();
  await say("after what was not awaited", counts);
  await say("of a transaction within", () =>
    q.transaction(async (t) => {
      const pending: Result<number>[] = [];
      await t.transaction(async (u) => void pending.push(u.insertAllC([{ v: "x" }])));
      throw new Error(`back with ${await pending[0]}`);
    }),
  );
  await say("too late within", () =>
    q.transaction(async (t) => {
      let late: Promise<unknown> | undefined;
      await t.transaction(
        async (u) => void (late = later().then(() => u.insertAllC([{ v: "x" }]))),
      );
      await late;
    }),
  );
  const outlives = (call: (t: Queries) => unknown): Promise<unknown> => {
    let late: Promise<unknown> | undefined;
    return Promise.resolve(
      q.transaction(async (t) => void (late = later().then(() => call(t)))),
    ).then(() => late);
  };
  await say("too late", () => outlives((t) => t.insertAllC([{ v: "x" }])));
  if (driver === "duckdb" || driver === "postgres")
    await say("statement that is too late", () => outlives((t) => t.mark(1)));
  await say("after all that", counts);
} else {
  await q.insertAllA(rows(0, 3000));
  await q.addB(1, "v");
}

if (driver !== "libsql") {
  await say("transaction of another object", async () => {
    const back = new Error("back");
    try {
      if (synchronous)
        q.transaction(
          () => (other.insertAllB(rows(10, 3010)), other.addBBatch(rows(4000, 4003)), bad(back)),
        );
      else
        await q.transaction(
          async () => (
            await other.insertAllB(rows(10, 3010)),
            await other.addBBatch(rows(4000, 4003)),
            bad(back)
          ),
        );
    } catch (error) {
      if (error !== back) throw error;
    }
    return counts();
  });
  await say("transaction begun by the program", async () => {
    await exec("BEGIN");
    await q.insertAllB(rows(10, 3010));
    await q.addBBatch(rows(4000, 4003));
    await (synchronous
      ? q.transaction(() => q.addB(5000, "v"))
      : q.transaction(async (t) => t.addB(5000, "v")));
    await exec("ROLLBACK");
    return counts();
  });
  await say("dry run inside", async () => {
    await exec("BEGIN");
    await q.addB(6000, "v");
    try {
      return await migrate("others", { dryRun: true });
    } finally {
      await exec("COMMIT");
    }
  });
  await say("after the dry run", counts);
}

await say("batch that fails inside", async () => {
  const body = (t: Queries): Result<unknown> => {
    try {
      return t.addBBatch(failing(7000));
    } catch {
      return 0;
    }
  };
  // Which is the end of a transaction of DuckDB.
  await (synchronous
    ? q.transaction(body)
    : Promise.resolve(q.transaction(async (t) => Promise.resolve(body(t)).catch(() => 0))).catch(
        () => 0,
      ));
  return counts();
});

await say("appender", async () => {
  let taken = 0;
  let written = 0;
  let most = 0;
  const watched = make({ start: () => ({ end: (n) => void (written += n) }) });
  const appender = await watched.createCAppender();
  await appender.appendMany(
    (function* () {
      for (; taken < 100_000; taken++) {
        most = Math.max(most, taken - written);
        yield { v: "x" };
      }
    })(),
  );
  await appender.close();
  return `${await counts()}, ${most <= 25_000 ? "few rows" : most} held`;
});

function bad(error: Error): never {
  throw error;
}

if (synchronous) {
  const body = async (t: Queries): Promise<void> => {
    t.addB(8000, "v");
    await Promise.resolve();
    t.addB(8001, "v");
  };
  await say("asynchronous body", () => q.transaction(body));
  await say("body with a promise that fails", () =>
    q.transaction((t) => {
      t.addB(8002, "v");
      return Promise.reject(new Error("which nobody gets"));
    }),
  );
  await say("body within", () => {
    exec("BEGIN");
    try {
      return q.transaction((t) => Promise.resolve(t.addB(8003, "v")));
    } finally {
      exec("ROLLBACK");
    }
  });
  await say("after them", counts);
  await say("appender that fails", async () => {
    const appender = await q.createCAppender();
    try {
      appender.appendMany(
        Array.from({ length: 1000 }, (_, i) => ({ v: i === 500 ? "\ud83d" : "v" })),
      );
    } catch {
      appender.appendMany([{ v: "v" }]);
    }
    appender.close();
  });
  await say("after the appender", counts);
}

await say("half a pair in a row", () => q.insertAllC([{ v: "\u{1f600}" }, { v: "\ud83d" }]));
await say("half a pair as a parameter", () => q.addB(9001, "\ude00"));

if (driver === "node") {
  const { DatabaseSync } = await import("node:sqlite");
  const { Queries: Made } = await import("./node/queries.js");
  const real = db as InstanceType<typeof DatabaseSync>;
  const old = {
    prepare: (sql: string) => real.prepare(sql),
    exec: (sql: string) => real.exec(sql),
  };
  await say("before 22.16", () => new Made(old as never).insertAllC([{ v: "x" }]));
}

if (driver === "duckdb" || driver === "postgres") {
  await say("statements in the loop of a stream", async () => {
    let n = 0;
    for await (const row of q.allAStream()) {
      n++;
      await q.mark(row.id);
    }
    return `${n} rows, ${(await q.counts()).marked} marked`;
  });
  await say("transactions in the loop of a stream", async () => {
    let n = 0;
    for await (const row of q.allAStream())
      if (n++ % 1000 === 0) await q.transaction((t) => t.addB(10_000 + row.id, "v"));
    return `${n} rows, ${await counts()}`;
  });
  await say("stream that is left", async () => {
    for await (const row of q.allAStream()) if (row.id === 1) break;
    return counts();
  });
}

if (driver === "duckdb") {
  await say("row that can be read once", () => {
    let reads = 0;
    const once = {
      id: 60_001,
      get v(): string {
        return reads++ === 0 ? "v" : bad(new Error("read twice"));
      },
    };
    return q.insertAllA([...rows(1, 2), once]); // of which the first is there
  });
  await say("late error of a stream", async () => {
    let n = 0;
    for await (const one of q.numbersStream()) n += one;
    return n;
  });
  await say("first of many", () => q.first());
}

if (driver === "postgres") {
  await say("transaction with a failed statement", () =>
    q.transaction(async (t) => {
      await t.addB(9000, "v");
      await Promise.resolve(t.addB(9000, "v")).catch(() => undefined);
    }),
  );
  await say("after the failed statement", counts);
  await say("stream into COPY", async () => {
    async function* source(): AsyncGenerator<{ v: string }> {
      for await (const row of q.allAStream()) yield row;
    }
    return q.withRoute("copy").insertAllC(source());
  });
  await say("COPY into COPY", async () => {
    async function* source(): AsyncGenerator<{ v: string }> {
      yield { v: `of ${await q.withRoute("copy").insertAllC([{ v: "inner" }])}` };
    }
    return q.withRoute("copy").insertAllC(source());
  });
  await say("half a pair by copy", () =>
    q.withRoute("copy").insertAllC([{ v: "\u{1f600}" }, { v: "\ud83d" }]),
  );
  await say("stream that is too late", async () => {
    const stream = q.allAStream()[Symbol.asyncIterator]();
    await q.transaction(async () => void (await stream.next()));
    await stream.return?.();
    const late: Promise<unknown>[] = [];
    await q.transaction(async (t) => {
      const inside = t.allAStream()[Symbol.asyncIterator]();
      await inside.next();
      late.push(later().then(() => inside.return?.()));
    });
    await late[0];
    return ((await exec("SELECT name FROM pg_cursors")) as { rows: unknown[] }).rows.length;
  });
  await say("savepoint of a batch that fails", () =>
    q.transaction(async (t) => {
      await Promise.resolve(t.addBBatch(failing(9100))).catch(() => undefined);
      await exec("RELEASE SAVEPOINT _scoter");
    }),
  );
  await say("transaction that ends within", () =>
    q.transaction((t) =>
      t.addBBatch(
        (async function* () {
          yield { id: 9200, v: "x" };
          await exec("ROLLBACK");
          throw new Error("cause");
        })(),
      ),
    ),
  );
  await say("answer that is late", async () => {
    // As pg ends a query after query_timeout: the server continues.
    const client = db as { query(config: { text?: string }): Promise<unknown> };
    const query = client.query.bind(client);
    client.query = async (config) => {
      const result = await query(config);
      if (config.text?.includes("unnest(") === true) throw new Error("Query read timeout");
      return result;
    };
    try {
      return await q.insertAllC([{ v: "late" }]);
    } finally {
      client.query = query;
    }
  });
  const { default: pg } = await import("pg");
  const { Queries: Made } = await import("./postgres/queries.js");
  const pool = new pg.Pool({ database: place, max: 3, application_name: "pooled" });
  pool.on("error", () => undefined); // of idle clients
  const p = new Made(pool);
  const free = (): string =>
    pool.idleCount === pool.totalCount && pool.waitingCount === 0
      ? "all free"
      : `${pool.totalCount - pool.idleCount} held`;
  await say(
    "pool: migrations",
    async () => (await Made.applyMigrations(pool, "transactions")).length,
  );
  await say("pool: transaction that is rolled back", () =>
    p.transaction(async (t) => {
      await t.addB(30_000, "v");
      await p.withRoute("copy").insertAllC([{ v: "x" }]);
      const [inside, outside] = [await new Made(pool).counts(), await q.counts()];
      throw new Error(`${inside!.b - outside.b} ${inside!.c - outside.c} seen inside`);
    }),
  );
  await say("pool: after it", async () => `${await counts()}, ${free()}`);
  await say("pool: more transactions than clients", async () => {
    await Promise.all(
      rows(30_000, 30_005).map(({ id, v }) =>
        p.transaction(async (t) => (await t.addB(id, v), await later())),
      ),
    );
    return `${await counts()}, ${pool.totalCount} clients, ${free()}`;
  });
  await say(
    "pool: bulk",
    async () =>
      `${await p.insertAllC(rows(0, 10))} ${await p.insertAllC(rows(0, 5000))} ${await p.addBBatch(rows(31_000, 31_010))}, ${free()}`,
  );
  await say("pool: loop of a stream", async () => {
    let n = 0;
    for await (const row of p.allAStream()) {
      if (n++ < 3) await p.mark(row.id);
      if (n === 1500) break;
    }
    return `${n}, ${free()}`;
  });
  await say("pool: row that is refused", () =>
    p.insertAllB([
      { id: 30_100, v: "v" },
      { id: 30_000, v: "v" },
    ]),
  );
  await say("pool: failed statement", () =>
    p.transaction(async (t) => void (await t.addB(30_000, "v").catch(() => undefined))),
  );
  await say("pool: statement that fails", () => p.addB(30_000, "v"));
  await say("pool: too late", async () => {
    let late!: Promise<unknown>;
    await p.transaction(async (t) => void (late = later().then(() => t.addB(30_200, "v"))));
    await late;
  });
  await say("pool: client that is lost", () =>
    p.transaction(async (t) => {
      await t.addB(30_300, "v");
      await exec(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pooled'",
      );
      await later();
      await t.addB(30_301, "v");
    }),
  );
  await say("pool: in the end", async () => `${await counts()}, ${free()}`);
  await pool.end();
}
await say("at the end", counts);
await it.close();
