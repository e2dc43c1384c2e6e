/**
 * One driver's process. bench/sqlite asks it line by line, and it answers with
 * lines of JSON:
 *
 * - `open FILE`: opens a database.
 * - `check OPERATION SIDE FROM CALLS`: the results of some calls, rows as arrays.
 * - `turn OPERATION MILLIS MOST FIRST UNDO`: runs both sides in turn, in slices of a few
 *   milliseconds and of at most so many calls, which are numbered on from the first; UNDO is run
 *   after each slice.
 * - `value SQL`: the first value of a query.
 * - `execute SQL`: runs a statement.
 */
import { createInterface } from "node:readline";
import { getHeapStatistics } from "node:v8";
import { drivers, type Opened } from "./drivers.js";
import { calls, type Maybe, type Operations } from "./operations.js";

const driver = process.argv[2]!;
const asynchronous = driver === "libsql" || driver === "turso";
// No checkpoints by themselves: they would fall into slices of one side more often than into the
// other's.
const pragmas = [
  "journal_mode = WAL",
  "synchronous = NORMAL",
  "cache_size = -64000",
  "temp_store = MEMORY",
  "mmap_size = 268435456",
  "wal_autocheckpoint = 0",
];

let db: Opened | undefined;
/** Calls of a slice, by operation: found in the first turn. */
const callsOf = new Map<string, number>();

const say = (line: object): void => void process.stdout.write(JSON.stringify(line) + "\n");

async function open(file: string): Promise<void> {
  await db?.close();
  db = await drivers[driver]!(file);
  const without: string[] = [];
  for (const pragma of pragmas) {
    await db!.execute("PRAGMA " + pragma).catch(() => without.push(pragma.split(" ")[0]!));
  }
  const version = (await db!.rows("SELECT sqlite_version() AS v")) as { v: string }[];
  say({
    versions: {
      [driver]:
        `Node ${process.version}, SQLite ${version[0]!.v}` +
        (without.length > 0 ? ", has no " + without.join(", ") : ""),
    },
  });
}

const side = (name: string): Operations => (name === "hand" ? db!.hand : db!.generated);

/** A result as arrays of values, whatever a driver's class for rows is. */
async function plain(v: unknown): Promise<unknown> {
  if (v === null || v === undefined || typeof v !== "object") return v ?? null;
  if ("changes" in v) return v.changes;
  if (Symbol.asyncIterator in v || Symbol.iterator in v) {
    const rows: unknown[] = [];
    for await (const row of v as AsyncIterable<unknown>) rows.push(await plain(row));
    return rows;
  }
  return Object.values(JSON.parse(JSON.stringify(v)) as object);
}

/** How much a result is: rows, or a number. */
function size(v: unknown): Maybe<number> {
  if (typeof v === "number") return v;
  if (Array.isArray(v)) return v.length;
  if (v === undefined) return 0;
  const o = v as { changes?: number } & Iterable<unknown> & AsyncIterable<unknown>;
  if (o.changes !== undefined) return o.changes;
  if (Symbol.iterator in o) {
    let n = 0;
    for (const _ of o) n++;
    return n;
  }
  return Symbol.asyncIterator in o ? count(o) : 1;
}

async function count(rows: AsyncIterable<unknown>): Promise<number> {
  let n = 0;
  for await (const _ of rows) n++;
  return n;
}

/** What a slice took, in milliseconds, and gave. */
interface Slice {
  millis: number;
  cpu: number;
  allocated: number;
  size: number;
}

async function slice(
  call: (o: Operations, i: number) => Maybe<unknown>,
  o: Operations,
  n: number,
  from: number,
): Promise<Slice> {
  let sum = 0;
  const heap = getHeapStatistics().used_heap_size;
  const before = process.cpuUsage();
  const start = process.hrtime.bigint();
  if (asynchronous) for (let i = from; i < from + n; i++) sum += await size(await call(o, i));
  else for (let i = from; i < from + n; i++) sum += size(call(o, i)) as number;
  const millis = Number(process.hrtime.bigint() - start) / 1e6;
  const cpu = process.cpuUsage(before);
  return {
    millis,
    cpu: (cpu.user + cpu.system) / 1e3,
    allocated: getHeapStatistics().used_heap_size - heap,
    size: sum,
  };
}

/**
 * The median, which of an even number is between the two in the middle: the upper one would be that
 * of noise.
 */
function median(a: number[]): number {
  a.sort((x, y) => x - y);
  return a.length === 0 ? 0 : (a[(a.length - 1) >> 1]! + a[a.length >> 1]!) / 2;
}

async function turn(
  operation: string,
  millis: number,
  most: number,
  first: number,
  undo: string,
): Promise<void> {
  const call = calls[operation]!;
  let next = first;
  const sum = { hand: 0, generated: 0 };
  const run = async (name: "hand" | "generated", n: number): Promise<Slice> => {
    const s = await slice(call, side(name), n, next);
    next += n;
    sum[name] += s.size;
    if (undo !== "") await db!.execute(undo);
    return s;
  };
  let n = callsOf.get(operation) ?? 0;
  if (n === 0) {
    n = 1;
    for (const name of ["hand", "generated"] as const) {
      // What compiles only now takes longer once.
      for (let spent = 0; spent < millis; ) {
        const s = await run(name, n);
        spent += s.millis;
        n = Math.max(1, Math.min(most, 4000, Math.round((4 * n) / s.millis)));
      }
    }
    callsOf.set(operation, n);
  }
  const slices: Record<"hand" | "generated", Slice[]> = { hand: [], generated: [] };
  for (let spent = 0; spent < millis * 2 || slices.hand.length < 4; ) {
    const order =
      slices.hand.length % 2 === 0
        ? (["hand", "generated"] as const)
        : (["generated", "hand"] as const);
    for (const name of order) {
      const s = await run(name, n);
      slices[name].push(s);
      spent += s.millis;
    }
  }
  const of = (s: Slice[]): object => ({
    millis: median(s.map((x) => x.millis)),
    cpu: median(s.map((x) => x.cpu)),
    // A slice in which memory was collected says nothing of what was allocated.
    allocated: median(s.map((x) => x.allocated).filter((a) => a > 0)),
  });
  const ratio = median(slices.hand.map((h, i) => slices.generated[i]!.cpu / h.cpu));
  say({ calls: n, next, sums: sum, hand: of(slices.hand), generated: of(slices.generated), ratio });
}

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...args] = line.split("\t") as [string, string, string, string, string, string];
  if (command === "open") await open(args[0]);
  else if (command === "check") {
    const results: unknown[] = [];
    for (let i = 0; i < Number(args[3]); i++)
      results.push(await plain(await calls[args[0]]!(side(args[1]), Number(args[2]) + i)));
    say({ results });
  } else if (command === "turn")
    await turn(args[0], Number(args[1]), Number(args[2]), Number(args[3]), args[4]);
  else if (command === "execute") {
    await db!.execute(args[0]);
    say({});
  } else if (command === "value")
    say({ value: Object.values(((await db!.rows(args[0]))[0] ?? {}) as object)[0] ?? null });
  else throw new Error("unknown command: " + line);
}
await db?.close();
