/**
 * One driver's process: reads commands, a line each, and answers with lines of
 * JSON. `fill FILE` makes the database, `open FILE` opens a copy of it, and
 * `turn OPERATION MILLIS` measures both sides of an operation in turn, in slices
 * of a few milliseconds, after it has checked that they give what they should.
 */
import { copyFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { getHeapStatistics } from "node:v8";
import { checks, type Case } from "./checks.js";
import { post, postCount, user, userCount } from "./data.js";
import { drivers, type Opened } from "./drivers.js";
import type { Maybe } from "./operations.js";

const driver = process.argv[2]!;
const file = process.argv[3]!;

const pragmas = ["journal_mode = WAL", "synchronous = NORMAL", "cache_size = -64000", "temp_store = MEMORY", "mmap_size = 268435456"];

let db: Opened | undefined;
/** Calls of a slice, by operation: found in the first turn. */
const callsOf = new Map<string, number>();

const say = (line: object): void => void process.stdout.write(JSON.stringify(line) + "\n");

async function fill(path: string): Promise<void> {
  const { default: Database } = await import("better-sqlite3");
  const { Blog } = await import("./better-sqlite3/blog.js");
  const base = new Database(path);
  Blog.applyMigrations(base);
  const insert = base.prepare("INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?, ?)");
  base.transaction(() => {
    new Blog(base).insertAllUsers(Array.from({ length: userCount }, (_, i) => user(i + 1)));
    for (let id = 1; id <= postCount; id++) insert.run(...(Object.values(post(id)) as never[]));
  })();
  base.exec("ANALYZE");
  base.close();
  say({ done: true });
}

async function open(from: string): Promise<void> {
  await db?.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  copyFileSync(from, file);
  db = await drivers[driver]!(file);
  const without: string[] = [];
  for (const pragma of pragmas) {
    await db.rows("PRAGMA " + pragma).catch(() => without.push(pragma.split(" ")[0]!));
  }
  const version = (await db.rows("SELECT sqlite_version() AS v")) as { v: string }[];
  say({ versions: { [driver]: `Node ${process.version}, SQLite ${version[0]!.v}` + (without.length > 0 ? ", has no " + without.join(", ") : "") } });
  say({ done: true });
}

/** Runs n calls; returns milliseconds. */
async function slice(call: (i: number) => Maybe<unknown>, n: number, from: number): Promise<number> {
  const start = process.hrtime.bigint();
  if (asynchronous) for (let i = 0; i < n; i++) await call(from + i);
  else for (let i = 0; i < n; i++) call(from + i);
  return Number(process.hrtime.bigint() - start) / 1e6;
}
const asynchronous = driver === "libsql" || driver === "turso";

const median = (a: number[]): number => a.sort((x, y) => x - y)[a.length >> 1] ?? 0;

async function turn(operation: string, millis: number): Promise<void> {
  const c: Case = checks[operation]!;
  const sides = { hand: db!.hand, generated: db!.generated };
  const before = await c.before?.(db!);
  for (const side of Object.values(sides)) await c.check(side);
  let next = 0;
  let calls = c.most ?? callsOf.get(operation) ?? 0;
  if (calls === 0) {
    for (const side of Object.values(sides)) {
      const took = await slice(c.call(side), 1, next++);
      calls = Math.max(1, Math.min(2000, Math.round(4 / took)));
      // What compiles only now takes longer once.
      for (let spent = 0; spent < millis / 2; ) {
        const again = await slice(c.call(side), calls, next);
        spent += again;
        next += calls;
        calls = Math.max(1, Math.min(4000, Math.round((4 * calls) / again)));
      }
    }
    callsOf.set(operation, calls);
  }
  const seen = { hand: { times: [] as number[], cpu: 0, allocated: [] as number[] }, generated: { times: [] as number[], cpu: 0, allocated: [] as number[] } };
  let round = 0;
  for (let spent = 0; spent < millis * 2 || round < 4; round++) {
    const order = round % 2 === 0 ? (["hand", "generated"] as const) : (["generated", "hand"] as const);
    for (const side of order) {
      const call = c.call(sides[side]);
      const heap = getHeapStatistics().used_heap_size;
      const cpu = process.cpuUsage();
      const took = await slice(call, calls, next);
      const used = process.cpuUsage(cpu);
      seen[side].allocated.push(getHeapStatistics().used_heap_size - heap);
      seen[side].cpu += (used.user + used.system) / 1e6;
      seen[side].times.push(took);
      spent += took;
      next += calls;
      await c.between?.(db!);
    }
  }
  await c.after?.(db!, before, next);
  for (const side of ["hand", "generated"] as const) {
    const s = seen[side];
    // A slice in which memory was collected says nothing of what was allocated.
    const allocated = median(s.allocated.filter((a) => a > 0));
    say({ operation, side, calls: calls * (c.rows ?? 1), slices: round, millis: median(s.times), cpu: s.cpu / round, allocated });
  }
  say({ done: true });
}

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...args] = line.split("\t");
  if (command === "fill") await fill(args[0]!);
  else if (command === "open") await open(args[0]!);
  else if (command === "turn") await turn(args[0]!, Number(args[1]));
  else throw new Error("unknown command: " + line);
}
await db?.close();
