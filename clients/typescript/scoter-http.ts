import * as core from "./scoter.js";
import { Pack, packed } from "./scoter-pack.js";
export * from "./scoter.js";
export * from "./scoter-pack.js";

/** A Scoter server and the database to use on it. */
export interface Connection {
  /** The server's base URL, such as http://127.0.0.1:7287. */
  readonly url: string;
  readonly token?: string;
  /** The database of table names that do not name one. The default is "default". */
  readonly database?: string;
}

/** The effect of a statement that returns no rows. */
export interface ExecResult {
  rowsChanged: number;
}

/**
 * The server refused a request. Nothing of that request was applied. docs/API.md lists the values
 * of `kind`.
 */
export class ScoterError extends Error {
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.name = "ScoterError";
    this.kind = kind;
  }
}

/** A bulk operation. Its rows are sent to `path` below /api/v1/tables/{database}/. */
export interface Bulk<T> {
  readonly name: string;
  readonly path: string;
  readonly columns: readonly string[];
  /** Appends each value of a row to its column in `to`. */
  readonly pack: (to: readonly Pack[], row: T) => void;
}

/**
 * A request is sent when its rows reach this many bytes. The server applies each request
 * atomically.
 */
const portion = 4 << 20;

async function post(
  db: Connection,
  path: string,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const headers: Record<string, string> = { "Content-Type": type };
  if (db.token !== undefined) headers["Authorization"] = `Bearer ${db.token}`;
  const response = await fetch(db.url.replace(/\/+$/, "") + path, {
    method: "POST",
    headers,
    body,
  });
  if (response.ok) return response;
  const text = await response.text();
  let error: { kind: string; message: string; hint?: string } | undefined;
  try {
    error = (JSON.parse(text) as { error?: typeof error }).error;
  } catch {
    // the body is not an error object of Scoter; a proxy may have answered
  }
  if (error === undefined)
    throw new ScoterError("internal", `status ${response.status}: ${text.slice(0, 200)}`);
  throw new ScoterError(
    error.kind,
    error.hint === undefined ? error.message : `${error.message} (${error.hint})`,
  );
}

function send(
  db: Connection,
  sql: string,
  values: readonly unknown[],
  format = "ndjson",
): Promise<Response> {
  const body =
    json({ sql, database: db.database ?? "default" }).slice(0, -1) +
    `,"params":[${values.map(json).join(",")}]}`;
  return post(db, `/api/v1/sql?format=${format}`, "application/json", body);
}

/**
 * Parses one line of JSON. Integers of 16 digits or more become strings, because a JavaScript
 * number could not hold them. Digits inside strings and in numbers with a fraction are left alone.
 */
function parse(line: string): core.Raw {
  return JSON.parse(
    line.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, (m) =>
      m.startsWith('"') ? m : `"${m}"`,
    ),
  ) as core.Raw;
}

/**
 * Yields the bytes of a response as they arrive. If the loop ends early, the response is cancelled.
 */
async function* chunks(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value as Uint8Array;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function* lines(response: Response): AsyncGenerator<core.Raw, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks(response)) {
    const whole = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = whole.pop()!;
    for (const line of whole) if (line !== "") yield parse(line);
  }
  rest += decoder.decode();
  if (rest !== "") yield parse(rest);
}

/** Runs a statement that returns no rows. Returns the number of rows it changed. */
export async function execute(
  db: Connection,
  sql: string,
  values: readonly unknown[] = [],
): Promise<number> {
  let n = 0;
  for await (const answer of lines(await send(db, sql, values))) n += changed(answer);
  return n;
}

function changed(answer: core.Raw): number {
  return (
    Number(answer["inserted"] ?? 0) +
    Number(answer["updated"] ?? 0) +
    Number(answer["deleted"] ?? 0)
  );
}

/**
 * Runs the statements of a generated class over Scoter's HTTP interface. Each statement is a
 * transaction of its own.
 */
export class Runtime {
  readonly #db: Connection;
  readonly #observer: core.Observer | undefined;

  constructor(db: Connection, observer?: core.Observer) {
    this.#db = db;
    this.#observer = observer;
  }

  all<T>(
    name: string,
    sql: string,
    values: readonly unknown[],
    read: (row: core.Raw) => T,
  ): Promise<T[]> {
    return core.observe(this.#observer, name, core.many, async () => {
      const rows: T[] = [];
      for await (const row of lines(await send(this.#db, sql, values))) rows.push(read(row));
      return rows;
    });
  }

  one<T>(
    name: string,
    sql: string,
    values: readonly unknown[],
    read: (row: core.Raw) => T,
  ): Promise<T | undefined> {
    return core.observe<T | undefined>(this.#observer, name, core.one, async () => {
      for await (const row of lines(await send(this.#db, sql, values))) return read(row);
      return undefined;
    });
  }

  /** Yields rows as they arrive from the server. */
  stream<T>(
    name: string,
    sql: string,
    values: readonly unknown[],
    read: (row: core.Raw) => T,
  ): AsyncGenerator<T, void, undefined> {
    const db = this.#db;
    return core.observeEachAsync(this.#observer, name, async function* () {
      for await (const row of lines(await send(db, sql, values))) yield read(row);
    });
  }

  /**
   * Yields the bytes of a result as an Arrow IPC stream, as they arrive from the server. This is
   * not a ReadableStream, because apache-arrow treats an error of a ReadableStream as the end of
   * the data.
   */
  async *arrow(
    name: string,
    sql: string,
    values: readonly unknown[],
  ): AsyncGenerator<Uint8Array, void, undefined> {
    yield* chunks(
      await core.observe(
        this.#observer,
        name,
        () => -1,
        () => send(this.#db, sql, values, "arrow"),
      ),
    );
  }

  exec(name: string, sql: string, values: readonly unknown[]): Promise<ExecResult> {
    return core.observe(
      this.#observer,
      name,
      (r: ExecResult) => r.rowsChanged,
      async () => ({ rowsChanged: await execute(this.#db, sql, values) }),
    );
  }

  /**
   * Runs a statement once for each row. Each run is a transaction of its own: the runs before a
   * failure stay applied.
   */
  batch<T>(
    name: string,
    sql: string,
    values: (row: T) => unknown[],
    rows: core.Rows<T>,
  ): Promise<number> {
    return core.observe(this.#observer, name, core.same, async () => {
      let n = 0;
      for await (const row of rows) n += await execute(this.#db, sql, values(row));
      return n;
    });
  }

  /**
   * Sends rows in several requests, and returns the number of changed rows once all are durable.
   * Each request is atomic: if one fails, the rows of earlier requests stay stored.
   */
  bulk<T>(bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
    const path = `/api/v1/tables/${encodeURIComponent(this.#db.database ?? "default")}/${bulk.path}`;
    return core.observe(this.#observer, bulk.name, core.same, async () => {
      const columns = bulk.columns.map(() => new Pack());
      let n = 0;
      let waiting = 0;
      let stored = 0;
      const flush = async (): Promise<void> => {
        const body = packed(bulk.columns, columns, waiting);
        for (const c of columns) c.clear();
        const response = await post(this.#db, path, "application/msgpack", body).catch(
          (error: unknown) => {
            if (!(error instanceof ScoterError) || stored === 0) throw error;
            throw new ScoterError(
              error.kind,
              `${error.message} (rows are counted from row ${stored + 1}, those before it are stored)`,
            );
          },
        );
        stored += waiting;
        waiting = 0;
        n += changed((await response.json()) as core.Raw);
      };
      /** Packs a row. Returns true when the request is full. */
      const take = (row: T): boolean => {
        bulk.pack(columns, row);
        waiting++;
        let size = 0;
        for (const c of columns) size += c.size;
        return size >= portion;
      };
      // Rows of a synchronous iterable are not awaited, because awaiting a row costs as much as
      // packing it.
      if (Symbol.asyncIterator in rows) {
        for await (const row of rows) if (take(row)) await flush();
      } else {
        for (const row of rows) if (take(row)) await flush();
      }
      if (waiting > 0) await flush();
      return n;
    });
  }

  appender<T>(bulk: Bulk<T>): core.Appender<T> {
    return new core.Appender(10000, (rows) => this.bulk(bulk, rows));
  }
}

/**
 * Applies the pending migrations. Returns the ids of the applied migrations. Each statement is a
 * transaction of its own: if a migration fails, its earlier statements stay applied.
 */
export async function applyMigrations(
  db: Connection,
  project: string,
  migrations: readonly core.Migration[],
  options: core.MigrateOptions = {},
): Promise<string[]> {
  if (options.dryRun === true)
    throw new Error("there is no dry run over HTTP: every statement is a transaction of its own");
  await execute(db, core.migrationSQL.create.replace(", PRIMARY KEY (project, migration_id)", ""));
  const applied: core.Applied = new Map();
  const recorded = await send(
    db,
    "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = $1",
    [project],
  );
  for await (const row of lines(recorded))
    applied.set(String(row["migration_id"]), row["checksum"] as string | null);
  const todo = core.pending(project, migrations, applied);
  for (const m of todo) {
    for (const statement of m.statements) await execute(db, statement);
    await execute(
      db,
      "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES ($1, $2, $3)",
      [project, m.id, m.checksum],
    );
  }
  return todo.map((m) => m.id);
}

// The functions below convert between values and Scoter's JSON.

export const number = (v: unknown): number => Number(v);
export const bigint = (v: unknown): bigint => BigInt(v as string | number);
export const str = (v: unknown): string => String(v);

export function blob(v: unknown): Uint8Array {
  const text = v as string;
  return new Uint8Array(
    text.startsWith("\\x") ? Buffer.from(text.slice(2), "hex") : Buffer.from(text, "base64"),
  );
}

/** Parses an interval. Inside a list it is ISO 8601 text, otherwise DuckDB's text. */
export function interval(v: unknown): core.Interval {
  const text = v as string;
  return text.startsWith("P") ? duration(text) : core.intervalOf(text);
}

function duration(text: string): core.Interval {
  const [day = "", clock = ""] = text.split("T");
  let months = 0;
  let days = 0;
  let micros = 0n;
  for (const [, count, unit] of day.matchAll(/([+-]?\d+)([YMWD])/g)) {
    if (unit === "Y" || unit === "M") months += Number(count) * (unit === "Y" ? 12 : 1);
    else days += Number(count) * (unit === "W" ? 7 : 1);
  }
  for (const [, sign, whole, fraction = "", unit] of clock.matchAll(
    /([+-]?)(\d+)(?:\.(\d{1,6}))?([HMS])/g,
  )) {
    const part =
      BigInt(whole! + fraction.padEnd(6, "0")) * (unit === "H" ? 3600n : unit === "M" ? 60n : 1n);
    micros += sign === "-" ? -part : part;
  }
  return { months, days, micros };
}

export const list =
  <T>(read: (e: unknown) => T) =>
  (v: unknown): T[] =>
    (v as unknown[]).map(read);

/**
 * Makes a reader of maps. JSON has a map as an object, or as a list of {key, value} objects if the
 * keys are not text.
 */
export const map =
  <K, V>(key: (e: unknown) => K, value: (e: unknown) => V) =>
  (v: unknown): Map<K, V> =>
    new Map(
      Array.isArray(v)
        ? v.map((e: { key: unknown; value: unknown }) => [key(e.key), value(e.value)])
        : Object.entries(v as object).map(([k, e]) => [key(k), value(e)]),
    );

/** Returns bytes as text that DuckDB casts to BLOB. */
export const toBlob = (v: Uint8Array): string =>
  Array.from(v, (b) => "\\x" + b.toString(16).toUpperCase().padStart(2, "0")).join("");
export { intervalText as toInterval } from "./scoter.js";

/** Returns the JSON of any value that generated code uses. */
export function json(v: unknown): string {
  if (v === null || v === undefined) return "null";
  if (typeof v === "bigint") return BigInt.asIntN(64, v) === v ? v.toString() : `"${v}"`;
  if (typeof v === "number" && !Number.isFinite(v)) return `"${v}"`;
  if (typeof v !== "object") return JSON.stringify(typeof v === "string" ? core.utf8(v) : v);
  if (v instanceof Uint8Array) return JSON.stringify(toBlob(v));
  if (Array.isArray(v)) return `[${v.map(json).join(",")}]`;
  const entries = v instanceof Map ? [...v] : Object.entries(v);
  return `{${entries.map(([k, e]) => json(String(k)) + ":" + json(e)).join(",")}}`;
}
