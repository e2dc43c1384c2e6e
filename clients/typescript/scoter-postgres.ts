import type { ClientBase, Pool, QueryConfig, QueryResult } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { AsyncLocalStorage } from "node:async_hooks";
import { once, type EventEmitter } from "node:events";
import * as core from "./scoter.js";
import { Turns } from "./scoter-turns.js";
export * from "./scoter.js";

/**
 * The client or pool that queries run on. With a pool, each call takes its own client from the
 * pool. A transaction takes one client for all calls inside it.
 */
export type Connection = ClientBase | Pool;

/** The effect of a statement that returns no rows. */
export interface ExecResult {
  rowCount: number;
}

/** A value in PostgreSQL's text format; null is NULL. */
export type Text = string | null;

/** A bulk operation on one table. The generated code contains its statements. */
export interface Bulk<T> extends core.BulkRows<T, Text> {
  /** COPY ... FROM STDIN into the target, or into the temporary table if there is a `stage`. */
  readonly copy: string;
  /**
   * The operation as one statement with an array parameter per column. Absent if the operation
   * cannot be written that way.
   */
  readonly unnest?: string;
  readonly stage?: {
    readonly create: string;
    readonly dedupe?: string;
    readonly apply: string;
    readonly drop: string;
  };
}

/**
 * Makes pg return every value as the server's text. The generated code parses the text by the
 * column's type.
 */
const types = { getTypeParser: () => (value: string | Buffer) => value } as unknown as NonNullable<
  QueryConfig["types"]
>;

/** The number of rows that a stream fetches at a time. */
const fetchRows = 1000;

/**
 * Forces how a bulk operation sends its rows. Without a route, the number of rows decides.
 *
 * - `unnest`: one statement with an array per column. It needs the fewest round trips.
 * - `copy`: COPY. It is the fastest for many rows.
 */
export type Route = "unnest" | "copy";

/**
 * Up to this number of values (rows times columns), one statement takes less time than COPY.
 * `insert` is for operations without a temporary table, `staged` for those with one. The command
 * `scoter-bench bulk` measures these limits.
 */
const unnestValues = { insert: 800, staged: 4000 };

const sessions = new WeakMap<ClientBase, Session>();

/** The state that all users of one client share. */
class Session {
  readonly client: ClientBase;
  readonly turns = new Turns();
  #cursors = 0;
  /**
   * The transaction status that the server reported last: I idle, T in a transaction, E in a failed
   * transaction. Undefined after an error, until the server reports the status again.
   */
  #status: string | undefined;

  static of(client: ClientBase): Session {
    let session = sessions.get(client);
    if (session === undefined) sessions.set(client, (session = new Session(client)));
    return session;
  }

  private constructor(client: ClientBase) {
    const { connection } = client as unknown as { connection?: EventEmitter };
    if (connection === undefined)
      throw new TypeError("not a client or pool of pg: pg-native has no COPY");
    this.client = client;
    connection.on(
      "readyForQuery",
      (message: { status: string }) => (this.#status = message.status),
    );
    connection.on("errorMessage", () => (this.#status = undefined));
  }

  /** Returns a cursor name that is unique on this client. */
  cursor(): string {
    return `_scoter_${++this.#cursors}`;
  }

  /**
   * Throws if a statement may not run now: its transaction has ended, or a COPY on this client
   * waits for the caller's rows. In the second case the statement and the COPY would wait for each
   * other forever.
   */
  check(): void {
    const turn = this.turns.current;
    turn?.check();
    if (turn?.busy === true)
      throw new Error(
        "the rows of a COPY cannot come from statements on its connection: read them on another one, or before",
      );
  }

  /** Runs a statement. Each row of the result is an array of texts. */
  async query(sql: string, values: readonly Text[] = []): Promise<QueryResult<Text[]>> {
    this.check();
    checkTexts(values);
    return this.client.query<Text[]>({ text: sql, values: [...values], rowMode: "array", types });
  }

  async inTransaction(): Promise<boolean> {
    if (this.#status === undefined) await this.query("");
    return this.#status !== "I";
  }

  /**
   * Runs body in a new transaction. If a transaction is already open, runs `joined` in it instead.
   */
  transaction<T>(body: () => Promise<T>, end = "COMMIT", joined = body): Promise<T> {
    return this.turns.take(async () => {
      if (await this.inTransaction()) return joined();
      await this.query("BEGIN");
      const ended = async (): Promise<void> => {
        // If a statement of the transaction has failed, the server answers COMMIT with ROLLBACK and
        // reports no error.
        if ((await this.query(end)).command !== end)
          throw new Error("the transaction was rolled back: a statement of it had failed");
      };
      return this.turns.whole(body, ended, () => this.query("ROLLBACK"));
    });
  }

  /**
   * Runs body so that either all of it takes effect or nothing: in a new transaction, or behind a
   * savepoint if a transaction is already open.
   */
  whole<T>(body: () => Promise<T>): Promise<T> {
    return this.transaction(body, "COMMIT", async () => {
      await this.query("SAVEPOINT _scoter");
      const release = (): Promise<unknown> => this.query("RELEASE SAVEPOINT _scoter");
      return this.turns.whole(body, release, async () => {
        await this.query("ROLLBACK TO SAVEPOINT _scoter");
        await release();
      });
    });
  }
}

/**
 * An error listener for a client that loses its connection. The client's statements fail then.
 * Without a listener, Node.js would end the process.
 */
const lost = (): void => undefined;

const isPool = (db: Connection): db is Pool => "totalCount" in db;

/** Provides the client for each call: always the same one, or one from a pool. */
class Source {
  readonly #of: Session | Pool;
  /** The session of the pool's client that the current call chain already holds. */
  readonly #held = new AsyncLocalStorage<Session>();

  static readonly #pools = new WeakMap<Pool, Source>();

  static of(db: Connection): Source {
    if (!isPool(db)) return new Source(Session.of(db));
    let source = Source.#pools.get(db);
    if (source === undefined) Source.#pools.set(db, (source = new Source(db)));
    return source;
  }

  private constructor(of: Session | Pool) {
    this.#of = of;
  }

  /** Takes a client. Returns its session and a function that gives the client back to the pool. */
  async hold(): Promise<{ session: Session; release: () => Promise<void> }> {
    const held = this.#of instanceof Session ? this.#of : this.#held.getStore();
    if (held !== undefined) return { session: held, release: () => Promise.resolve() };
    const client = await (this.#of as Pool).connect();
    client.on("error", lost);
    const session = Session.of(client);
    const release = async (): Promise<void> => {
      // The pool discards a client that is still in a transaction or does not answer.
      client.release(await session.inTransaction().catch(() => true));
      client.off("error", lost);
    };
    return { session, release };
  }

  /** Runs body with a session. All calls that body makes use the same session. */
  async run<T>(body: (session: Session) => Promise<T>): Promise<T> {
    if (this.#of instanceof Session) return body(this.#of);
    const { session, release } = await this.hold();
    try {
      return await this.#held.run(session, body, session);
    } finally {
      await release();
    }
  }
}

/**
 * Returns whether the server refused a statement, or a value could not be written. In both cases
 * the statement changed nothing.
 */
const refused = (error: unknown): boolean =>
  error instanceof core.RowError || (error instanceof Error && "severity" in error);

/** Runs the statements of a generated class on one client or a pool. */
export class Runtime {
  readonly #db: Connection;
  readonly #source: Source;
  readonly #observer: core.Observer | undefined;
  readonly #route: Route | undefined;

  constructor(db: Connection, observer?: core.Observer, route?: Route) {
    this.#db = db;
    this.#source = Source.of(db);
    this.#observer = observer;
    this.#route = route;
  }

  /**
   * Returns a runtime on the same connection that uses another route. undefined lets the number of
   * rows decide.
   */
  withRoute(route: Route | undefined): Runtime {
    return new Runtime(this.#db, this.#observer, route);
  }

  #query(sql: string, values: readonly Text[]): Promise<QueryResult<Text[]>> {
    return this.#source.run((session) => session.query(sql, values));
  }

  all<T>(
    name: string,
    sql: string,
    values: readonly Text[],
    read: (row: Text[]) => T,
  ): Promise<T[]> {
    return core.observe(this.#observer, name, core.many, async () =>
      (await this.#query(sql, values)).rows.map(read),
    );
  }

  one<T>(
    name: string,
    sql: string,
    values: readonly Text[],
    read: (row: Text[]) => T,
  ): Promise<T | undefined> {
    return core.observe(this.#observer, name, core.one, async () => {
      const row = (await this.#query(sql, values)).rows[0];
      return row === undefined ? undefined : read(row);
    });
  }

  /**
   * Streams the rows of a query through a cursor. Ending the loop early closes the cursor.
   *
   * The server stores the whole result. So the loop may run other statements on the connection, and
   * may begin and end transactions. A cursor without a stored result would need an open transaction
   * until the loop ends.
   */
  stream<T>(
    name: string,
    sql: string,
    values: readonly Text[],
    read: (row: Text[]) => T,
  ): AsyncGenerator<T, void, undefined> {
    const source = this.#source;
    return core.observeEachAsync(this.#observer, name, async function* () {
      const { session, release } = await source.hold();
      const cursor = session.cursor();
      const declare = (): Promise<unknown> =>
        session.query(`DECLARE ${cursor} NO SCROLL CURSOR WITH HOLD FOR ${sql}`, values);
      let open = false;
      try {
        await session.transaction(
          async () => {
            // The server computes all rows anyway, so ask for the plan that is fastest for all
            // rows, not for the first ones. An already open transaction keeps its own setting.
            await session.query("SET LOCAL cursor_tuple_fraction = 1");
            await declare();
          },
          "COMMIT",
          declare,
        );
        open = true;
        for (;;) {
          const { rows } = await session.query(`FETCH ${fetchRows} FROM ${cursor}`);
          yield* rows.map(read);
          if (rows.length < fetchRows) return;
        }
      } finally {
        // This runs even if the caller's turn has ended, so it does not call check. If the
        // transaction failed, the server has already closed the cursor or will do so.
        const closed = open
          ? session.client.query(`CLOSE ${cursor}`).catch(() => undefined)
          : undefined;
        if (session.turns.current?.busy !== true) await closed;
        await release();
      }
    });
  }

  exec(name: string, sql: string, values: readonly Text[]): Promise<ExecResult> {
    return core.observe(
      this.#observer,
      name,
      (r: ExecResult) => r.rowCount,
      async () => ({
        rowCount: (await this.#query(sql, values)).rowCount ?? 0,
      }),
    );
  }

  /**
   * Runs one statement for each row. Either all of them take effect or none. Returns the total
   * number of changed rows.
   */
  batch<T>(
    name: string,
    sql: string,
    values: (row: T) => Text[],
    rows: core.Rows<T>,
  ): Promise<number> {
    return core.observe(this.#observer, name, core.same, () =>
      this.#source.run((session) =>
        session.whole(async () => {
          let changed = 0;
          for await (const row of rows)
            changed += (await session.query(sql, values(row))).rowCount ?? 0;
          return changed;
        }),
      ),
    );
  }

  /**
   * Runs a bulk operation in one transaction. Returns the number of changed rows. Throws a RowError
   * that names the row that cannot be written.
   */
  bulk<T>(bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
    return core.observe(this.#observer, bulk.name, core.same, () =>
      this.#source.run((session) =>
        session.turns.take(async () => {
          const values = bulk.stage === undefined ? unnestValues.insert : unnestValues.staged;
          const most =
            this.#route === "unnest"
              ? Infinity
              : this.#route === "copy" || bulk.unnest === undefined
                ? -1
                : Math.floor(values / bulk.columns.length);
          const read = await core.firstRows(rows, most);
          if (bulk.unnest !== undefined && read.all) {
            try {
              return await unnest(session, bulk.unnest, bulk, read.first);
            } catch (error) {
              // The server refused the rows. COPY will fail too, but it says which row is to blame.
              // After any other error the rows may have been written, so they are not sent again.
              if (!refused(error)) throw error;
            }
          }
          try {
            return await session.transaction(() => staged(session, bulk, read.rows));
          } catch (error) {
            throw named(bulk, read.all ? read.first : rows, error);
          }
        }),
      ),
    );
  }

  appender<T>(bulk: Bulk<T>): core.Appender<T> {
    return new core.Appender(10000, (rows) => this.bulk(bulk, rows));
  }

  /** Runs body in a transaction. If a transaction is already open, body joins it. */
  transaction<T>(body: () => Promise<T>): Promise<T> {
    return this.#source.run((session) => session.transaction(body));
  }
}

/**
 * Copies rows to the target. If the operation has a temporary table, copies them there and applies
 * it.
 */
async function staged<T>(session: Session, bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
  const stage = bulk.stage;
  if (stage === undefined) return copy(session, bulk, rows);
  await session.query(stage.create);
  await copy(session, bulk, rows);
  if (stage.dedupe !== undefined) await session.query(stage.dedupe);
  const changed = (await session.query(stage.apply)).rowCount ?? 0;
  await session.query(stage.drop);
  return changed;
}

/**
 * Writes all rows by one statement. Outside a transaction the statement is atomic by itself. Inside
 * one, a savepoint keeps the transaction usable if it fails.
 */
async function unnest<T>(
  session: Session,
  sql: string,
  bulk: Bulk<T>,
  rows: readonly T[],
): Promise<number> {
  const columns: Text[][] = bulk.columns.map(() => []);
  for (const [i, row] of rows.entries()) {
    for (const [c, value] of textsOf(bulk, row, i + 1).entries()) columns[c]?.push(value);
  }
  const arrays = columns.map(toList((v: string) => v));
  const write = async (): Promise<number> => (await session.query(sql, arrays)).rowCount ?? 0;
  return (await session.inTransaction()) ? session.whole(write) : write();
}

function checkTexts(values: readonly Text[]): void {
  for (const v of values) if (v !== null) core.utf8(v);
}

/**
 * Returns a row's values as texts, and checks that UTF-8 can encode them. `number` is the row's
 * number, counted from 1, for the RowError.
 */
function textsOf<T>(bulk: Bulk<T>, row: T, number: number): Text[] {
  const values = core.valuesOf(bulk, row, number);
  try {
    checkTexts(values);
    return values;
  } catch (error) {
    throw new core.RowError(bulk.name, number, error);
  }
}

/** COPY data is sent in chunks of about this many characters. */
const copyChars = 1 << 16;

async function copy<T>(session: Session, bulk: Bulk<T>, rows: core.Rows<T>): Promise<number> {
  session.check();
  const turn = session.turns.current!;
  const stream = session.client.query(copyFrom(bulk.copy));
  const finished = new Promise<void>((resolve, reject) => {
    stream.on("finish", resolve);
    stream.on("error", reject);
  });
  finished.catch(() => undefined);
  let text = "";
  let number = 0;
  turn.busy = true;
  try {
    for await (const row of rows) {
      const values = textsOf(bulk, row, ++number);
      for (let i = 0; i < values.length; i++)
        text += (i > 0 ? "\t" : "") + copyText(values[i] as Text);
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
  } finally {
    turn.busy = false;
  }
  stream.end(text);
  await finished;
  return stream.rowCount;
}

/**
 * Turns a server error into a RowError that names the row. The row is found by the line number of
 * COPY or by the key in the error. Returns the error unchanged if the row cannot be found.
 */
function named<T>(bulk: Bulk<T>, rows: core.Rows<T>, error: unknown): unknown {
  if (error instanceof core.RowError || !(error instanceof Error)) return error;
  const { where, detail } = error as { where?: string; detail?: string };
  const line = /COPY .*?, line (\d+)/s.exec(where ?? "")?.[1];
  if (line !== undefined) return new core.RowError(bulk.name, Number(line), error);
  const key = /Key \((.*?)\)=\((.*)\) (?:already exists|is not present|conflicts)/s.exec(
    detail ?? "",
  );
  const names =
    key?.[1]?.split(", ").map((n) => n.replace(/^"(.*)"$/, "$1").replaceAll('""', '"')) ?? [];
  const values = names.length === 1 ? [key?.[2]] : (key?.[2]?.split(", ") ?? []);
  const row =
    names.length === values.length
      ? core.lastWith(bulk, rows, (column) => values[names.indexOf(column)])
      : 0;
  return row > 0 ? new core.RowError(bulk.name, row, error) : error;
}

function copyText(v: Text): string {
  if (v === null) return "\\N";
  return /[\\\t\n\r]/.test(v)
    ? v.replace(/[\\\t\n\r]/g, (c) =>
        c === "\\" ? "\\\\" : c === "\t" ? "\\t" : c === "\n" ? "\\n" : "\\r",
      )
    : v;
}

/**
 * Applies the pending migrations in one transaction, under an advisory lock. Returns the ids of the
 * applied migrations.
 */
export async function applyMigrations(
  db: Connection,
  project: string,
  migrations: readonly core.Migration[],
  options: core.MigrateOptions = {},
): Promise<string[]> {
  return Source.of(db).run((session) => migrated(session, project, migrations, options));
}

function migrated(
  session: Session,
  project: string,
  migrations: readonly core.Migration[],
  options: core.MigrateOptions,
): Promise<string[]> {
  const migrate = async (): Promise<string[]> => {
    await session.query("SELECT pg_advisory_xact_lock(hashtext('_sqg_migrations'))");
    await session.query(core.migrationSQL.create);
    await session.query("ALTER TABLE _sqg_migrations ADD COLUMN IF NOT EXISTS checksum TEXT");
    const recorded = await session.query(
      "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = $1",
      [project],
    );
    const applied = new Map(recorded.rows.map((r) => [r[0] as string, r[1] as Text]));
    const todo = core.pending(project, migrations, applied);
    for (const m of migrations) {
      if (applied.get(m.id) === null) {
        await session.query(
          "UPDATE _sqg_migrations SET checksum = $1 WHERE project = $2 AND migration_id = $3",
          [m.checksum, project, m.id],
        );
      }
    }
    for (const m of todo) {
      for (const statement of m.statements) await session.query(statement);
      await session.query(
        "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES ($1, $2, $3)",
        [project, m.id, m.checksum],
      );
    }
    return todo.map((m) => m.id);
  };
  return session.transaction(migrate, options.dryRun === true ? "ROLLBACK" : "COMMIT", async () => {
    core.checkDryRun(options, true);
    return migrate();
  });
}

// The functions below parse the server's text.

export const str = (v: string): string => v;
export const bool = (v: string): boolean => v === "t";
export const number = (v: string): number =>
  v === "NaN" ? NaN : v === "Infinity" ? Infinity : v === "-Infinity" ? -Infinity : Number(v);
export const bigint = (v: string): bigint => BigInt(v);

/**
 * Makes the error for a text in a format that this code does not parse. The session must use the
 * given setting.
 */
function unread(what: string, setting: string, v: string): RangeError {
  return new RangeError(`not ${what} as with ${setting}, which the session must have: ${v}`);
}

/**
 * Splits a date into its year and the rest. Year 0 is 1 BC, and so on. Returns undefined if the
 * text is not in ISO format, which is the only one with a hyphen after the year.
 */
function yearOf(v: string): { year: number; rest: string } | undefined {
  const match = /^(\d{4,})(-.*?)( BC)?$/.exec(v);
  return match === null
    ? undefined
    : {
        year: match[3] === undefined ? Number(match[1]) : 1 - Number(match[1]),
        rest: match[2] as string,
      };
}

/** Returns a date or timestamp as ISO 8601 text. */
export function date(v: string): string {
  if (v[4] === "-" && !v.endsWith(" BC")) return v;
  const read = yearOf(v);
  if (read !== undefined) return core.isoYear(read.year) + read.rest;
  if (v !== "infinity" && v !== "-infinity") throw unread("a date", "DateStyle ISO", v);
  return v;
}

export const timestamp = (v: string): string => date(v).replace(" ", "T");

export function blob(v: string): Uint8Array {
  if (!v.startsWith("\\x")) throw unread("bytes", "bytea_output hex", v);
  const bytes = new Uint8Array((v.length - 2) / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(v.slice(2 + 2 * i, 4 + 2 * i), 16);
  return bytes;
}

/**
 * Returns an instant as ISO 8601 text in UTC with all digits of its fraction. The session may have
 * any time zone.
 */
export function instant(v: string): string {
  const match =
    /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?( BC)?$/.exec(
      v,
    );
  if (match === null) return date(v);
  const fraction = (match[3] ?? "") + "Z";
  const day = match[1] + (match[8] ?? "");
  const offset = Number(match[5]) * 3600 + Number(match[6] ?? 0) * 60 + Number(match[7] ?? 0);
  if (offset === 0) return `${date(day)}T${match[2]}${fraction}`;
  // JavaScript's Date covers fewer years than PostgreSQL. The calendar repeats every 400 years, so
  // the calculation uses the corresponding year between 2000 and 2399.
  const { year, rest } = yearOf(day)!;
  const other = 2000 + (((year % 400) + 400) % 400);
  const time = new Date(
    Date.parse(`${other}${rest}T${match[2]}Z`) + (match[4] === "-" ? offset : -offset) * 1000,
  );
  return (
    core.isoYear(year - other + time.getUTCFullYear()) + time.toISOString().slice(4, 19) + fraction
  );
}

export { intervalOf as interval, intervalText as toInterval } from "./scoter.js";

export const list =
  <T>(read: (v: string) => T) =>
  (v: string): (T | null)[] => {
    const parsed = parseArray(v);
    const each = (e: Nested): unknown =>
      e === null ? null : typeof e === "string" ? read(e) : e.map(each);
    return (parsed as Nested[]).map(each) as (T | null)[];
  };

type Nested = string | null | Nested[];

/** Parses the text of an array of any number of dimensions, such as `[1:2]={a,"b c",NULL,{d}}`. */
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

/** Parses the text of a composite value, such as `(a,"b ""c""",)`, into the texts of its fields. */
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

// The functions below write values as text for the server.

export const toText = (v: unknown): string => String(v);

/**
 * Converts an ISO 8601 date or timestamp to PostgreSQL's text. Only a year with a sign and the year
 * 0000 change: PostgreSQL writes no sign, and marks years before 1 with BC.
 */
export function toDate(v: string): string {
  const match = /^([+-]\d{4,}|0000)(-.*)$/.exec(v);
  if (match === null) return v;
  const year = Number(match[1]);
  return year > 0
    ? `${String(year).padStart(4, "0")}${match[2]}`
    : `${String(1 - year).padStart(4, "0")}${match[2]} BC`;
}

export const toBlob = (v: Uint8Array): string =>
  "\\x" + Array.from(v, (b) => b.toString(16).padStart(2, "0")).join("");

/** Makes a writer of lists, which may be nested, in PostgreSQL's array format. */
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

/** Writes a composite value from the texts of its fields. */
export const toFields = (values: readonly Text[]): string =>
  "(" +
  values.map((v) => (v === null ? "" : '"' + v.replace(/[\\"]/g, "$&$&") + '"')).join(",") +
  ")";
