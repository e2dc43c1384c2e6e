import {
  DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBTimestampTZValue,
  DuckDBUUIDValue,
  BIGINT,
  BOOLEAN,
  DECIMAL,
  DOUBLE,
  SMALLINT,
  TIMESTAMPTZ,
  UUID,
  VARCHAR,
  version,
} from "@duckdb/node-api";
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { rmSync } from "node:fs";
import { Writes } from "./duckdb/writes.js";
import {
  generated,
  operations,
  setFrom,
  slow,
  sumsOf,
  type Engine,
  type Operation,
  type Reading,
} from "./rows.js";

const types = [BIGINT, UUID, TIMESTAMPTZ, DOUBLE, DECIMAL(10, 2), SMALLINT, BOOLEAN, VARCHAR];

const statements = {
  INSERT: "INSERT INTO readings VALUES ($1, $2, $3, $4, CAST($5 AS DECIMAL(10,2)), $6, $7, $8)",
  UPDATE:
    "UPDATE readings SET device = $2, taken = $3, temperature = $4, pressure = CAST($5 AS DECIMAL(10,2)), battery = $6, anomaly = $7, location = $8 WHERE id = $1",
  DELETE: "DELETE FROM readings WHERE id = $1",
  UPSERT:
    "INSERT OR REPLACE INTO readings VALUES ($1, $2, $3, $4, CAST($5 AS DECIMAL(10,2)), $6, $7, $8)",
};

/** Those that apply a temporary table. */
const applied = {
  UPDATE: `UPDATE readings AS t SET ${setFrom("s")} FROM staged AS s WHERE t.id = s.id`,
  DELETE: "DELETE FROM readings AS t USING staged AS s WHERE t.id = s.id",
  UPSERT: `MERGE INTO readings AS t USING staged AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET ${setFrom("s")} WHEN NOT MATCHED THEN INSERT`,
};

const uuid = (text: string): DuckDBUUIDValue =>
  DuckDBUUIDValue.fromUint128(BigInt("0x" + text.replaceAll("-", "")));
const instant = (text: string): DuckDBTimestampTZValue =>
  new DuckDBTimestampTZValue(BigInt(Date.parse(text)) * 1000n);
const decimal = (text: string): DuckDBDecimalValue =>
  new DuckDBDecimalValue(BigInt(text.replace(".", "")), 10, 2);

function values(r: Reading, operation: Operation): DuckDBValue[] {
  if (operation === "DELETE") return [r.id];
  return [
    r.id,
    uuid(r.device),
    instant(r.taken),
    r.temperature,
    decimal(r.pressure),
    r.battery,
    r.anomaly,
    r.location,
  ];
}

export function duckdb(file: string): Engine<Reading> {
  let instance: DuckDBInstance | undefined;
  let db: DuckDBConnection;
  let queries: Writes;

  const transaction = async (body: () => Promise<void>): Promise<void> => {
    await db.run("BEGIN");
    await body();
    await db.run("COMMIT");
  };

  /** Fills the table, or a temporary one that is then applied. */
  const through =
    (
      operation: Operation,
      append: (table: string, rows: Reading[], operation: Operation) => Promise<void>,
    ) =>
    (rows: Reading[]) =>
      transaction(async () => {
        if (operation === "INSERT") return append("readings", rows, operation);
        await db.run(
          `CREATE TEMP TABLE staged AS SELECT ${operation === "DELETE" ? "id" : "*"} FROM readings LIMIT 0`,
        );
        await append("staged", rows, operation);
        await db.run(applied[operation]);
        await db.run("DROP TABLE staged");
      });

  const byRow = async (table: string, rows: Reading[], operation: Operation): Promise<void> => {
    const a = await db.createAppender(table);
    for (const r of rows) {
      a.appendBigInt(r.id);
      if (operation !== "DELETE") {
        a.appendUUID(uuid(r.device));
        a.appendTimestampTZ(instant(r.taken));
        a.appendDouble(r.temperature);
        a.appendDecimal(decimal(r.pressure));
        a.appendSmallInt(r.battery);
        a.appendBoolean(r.anomaly);
        a.appendVarchar(r.location);
      }
      a.endRow();
    }
    a.closeSync();
  };

  const byChunk = async (table: string, rows: Reading[], operation: Operation): Promise<void> => {
    const a = await db.createAppender(table);
    for (let from = 0; from < rows.length; from += 2048) {
      const chunk = DuckDBDataChunk.create(operation === "DELETE" ? types.slice(0, 1) : types);
      chunk.setRows(rows.slice(from, from + 2048).map((r) => values(r, operation)));
      a.appendDataChunk(chunk);
    }
    a.closeSync();
  };

  const each = (operation: Operation) => (rows: Reading[]) =>
    transaction(async () => {
      const s = await db.prepare(statements[operation]);
      for (const r of rows) {
        s.bind(
          operation === "DELETE"
            ? [r.id]
            : [
                r.id,
                r.device,
                r.taken,
                r.temperature,
                r.pressure,
                r.battery,
                r.anomaly,
                r.location,
              ],
        );
        await s.run();
      }
      s.destroySync();
    });

  const staged = (operation: Operation): string =>
    operation === "INSERT" ? "" : ", temporary table";
  return {
    versions: { "duckdb for Node.js": version() },
    row: (r) => r,
    async empty() {
      if (instance !== undefined) {
        db.closeSync();
        instance.closeSync();
      }
      for (const name of [file, file + ".wal"]) rmSync(name, { force: true });
      instance = await DuckDBInstance.create(file);
      db = await instance.connect();
      queries = new Writes(db);
      await db.run(Writes.getMigrations()[0]!);
    },
    async fill(rows) {
      await queries.insertAllReadings(rows);
      await db.run("CHECKPOINT");
    },
    async sums() {
      const sums = sumsOf(
        "CAST(substr(CAST(device AS VARCHAR), 25) AS BIGINT)",
        "CAST(epoch(taken) AS BIGINT)",
        "CAST(anomaly AS INTEGER)",
      );
      return (await db.runAndReadAll(sums)).getRows()[0]!;
    },
    ways: operations.flatMap((operation) => [
      { operation, method: "a statement per row", most: slow, run: each(operation) },
      {
        operation,
        method: "Appender" + staged(operation),
        most: 0,
        run: through(operation, byRow),
      },
      {
        operation,
        method: "Appender, chunks" + staged(operation),
        most: 0,
        run: through(operation, byChunk),
      },
      generated<Reading>(operation, () => queries),
    ]),
  };
}
