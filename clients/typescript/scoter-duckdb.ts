import * as duck from "@duckdb/node-api";
import * as core from "./scoter.js";
import { turnsOf } from "./scoter-turns.js";
export * from "./scoter.js";
export * from "./scoter-duckdb-values.js";
export * as duck from "@duckdb/node-api";

/** The effect of a statement that returns no rows. */
export interface ExecResult {
  rowsChanged: number;
}

/** A parameter's value and the DuckDB type that it is bound as. */
export interface Bound {
  readonly value: duck.DuckDBValue;
  readonly type: duck.DuckDBType;
}

/** Converts a value to the parameter's type. null and undefined are bound as NULL. */
export function bind<T>(
  value: T | null | undefined,
  type: duck.DuckDBType,
  write?: (value: T) => duck.DuckDBValue,
): Bound {
  if (value === null || value === undefined) return { value: null, type };
  return { value: write === undefined ? (value as duck.DuckDBValue) : write(value), type };
}

/** The statements of a bulk operation that loads its rows into a temporary table first. */
export interface Stage {
  readonly table: string;
  readonly create: string;
  /**
   * `sql` deletes all rows of a key but the last. `key` lists the positions of the key's columns.
   */
  readonly dedupe?: { readonly key: readonly number[]; readonly sql: string };
  /**
   * Applies the temporary table to the target. This is the only statement with a lasting effect,
   * and it is atomic by itself.
   */
  readonly apply: string;
  readonly drop: string;
}

/** A bulk operation on one table. The generated code contains its statements. */
export interface Bulk<T> extends core.BulkRows<T, duck.DuckDBValue> {
  readonly schema: string | null;
  readonly table: string;
  /** The DuckDB type of each column. */
  readonly types: readonly duck.DuckDBType[];
  /** The temporary table to fill and apply. Absent if rows are appended to the target directly. */
  readonly stage?: Stage;
}

/** Runs the statements of a generated class on one connection. */
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
      // Reading chunk by chunk avoids converting the rows of the later chunks.
      for await (const [row] of (await this.#run(sql, values)).yieldRows())
        if (row !== undefined) return read(row);
      return undefined;
    });
  }

  /**
   * Streams the rows of a query. Rows are converted chunk by chunk as the loop asks for them.
   *
   * DuckDB computes the whole result first. If the driver fetched the result lazily, it would
   * report an error as the end of the rows. It would do the same when another statement on the
   * connection closes the result.
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
   * Runs one statement for each row. Either all of them take effect or none. Returns the total
   * number of changed rows. If it fails inside an open transaction, the caller can only roll back
   * that transaction.
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
   * Runs a bulk operation. Either all rows take effect or none. It joins the open transaction if
   * there is one. Returns the number of changed rows. Throws a RowError that names the row
   * that cannot be written. If it fails inside an open transaction, the caller may only be able to
   * roll back that transaction.
   */
  bulk<T>(bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
    const connection = this.#connection;
    return core.observe(this.#observer, bulk.name, core.same, async () => {
      try {
        return await turnsOf(connection).take(async () => {
          if (bulk.stage !== undefined) return apply(connection, bulk, bulk.stage, rows);
          // One data chunk is atomic by itself. Finding out whether a transaction is open takes as
          // long as writing the chunk.
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

  /** Runs body in a transaction. If a transaction is already open, body joins it. */
  transaction<T>(body: () => Promise<T>): Promise<T> {
    return transaction(this.#connection, body);
  }
}

/** The number of rows in one data chunk of DuckDB. */
const chunkRows = 2048;

/**
 * Fills the temporary table, applies it to the target and drops it. Returns the number of changed
 * rows.
 */
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
    // If the transaction was aborted, the table is already dropped and this DROP fails.
    await connection.run(stage.drop).catch(() => undefined);
    throw error;
  }
  await connection.run(stage.drop);
  return changed;
}

/**
 * Checks whether at least one number or timestamp of the key rises strictly from row to row. If so,
 * no key occurs twice, and the rows need no deduplication.
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
    // Awaiting each row of an array would take longer than writing it.
    if (Symbol.asyncIterator in rows) for await (const row of rows) add(row);
    else for (const row of rows) add(row);
    if (waiting.length > 0) write();
    appender.flushSync();
  } catch (error) {
    // Discard the rows that the appender still holds. Otherwise it would write them when it is
    // closed or garbage-collected. Drivers before 1.5.5-r.5 cannot discard them: there, closing
    // writes them now, into the transaction that fails.
    (appender as { clear?: () => void }).clear?.();
    try {
      appender.closeSync();
    } catch {
      // Closing fails for the same reason as the append above.
    }
    throw error;
  }
  appender.closeSync();
  return count;
}

/**
 * Builds a data chunk. `before` is the number of rows in earlier chunks; errors need it to name the
 * row.
 */
function chunk<T>(bulk: Bulk<T>, rows: duck.DuckDBValue[][], before: number): duck.DuckDBDataChunk {
  const made = duck.DuckDBDataChunk.create(bulk.types);
  try {
    made.setRows(rows);
    return made;
  } catch (error) {
    // Try the rows one by one to find the row that fails.
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

/**
 * Turns a duplicate-key error of DuckDB into a RowError that names the row. Returns the error
 * unchanged if the row cannot be found, for example because the rows cannot be read a second time.
 */
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
 * Returns whether a transaction is open. Two statements see the same transaction id only inside one
 * transaction. (A failing BEGIN would show it too, but would abort the open transaction.)
 *
 * The id is that of the default database. If the default database is not a DuckDB database, an open
 * transaction is not detected, and the BEGIN that follows fails.
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

/**
 * Runs body in a new transaction. If a transaction is already open, runs `joined` in it instead.
 */
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
 * Runs body so that either all of it takes effect or nothing. DuckDB has no savepoints: if body
 * fails inside an open transaction, that transaction can only be rolled back.
 */
function whole<T>(connection: duck.DuckDBConnection, body: () => Promise<T>): Promise<T> {
  return transaction(connection, body, "COMMIT", async () => {
    try {
      return await body();
    } catch (error) {
      // Part of body may have taken effect. A failing statement aborts the transaction, so that it
      // cannot be committed.
      await connection
        .run("SELECT error('an operation of this transaction has failed')")
        .catch(() => undefined);
      throw error;
    }
  });
}

/** Applies the pending migrations in one transaction. Returns the ids of the applied migrations. */
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
    // These statements run before the transaction: DuckDB cannot alter a table and write to it in
    // the same transaction.
    await connection.run(core.migrationSQL.create);
    await connection.run("ALTER TABLE _sqg_migrations ADD COLUMN IF NOT EXISTS checksum TEXT");
    return transaction(connection, migrate, options.dryRun === true ? "ROLLBACK" : "COMMIT");
  });
}

/**
 * Attaches a PostgreSQL database. `sqlName` is used in SQL as it is, so the caller must quote it.
 */
export async function attachPostgres(
  connection: duck.DuckDBConnection,
  sqlName: string,
  dsn: string,
): Promise<void> {
  await connection.run(`ATTACH '${dsn.replaceAll("'", "''")}' AS ${sqlName} (TYPE postgres)`);
}

// The functions below convert values that DuckDB's driver returns.

type Value = duck.DuckDBValue;

export const text = (v: Value): string => String(v);

/** Returns a date or timestamp as ISO 8601 text. */
export function date(v: Value): string {
  if (v instanceof duck.DuckDBDateValue && Math.abs(v.days) === 2 ** 31 - 1)
    return v.days > 0 ? "infinity" : "-infinity"; // the driver does not know infinite dates
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
 * Returns the stored number of a timestamp in seconds, milliseconds or nanoseconds. The driver
 * recognizes infinity only in timestamps in microseconds, so the caller checks the stored number.
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

/**
 * Returns an instant as ISO 8601 text in UTC, such as `2025-01-01T00:00:00Z`. The fraction has as
 * many digits as needed.
 */
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

/**
 * Converts a value whose type is known only at run time. The result contains none of the driver's
 * classes, except that unknown objects become text.
 */
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
