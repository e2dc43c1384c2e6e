/** The rows, and what an engine with its ways is. */

export const operations = ["INSERT", "UPDATE", "DELETE", "UPSERT"] as const;
export type Operation = (typeof operations)[number];

export interface Reading {
  id: bigint;
  device: string;
  taken: string;
  temperature: number;
  pressure: string;
  battery: number;
  anomaly: boolean;
  location: string;
}

export const columns = [
  "id",
  "device",
  "taken",
  "temperature",
  "pressure",
  "battery",
  "anomaly",
  "location",
] as const;

/** A row; see rows.go of bench/bulk. */
function readingOf(id: number, generation: number): Reading {
  const h = (id * 2654435761 + generation * 97) % 4294967296;
  const cents = String(98000 + (h % 4000));
  return {
    id: BigInt(id),
    device: "00000000-0000-4000-8000-" + String(h % 100).padStart(12, "0"),
    taken: new Date((1735689600 + id * 10 + generation) * 1000).toISOString(),
    temperature: (18000 + (h % 15000)) / 1000,
    pressure: cents.slice(0, -2) + "." + cents.slice(-2),
    battery: 20 + (h % 80),
    anomaly: h % 20 === 0,
    location: `location-${h % 10}`,
  };
}

export const rowsOf = (from: number, to: number, generation: number): Reading[] =>
  Array.from({ length: to - from }, (_, i) => readingOf(from + i, generation));

/** The largest number of rows that slow ways are measured with. */
export const slow = 10_000;

export interface Way<R> {
  operation: Operation;
  method: string;
  /** The largest number of rows that it is measured with, 0 if there is none. */
  most: number;
  run(rows: R[]): Promise<unknown> | unknown;
}

/** A database with its ways, whose rows are made before they are measured. */
export interface Engine<R> {
  versions: Record<string, string>;
  row(reading: Reading): R;
  /** Drops the table and creates it again. */
  empty(): Promise<void> | void;
  fill(rows: R[]): Promise<unknown> | unknown;
  /** Those of the table. */
  sums(): Promise<unknown[]> | unknown[];
  ways: Way<R>[];
}

/**
 * The methods of the generated code, which takes rows as they are; those to delete have more than a
 * key.
 */
export interface Generated<R> {
  insertAllReadings(rows: R[]): Promise<number> | number;
  updateAllReadings(rows: R[]): Promise<number> | number;
  deleteAllReadings(rows: R[]): Promise<number> | number;
  upsertAllReadings(rows: R[]): Promise<number> | number;
}

/** The generated way of an operation, or one of its routes. */
export function generated<R>(
  operation: Operation,
  queries: () => Generated<R>,
  route?: string,
): Way<R> {
  const run = {
    INSERT: (rows: R[]) => queries().insertAllReadings(rows),
    UPDATE: (rows: R[]) => queries().updateAllReadings(rows),
    DELETE: (rows: R[]) => queries().deleteAllReadings(rows),
    UPSERT: (rows: R[]) => queries().upsertAllReadings(rows),
  }[operation];
  return route === undefined
    ? { operation, method: "scoter", most: 0, run }
    : { operation, method: `scoter, ${route}`, most: slow, run };
}

/**
 * The query for the sums, with expressions for the device's number, seconds, and a truth value as a
 * number.
 */
export function sumsOf(device: string, at: string, anomaly: string): string {
  const of = [
    device,
    at,
    "CAST(round(temperature * 1000) AS BIGINT)",
    "CAST(round(pressure * 100) AS BIGINT)",
    "battery",
    anomaly,
    "CAST(substr(location, 10) AS BIGINT)",
  ];
  return (
    "SELECT count(*), " +
    of.map((o) => `CAST(coalesce(sum((id % 997 + 1) * ${o}), 0) AS BIGINT)`).join(", ") +
    " FROM readings"
  );
}

/** `device = s.device, ...` of all columns but the key. */
export const setFrom = (table: string): string =>
  columns
    .slice(1)
    .map((c) => `${c} = ${table}.${c}`)
    .join(", ");
