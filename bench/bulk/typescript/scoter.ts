import {
  columns,
  generated,
  operations,
  sumsOf,
  type Engine,
  type Operation,
  type Reading,
} from "./rows.js";
import { Writes } from "./scoter/writes.js";

/** How many rows a request by hand has: a server bounds them. */
const perRequest = 100_000;

const document = (rows: Reading[], operation: Operation): string =>
  JSON.stringify(
    rows.map((r) => (operation === "DELETE" ? { id: Number(r.id) } : { ...r, id: Number(r.id) })),
  );

/** None of the values has a character that CSV would have to quote. */
function lines(rows: Reading[], operation: Operation): string {
  if (operation === "DELETE") return "id\n" + rows.map((r) => r.id).join("\n");
  return columns.join(",") + "\n" + rows.map((r) => columns.map((c) => r[c]).join(",")).join("\n");
}

export function scoter(url: string): Engine<Reading> {
  const queries = new Writes({ url });

  const post = async (path: string, type: string, body: string): Promise<string> => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": type },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  };

  const by =
    (operation: Operation, type: string, make: (rows: Reading[], operation: Operation) => string) =>
    async (rows: Reading[]) => {
      const mode = operation === "INSERT" ? "" : `?key=id&mode=${operation.toLowerCase()}`;
      for (let from = 0; from < rows.length; from += perRequest) {
        await post(
          "/api/v1/tables/default/readings/rows" + mode,
          type,
          make(rows.slice(from, from + perRequest), operation),
        );
      }
    };

  return {
    versions: {},
    row: (r) => r,
    async empty() {
      await post("/api/v1/sql", "text/plain", "DROP TABLE IF EXISTS readings");
      await post("/api/v1/sql", "text/plain", Writes.getMigrations()[0]!);
    },
    fill: (rows) => queries.insertAllReadings(rows),
    async sums() {
      const sums = sumsOf(
        "CAST(substr(CAST(device AS VARCHAR), 25) AS BIGINT)",
        "CAST(epoch(taken) AS BIGINT)",
        "CAST(anomaly AS INTEGER)",
      );
      // Of CSV, in which no digit is lost.
      return (await post("/api/v1/sql?format=csv", "text/plain", sums)).split("\n")[1]!.split(",");
    },
    ways: operations.flatMap((operation) => [
      {
        operation,
        method: "JSON, 100,000 rows",
        most: 0,
        run: by(operation, "application/json", document),
      },
      { operation, method: "CSV, 100,000 rows", most: 0, run: by(operation, "text/csv", lines) },
      generated<Reading>(operation, () => queries),
    ]),
  };
}
