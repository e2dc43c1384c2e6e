import * as core from "./scoter.js";
import { lazyRows, type OpenRows, type ReadRow } from "./scoter-sqlite-rows.js";
export * from "./scoter.js";

/** A value that a parameter can be bound to. */
export type Value = string | number | bigint | Uint8Array | null;

/** The interface that better-sqlite3 and node:sqlite have in common. */
export interface SyncDatabase {
  prepare(sql: string): SyncStatement;
  exec(sql: string): unknown;
}

export interface SyncStatement {
  all(...values: never[]): unknown[];
  get(...values: never[]): unknown;
  iterate(...values: never[]): IterableIterator<unknown>;
  run(...values: never[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  /** better-sqlite3: makes the statement return integers as bigint. */
  safeIntegers?(on: boolean): unknown;
  /** node:sqlite: makes the statement return integers as bigint. */
  setReadBigInts?(on: boolean): void;
  /** better-sqlite3: makes the statement return only the first column's value for each row. */
  pluck?(on: boolean): unknown;
}

/** A prepared statement, as generated code calls it. This is the driver's own object. */
export interface Statement {
  all(...values: Value[]): unknown[];
  get(...values: Value[]): unknown;
  run(...values: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint };
}

/** The effect of a statement that returns no rows. */
export interface RunResult {
  changes: number;
  lastInsertRowid: number | bigint;
}

/**
 * A bulk operation on one table. `sql` writes one row and takes its values in the order of
 * `columns`.
 */
export interface Bulk<T> extends core.BulkRows<T, unknown> {
  readonly sql: string;
  /**
   * The SQL before and after the VALUES list of a statement that writes many rows. Absent if the
   * operation has no such statement.
   */
  readonly many?: { readonly before: string; readonly behind: string };
}

/** A statement that runs once for each row of parameters. */
export interface Batch<T> {
  readonly name: string;
  readonly sql: string;
  readonly values: (row: T) => unknown[];
}

/** Runs the statements of a generated class on a synchronous SQLite driver. */
export class Runtime {
  readonly #db: SyncDatabase;
  readonly #observer: core.Observer | undefined;
  readonly #bigints: boolean;
  /** Prepared statements that no stream uses at the moment, by SQL text. */
  readonly #idle = new Map<string, SyncStatement[]>();

  constructor(db: SyncDatabase, bigints: boolean, observer?: core.Observer) {
    this.#db = db;
    this.#bigints = bigints;
    this.#observer = observer;
  }

  #prepare(sql: string): SyncStatement {
    const statement = this.#db.prepare(sql);
    if (this.#bigints) {
      if (statement.setReadBigInts !== undefined) statement.setReadBigInts(true);
      else statement.safeIntegers?.(true);
    }
    return statement;
  }

  /**
   * Prepares the statement of a generated method. The method keeps it, so that a call costs nothing
   * beyond the driver's own work.
   */
  prepare(name: string, sql: string, pluck = false): Statement {
    const prepared = (): Statement => {
      const statement = this.#prepare(sql) as SyncStatement & Statement;
      if (pluck) statement.pluck?.(true);
      return statement;
    };
    const observer = this.#observer;
    if (observer === undefined) return prepared();
    let statement: Statement | undefined;
    const ready = (): Statement => (statement ??= prepared());
    return {
      all: (...values) => core.observeSync(observer, name, core.many, () => ready().all(...values)),
      get: (...values) => core.observeSync(observer, name, core.one, () => ready().get(...values)),
      run: (...values) =>
        core.observeSync(
          observer,
          name,
          (done) => Number(done.changes),
          () => ready().run(...values),
        ),
    };
  }

  /**
   * Streams rows. Each stream has its own prepared statement, so several streams of the same query
   * can be open.
   */
  stream<T>(
    name: string,
    sql: string,
    values: readonly unknown[],
    read?: ReadRow<T>,
  ): Generator<T, void, undefined> {
    let idle = this.#idle.get(sql);
    if (idle === undefined) this.#idle.set(sql, (idle = []));
    const open = (): OpenRows => {
      const statement = idle.pop() ?? this.#prepare(sql);
      return {
        rows: statement.iterate(...(values as never[])),
        close: () => void idle.push(statement),
      };
    };
    const rows = lazyRows(open, read);
    return this.#observer === undefined ? rows : core.observeEach(this.#observer, name, () => rows);
  }

  /**
   * Runs a statement once for each row. Either all runs take effect or none. Returns the total
   * number of changes.
   */
  batch<T>(batch: Batch<T>, rows: Iterable<T>): number {
    return this.#each(batch, rows, (statement, row) =>
      statement.run(...(batch.values(row) as never[])),
    );
  }

  /**
   * Runs a bulk operation. Either all rows take effect or none. Returns the number of changed rows.
   * Throws a RowError that names the row that cannot be written.
   */
  bulk<T>(bulk: Bulk<T>, rows: Iterable<T>): number {
    return this.#each(bulk, rows, (statement, row, number) => {
      const values = core.valuesOf(bulk, row, number);
      try {
        return statement.run(...(values as never[]));
      } catch (error) {
        throw new core.RowError(bulk.name, number, error);
      }
    });
  }

  #each<T>(
    { name, sql }: { name: string; sql: string },
    rows: Iterable<T>,
    run: (statement: SyncStatement, row: T, number: number) => { changes: number | bigint },
  ): number {
    return core.observeSync(this.#observer, name, core.same, () =>
      atomic(this.#db, () => {
        const statement = this.#prepare(sql);
        let number = 0;
        let changes = 0;
        for (const row of rows) changes += Number(run(statement, row, ++number).changes);
        return changes;
      }),
    );
  }

  appender<T>(bulk: Bulk<T>): Appender<T> {
    return new Appender(this, bulk);
  }

  /**
   * Runs body in a transaction. If a transaction is already open, body joins it. Throws a TypeError
   * if body is asynchronous.
   */
  transaction<T, Q>(body: (queries: Q) => Sync<T>, queries: Q): T {
    // An async function is not called at all: the code after its first await would run outside the
    // transaction.
    if (Object.prototype.toString.call(body) === "[object AsyncFunction]") throw asynchronous();
    return transaction(this.#db, () => {
      const result: T = body(queries);
      if (typeof (result as { then?: unknown } | null | undefined)?.then !== "function")
        return result;
      // prevents an unhandled rejection: no caller receives this promise
      if (result instanceof Promise) result.catch(() => undefined);
      throw asynchronous();
    });
  }
}

/**
 * The result type of a transaction's body. Promises are excluded, because the transaction would not
 * wait for them.
 */
export type Sync<T> = T extends PromiseLike<unknown> ? never : T;

function asynchronous(): TypeError {
  return new TypeError(
    "the body of a transaction on this driver cannot be asynchronous: it would be committed before the body has ended",
  );
}

/** Collects rows and writes them 1,000 at a time. Call `close` to write the last rows. */
export class Appender<T> {
  readonly #runtime: Runtime;
  readonly #bulk: Bulk<T>;
  #rows: T[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(runtime: Runtime, bulk: Bulk<T>) {
    this.#runtime = runtime;
    this.#bulk = bulk;
  }

  append(row: T): this {
    this.#rows.push(row);
    return this.#rows.length >= 1000 ? this.flush() : this;
  }

  appendMany(rows: Iterable<T>): this {
    for (const row of rows) this.append(row);
    return this;
  }

  /**
   * Writes the collected rows. After a failed write, nothing more is written, and each call throws
   * the first error again.
   */
  flush(): this {
    const rows = this.#rows;
    this.#rows = [];
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      this.#runtime.bulk(this.#bulk, rows);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
    return this;
  }

  /** Writes the last rows. Throws if any write has failed. */
  close(): void {
    this.flush();
  }
}

/**
 * Converts the driver's result of a statement. Set `counts` to false for a statement that changes
 * no rows, because SQLite then still reports the count of an earlier statement.
 */
export function ran(
  done: { changes: number | bigint; lastInsertRowid: number | bigint },
  counts = true,
): RunResult {
  return { changes: counts ? Number(done.changes) : 0, lastInsertRowid: done.lastInsertRowid };
}

function inTransaction(db: SyncDatabase): boolean {
  const d = db as { inTransaction?: boolean; isTransaction?: boolean };
  const open = d.inTransaction ?? d.isTransaction;
  if (open === undefined)
    throw new Error(
      "node:sqlite does not tell of transactions before Node.js 22.16: a newer one is needed",
    );
  return open;
}

function transaction<T>(db: SyncDatabase, body: () => T, commit = "COMMIT"): T {
  if (inTransaction(db)) return body();
  db.exec("BEGIN IMMEDIATE");
  let result: T;
  try {
    result = body();
    db.exec(commit);
  } catch (error) {
    if (inTransaction(db)) db.exec("ROLLBACK");
    throw error;
  }
  return result;
}

/**
 * Runs body so that either all of it takes effect or nothing: in a new transaction, or behind a
 * savepoint if a transaction is already open.
 */
function atomic<T>(db: SyncDatabase, body: () => T): T {
  if (!inTransaction(db)) return transaction(db, body);
  db.exec(savepoint.begin);
  try {
    const result = body();
    db.exec(savepoint.end);
    return result;
  } catch (error) {
    if (inTransaction(db)) for (const sql of savepoint.undo) db.exec(sql);
    throw error;
  }
}

/** The statements that begin, end and undo an atomic part of a transaction. */
export const savepoint = {
  begin: "SAVEPOINT _scoter",
  end: "RELEASE _scoter",
  undo: ["ROLLBACK TO _scoter", "RELEASE _scoter"],
} as const;

/**
 * Applies the pending migrations in one transaction, under the write lock. Returns the ids of the
 * applied migrations.
 */
export function applyMigrations(
  db: SyncDatabase,
  project: string,
  migrations: readonly core.Migration[],
  options: core.MigrateOptions = {},
): string[] {
  core.checkDryRun(options, inTransaction(db));
  return transaction(
    db,
    () => {
      db.exec(core.migrationSQL.create);
      const columns = db.prepare("SELECT name FROM pragma_table_info('_sqg_migrations')").all() as {
        name: string;
      }[];
      if (!columns.some((c) => c.name === "checksum")) db.exec(core.migrationSQL.addChecksum);
      const recorded = db
        .prepare("SELECT migration_id, checksum FROM _sqg_migrations WHERE project = ?")
        .all(project as never) as {
        migration_id: string;
        checksum: string | null;
      }[];
      const applied = new Map(recorded.map((r) => [r.migration_id, r.checksum]));
      const todo = core.pending(project, migrations, applied);
      const adopt = db.prepare(
        "UPDATE _sqg_migrations SET checksum = ? WHERE project = ? AND migration_id = ?",
      );
      for (const m of migrations) {
        if (applied.get(m.id) === null) adopt.run(...([m.checksum, project, m.id] as never[]));
      }
      for (const m of todo) {
        for (const statement of m.statements) db.exec(statement);
        db.prepare(
          "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES (?, ?, ?)",
        ).run(...([project, m.id, m.checksum] as never[]));
      }
      return todo.map((m) => m.id);
    },
    options.dryRun === true ? "ROLLBACK" : "COMMIT",
  );
}

// The functions below read SQLite's values and convert values for parameters.

export const bool = (v: unknown): boolean =>
  typeof v === "string" ? v.startsWith("t") : Number(v) !== 0;
export const number = (v: unknown): number => Number(v);
export const bigint = (v: unknown): bigint => BigInt(v as number);

/** Reads bytes. A BLOB column can also contain text, because SQLite does not convert it. */
export function blob(v: unknown): Uint8Array {
  if (typeof v === "string") return new TextEncoder().encode(v);
  return v instanceof ArrayBuffer ? new Uint8Array(v) : (v as Uint8Array);
}

/** Converts a whole number to bigint. Drivers bind a bigint as INTEGER, but a number as REAL. */
export const int = (v: number | bigint): bigint => BigInt(v);

/**
 * Checks that a number is whole. This is enough for columns that convert REAL to INTEGER
 * themselves.
 */
export function whole(v: number | bigint): number | bigint {
  if (typeof v === "number" && !Number.isInteger(v))
    throw new RangeError(`${v} is not a whole number`);
  return v;
}
export const bit = (v: boolean): number => (v ? 1 : 0);

/** Prepares a value whose type is known only at run time for a parameter. */
export const value = (v: unknown): never => (typeof v === "string" ? core.utf8(v) : v) as never;

/** Returns the values as a JSON array, for `IN (SELECT value FROM json_each(?))`. */
export function jsonList(values: readonly unknown[]): string {
  return (
    "[" +
    values.map((v) => (typeof v === "bigint" ? v.toString() : JSON.stringify(v))).join(",") +
    "]"
  );
}

/**
 * Converts SQLite's two numeric forms of a time to a Date: integers are Unix seconds, other numbers
 * are Julian days.
 */
function fromNumber(v: number | bigint): Date {
  const n = Number(v);
  return new Date(Number.isInteger(n) ? n * 1000 : (n - 2440587.5) * 86400000);
}

export const dateText = (v: unknown): string =>
  typeof v === "string"
    ? v
    : fromNumber(v as number)
        .toISOString()
        .slice(0, 10);
export const timeText = (v: unknown): string =>
  typeof v === "string"
    ? v
    : fromNumber(v as number)
        .toISOString()
        .slice(11, 23);
export const timestampText = (v: unknown): string =>
  typeof v === "string"
    ? v
    : fromNumber(v as number)
        .toISOString()
        .replace("T", " ")
        .replace("Z", "");
