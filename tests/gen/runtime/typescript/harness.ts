/** Prints one line per call: case, target, number of the call, result. */
type Body = () => unknown;

export function reporter(name: string): (call: number | string, body: Body) => Promise<void> {
  return async (call, body) => {
    let text: string;
    try {
      text = "ok\t" + canon(await body());
    } catch (error) {
      text =
        "error\t" + JSON.stringify(String(error instanceof Error ? (error.stack ?? error) : error));
    }
    process.stdout.write(`${name}\t${call}\t${text}\n`);
  };
}

export async function take<T>(rows: Iterable<T> | AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const row of rows) {
    taken.push(row);
    if (taken.length === count) break;
  }
  return taken;
}

export class Rollback extends Error {}

/** Counts the operations that an observer sees begin and end. */
export class Counter {
  begun = 0;
  ended = 0;
  start(): { end(): void } {
    this.begun++;
    return { end: () => void this.ended++ };
  }
}

function canon(v: unknown): string {
  if (v === null || v === undefined) return "null";
  if (typeof v === "bigint") return v.toString();
  if (typeof v === "string" || typeof v === "boolean" || typeof v === "number")
    return JSON.stringify(v);
  if (v instanceof Uint8Array) return JSON.stringify(Buffer.from(v).toString("hex"));
  if (v instanceof Map) return `[${[...v].map(([k, e]) => `[${canon(k)},${canon(e)}]`).join(",")}]`;
  if (Array.isArray(v)) return `[${v.map(canon).join(",")}]`;
  return `[${Object.values(v as object)
    .map(canon)
    .join(",")}]`;
}
