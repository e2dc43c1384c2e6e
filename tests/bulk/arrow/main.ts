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
  break; // the rest is never read
}
try {
  await size(queries.numbersArrow("x"));
} catch (error) {
  console.log(`refused: ${error instanceof ScoterError} ${String(error)}`);
}
