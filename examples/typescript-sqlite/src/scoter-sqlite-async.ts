import * as core from "./scoter.js";
export * from "./scoter.js";
import type { RunResult } from "./scoter-sqlite.js";
export type { RunResult, Bulk } from "./scoter-sqlite.js";
export { bigint, bit, blob, bool, dateText, int, jsonList, number, timestampText, timeText } from "./scoter-sqlite.js";
import type { Bulk } from "./scoter-sqlite.js";

/** One connection's or transaction's way to run statements. */
export interface Session {
  all(sql: string, values: readonly unknown[]): Promise<core.Raw[]>;
  iterate(sql: string, values: readonly unknown[]): AsyncIterable<core.Raw>;
  run(sql: string, values: readonly unknown[]): Promise<RunResult>;
  /** Runs body in a transaction, or in the one that is open already. */
  transaction<T>(body: (session: Session) => Promise<T>, commit: boolean): Promise<T>;
}

/** The parts of @libsql/client that are used. */
export interface LibsqlExecutor {
  execute(statement: { sql: string; args: never[] }): Promise<{
    columns: string[];
    rows: ArrayLike<unknown>[];
    rowsAffected: number;
    lastInsertRowid?: bigint | undefined;
  }>;
}
export interface LibsqlClient extends LibsqlExecutor {
  transaction(mode: "write"): Promise<LibsqlExecutor & { commit(): Promise<void>; rollback(): Promise<void>; close(): void }>;
}

/** A session over @libsql/client. The client itself holds whole results. */
export function libsql(db: LibsqlExecutor): Session {
  const execute = async (sql: string, values: readonly unknown[]) => db.execute({ sql, args: [...values] as never[] });
  const all = async (sql: string, values: readonly unknown[]): Promise<core.Raw[]> => {
    const result = await execute(sql, values);
    return result.rows.map((row) => {
      const object: core.Raw = {};
      for (let i = 0; i < result.columns.length; i++) object[result.columns[i] as string] = row[i];
      return object;
    });
  };
  const session: Session = {
    all,
    async *iterate(sql, values) {
      yield* await all(sql, values);
    },
    async run(sql, values) {
      const result = await execute(sql, values);
      return { changes: result.rowsAffected, lastInsertRowid: result.lastInsertRowid ?? 0n };
    },
    async transaction(body, commit) {
      if (!("transaction" in db)) return body(session);
      const tx = await (db as LibsqlClient).transaction("write");
      try {
        const result = await body(libsql(tx));
        if (commit) await tx.commit();
        else await tx.rollback();
        return result;
      } finally {
        tx.close();
      }
    },
  };
  return session;
}

/** The parts of @tursodatabase/database that are used. */
export interface TursoDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): Promise<TursoStatement>;
  exec(sql: string): Promise<unknown>;
}
export interface TursoStatement {
  all(...values: unknown[]): Promise<unknown[]>;
  iterate(...values: unknown[]): AsyncIterable<unknown>;
  run(...values: unknown[]): Promise<{ changes: number; lastInsertRowid: number | bigint }>;
  safeIntegers(on: boolean): unknown;
  close(): unknown;
}

/** A session over @tursodatabase/database. */
export function turso(db: TursoDatabase, bigints: boolean): Session {
  const statements = new Map<string, TursoStatement>();
  const prepare = async (sql: string): Promise<TursoStatement> => {
    const statement = await db.prepare(sql);
    if (bigints) statement.safeIntegers(true);
    return statement;
  };
  const cached = async (sql: string): Promise<TursoStatement> => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = await prepare(sql);
      if (statements.size >= 256) {
        for (const [oldest, old] of statements) {
          statements.delete(oldest);
          old.close();
          break;
        }
      }
      statements.set(sql, statement);
    }
    return statement;
  };
  const session: Session = {
    async all(sql, values) {
      return (await (await cached(sql)).all(...values)) as core.Raw[];
    },
    async *iterate(sql, values) {
      const statement = await prepare(sql);
      try {
        for await (const row of statement.iterate(...values)) yield row as core.Raw;
      } finally {
        statement.close();
      }
    },
    async run(sql, values) {
      const done = await (await cached(sql)).run(...values);
      return { changes: Number(done.changes), lastInsertRowid: done.lastInsertRowid };
    },
    async transaction(body, commit) {
      if (db.inTransaction) return body(session);
      await db.exec("BEGIN IMMEDIATE");
      let result;
      try {
        result = await body(session);
        await db.exec(commit ? "COMMIT" : "ROLLBACK");
      } catch (error) {
        if (db.inTransaction) await db.exec("ROLLBACK");
        throw error;
      }
      return result;
    },
  };
  return session;
}

/** Runs statements for a generated class over an asynchronous SQLite driver. */
export class Runtime {
  readonly #session: Session;
  readonly #observer: core.Observer | undefined;

  constructor(session: Session, observer?: core.Observer) {
    this.#session = session;
    this.#observer = observer;
  }

  all<T>(name: string, sql: string, values: readonly unknown[], read?: (row: core.Raw) => T): Promise<T[]> {
    return core.observe(this.#observer, name, core.many, async () => {
      const rows = await this.#session.all(sql, values);
      return read === undefined ? (rows as T[]) : rows.map(read);
    });
  }

  one<T>(name: string, sql: string, values: readonly unknown[], read?: (row: core.Raw) => T): Promise<T | undefined> {
    return core.observe(this.#observer, name, core.one, async () => {
      const row = (await this.#session.all(sql, values))[0];
      return row === undefined ? undefined : read === undefined ? (row as T) : read(row);
    });
  }

  stream<T>(name: string, sql: string, values: readonly unknown[], read?: (row: core.Raw) => T): AsyncGenerator<T, void, undefined> {
    const session = this.#session;
    return core.observeEachAsync(this.#observer, name, async function* () {
      for await (const row of session.iterate(sql, values)) yield read === undefined ? (row as T) : read(row);
    });
  }

  /** counts is false for a statement that leaves SQLite's count of an earlier one. */
  exec(name: string, sql: string, values: readonly unknown[], counts = true): Promise<RunResult> {
    return core.observe(this.#observer, name, (r: RunResult) => r.changes, async () => {
      const done = await this.#session.run(sql, values);
      return counts ? done : { ...done, changes: 0 };
    });
  }

  /** Runs a statement once per row, all or nothing, and sums the changes. */
  batch<T>(bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
    return core.observe(this.#observer, bulk.name, core.same, () =>
      this.#session.transaction(async (session) => {
        let changes = 0;
        for await (const row of rows) changes += (await session.run(bulk.sql, bulk.values(row))).changes;
        return changes;
      }, true),
    );
  }

  /** Runs body in a transaction, or in the one that is open already. */
  transaction<T>(body: (runtime: Runtime) => Promise<T>): Promise<T> {
    return this.#session.transaction((session) => body(new Runtime(session, this.#observer)), true);
  }
}

/** Collects rows of an appender and writes them when it is flushed or closed. */
export class Appender<T> {
  readonly #runtime: Runtime;
  readonly #bulk: Bulk<T>;
  #rows: T[] = [];

  constructor(runtime: Runtime, bulk: Bulk<T>) {
    this.#runtime = runtime;
    this.#bulk = bulk;
  }

  async append(row: T): Promise<this> {
    this.#rows.push(row);
    if (this.#rows.length >= 1000) await this.flush();
    return this;
  }

  async appendMany(rows: core.Rows<T>): Promise<this> {
    for await (const row of rows) await this.append(row);
    return this;
  }

  async flush(): Promise<this> {
    const rows = this.#rows;
    this.#rows = [];
    await this.#runtime.batch(this.#bulk, rows);
    return this;
  }

  async close(): Promise<void> {
    await this.flush();
  }
}

/** Applies the pending migrations under the write lock; returns their ids. */
export async function applyMigrations(
  session: Session,
  project: string,
  migrations: readonly core.Migration[],
  options: core.MigrateOptions = {},
): Promise<string[]> {
  return session.transaction(async (s) => {
    await s.run(core.migrationSQL.create, []);
    const columns = await s.all("SELECT name FROM pragma_table_info('_sqg_migrations')", []);
    if (!columns.some((c) => c["name"] === "checksum")) await s.run(core.migrationSQL.addChecksum, []);
    const recorded = await s.all("SELECT migration_id, checksum FROM _sqg_migrations WHERE project = ?", [project]);
    const applied = new Map(recorded.map((r) => [r["migration_id"] as string, r["checksum"] as string | null]));
    const todo = core.pending(project, migrations, applied);
    for (const m of migrations) {
      if (applied.get(m.id) === null) {
        await s.run("UPDATE _sqg_migrations SET checksum = ? WHERE project = ? AND migration_id = ?", [m.checksum, project, m.id]);
      }
    }
    for (const m of todo) {
      for (const statement of m.statements) await s.run(statement, []);
      await s.run("INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES (?, ?, ?)", [project, m.id, m.checksum]);
    }
    return todo.map((m) => m.id);
  }, options.dryRun !== true);
}
