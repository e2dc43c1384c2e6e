import * as duck from "@duckdb/node-api";
import * as core from "./scoter.js";
import { turnsOf } from "./scoter-turns.js";
export * from "./scoter.js";
export * from "./scoter-duckdb-values.js";
export * as duck from "@duckdb/node-api";

/** What a statement without rows did. */
export interface ExecResult {
  rowsChanged: number;
}

/** A parameter value with the type that it is bound as. */
export interface Bound {
  readonly value: duck.DuckDBValue;
  readonly type: duck.DuckDBType;
}

/** The value as the parameter's type; NULL when there is none. */
export function bind<T>(
  value: T | null | undefined,
  type: duck.DuckDBType,
  write?: (value: T) => duck.DuckDBValue,
): Bound {
  if (value === null || value === undefined) return { value: null, type };
  return { value: write === undefined ? (value as duck.DuckDBValue) : write(value), type };
}

/** The statements around a temporary table. */
export interface Stage {
  readonly table: string;
  readonly create: string;
  /** Keeps the last of the rows with one key; the key's places among the columns. */
  readonly dedupe?: { readonly key: readonly number[]; readonly sql: string };
  /** The only statement that changes what stays: it is all or nothing by itself. */
  readonly apply: string;
  readonly drop: string;
}

/** A bulk operation on a table. See the statements in the generated code. */
export interface Bulk<T> extends core.BulkRows<T, duck.DuckDBValue> {
  readonly schema: string | null;
  readonly table: string;
  /** The types of the columns. */
  readonly types: readonly duck.DuckDBType[];
  /** Fill a temporary table, then apply it. Absent when rows go straight in. */
  readonly stage?: Stage;
}

/** Runs statements for a generated class over one connection. */
export class Runtime {
  readonly #connection: duck.DuckDBConnection;
  readonly #observer: core.Observer | undefined;

  constructor(connection: duck.DuckDBConnection, observer?: core.Observer) {
    this.#connection = connection;
    this.#observer = observer;
  }

  #run(sql: string, values: readonly Bound[]): Promise<duck.DuckDBMaterializedResult> {
    return turnsOf(this.#connection).part(() =>
      this.#connection.run(
        sql,
        values.map((v) => v.value),
        values.map((v) => v.type),
      ),
    );
  }

  all<T>(
    name: string,
    sql: string,
    values: readonly Bound[],
    read: (row: duck.DuckDBValue[]) => T,
  ): Promise<T[]> {
    return core.observe(this.#observer, name, core.many, async () =>
      (await (await this.#run(sql, values)).getRows()).map(read),
    );
  }

  one<T>(
    name: string,
    sql: string,
    values: readonly Bound[],
    read: (row: duck.DuckDBValue[]) => T,
  ): Promise<T | undefined> {
    return core.observe(this.#observer, name, core.one, async () => {
      // By chunks: the others are not converted.
      for await (const [row] of (await this.#run(sql, values)).yieldRows())
        if (row !== undefined) return read(row);
      return undefined;
    });
  }

  /**
   * Converts chunk by chunk as the loop asks for them. The result is whole before: of one that is
   * not, the driver takes an error for the end, as it does any other statement on the connection,
   * which closes the result.
   */
  stream<T>(
    name: string,
    sql: string,
    values: readonly Bound[],
    read: (row: duck.DuckDBValue[]) => T,
  ): AsyncGenerator<T, void, undefined> {
    const run = (): Promise<duck.DuckDBMaterializedResult> => this.#run(sql, values);
    return core.observeEachAsync(this.#observer, name, async function* () {
      for await (const rows of (await run()).yieldRows()) yield* rows.map(read);
    });
  }

  exec(name: string, sql: string, values: readonly Bound[]): Promise<ExecResult> {
    return core.observe(
      this.#observer,
      name,
      (r: ExecResult) => r.rowsChanged,
      async () => {
        const result = await this.#run(sql, values);
        return { rowsChanged: result.rowsChanged };
      },
    );
  }

  /**
   * Runs one statement per row, all or nothing; returns the sum of rows. As for bulk, a failure may
   * end an open transaction.
   */
  batch<T>(
    name: string,
    sql: string,
    values: (row: T) => Bound[],
    rows: core.Rows<T>,
  ): Promise<number> {
    return core.observe(this.#observer, name, core.same, () =>
      whole(this.#connection, async () => {
        const statement = await this.#connection.prepare(sql);
        try {
          let changed = 0;
          for await (const row of rows) {
            const bound = values(row);
            statement.bind(
              bound.map((v) => v.value),
              bound.map((v) => v.type),
            );
            changed += (await statement.run()).rowsChanged;
          }
          return changed;
        } finally {
          statement.destroySync();
        }
      }),
    );
  }

  /**
   * Runs a bulk operation, all or nothing and in the open transaction if there is one; returns the
   * rows it changed. A row that cannot be written is a RowError. After a failure an open
   * transaction may be one that can only be rolled back.
   */
  bulk<T>(bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
    const connection = this.#connection;
    return core.observe(this.#observer, bulk.name, core.same, async () => {
      try {
        return await turnsOf(connection).take(async () => {
          if (bulk.stage !== undefined) return apply(connection, bulk, bulk.stage, rows);
          // One chunk is all or nothing by itself; to ask for a transaction takes as long as to
          // write it.
          if (Array.isArray(rows) && rows.length <= chunkRows)
            return append(connection, bulk, bulk.schema, bulk.table, rows);
          return whole(connection, () => append(connection, bulk, bulk.schema, bulk.table, rows));
        });
      } catch (error) {
        throw named(bulk, rows, error);
      }
    });
  }

  appender<T>(bulk: Bulk<T>): core.Appender<T> {
    return new core.Appender(10 * chunkRows, (rows) => this.bulk(bulk, rows));
  }

  /** Runs body in a transaction, or in the one that is open already. */
  transaction<T>(body: () => Promise<T>): Promise<T> {
    return transaction(this.#connection, body);
  }
}

/** As many rows as a data chunk of DuckDB holds. */
const chunkRows = 2048;

/** Fills the temporary table and applies it. */
async function apply<T>(
  connection: duck.DuckDBConnection,
  bulk: Bulk<T>,
  stage: Stage,
  rows: core.Rows<T>,
): Promise<number> {
  await connection.run(stage.create);
  let changed: number;
  try {
    const rising = new Rising(stage.dedupe?.key ?? []);
    await append(connection, bulk, null, stage.table, rows, rising);
    if (stage.dedupe !== undefined && !rising.rises) await connection.run(stage.dedupe.sql);
    changed = (await connection.run(stage.apply)).rowsChanged;
  } catch (error) {
    // a transaction that failed has taken it along
    await connection.run(stage.drop).catch(() => undefined);
    throw error;
  }
  await connection.run(stage.drop);
  return changed;
}

/**
 * Whether some number or time of a key is larger in every row than in the one before: then no key
 * comes twice.
 */
class Rising {
  readonly #columns: readonly number[];
  #last: (number | bigint | undefined)[];

  constructor(columns: readonly number[]) {
    this.#columns = columns;
    this.#last = columns.map(() => -Infinity);
  }

  get rises(): boolean {
    return this.#last.some((last) => last !== undefined);
  }

  add(values: readonly duck.DuckDBValue[]): void {
    for (const [i, column] of this.#columns.entries()) {
      const last = this.#last[i];
      if (last === undefined) continue;
      const value = values[column];
      const number =
        value instanceof duck.DuckDBTimestampTZValue || value instanceof duck.DuckDBTimestampValue
          ? value.micros
          : value;
      this.#last[i] =
        (typeof number === "number" || typeof number === "bigint") && number > last
          ? number
          : undefined;
    }
  }
}

async function append<T>(
  connection: duck.DuckDBConnection,
  bulk: Bulk<T>,
  schema: string | null,
  table: string,
  rows: core.Rows<T>,
  rising?: Rising,
): Promise<number> {
  const appender = await connection.createAppender(table, schema);
  let count = 0;
  let waiting: duck.DuckDBValue[][] = [];
  const write = (): void => {
    appender.appendDataChunk(chunk(bulk, waiting, count));
    count += waiting.length;
    waiting = [];
  };
  const add = (row: T): void => {
    const values = core.valuesOf(bulk, row, count + waiting.length + 1);
    rising?.add(values);
    waiting.push(values);
    if (waiting.length === chunkRows) write();
  };
  try {
    // Waiting for every row of an array would take longer than to write it.
    if (Symbol.asyncIterator in rows) for await (const row of rows) add(row);
    else for (const row of rows) add(row);
    if (waiting.length > 0) write();
    appender.flushSync();
  } catch (error) {
    // Or the appender would write its rows when it is closed, at the latest when it is collected as
    // garbage. A driver before 1.5.5-r.5 cannot clear it: it writes them now, into the transaction
    // that fails.
    (appender as { clear?: () => void }).clear?.();
    try {
      appender.closeSync();
    } catch {
      // It fails for the same reason once more.
    }
    throw error;
  }
  appender.closeSync();
  return count;
}

/** Rows as a chunk, behind so many others. */
function chunk<T>(bulk: Bulk<T>, rows: duck.DuckDBValue[][], before: number): duck.DuckDBDataChunk {
  const made = duck.DuckDBDataChunk.create(bulk.types);
  try {
    made.setRows(rows);
    return made;
  } catch (error) {
    // One by one says which row it is.
    for (const [i, row] of rows.entries()) {
      try {
        duck.DuckDBDataChunk.create(bulk.types).setRows([row]);
      } catch (wrong) {
        throw new core.RowError(bulk.name, before + i + 1, wrong);
      }
    }
    throw error;
  }
}

/** The error with the row of the key that DuckDB refuses, if rows can be read once more. */
function named<T>(bulk: Bulk<T>, rows: core.Rows<T>, error: unknown): unknown {
  const key = /[Dd]uplicate key "(.*?)"(?: violates|[.\n]|$)/s.exec(
    error instanceof Error ? error.message : "",
  )?.[1];
  if (key === undefined) return error;
  const values = new Map(
    bulk.columns.map((c) => [
      c,
      new RegExp(`(?:^|, )${c.replace(/[^\w]/g, "\\$&")}: (.*?)(?:, \\w+: |$)`, "s").exec(key)?.[1],
    ]),
  );
  const row = core.lastWith(bulk, rows, (column) => values.get(column as keyof T & string));
  return row > 0 ? new core.RowError(bulk.name, row, error) : error;
}

/**
 * Whether a transaction is open: two statements have one id only then. A BEGIN
 * that fails would tell too, but it aborts the open transaction. The id is of
 * the default database, which must be one of DuckDB's own: in another, a
 * transaction is not seen, and BEGIN fails in it.
 */
async function inTransaction(connection: duck.DuckDBConnection): Promise<boolean> {
  const value = async (sql: string): Promise<duck.DuckDBValue | undefined> =>
    (await connection.runAndReadAll(sql)).getRows()[0]?.[0];
  if (
    (await value(
      "SELECT type FROM duckdb_databases() WHERE database_name = current_database()",
    )) !== "duckdb"
  )
    return false;
  const id = "SELECT txid_current()";
  const before = await value(id);
  return before === (await value(id));
}

/** Runs body in a transaction, or `joined` in the one that is open already. */
function transaction<T>(
  connection: duck.DuckDBConnection,
  body: () => Promise<T>,
  end = "COMMIT",
  joined = body,
): Promise<T> {
  const turns = turnsOf(connection);
  return turns.take(async (turn) => {
    if (turn.transaction || (await inTransaction(connection))) return joined();
    await connection.run("BEGIN TRANSACTION");
    turn.transaction = true;
    return turns.whole(
      body,
      () => connection.run(end),
      () => connection.run("ROLLBACK"),
    );
  });
}

/**
 * Runs body all or nothing: a failure in a transaction that is open already makes it one that can
 * only be rolled back.
 */
function whole<T>(connection: duck.DuckDBConnection, body: () => Promise<T>): Promise<T> {
  return transaction(connection, body, "COMMIT", async () => {
    try {
      return await body();
    } catch (error) {
      // Some of it may be done.
      await connection
        .run("SELECT error('an operation of this transaction has failed')")
        .catch(() => undefined);
      throw error;
    }
  });
}

/** Applies the pending migrations in one transaction; returns their ids. */
export async function applyMigrations(
  connection: duck.DuckDBConnection,
  project: string,
  migrations: readonly core.Migration[],
  options: core.MigrateOptions = {},
): Promise<string[]> {
  const migrate = async (): Promise<string[]> => {
    const recorded = await connection.runAndReadAll(
      "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = $1",
      [project],
    );
    const applied = new Map(recorded.getRows().map((r) => [r[0] as string, r[1] as string | null]));
    const todo = core.pending(project, migrations, applied);
    for (const m of migrations) {
      if (applied.get(m.id) === null) {
        await connection.run(
          "UPDATE _sqg_migrations SET checksum = $1 WHERE project = $2 AND migration_id = $3",
          [m.checksum, project, m.id],
        );
      }
    }
    for (const m of todo) {
      for (const statement of m.statements) await connection.run(statement);
      await connection.run(
        "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES ($1, $2, $3)",
        [project, m.id, m.checksum],
      );
    }
    return todo.map((m) => m.id);
  };
  return turnsOf(connection).take(async (turn) => {
    if (options.dryRun === true)
      core.checkDryRun(options, turn.transaction || (await inTransaction(connection)));
    // DuckDB cannot alter a table and write to it in one transaction.
    await connection.run(core.migrationSQL.create);
    await connection.run("ALTER TABLE _sqg_migrations ADD COLUMN IF NOT EXISTS checksum TEXT");
    return transaction(connection, migrate, options.dryRun === true ? "ROLLBACK" : "COMMIT");
  });
}

/** Attaches a PostgreSQL database under a name that is already quoted. */
export async function attachPostgres(
  connection: duck.DuckDBConnection,
  sqlName: string,
  dsn: string,
): Promise<void> {
  await connection.run(`ATTACH '${dsn.replaceAll("'", "''")}' AS ${sqlName} (TYPE postgres)`);
}

// How DuckDB's values are read.

type Value = duck.DuckDBValue;

export const text = (v: Value): string => String(v);

/** A date, or a time with one, in ISO's form. */
export function date(v: Value): string {
  if (v instanceof duck.DuckDBDateValue && Math.abs(v.days) === 2 ** 31 - 1)
    return v.days > 0 ? "infinity" : "-infinity"; // which the driver does not know
  const text = String(v);
  const bc = text.includes(" (BC)");
  if (text[4] === "-" && !bc) return text;
  const match = /^(\d+)(-.*)$/.exec(text);
  if (match === null) return text; // infinity
  return (
    core.isoYear(bc ? 1 - Number(match[1]) : Number(match[1])) + match[2]!.replace(" (BC)", "")
  );
}

/**
 * What is stored of a time in another unit than microseconds, of which alone the driver knows that
 * they may be infinite.
 */
function stored(v: Value): bigint | undefined {
  if (v instanceof duck.DuckDBTimestampSecondsValue) return v.seconds;
  if (v instanceof duck.DuckDBTimestampMillisecondsValue) return v.millis;
  return v instanceof duck.DuckDBTimestampNanosecondsValue ? v.nanos : undefined;
}

const infinite = new Map<bigint | undefined, string>([
  [2n ** 63n - 1n, "infinity"],
  [-(2n ** 63n - 1n), "-infinity"],
]);

export const timestamp = (v: Value): string => infinite.get(stored(v)) ?? date(v).replace(" ", "T");
export const blob = (v: Value): Uint8Array => (v as duck.DuckDBBlobValue).bytes;
export const interval = (v: Value): core.Interval => {
  const i = v as duck.DuckDBIntervalValue;
  return { months: i.months, days: i.days, micros: i.micros };
};

/** An instant in UTC with as many digits as it needs: `2025-01-01T00:00:00Z`. */
export function instant(v: Value): string {
  const t = v as duck.DuckDBTimestampTZValue;
  if (!t.isFinite) return String(v);
  return `${timestamp(new duck.DuckDBTimestampValue(t.micros))}Z`;
}

export const list =
  <T>(read: (v: Value) => T) =>
  (v: Value): T[] =>
    (v as duck.DuckDBListValue | duck.DuckDBArrayValue).items.map(read);

export const map =
  <K, V>(key: (v: Value) => K, value: (v: Value) => V) =>
  (v: Value): Map<K, V> =>
    new Map((v as duck.DuckDBMapValue).entries.map((e) => [key(e.key), value(e.value)]));

/** A value of a type that is known only now, without the driver's classes. */
export function any(v: Value): unknown {
  if (v instanceof duck.DuckDBListValue || v instanceof duck.DuckDBArrayValue)
    return v.items.map(any);
  if (v instanceof duck.DuckDBStructValue)
    return Object.fromEntries(Object.entries(v.entries).map(([k, e]) => [k, any(e)]));
  if (v instanceof duck.DuckDBMapValue)
    return new Map(v.entries.map((e) => [any(e.key), any(e.value)]));
  if (v instanceof duck.DuckDBUnionValue) return any(v.value);
  if (v instanceof duck.DuckDBBlobValue) return v.bytes;
  if (v instanceof duck.DuckDBDateValue) return date(v);
  if (v instanceof duck.DuckDBTimestampTZValue) return instant(v);
  if (v instanceof duck.DuckDBTimestampValue || stored(v) !== undefined) return timestamp(v);
  if (v instanceof duck.DuckDBIntervalValue) return interval(v);
  return v !== null && typeof v === "object" ? String(v) : v;
}
