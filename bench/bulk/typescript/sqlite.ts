import Database from "better-sqlite3";
import { rmSync } from "node:fs";
import {
  columns,
  generated,
  operations,
  setFrom,
  sumsOf,
  type Engine,
  type Operation,
} from "./rows.js";
import { Writes, type ReadingsRow } from "./sqlite/writes.js";

const mark = `(${columns.map(() => "?")})`;
const conflict = ` ON CONFLICT (id) DO UPDATE SET ${setFrom("excluded")}`;

const statements = {
  INSERT: `INSERT INTO readings VALUES ${mark}`,
  UPDATE: `UPDATE readings SET ${columns.slice(1).map((c) => `${c} = ?`)} WHERE id = ?`,
  DELETE: "DELETE FROM readings WHERE id = ?",
  UPSERT: `INSERT INTO readings VALUES ${mark}${conflict}`,
};

/** Those of rows in a document of JSON. */
const fields = columns.map((_, i) => `value ->> ${i}`).join(", ");
const listed = {
  INSERT: `INSERT INTO readings SELECT ${fields} FROM json_each(?)`,
  UPDATE: `UPDATE readings SET ${columns.slice(1).map((c, i) => `${c} = j.value ->> ${i + 1}`)} FROM json_each(?) AS j WHERE readings.id = j.value ->> 0`,
  DELETE: "DELETE FROM readings WHERE id IN (SELECT value ->> 0 FROM json_each(?))",
  UPSERT: `INSERT INTO readings SELECT ${fields} FROM json_each(?) WHERE true${conflict}`,
};

export function sqlite(file: string): Engine<ReadingsRow> {
  let db: Database.Database | undefined;
  let queries: Writes;

  const each = (operation: Operation) => (rows: ReadingsRow[]) => {
    const s = db!.prepare(statements[operation]);
    db!.transaction(() => {
      for (const r of rows) {
        if (operation === "DELETE") s.run(r.id);
        else if (operation === "UPDATE")
          s.run(
            r.device,
            r.taken,
            r.temperature,
            r.pressure,
            r.battery,
            r.anomaly ? 1 : 0,
            r.location,
            r.id,
          );
        else
          s.run(
            r.id,
            r.device,
            r.taken,
            r.temperature,
            r.pressure,
            r.battery,
            r.anomaly ? 1 : 0,
            r.location,
          );
      }
    })();
  };

  const document = (operation: Operation) => (rows: ReadingsRow[]) => {
    const s = db!.prepare(listed[operation]);
    db!.transaction(() => {
      for (let from = 0; from < rows.length; from += 1000) {
        const part = rows.slice(from, from + 1000);
        s.run(
          JSON.stringify(
            part.map((r) =>
              operation === "DELETE"
                ? [r.id]
                : [
                    r.id,
                    r.device,
                    r.taken,
                    r.temperature,
                    r.pressure,
                    r.battery,
                    r.anomaly ? 1 : 0,
                    r.location,
                  ],
            ),
          ),
        );
      }
    })();
  };

  return {
    versions: {
      "better-sqlite3": String(
        new Database(":memory:").prepare("SELECT sqlite_version()").pluck().get(),
      ),
    },
    row: (r) => ({ ...r, id: Number(r.id), pressure: Number(r.pressure) }),
    empty() {
      db?.close();
      for (const name of [file, file + "-wal", file + "-shm"]) rmSync(name, { force: true });
      db = new Database(file);
      db.pragma("journal_mode = wal");
      db.pragma("synchronous = normal");
      queries = new Writes(db);
      db.exec(Writes.getMigrations()[0]!);
    },
    fill: (rows) => queries.insertAllReadings(rows),
    sums() {
      const sums = sumsOf(
        "CAST(substr(device, 25) AS INTEGER)",
        "CAST(strftime('%s', taken) AS INTEGER)",
        "anomaly",
      );
      return db!.prepare(sums).raw().safeIntegers().get() as unknown[];
    },
    ways: operations.flatMap((operation) => [
      { operation, method: "prepared, in a transaction", most: 0, run: each(operation) },
      { operation, method: "json_each, 1,000 rows", most: 0, run: document(operation) },
      generated<ReadingsRow>(operation, () => queries),
    ]),
  };
}
