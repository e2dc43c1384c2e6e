import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Writes } from "./postgres/writes.js";
import {
  columns,
  generated,
  operations,
  setFrom,
  slow,
  sumsOf,
  type Engine,
  type Operation,
  type Reading,
} from "./rows.js";

const kinds = [
  "bigint",
  "uuid",
  "timestamptz",
  "double precision",
  "numeric",
  "smallint",
  "boolean",
  "text",
];
const marks = columns.map((_, i) => `$${i + 1}`);
const update = columns
  .slice(1)
  .map((c, i) => `${c} = $${i + 2}`)
  .join(", ");
const conflict = ` ON CONFLICT (id) DO UPDATE SET ${setFrom("excluded")}`;

const statements = {
  INSERT: `INSERT INTO readings VALUES (${marks})`,
  UPDATE: `UPDATE readings SET ${update} WHERE id = $1`,
  DELETE: "DELETE FROM readings WHERE id = $1",
  UPSERT: `INSERT INTO readings VALUES (${marks})${conflict}`,
};

/** Those that apply a temporary table, or arrays in its place. */
const applied = (operation: Operation, staged: string): string =>
  ({
    INSERT: `INSERT INTO readings SELECT * FROM ${staged}`,
    UPDATE: `UPDATE readings t SET ${setFrom("s")} FROM ${staged} WHERE t.id = s.id`,
    DELETE: `DELETE FROM readings t USING ${staged} WHERE t.id = s.id`,
    UPSERT: `INSERT INTO readings SELECT * FROM ${staged}${conflict}`,
  })[operation];

const values = (r: Reading, operation: Operation): unknown[] =>
  operation === "DELETE" ? [r.id] : columns.map((c) => r[c]);

/** The address is one of libpq, of words and their values. */
export async function postgres(address: string): Promise<Engine<Reading>> {
  const of = new Map(address.split(" ").map((word) => word.split("=") as [string, string]));
  const db = new pg.Client({
    host: of.get("host")!,
    user: of.get("user")!,
    database: of.get("dbname")!,
  });
  await db.connect();
  const queries = new Writes(db);
  const one = async (sql: string): Promise<unknown[]> =>
    (await db.query<unknown[]>({ text: sql, rowMode: "array" })).rows[0]!;

  const transaction = async (body: () => Promise<unknown>): Promise<void> => {
    await db.query("BEGIN");
    await body();
    await db.query("COMMIT");
  };

  const each = (operation: Operation) => (rows: Reading[]) =>
    transaction(async () => {
      for (const r of rows)
        await db.query({
          name: operation,
          text: statements[operation],
          values: values(r, operation),
        });
    });

  const unnest = (operation: Operation) => (rows: Reading[]) =>
    transaction(async () => {
      const of = operation === "DELETE" ? columns.slice(0, 1) : columns;
      const arrays = `unnest(${of.map((_, i) => `$${i + 1}::${kinds[i]}[]`)}) AS s (${of})`;
      for (let from = 0; from < rows.length; from += 10_000) {
        const part = rows.slice(from, from + 10_000);
        await db.query(
          applied(operation, arrays),
          of.map((c) => part.map((r) => r[c])),
        );
      }
    });

  const copy = (operation: Operation) => (rows: Reading[]) =>
    transaction(async () => {
      const table = operation === "INSERT" ? "readings" : "staged";
      if (operation !== "INSERT") {
        await db.query(
          `CREATE TEMP TABLE staged ON COMMIT DROP AS SELECT ${operation === "DELETE" ? "id" : "*"} FROM readings LIMIT 0`,
        );
      }
      // None of the values has a character that COPY would take for something else.
      function* lines(): Generator<string> {
        for (let from = 0; from < rows.length; from += 1000) {
          let text = "";
          for (const r of rows.slice(from, from + 1000))
            text += values(r, operation).join("\t") + "\n";
          yield text;
        }
      }
      await pipeline(Readable.from(lines()), db.query(copyFrom(`COPY ${table} FROM STDIN`)));
      if (operation !== "INSERT") await db.query(applied(operation, "staged s"));
    });

  return {
    versions: {},
    row: (r) => r,
    async empty() {
      await db.query("DROP TABLE IF EXISTS readings");
      await db.query(Writes.getMigrations()[0]!);
    },
    async fill(rows) {
      await queries.insertAllReadings(rows);
      await db.query("VACUUM ANALYZE readings");
    },
    sums: () =>
      one(
        sumsOf(
          "CAST(substr(CAST(device AS TEXT), 25) AS BIGINT)",
          "CAST(extract(epoch FROM taken) AS BIGINT)",
          "CAST(anomaly AS INTEGER)",
        ),
      ),
    ways: operations.flatMap((operation) => [
      { operation, method: "a statement per row", most: slow, run: each(operation) },
      { operation, method: "unnest, 10,000 rows", most: 0, run: unnest(operation) },
      {
        operation,
        method: operation === "INSERT" ? "copy" : "copy, temporary table",
        most: 0,
        run: copy(operation),
      },
      ...(["unnest", "copy"] as const).map((route) =>
        generated<Reading>(operation, () => queries.withRoute(route), route),
      ),
      generated<Reading>(operation, () => queries),
    ]),
  };
}
