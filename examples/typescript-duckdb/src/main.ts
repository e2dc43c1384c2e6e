// Trips with an enum, a struct, a list and a decimal, in DuckDB.
import { DuckDBInstance } from "@duckdb/node-api";
import { Queries, type TripsRow } from "./db/queries.js";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
console.log("migrations", await Queries.applyMigrations(connection));
const queries = new Queries(connection);

/** Rows are taken one at a time: a generator of any length fits in memory. */
function* trips(count: number): Generator<TripsRow> {
  for (let i = 0; i < count; i++) {
    yield {
      id: BigInt(i),
      vehicle: (["bike", "car", "train"] as const)[i % 3]!,
      start: { lat: 47.37, lon: 8.54 },
      stops: ["Zürich", "Bern"],
      price: i % 3 === 0 ? null : "12.50",
      left_at: "2026-05-01 08:00:00",
    };
  }
}

const appender = await queries.createTripsAppender();
for (const trip of trips(9000)) await appender.append(trip);
await appender.close();

for (const row of await queries.byVehicle())
  console.log(row.vehicle, row.trips, row.price, row.first_stops);
console.log(await queries.getTrip(1n));
console.log(
  "upserted",
  await queries.upsertAllTrips([...trips(2), { ...[...trips(1)][0]!, id: 9000n }]),
);
console.log("deleted", await queries.deleteAllTrips([{ id: 0n }, { id: -1n }]));
let seen = 0;
for await (const id of queries.tripIdsStream("bike")) {
  seen++;
  if (id > 10n) break; // of the rest no values are made
}
console.log(
  "bikes seen",
  seen,
  "of",
  (await queries.tripIds("bike")).length,
  "trips",
  (await queries.tripIds(null)).length,
);
