/** Writes rows by all ways that TypeScript has; bench/bulk asks it line by line. */
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { duckdb } from "./duckdb.js";
import { postgres } from "./postgres.js";
import { rowsOf, type Engine, type Operation } from "./rows.js";
import { scoter } from "./scoter.js";
import { sqlite } from "./sqlite.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function measure<R>(
  engine: Engine<R>,
  operation: Operation,
  method: string,
  n: number,
): Promise<string> {
  const way = engine.ways.find((w) => w.operation === operation && w.method === method);
  if (way === undefined) throw new Error(`there is no way ${operation} ${method}`);
  await engine.empty();
  const rows = {
    INSERT: () => rowsOf(0, n, 0),
    UPDATE: () => rowsOf(0, n, 1),
    DELETE: () => rowsOf(0, n, 0).filter((r) => r.id % 4n !== 0n),
    UPSERT: () => rowsOf(Math.floor(n / 2), Math.floor(n / 2) + n, 1),
  }
    [operation]()
    .map(engine.row);
  if (operation !== "INSERT") await engine.fill(rowsOf(0, n, 0).map(engine.row));
  collect();
  const before = process.cpuUsage();
  const began = process.hrtime.bigint();
  await way.run(rows);
  const millis = Number(process.hrtime.bigint() - began) / 1e6;
  const used = process.cpuUsage(before);
  const sums = await engine.sums();
  // The sums have more digits than a number.
  return `{"Millis": ${millis}, "CPU": ${(used.user + used.system) / 1e6}, "Sums": [${sums.join(", ")}]}`;
}

async function serve<R>(engine: Engine<R>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "ways") {
      const ways = engine.ways.map((w) => ({
        Operation: w.operation,
        Method: w.method,
        Most: w.most,
      }));
      console.log(
        JSON.stringify({ Versions: { ...engine.versions, node: process.version }, Ways: ways }),
      );
      continue;
    }
    const [operation, method, n] = line.split("\t") as [Operation, string, string];
    console.log(await measure(engine, operation, method, Number(n)));
  }
  process.exit(0);
}

const [name, file, url] = process.argv.slice(2) as [string, string, string];
if (name === "duckdb") await serve(duckdb(file));
else if (name === "postgres") await serve(await postgres(url));
else if (name === "scoter") await serve(scoter(url));
else await serve(sqlite(file));
