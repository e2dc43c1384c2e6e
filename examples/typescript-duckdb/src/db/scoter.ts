/**
 * The parts of the runtime that all drivers share: the observer, migrations, and how values look.
 *
 * Values look the same on every database:
 * - 64-bit and larger integers are bigint. In SQLite they are number unless `safeIntegers` is set.
 * - Exact decimals, dates, times, timestamps and UUIDs are strings, without loss.
 * - Timestamps are ISO 8601. An instant is in UTC and ends with Z. Years outside 0000 to 9999 have
 *   a sign and six digits: `-000043` is 44 BC.
 * - JSON is its text. Bytes are Uint8Array. Lists are arrays. Maps are Map.
 * - SQLite's dates and times are the stored text.
 */

/**
 * Receives each operation of the generated code, for tracing, timing or logging. Without an
 * observer this costs nothing.
 */
export interface Observer {
  /**
   * Called before an operation. Returns a scope whose `end` is called when the operation ends, or
   * null to ignore it.
   */
  start(operation: string): ObserverScope | null | undefined;
}

export interface ObserverScope {
  /**
   * Called once when the operation ends. `rowCount` is -1 if it is not known. `error` is undefined
   * on success.
   */
  end(rowCount: number, error: unknown): void;
}

/** One schema change. It runs once per database and project. */
export interface Migration {
  readonly id: string;
  readonly checksum: string;
  readonly statements: readonly string[];
}

export interface MigrateOptions {
  /** Runs the pending migrations and then rolls everything back. */
  dryRun?: boolean;
}

/** A migration in the code differs from the version that was applied to the database. */
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

/**
 * A time span of months, days and microseconds. The three parts are separate, because a month has
 * no fixed number of days and a day no fixed number of hours.
 */
export interface Interval {
  months: number;
  days: number;
  micros: bigint;
}

/**
 * Parses the interval text of PostgreSQL and DuckDB, such as `1 year 2 mons -3 days 04:05:06.7`;
 * DuckDB writes `months`. Throws a RangeError for any other format, for example that of another
 * `intervalstyle` of PostgreSQL.
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

/** Returns the text of an interval, for PostgreSQL or DuckDB to parse. */
export const intervalText = (v: Interval): string =>
  `${v.months} mons ${v.days} days ${v.micros} microseconds`;

/**
 * Returns a year in ISO 8601, where year 0 is 1 BC. A year outside 0000 to 9999 has a sign and six
 * digits, as JavaScript's Date expects.
 */
export function isoYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, "0");
  return (year < 0 ? "-" : "+") + String(Math.abs(year)).padStart(6, "0");
}

/**
 * Returns the text unchanged if UTF-8 can encode it. Throws a RangeError for a lone surrogate (half
 * of a UTF-16 pair), which drivers would otherwise replace by another character.
 */
export function utf8(v: string): string {
  // isWellFormed exists since Node.js 20, but TypeScript's libraries before ES2024 do not declare
  // it. Callers in plain JavaScript may pass a value that is not a string.
  if (typeof v === "string" && !(v as string & { isWellFormed(): boolean }).isWellFormed())
    throw new RangeError(`a text that UTF-8 cannot hold: ${JSON.stringify(v)}`);
  return v;
}

/** Rows in memory, or from a source that is read while the database takes them. */
export type Rows<T> = Iterable<T> | AsyncIterable<T>;

/** A bulk operation failed because of one row. No row of the operation was written. */
export class RowError extends Error {
  /** The row's number, counted from 1. */
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
 * The common part of all bulk operations. T is the type of a row, V the type of a value as the
 * driver takes it.
 */
export interface BulkRows<T, V> {
  readonly name: string;
  /** The columns that the operation writes. */
  readonly columns: readonly (keyof T & string)[];
  /**
   * Returns the first column that must not be null but is null in the row. The generated code
   * spells it out for each table, because access to properties by a variable name is slow.
   */
  readonly missing: (row: T) => (keyof T & string) | undefined;
  readonly values: (row: T) => V[];
}

/**
 * Returns the values of a row, one for each column. `number` is the row's number, counted from 1,
 * for the RowError.
 */
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

/** Rows whose beginning has been read. `all` is true if `first` contains all rows. */
export interface FirstRows<T> {
  readonly first: readonly T[];
  readonly all: boolean;
  /**
   * All rows, including `first`. They can be read once. An error of the source is thrown after the
   * rows before it.
   */
  readonly rows: Rows<T>;
}

/**
 * Reads up to `most` rows, and one more to find out whether there are more than `most`. Reads
 * nothing if `most` is negative.
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
 * Returns the number of the last row that has the given values, counted from 1, or 0 if there is
 * none. `named` returns the value of a column as text, or undefined if that column does not matter.
 * Only arrays are searched, because other sources cannot be read twice. A row whose values cannot
 * be converted does not match.
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
      continue; // an error here would hide the error that this search is for
    }
    if (wanted.every((w, c) => w === undefined || String(values[c]) === w)) return i;
  }
  return 0;
}

/**
 * Collects rows. It writes them when there are enough, on `flush` and on `close`. Await every call:
 * if the database refuses the rows that an `append` writes, only the promise of that call reports
 * it.
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

  /**
   * Adds a row. Resolves after the rows are written if this row fills the buffer. So memory stays
   * bounded if each call is awaited.
   */
  async append(row: T): Promise<this> {
    if (this.#rows.push(row) >= this.#most) await this.flush();
    return this;
  }

  async appendMany(rows: Rows<T>): Promise<this> {
    for await (const row of rows) await this.append(row);
    return this;
  }

  /**
   * Writes the collected rows after any earlier write has ended. After a failed write, nothing more
   * is written and each call fails.
   */
  async flush(): Promise<this> {
    const rows = this.#rows;
    this.#rows = [];
    this.#written = this.#written.then(() => (rows.length > 0 ? this.#write(rows) : undefined));
    await this.#written;
    return this;
  }

  /** Writes the last rows. Fails if any write has failed. */
  async close(): Promise<void> {
    await this.flush();
  }
}

/** A driver's row: values by column name. */
export type Raw = Record<string, unknown>;

/** Returns whether the value is null or undefined. */
export const none = (value: unknown): boolean => value === null || value === undefined;

/** Returns f(value), or null if the value is null or undefined. */
export function opt<A, B>(value: A | null | undefined, f: (value: A) => B): B | null {
  return value === null || value === undefined ? null : f(value);
}

/**
 * Runs a synchronous operation and reports it to the observer. `count` returns the number of rows
 * of a result.
 */
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

/**
 * Runs an asynchronous operation and reports it to the observer. `count` returns the number of rows
 * of a result.
 */
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

/**
 * Yields the rows of a source and reports the operation to the observer. The operation also ends if
 * the loop ends early.
 */
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

/** The asynchronous form of observeEach. */
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

/**
 * The migrations that a database has recorded for a project: their ids and checksums. The checksum
 * is null if none was recorded.
 */
export type Applied = Map<string, string | null>;

/**
 * Returns the migrations that are not applied yet, in order. Throws a MigrationChangedError if an
 * applied migration has changed.
 */
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

/**
 * Throws if a dry run is requested inside the caller's transaction, because its changes could not
 * be rolled back alone.
 */
export function checkDryRun(options: MigrateOptions, inTransaction: boolean): void {
  if (options.dryRun === true && inTransaction)
    throw new Error("a dry run needs a connection without an open transaction");
}

/**
 * The statements for the table of applied migrations. It is the table of SQG, an SQL-to-code
 * generator, with an added checksum.
 */
export const migrationSQL = {
  create:
    "CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, " +
    "applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT, PRIMARY KEY (project, migration_id))",
  addChecksum: "ALTER TABLE _sqg_migrations ADD COLUMN checksum TEXT",
} as const;
