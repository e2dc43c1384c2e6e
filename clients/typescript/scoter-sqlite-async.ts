import * as core from "./scoter.js";
export * from "./scoter.js";
import type { Batch, Bulk, RunResult } from "./scoter-sqlite.js";
import { jsonList, savepoint } from "./scoter-sqlite.js";
import { lazyRowsAsync, type ReadRow } from "./scoter-sqlite-rows.js";
import { turnsOf, type Turns } from "./scoter-turns.js";
export type { RunResult, Batch, Bulk } from "./scoter-sqlite.js";
export {
  bigint,
  bit,
  blob,
  bool,
  dateText,
  int,
  jsonList,
  number,
  ran,
  timestampText,
  timeText,
  value,
  whole,
} from "./scoter-sqlite.js";

/** A prepared statement, as generated code calls it. */
export interface Statement {
  all(...values: unknown[]): Promise<unknown[]>;
  get(...values: unknown[]): Promise<unknown>;
  run(...values: unknown[]): Promise<RunResult>;
}

/** A connection or a transaction on which statements run. */
export interface Session {
  prepare(sql: string, pluck: boolean): Statement;
  open(sql: string, values: readonly unknown[]): Promise<AsyncIterator<unknown>>;
  /** Whether a transaction is open. */
  readonly inTransaction: boolean;
  readonly turns: Turns;
  /**
   * Runs body in a new transaction, which is committed if `commit` is true and rolled back
   * otherwise. If a transaction is already open, body joins it.
   */
  transaction<T>(body: (session: Session) => Promise<T>, commit: boolean): Promise<T>;
}

/**
 * jsonList for turso. Its json_each (0.7.2) does not undo JSON's escapes, so a text with an escape
 * would silently match nothing. Such texts throw a RangeError.
 */
export function tursoList(values: readonly unknown[]): string {
  const escaped = values.find(
    (v) => typeof v === "string" && JSON.stringify(v).length !== v.length + 2,
  );
  if (escaped !== undefined) {
    throw new RangeError(
      `turso finds no text with quotes, backslashes or control characters by IN and a list: ${JSON.stringify(escaped)}`,
    );
  }
  return jsonList(values);
}

interface LibsqlResult {
  columns: string[];
  rows: ArrayLike<unknown>[];
  rowsAffected: number;
  lastInsertRowid?: bigint | undefined;
}

/** The parts of @libsql/client that this module uses. */
export interface LibsqlExecutor {
  execute(statement: { sql: string; args: never[] }): Promise<LibsqlResult>;
}
export interface LibsqlClient extends LibsqlExecutor {
  transaction(
    mode: "write",
  ): Promise<
    LibsqlExecutor & { commit(): Promise<void>; rollback(): Promise<void>; close(): void }
  >;
}

/**
 * Returns each row as an object by column name, or the value of its only column if `pluck` is set.
 * The client's own rows already are such objects, but they also have non-enumerable properties for
 * positions and `length`. Rows are copied only if a column's name collides with one of those.
 */
function libsqlRows(result: LibsqlResult, pluck: boolean): unknown[] {
  if (pluck) return result.rows.map((row) => row[0]);
  if (!result.columns.some((c) => c === "length" || (c.charAt(0) <= "9" && /^\d+$/.test(c))))
    return result.rows;
  return result.rows.map((row) => Object.fromEntries(result.columns.map((c, i) => [c, row[i]])));
}

/**
 * Makes a session on @libsql/client. The client prepares the statement again for each call and
 * holds whole results in memory.
 */
export function libsql(db: LibsqlExecutor, turns = turnsOf(db)): Session {
  const session: Session = {
    inTransaction: !("transaction" in db),
    turns,
    prepare: (sql, pluck) => ({
      all: async (...args) => libsqlRows(await db.execute({ sql, args: args as never[] }), pluck),
      get: async (...args) =>
        libsqlRows(await db.execute({ sql, args: args as never[] }), pluck)[0],
      run: async (...args) => {
        const result = await db.execute({ sql, args: args as never[] });
        return { changes: result.rowsAffected, lastInsertRowid: result.lastInsertRowid ?? 0n };
      },
    }),
    async open(sql, values) {
      const rows = libsqlRows(
        await db.execute({ sql, args: [...values] as never[] }),
        false,
      ).values();
      return { next: () => Promise.resolve(rows.next()) };
    },
    async transaction(body, commit) {
      if (!("transaction" in db)) return body(session);
      const tx = await (db as LibsqlClient).transaction("write");
      try {
        return await turns.whole(
          () => body(libsql(tx, turns)),
          () => (commit ? tx.commit() : tx.rollback()),
          () => tx.rollback(),
        );
      } finally {
        tx.close();
      }
    },
  };
  return session;
}

/** The parts of @tursodatabase/database that this module uses. */
export interface TursoDatabase {
  readonly inTransaction: boolean;
  // returns a promise since version 0.6
  prepare(sql: string): TursoStatement | Promise<TursoStatement>;
  exec(sql: string): Promise<unknown>;
}
export interface TursoStatement {
  all(...values: unknown[]): Promise<unknown[]>;
  get(...values: unknown[]): Promise<unknown>;
  iterate(...values: unknown[]): AsyncIterable<unknown>;
  run(...values: unknown[]): Promise<{ changes: number; lastInsertRowid: number | bigint }>;
  safeIntegers(on: boolean): unknown;
  pluck(on: boolean): unknown;
  close(): unknown;
}

/**
 * Makes a statement that is prepared by its first call. Once it is prepared, its methods are the
 * driver's own, so that later calls cost nothing extra. If preparing fails, the next call tries
 * again, because the missing table may exist by then.
 */
function pending(prepare: () => Promise<TursoStatement>): Statement {
  let prepared: Promise<TursoStatement> | undefined;
  const ready = (): Promise<TursoStatement> =>
    (prepared ??= prepare().then(
      (s) => {
        Object.assign(statement, { all: s.all.bind(s), get: s.get.bind(s), run: s.run.bind(s) });
        return s;
      },
      (error: unknown) => {
        prepared = undefined;
        throw error;
      },
    ));
  const statement: Statement = {
    all: async (...values) => (await ready()).all(...values),
    get: async (...values) => (await ready()).get(...values),
    run: async (...values) => (await ready()).run(...values),
  };
  return statement;
}

interface TursoStream {
  readonly statement: TursoStatement;
  /** The driver's last result, which may still be pending. */
  last: Promise<IteratorResult<unknown>> | undefined;
}

/**
 * The open streams of one SQL text. Each stream needs its own prepared statement. A new stream
 * reuses the statement of a stream that has ended. Opening a stream checks which streams have
 * ended, so that reading a row costs nothing extra.
 */
class TursoStreams {
  readonly #prepare: () => Promise<TursoStatement>;
  readonly #streams = new Set<TursoStream>();

  constructor(prepare: () => Promise<TursoStatement>) {
    this.#prepare = prepare;
  }

  async open(values: readonly unknown[]): Promise<AsyncIterator<unknown>> {
    const statement = (await this.#ended()) ?? (await this.#prepare());
    const rows = statement.iterate(...values)[Symbol.asyncIterator]();
    const stream: TursoStream = { statement, last: undefined };
    this.#streams.add(stream);
    return {
      next: () => (stream.last = rows.next()),
      return: () => (stream.last = rows.return!()),
    };
  }

  /**
   * Returns the statement of a stream that has ended and removes that stream, or returns undefined.
   */
  async #ended(): Promise<TursoStatement | undefined> {
    for (const stream of this.#streams) {
      const last = await Promise.race([stream.last, undefined]).catch(() => ({ done: true }));
      if (last?.done === true && this.#streams.delete(stream)) return stream.statement;
    }
    return undefined;
  }
}

/** Makes a session on @tursodatabase/database. If `bigints` is set, integers are read as bigint. */
export function turso(db: TursoDatabase, bigints: boolean): Session {
  const prepare = async (sql: string): Promise<TursoStatement> => {
    const statement = await db.prepare(sql);
    if (bigints) statement.safeIntegers(true);
    return statement;
  };
  const streams = new Map<string, TursoStreams>();
  const session: Session = {
    get inTransaction() {
      return db.inTransaction;
    },
    turns: turnsOf(db),
    prepare: (sql, pluck) =>
      pending(async () => {
        const statement = await prepare(sql);
        if (pluck) statement.pluck(true);
        return statement;
      }),
    async open(sql, values) {
      let of = streams.get(sql);
      if (of === undefined) streams.set(sql, (of = new TursoStreams(() => prepare(sql))));
      return of.open(values);
    },
    async transaction(body, commit) {
      if (db.inTransaction) return body(session);
      await db.exec("BEGIN IMMEDIATE");
      return session.turns.whole(
        () => body(session),
        () => db.exec(commit ? "COMMIT" : "ROLLBACK"),
        async () => {
          if (db.inTransaction) await db.exec("ROLLBACK");
        },
      );
    },
  };
  return session;
}

/** Runs the statements of a generated class on an asynchronous SQLite driver. */
export class Runtime {
  readonly #session: Session;
  readonly #observer: core.Observer | undefined;

  constructor(session: Session, observer?: core.Observer) {
    this.#session = session;
    this.#observer = observer;
  }

  /**
   * Prepares the statement of a generated method. The method keeps it, so that a call costs nothing
   * beyond the driver's own work.
   */
  prepare(name: string, sql: string, pluck = false): Statement {
    const statement = this.#session.prepare(sql, pluck);
    const observer = this.#observer;
    if (observer === undefined) return statement;
    return {
      all: (...values) => core.observe(observer, name, core.many, () => statement.all(...values)),
      get: (...values) => core.observe(observer, name, core.one, () => statement.get(...values)),
      run: (...values) =>
        core.observe(
          observer,
          name,
          (done) => Number(done.changes),
          () => statement.run(...values),
        ),
    };
  }

  stream<T>(
    name: string,
    sql: string,
    values: readonly unknown[],
    read?: ReadRow<T>,
  ): AsyncGenerator<T, void, undefined> {
    const rows = lazyRowsAsync(() => this.#session.open(sql, values), read);
    return this.#observer === undefined
      ? rows
      : core.observeEachAsync(this.#observer, name, () => rows);
  }

  /**
   * Runs a statement once for each row. Either all runs take effect or none. Returns the total
   * number of changes.
   */
  batch<T>(batch: Batch<T>, rows: core.Rows<T>): Promise<number> {
    return this.#atomic(batch.name, async (session) => {
      const statement = session.prepare(batch.sql, false);
      let changes = 0;
      for await (const row of rows)
        changes += Number((await statement.run(...batch.values(row))).changes);
      return changes;
    });
  }

  /**
   * Runs a bulk operation. Either all rows take effect or none. Returns the number of changed rows.
   * Throws a RowError that names the row that cannot be written.
   */
  bulk<T>(bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
    return this.#atomic(bulk.name, async (session) => {
      const writer = new Writer(session, bulk);
      for await (const row of rows) await writer.add(row);
      return writer.end();
    });
  }

  appender<T>(bulk: Bulk<T>): core.Appender<T> {
    return new core.Appender(1000, (rows) => this.bulk(bulk, rows));
  }

  /**
   * Runs body so that either all of it takes effect or nothing: in a new transaction, or behind a
   * savepoint if a transaction is already open.
   */
  #atomic(name: string, body: (session: Session) => Promise<number>): Promise<number> {
    const session = this.#session;
    return core.observe(this.#observer, name, core.same, () =>
      session.turns.take(() =>
        session.inTransaction ? this.#part(body) : session.transaction(body, true),
      ),
    );
  }

  async #part(body: (session: Session) => Promise<number>): Promise<number> {
    const session = this.#session;
    const run = (sql: string): Promise<unknown> => session.prepare(sql, false).run();
    await run(savepoint.begin);
    return session.turns.whole(
      () => body(session),
      () => run(savepoint.end),
      async () => {
        if (session.inTransaction) for (const sql of savepoint.undo) await run(sql);
      },
    );
  }

  /** Runs body in a transaction. If a transaction is already open, body joins it. */
  transaction<T>(body: (runtime: Runtime) => Promise<T>): Promise<T> {
    const own = this.#session;
    return own.turns.take(() =>
      own.transaction(
        (session) => body(session === own ? this : new Runtime(session, this.#observer)),
        true,
      ),
    );
  }
}

/**
 * The number of values in a statement of many rows. With these drivers, most of the time goes into
 * the call itself, so fewer calls are faster.
 */
const manyValues = 1000;

/**
 * Writes the rows of a bulk operation. It writes many rows with each statement if the operation
 * allows that.
 */
class Writer<T> {
  readonly #session: Session;
  readonly #bulk: Bulk<T>;
  readonly #most: number;
  readonly #one: Statement;
  readonly #many: Statement | undefined;
  #waiting: unknown[][] = [];
  #rows = 0;
  #changes = 0;

  constructor(session: Session, bulk: Bulk<T>) {
    this.#session = session;
    this.#bulk = bulk;
    this.#most =
      bulk.many === undefined ? 1 : Math.max(1, Math.floor(manyValues / bulk.columns.length));
    this.#one = session.prepare(bulk.sql, false);
    this.#many = this.#most > 1 ? session.prepare(this.#sql(this.#most), false) : undefined;
  }

  #run(sql: string): Promise<RunResult> {
    return this.#session.prepare(sql, false).run();
  }

  #sql(rows: number): string {
    const row = "(" + this.#bulk.columns.map(() => "?").join(", ") + ")";
    return (
      this.#bulk.many?.before + Array<string>(rows).fill(row).join(", ") + this.#bulk.many?.behind
    );
  }

  async add(row: T): Promise<void> {
    this.#waiting.push(core.valuesOf(this.#bulk, row, ++this.#rows));
    if (this.#waiting.length === this.#most) await this.#write();
  }

  /** Writes the last rows. Returns the number of rows that the whole operation changed. */
  async end(): Promise<number> {
    await this.#write();
    return this.#changes;
  }

  async #write(): Promise<void> {
    const rows = this.#waiting;
    this.#waiting = [];
    if (this.#many !== undefined && rows.length > 1) {
      const many =
        rows.length === this.#most
          ? this.#many
          : this.#session.prepare(this.#sql(rows.length), false);
      await this.#run("SAVEPOINT _scoter_rows");
      try {
        this.#changes += Number((await many.run(...rows.flat())).changes);
        await this.#run("RELEASE _scoter_rows");
        return;
      } catch (error) {
        // Undo these rows. Then the loop below writes them one by one and finds the row that fails.
        // This is impossible if SQLite has already ended the transaction and the savepoint with it:
        // rows written after that would stay.
        try {
          await this.#run("ROLLBACK TO _scoter_rows");
          await this.#run("RELEASE _scoter_rows");
        } catch {
          throw error;
        }
      }
    }
    for (const [i, values] of rows.entries()) {
      try {
        this.#changes += Number((await this.#one.run(...values)).changes);
      } catch (error) {
        throw new core.RowError(this.#bulk.name, this.#rows - rows.length + i + 1, error);
      }
    }
  }
}

/**
 * Applies the pending migrations in one transaction, under the write lock. Returns the ids of the
 * applied migrations.
 */
export async function applyMigrations(
  session: Session,
  project: string,
  migrations: readonly core.Migration[],
  options: core.MigrateOptions = {},
): Promise<string[]> {
  const migrate = async (s: Session): Promise<string[]> => {
    const run = (sql: string, ...values: unknown[]): Promise<RunResult> =>
      s.prepare(sql, false).run(...values);
    const all = async (sql: string, ...values: unknown[]): Promise<core.Raw[]> =>
      (await s.prepare(sql, false).all(...values)) as core.Raw[];
    await run(core.migrationSQL.create);
    const columns = await all("SELECT name FROM pragma_table_info('_sqg_migrations')");
    if (!columns.some((c) => c["name"] === "checksum")) await run(core.migrationSQL.addChecksum);
    const recorded = await all(
      "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = ?",
      project,
    );
    const applied = new Map(
      recorded.map((r) => [r["migration_id"] as string, r["checksum"] as string | null]),
    );
    const todo = core.pending(project, migrations, applied);
    for (const m of migrations) {
      if (applied.get(m.id) === null) {
        await run(
          "UPDATE _sqg_migrations SET checksum = ? WHERE project = ? AND migration_id = ?",
          m.checksum,
          project,
          m.id,
        );
      }
    }
    for (const m of todo) {
      for (const statement of m.statements) await run(statement);
      await run(
        "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES (?, ?, ?)",
        project,
        m.id,
        m.checksum,
      );
    }
    return todo.map((m) => m.id);
  };
  return session.turns.take(() => {
    core.checkDryRun(options, session.inTransaction);
    return session.transaction(migrate, options.dryRun !== true);
  });
}
