/**
 * What every driver of the generated code shares: the observer hook,
 * migrations and the shapes of values.
 *
 * How values look, on every database: 64-bit integers and larger are bigint
 * (SQLite: number unless `safeIntegers`), exact decimals, dates, times,
 * timestamps (ISO 8601, an instant in UTC ends with Z; years outside 0000 to
 * 9999 have a sign and six digits, `-000043` is 44 BC) and UUIDs are strings
 * without loss, JSON is its text, bytes are Uint8Array, lists are arrays, maps
 * are Map. SQLite's dates and times are the text that is stored.
 */

/** Sees every operation of the generated code; costs nothing when absent. */
export interface Observer {
  /** Called before an operation. The scope that it returns receives the end of the operation. */
  start(operation: string): ObserverScope | null | undefined;
}

export interface ObserverScope {
  /** rowCount is -1 when it is not known; error is undefined on success. */
  end(rowCount: number, error: unknown): void;
}

/** One schema change, run once per database and project. */
export interface Migration {
  readonly id: string;
  readonly checksum: string;
  readonly statements: readonly string[];
}

export interface MigrateOptions {
  /** Run the pending migrations, then roll everything back. */
  dryRun?: boolean;
}

/** An applied migration is not the one in the code any more. */
export class MigrationChangedError extends Error {
  readonly project: string;
  readonly migrationId: string;

  constructor(project: string, migrationId: string) {
    super(`migration ${migrationId} of ${project} was changed after it had been applied`);
    this.name = "MigrationChangedError";
    this.project = project;
    this.migrationId = migrationId;
  }
}

/** A length of time in three parts that do not convert into each other. */
export interface Interval {
  months: number;
  days: number;
  micros: bigint;
}

/**
 * An interval of its text in PostgreSQL's and DuckDB's own form:
 * `1 year 2 mons -3 days 04:05:06.7`, with `months` in DuckDB. Another one, as of another
 * `intervalstyle`, is an error.
 */
export function intervalOf(text: string): Interval {
  const match =
    /^(?:([+-]?\d+) years?)? ?(?:([+-]?\d+) mon(?:th)?s?)? ?(?:([+-]?\d+) days?)? ?(?:([+-]?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?$/.exec(
      text,
    );
  if (match === null || text === "")
    throw new RangeError(`not an interval that can be read: ${text}`);
  const [
    ,
    years = 0,
    months = 0,
    days = 0,
    sign,
    hours = 0,
    minutes = 0,
    seconds = 0,
    fraction = "",
  ] = match;
  const micros =
    ((BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds)) * 1000000n +
    BigInt(fraction.padEnd(6, "0"));
  return {
    months: 12 * Number(years) + Number(months),
    days: Number(days),
    micros: sign === "-" ? -micros : micros,
  };
}

/** The text of an interval, which PostgreSQL and DuckDB read. */
export const intervalText = (v: Interval): string =>
  `${v.months} mons ${v.days} days ${v.micros} microseconds`;

/**
 * A year in ISO's form, in which 0 is 1 BC: outside of 0000 to 9999 it has a sign and six digits,
 * as JavaScript reads it.
 */
export function isoYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, "0");
  return (year < 0 ? "-" : "+") + String(Math.abs(year)).padStart(6, "0");
}

/**
 * The text, which can be sent: for half of a pair of code units UTF-8 has no bytes, and drivers
 * send others.
 */
export function utf8(v: string): string {
  // Every Node.js since 20 has it, and libraries of the compiler before ES2024 do not declare it;
  // plain JavaScript may have no text.
  if (typeof v === "string" && !(v as string & { isWellFormed(): boolean }).isWellFormed())
    throw new RangeError(`a text that UTF-8 cannot hold: ${JSON.stringify(v)}`);
  return v;
}

/** Rows from memory or from a source that is read as the database takes them. */
export type Rows<T> = Iterable<T> | AsyncIterable<T>;

/** A row that a bulk operation cannot write. Nothing of the operation is written. */
export class RowError extends Error {
  /** The row's number; rows count from 1. */
  readonly row: number;

  constructor(operation: string, row: number, cause: unknown) {
    super(`${operation}: row ${row}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = "RowError";
    this.row = row;
  }
}

/**
 * What all bulk operations on a table have: of rows of type T come values of type V, one a column.
 */
export interface BulkRows<T, V> {
  readonly name: string;
  /** The columns that are written. */
  readonly columns: readonly (keyof T & string)[];
  /**
   * The first column that must not be null and is. It is written out per table: columns by name are
   * slow to read.
   */
  readonly missing: (row: T) => (keyof T & string) | undefined;
  readonly values: (row: T) => V[];
}

/** The values of the row of that number. */
export function valuesOf<T, V>(bulk: BulkRows<T, V>, row: T, number: number): V[] {
  const missing = bulk.missing(row);
  if (missing !== undefined)
    throw new RowError(bulk.name, number, `column ${missing} must not be null`);
  try {
    return bulk.values(row);
  } catch (error) {
    throw new RowError(bulk.name, number, error);
  }
}

/** Rows of which the first are read; `all` says that there are no others. */
export interface FirstRows<T> {
  readonly first: readonly T[];
  readonly all: boolean;
  /** All of them, to be read once; what their source throws comes behind the rows before it. */
  readonly rows: Rows<T>;
}

/**
 * Reads up to so many rows, and one more to know whether there are more; none if that is negative.
 */
export async function firstRows<T>(rows: Rows<T>, most: number): Promise<FirstRows<T>> {
  if (most < 0) return { first: [], all: false, rows };
  if (Array.isArray(rows)) return { first: rows as T[], all: rows.length <= most, rows };
  const rest =
    Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  const first: T[] = [];
  let failure: { error: unknown } | undefined;
  let all = false;
  try {
    while (!all && first.length <= most) {
      const next = await rest.next();
      if (next.done === true) all = true;
      else first.push(next.value);
    }
  } catch (error) {
    failure = { error };
  }
  async function* again(): AsyncGenerator<T, void, undefined> {
    yield* first;
    if (failure !== undefined) throw failure.error;
    if (all) return;
    try {
      for (let next = await rest.next(); next.done !== true; next = await rest.next())
        yield next.value;
    } finally {
      await rest.return?.();
    }
  }
  return { first, all, rows: all ? first : again() };
}

/**
 * The number of the last of the rows whose columns of these names have these values, or 0. Rows
 * that can be read only once are not looked at, and one that has no values was not the one.
 */
export function lastWith<T, V>(
  bulk: BulkRows<T, V>,
  rows: Rows<T>,
  named: (column: string) => string | undefined,
): number {
  const wanted = bulk.columns.map(named);
  if (!Array.isArray(rows) || wanted.every((w) => w === undefined)) return 0;
  for (let i = rows.length; i > 0; i--) {
    let values: V[];
    try {
      values = bulk.values(rows[i - 1] as T);
    } catch {
      continue; // an error would take the place of that which asks for the row
    }
    if (wanted.every((w, c) => w === undefined || String(values[c]) === w)) return i;
  }
  return 0;
}

/**
 * Collects rows, and writes them when there are enough, when it is flushed and when it is closed.
 * Await every call: if the database refuses the rows that an `append` writes, only the promise of
 * that call reports it.
 */
export class Appender<T> {
  readonly #write: (rows: T[]) => Promise<unknown>;
  readonly #most: number;
  #rows: T[] = [];
  #written: Promise<unknown> = Promise.resolve();

  constructor(most: number, write: (rows: T[]) => Promise<unknown>) {
    this.#most = most;
    this.#write = write;
  }

  /** Waits while rows are written, so that no more of them than that are held. */
  async append(row: T): Promise<this> {
    if (this.#rows.push(row) >= this.#most) await this.flush();
    return this;
  }

  async appendMany(rows: Rows<T>): Promise<this> {
    for await (const row of rows) await this.append(row);
    return this;
  }

  /** Writes what is waiting, behind what is being written. Once that has failed nothing more is. */
  async flush(): Promise<this> {
    const rows = this.#rows;
    this.#rows = [];
    this.#written = this.#written.then(() => (rows.length > 0 ? this.#write(rows) : undefined));
    await this.#written;
    return this;
  }

  /** Writes what is waiting; fails if any write did. */
  async close(): Promise<void> {
    await this.flush();
  }
}

/** What a driver said a row is, by column name. */
export type Raw = Record<string, unknown>;

/** Whether there is no value. */
export const none = (value: unknown): boolean => value === null || value === undefined;

/** Applies f unless there is no value. */
export function opt<A, B>(value: A | null | undefined, f: (value: A) => B): B | null {
  return value === null || value === undefined ? null : f(value);
}

/** Runs a synchronous operation under the observer. */
export function observeSync<T>(
  observer: Observer | undefined,
  name: string,
  count: (result: T) => number,
  run: () => T,
): T {
  if (observer === undefined) return run();
  const scope = observer.start(name);
  let result: T;
  try {
    result = run();
  } catch (error) {
    scope?.end(-1, error);
    throw error;
  }
  scope?.end(count(result), undefined);
  return result;
}

/** Runs an asynchronous operation under the observer. */
export async function observe<T>(
  observer: Observer | undefined,
  name: string,
  count: (result: T) => number,
  run: () => Promise<T>,
): Promise<T> {
  if (observer === undefined) return run();
  const scope = observer.start(name);
  let result: T;
  try {
    result = await run();
  } catch (error) {
    scope?.end(-1, error);
    throw error;
  }
  scope?.end(count(result), undefined);
  return result;
}

/** Yields what source yields; the observer hears of the end, early or not. */
export function* observeEach<T>(
  observer: Observer | undefined,
  name: string,
  source: () => Iterable<T>,
): Generator<T, void, undefined> {
  const scope = observer?.start(name);
  let rows = 0;
  let failure: unknown;
  try {
    for (const row of source()) {
      rows++;
      yield row;
    }
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    scope?.end(rows, failure);
  }
}

/** The asynchronous observeEach. */
export async function* observeEachAsync<T>(
  observer: Observer | undefined,
  name: string,
  source: () => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const scope = observer?.start(name);
  let rows = 0;
  let failure: unknown;
  try {
    for await (const row of source()) {
      rows++;
      yield row;
    }
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    scope?.end(rows, failure);
  }
}

export const one = (row: unknown): number => (row === undefined ? 0 : 1);
export const many = (rows: readonly unknown[]): number => rows.length;
export const same = (count: number): number => count;
export const unknownCount = (): number => -1;

/** The recorded migrations of a project by id, with their checksums. */
export type Applied = Map<string, string | null>;

/** The pending migrations, in order. Throws when an applied one has changed. */
export function pending(
  project: string,
  migrations: readonly Migration[],
  applied: Applied,
): Migration[] {
  return migrations.filter((m) => {
    const checksum = applied.get(m.id);
    if (checksum !== undefined && checksum !== null && checksum !== m.checksum)
      throw new MigrationChangedError(project, m.id);
    return checksum === undefined;
  });
}

/** Refuses a dry run where what it does would stay: in a transaction of the caller's. */
export function checkDryRun(options: MigrateOptions, inTransaction: boolean): void {
  if (options.dryRun === true && inTransaction)
    throw new Error("a dry run needs a connection without an open transaction");
}

/** The statements around migrations. The table is SQG's, with a checksum. */
export const migrationSQL = {
  create:
    "CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, " +
    "applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT, PRIMARY KEY (project, migration_id))",
  addChecksum: "ALTER TABLE _sqg_migrations ADD COLUMN checksum TEXT",
} as const;
