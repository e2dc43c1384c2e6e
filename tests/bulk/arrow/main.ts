// Prints what results in Arrow's form are over HTTP: a test compares it.
import { ScoterError } from "./scoter-http.js";
import { Writes } from "./writes.js";

const queries = new Writes({ url: process.argv[2]! });

async function size(stream: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  try {
    for await (const chunk of stream) bytes += chunk.length;
  } catch (error) {
    if (error instanceof ScoterError) throw error;
    console.log(`broken off: ${bytes > 0} ${error instanceof TypeError}`);
  }
  return bytes;
}

console.log(`rows: ${(await size(queries.numbersArrow("7"))) > 100}`);
console.log(`failing: ${(await size(queries.failingArrow())) > 0}`);
for await (const chunk of queries.failingArrow()) {
  console.log(`some: ${chunk.length > 0}`);
  break; // the rest is not asked for
}
try {
  await size(queries.numbersArrow("x"));
} catch (error) {
  console.log(`refused: ${error instanceof ScoterError} ${String(error)}`);
}
try {
  await queries.numbersArrow("\ud83d").next();
} catch (error) {
  console.log(`half of a parameter: ${String(error)}`);
}
await Writes.applyMigrations({ url: process.argv[2]! });
const many = Array.from({ length: 100_000 }, (_, i) => ({
  k: BigInt(i),
  v: "x".repeat(100),
  n: i === 99_999 ? "12345.67" : null,
  tags: null,
  seen: null,
}));
try {
  await queries.insertAllKv(many);
} catch (error) {
  console.log(`one of many: ${error instanceof ScoterError} ${String(error)}`);
}
