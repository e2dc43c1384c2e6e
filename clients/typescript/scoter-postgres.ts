import type { ClientBase, QueryConfig, QueryResult } from "pg";
import Cursor from "pg-cursor";
import { from as copyFrom } from "pg-copy-streams";
import { once } from "node:events";
import * as core from "./scoter.js";
export * from "./scoter.js";

/** What a statement without rows did. */
export interface ExecResult {
  rowCount: number;
}

/** A value in PostgreSQL's text form; null is NULL. */
export type Text = string | null;

/** A bulk operation on a table. See the statements in the generated code. */
export interface Bulk<T> extends core.BulkRows<T, Text> {
  /** COPY ... FROM STDIN into the table or its stage. */
  readonly copy: string;
  /** The operation as one statement that takes an array of values per column; absent where there is none. */
  readonly unnest?: string;
  readonly stage?: { readonly create: string; readonly dedupe?: string; readonly apply: string; readonly drop: string };
}

/** Every value as the server's text: how it is read is decided by its type. */
const types = { getTypeParser: () => (value: string | Buffer) => value } as unknown as NonNullable<QueryConfig["types"]>;

/** Rows that a stream asks the server for at a time. */
const fetchRows = 1000;

/**
 * A way to write rows, where it is not left to the number of rows: one statement with an array per
 * column, which takes the fewest round trips, or COPY, which many rows go through fastest.
 */
export type Route = "unnest" | "copy";

/**
 * Up to so many values, of all rows, one statement takes less time than COPY, without and with a temporary
 * table. scoter bench bulk measures where they meet.
 */
const unnestValues = { insert: 800, staged: 4000 };

/** Runs statements for a generated class over one connection. */
export class Runtime {
  readonly #client: ClientBase;
  readonly #observer: core.Observer | undefined;
  readonly #route: Route | undefined;
  #depth: { n: number };

  constructor(client: ClientBase, observer?: core.Observer, route?: Route, depth: { n: number } = { n: 0 }) {
    this.#client = client;
    this.#observer = observer;
    this.#route = route;
    this.#depth = depth;
  }

  /** The same connection and transaction with another route. */
  withRoute(route: Route | undefined): Runtime {
    return new Runtime(this.#client, this.#observer, route, this.#depth);
  }

  #query(sql: string, values: readonly Text[]): Promise<QueryResult<Text[]>> {
    return this.#client.query<Text[]>({ text: sql, values: [...values], rowMode: "array", types });
  }

  all<T>(name: string, sql: string, values: readonly Text[], read: (row: Text[]) => T): Promise<T[]> {
    return core.observe(this.#observer, name, core.many, async () => (await this.#query(sql, values)).rows.map(read));
  }

  one<T>(name: string, sql: string, values: readonly Text[], read: (row: Text[]) => T): Promise<T | undefined> {
    return core.observe(this.#observer, name, core.one, async () => {
      const row = (await this.#query(sql, values)).rows[0];
      return row === undefined ? undefined : read(row);
    });
  }

  /** Reads through a cursor, which an early end of the loop closes. */
  stream<T>(name: string, sql: string, values: readonly Text[], read: (row: Text[]) => T): AsyncGenerator<T, void, undefined> {
    const client = this.#client;
    return core.observeEachAsync(this.#observer, name, async function* () {
      const cursor = client.query(new Cursor<Text[]>(sql, [...values], { rowMode: "array", types: types as never }));
      try {
        for (;;) {
          const rows = await cursor.read(fetchRows);
          yield* rows.map(read);
          if (rows.length < fetchRows) return;
        }
      } finally {
        await cursor.close();
      }
    });
  }

  exec(name: string, sql: string, values: readonly Text[]): Promise<ExecResult> {
    return core.observe(this.#observer, name, (r: ExecResult) => r.rowCount, async () => ({
      rowCount: (await this.#query(sql, values)).rowCount ?? 0,
    }));
  }

  /** Runs one statement per row, all or nothing; returns the sum of rows. */
  batch<T>(name: string, sql: string, values: (row: T) => Text[], rows: core.Rows<T>): Promise<number> {
    return core.observe(this.#observer, name, core.same, () =>
      this.transaction(async () => {
        let changed = 0;
        for await (const row of rows) changed += (await this.#query(sql, values(row))).rowCount ?? 0;
        return changed;
      }),
    );
  }

  /** Runs a bulk operation in one transaction; returns the rows it changed. A row that cannot be written is a RowError. */
  bulk<T>(bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
    return core.observe(this.#observer, bulk.name, core.same, async () => {
      const values = bulk.stage === undefined ? unnestValues.insert : unnestValues.staged;
      const most = this.#route === "unnest" ? Infinity : this.#route === "copy" || bulk.unnest === undefined ? -1 : Math.floor(values / bulk.columns.length);
      const read = await core.firstRows(rows, most);
      if (bulk.unnest !== undefined && read.all) {
        try {
          return await this.#unnest(bulk.unnest, bulk, read.first);
        } catch {
          // Nothing is written. COPY fails too, and says which row it was.
        }
      }
      try {
        return await this.transaction(() => this.#copy(bulk, read.rows));
      } catch (error) {
        throw named(bulk, read.all ? read.first : rows, error);
      }
    });
  }

  async #copy<T>(bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
    const stage = bulk.stage;
    if (stage === undefined) return copy(this.#client, bulk, rows);
    await this.#client.query(stage.create);
    await copy(this.#client, bulk, rows);
    if (stage.dedupe !== undefined) await this.#client.query(stage.dedupe);
    const changed = (await this.#client.query(stage.apply)).rowCount ?? 0;
    await this.#client.query(stage.drop);
    return changed;
  }

  /** One statement, which alone is all or nothing; in a transaction that goes on, a savepoint is. */
  async #unnest<T>(sql: string, bulk: Bulk<T>, rows: readonly T[]): Promise<number> {
    const columns: Text[][] = bulk.columns.map(() => []);
    rows.forEach((row, i) => core.valuesOf(bulk, row, i + 1).forEach((value, c) => columns[c]?.push(value)));
    const arrays = columns.map(toList((v: string) => v));
    if (this.#depth.n === 0) return (await this.#query(sql, arrays)).rowCount ?? 0;
    await this.#client.query("SAVEPOINT _scoter");
    try {
      const changed = (await this.#query(sql, arrays)).rowCount ?? 0;
      await this.#client.query("RELEASE SAVEPOINT _scoter");
      return changed;
    } catch (error) {
      await this.#client.query("ROLLBACK TO SAVEPOINT _scoter");
      throw error;
    }
  }

  appender<T>(bulk: Bulk<T>): Appender<T> {
    return new Appender(this, bulk);
  }

  /** Runs body in a transaction, or in the one that was begun here already. */
  async transaction<T>(body: () => Promise<T>): Promise<T> {
    if (this.#depth.n > 0) return body();
    await this.#client.query("BEGIN");
    this.#depth.n++;
    try {
      const result = await body();
      await this.#client.query("COMMIT");
      return result;
    } catch (error) {
      await this.#client.query("ROLLBACK").catch(() => undefined);
      throw error;
    } finally {
      this.#depth.n--;
    }
  }
}

/** COPY in chunks of about this many characters. */
const copyChars = 1 << 16;

async function copy<T>(client: ClientBase, bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
  const stream = client.query(copyFrom(bulk.copy));
  const finished = new Promise<void>((resolve, reject) => {
    stream.on("finish", resolve);
    stream.on("error", reject);
  });
  finished.catch(() => undefined);
  let text = "";
  let number = 0;
  try {
    for await (const row of rows) {
      const values = core.valuesOf(bulk, row, ++number);
      for (let i = 0; i < values.length; i++) text += (i > 0 ? "\t" : "") + copyText(values[i] as Text);
      text += "\n";
      if (text.length >= copyChars) {
        if (!stream.write(text)) await Promise.race([once(stream, "drain"), finished]);
        text = "";
      }
    }
  } catch (error) {
    stream.destroy(error as Error);
    await finished.catch(() => undefined);
    throw error;
  }
  stream.end(text);
  await finished;
  return stream.rowCount;
}

/** The error with the row that the server refuses: by the line of COPY, or by the key that it names. */
function named<T>(bulk: Bulk<T>, rows: core.Rows<T>, error: unknown): unknown {
  if (error instanceof core.RowError || !(error instanceof Error)) return error;
  const { where, detail } = error as { where?: string; detail?: string };
  const line = /COPY .*?, line (\d+)/s.exec(where ?? "")?.[1];
  if (line !== undefined) return new core.RowError(bulk.name, Number(line), error);
  const key = /Key \((.*?)\)=\((.*)\) (?:already exists|is not present|conflicts)/s.exec(detail ?? "");
  const names = key?.[1]?.split(", ").map((n) => n.replace(/^"(.*)"$/, "$1").replaceAll('""', '"')) ?? [];
  const values = names.length === 1 ? [key?.[2]] : (key?.[2]?.split(", ") ?? []);
  const row = names.length === values.length ? core.lastWith(bulk, rows, (column) => values[names.indexOf(column)]) : 0;
  return row > 0 ? new core.RowError(bulk.name, row, error) : error;
}

function copyText(v: Text): string {
  if (v === null) return "\\N";
  return /[\\\t\n\r]/.test(v) ? v.replace(/[\\\t\n\r]/g, (c) => (c === "\\" ? "\\\\" : c === "\t" ? "\\t" : c === "\n" ? "\\n" : "\\r")) : v;
}

/** Collects rows and copies them when it is flushed or closed. */
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
    if (this.#rows.length >= 10000) await this.flush();
    return this;
  }

  async appendMany(rows: core.Rows<T>): Promise<this> {
    for await (const row of rows) await this.append(row);
    return this;
  }

  async flush(): Promise<this> {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length > 0) await this.#runtime.bulk(this.#bulk, rows);
    return this;
  }

  async close(): Promise<void> {
    await this.flush();
  }
}

/** Applies the pending migrations under an advisory lock; returns their ids. */
export async function applyMigrations(
  client: ClientBase,
  project: string,
  migrations: readonly core.Migration[],
  options: core.MigrateOptions = {},
): Promise<string[]> {
  return new Runtime(client).transaction(async () => {
    await client.query("SELECT pg_advisory_xact_lock(hashtext('_sqg_migrations'))");
    await client.query(core.migrationSQL.create);
    await client.query("ALTER TABLE _sqg_migrations ADD COLUMN IF NOT EXISTS checksum TEXT");
    const recorded = await client.query<{ migration_id: string; checksum: Text }>(
      "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = $1",
      [project],
    );
    const applied = new Map(recorded.rows.map((r) => [r.migration_id, r.checksum]));
    const todo = core.pending(project, migrations, applied);
    for (const m of migrations) {
      if (applied.get(m.id) === null) {
        await client.query("UPDATE _sqg_migrations SET checksum = $1 WHERE project = $2 AND migration_id = $3", [m.checksum, project, m.id]);
      }
    }
    for (const m of todo) {
      for (const statement of m.statements) await client.query(statement);
      await client.query("INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES ($1, $2, $3)", [project, m.id, m.checksum]);
    }
    const ids = todo.map((m) => m.id);
    // COMMIT of a failed or rolled back transaction is a ROLLBACK.
    if (options.dryRun === true) await client.query("ROLLBACK");
    return ids;
  });
}

// How the server's text is read.

export const str = (v: string): string => v;
export const bool = (v: string): boolean => v === "t";
export const number = (v: string): number => (v === "NaN" ? NaN : v === "Infinity" ? Infinity : v === "-Infinity" ? -Infinity : Number(v));
export const bigint = (v: string): bigint => BigInt(v);
export const timestamp = (v: string): string => v.replace(" ", "T");

export function blob(v: string): Uint8Array {
  const bytes = new Uint8Array((v.length - 2) / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(v.slice(2 + 2 * i, 4 + 2 * i), 16);
  return bytes;
}

/** An instant in UTC with all its digits. The session may have any zone. */
export function instant(v: string): string {
  const match = /^(\d+-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?( BC)?$/.exec(v);
  if (match === null || match[8] !== undefined) return v;
  const offset = Number(match[5]) * 3600 + Number(match[6] ?? 0) * 60 + Number(match[7] ?? 0);
  if (offset === 0) return `${match[1]}T${match[2]}${match[3] ?? ""}Z`;
  const time = new Date(`${match[1]}T${match[2]}Z`).getTime() + (match[4] === "-" ? offset : -offset) * 1000;
  return new Date(time).toISOString().slice(0, -5) + (match[3] ?? "") + "Z";
}

/** PostgreSQL's own form of an interval: `1 year 2 mons -3 days 04:05:06.7`. */
export function interval(v: string): core.Interval {
  const result = { months: 0, days: 0, micros: 0n };
  for (const [, count, unit] of v.matchAll(/([+-]?\d+) (year|mon|day)s?/g)) {
    if (unit === "year") result.months += 12 * Number(count);
    else if (unit === "mon") result.months += Number(count);
    else result.days += Number(count);
  }
  const time = /([+-]?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?/.exec(v);
  if (time !== null) {
    const seconds = BigInt(time[2] as string) * 3600n + BigInt(time[3] as string) * 60n + BigInt(time[4] as string);
    const micros = seconds * 1000000n + BigInt((time[5] ?? "").padEnd(6, "0"));
    result.micros = time[1] === "-" ? -micros : micros;
  }
  return result;
}

export const list =
  <T>(read: (v: string) => T) =>
  (v: string): (T | null)[] => {
    const parsed = parseArray(v);
    const each = (e: Nested): unknown => (e === null ? null : typeof e === "string" ? read(e) : e.map(each));
    return (parsed as Nested[]).map(each) as (T | null)[];
  };

type Nested = string | null | Nested[];

/** `[1:2]={a,"b c",NULL,{d}}`: an array of any dimensions. */
function parseArray(text: string): Nested {
  let at = text.startsWith("[") ? text.indexOf("=") + 1 : 0;
  const item = (): Nested => {
    if (text[at] === "{") {
      at++;
      const items: Nested[] = [];
      while (text[at] !== "}") {
        items.push(item());
        if (text[at] === ",") at++;
      }
      at++;
      return items;
    }
    if (text[at] === '"') return quoted();
    const from = at;
    while (text[at] !== "," && text[at] !== "}") at++;
    const bare = text.slice(from, at);
    return bare === "NULL" ? null : bare;
  };
  const quoted = (): string => {
    let value = "";
    for (at++; text[at] !== '"'; at++) {
      if (text[at] === "\\") at++;
      value += text[at];
    }
    at++;
    return value;
  };
  return item();
}

/** `(a,"b ""c""",)`: the fields of a composite value. */
export function fields(text: string): Text[] {
  const values: Text[] = [];
  let at = 1;
  for (;;) {
    let value: Text = null;
    while (text[at] !== "," && text[at] !== ")") {
      value ??= "";
      if (text[at] !== '"') {
        if (text[at] === "\\") at++;
        value += text[at++];
        continue;
      }
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '"' || text[at] === "\\") at++;
        value += text[at];
      }
      at++;
    }
    values.push(value);
    if (text[at++] === ")") return values;
  }
}

// How values are written.

export const toText = (v: unknown): string => String(v);
export const toBlob = (v: Uint8Array): string => "\\x" + Array.from(v, (b) => b.toString(16).padStart(2, "0")).join("");
export const toInterval = (v: core.Interval): string => `${v.months} mons ${v.days} days ${v.micros} microseconds`;

/** Nested lists of one element type, as PostgreSQL writes arrays. */
export const toList =
  <T>(write: (v: T) => string) =>
  (v: readonly unknown[]): string => {
    const item = (e: unknown): string => {
      if (e === null || e === undefined) return "NULL";
      if (Array.isArray(e)) return "{" + e.map(item).join(",") + "}";
      return '"' + write(e as T).replace(/[\\"]/g, "\\$&") + '"';
    };
    return item(v);
  };

/** The fields of a composite value, each as text. */
export const toFields = (values: readonly Text[]): string =>
  "(" + values.map((v) => (v === null ? "" : '"' + v.replace(/[\\"]/g, "$&$&") + '"')).join(",") + ")";
