/**
 * What every driver of the generated code shares: the observer hook,
 * migrations and the shapes of values.
 *
 * How values look, on every database: 64-bit integers and larger are bigint
 * (SQLite: number unless `safeIntegers`), exact decimals, dates, times,
 * timestamps (ISO 8601, an instant in UTC ends with Z) and UUIDs are strings
 * without loss, JSON is its text, bytes are Uint8Array, lists are arrays, maps
 * are Map. SQLite's dates and times are the text that is stored.
 */

/** Sees every operation of the generated code; costs nothing when absent. */
export interface Observer {
  /** Called before an operation. What it returns is told the end. */
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

/** Rows from memory or from a source that is read as the database takes them. */
export type Rows<T> = Iterable<T> | AsyncIterable<T>;

/** What a driver said a row is, by column name. */
export type Raw = Record<string, unknown>;

/** Applies f unless there is no value. */
export function opt<A, B>(value: A | null | undefined, f: (value: A) => B): B | null {
  return value === null || value === undefined ? null : f(value);
}

/** Runs a synchronous operation under the observer. */
export function observeSync<T>(observer: Observer | undefined, name: string, count: (result: T) => number, run: () => T): T {
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
export function* observeEach<T>(observer: Observer | undefined, name: string, source: () => Iterable<T>): Generator<T, void, undefined> {
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
export function pending(project: string, migrations: readonly Migration[], applied: Applied): Migration[] {
  return migrations.filter((m) => {
    const checksum = applied.get(m.id);
    if (checksum !== undefined && checksum !== null && checksum !== m.checksum) throw new MigrationChangedError(project, m.id);
    return checksum === undefined;
  });
}

/** The statements around migrations. The table is SQG's, with a checksum. */
export const migrationSQL = {
  create:
    "CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, " +
    "applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT, PRIMARY KEY (project, migration_id))",
  addChecksum: "ALTER TABLE _sqg_migrations ADD COLUMN checksum TEXT",
} as const;
