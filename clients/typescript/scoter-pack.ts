import { intervalText, type Interval } from "./scoter.js";

/** A growing buffer with the values of one column in MessagePack. */
export class Pack {
  /**
   * This instance lives as long as the module. When the last instance of a class is
   * garbage-collected, V8 discards the machine code that it compiled for the class.
   */
  static readonly kept = new Pack();

  size = 0;
  #bytes = new Uint8Array(1 << 12);
  #view = new DataView(this.#bytes.buffer);

  /** Returns a view of the written bytes. It is valid until the next write. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.size);
  }

  clear(): void {
    this.size = 0;
  }

  #reserve(more: number): void {
    if (this.#bytes.length - this.size >= more) return;
    const grown = new Uint8Array(Math.max(this.size + more, 2 * this.#bytes.length));
    grown.set(this.bytes());
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  code(code: number): void {
    this.#reserve(1);
    this.#bytes[this.size++] = code;
  }

  /**
   * Writes the header of a list of `n` elements or a map of `n` pairs. `few` is the code for fewer
   * than 16, `many` the code for a 32-bit count.
   */
  header(few: number, many: number, n: number): void {
    if (n < 16) return this.code(few | n);
    this.#reserve(5);
    this.#bytes[this.size] = many;
    this.#view.setUint32(this.size + 1, n);
    this.size += 5;
  }

  float(v: number): void {
    this.#reserve(9);
    this.#bytes[this.size] = 0xcb;
    this.#view.setFloat64(this.size + 1, v);
    this.size += 9;
  }

  /**
   * Writes an integer compactly. A number that is not an integer is written as a float, which the
   * server refuses for an integer column.
   */
  int(v: number): void {
    if (v >= -32 && v < 128 && Number.isInteger(v)) return this.code(v & 0xff);
    if (v !== (v | 0)) return Number.isSafeInteger(v) ? this.bigint(BigInt(v)) : this.float(v);
    this.#reserve(5);
    this.#bytes[this.size] = 0xd2;
    this.#view.setInt32(this.size + 1, v);
    this.size += 5;
  }

  /** Writes an integer. Integers beyond 64 bits are written as text. */
  bigint(v: bigint): void {
    const signed = BigInt.asIntN(64, v) === v;
    if (!signed && BigInt.asUintN(64, v) !== v) return this.text(v.toString());
    if (v >= -32n && v < 128n) return this.code(Number(v) & 0xff);
    this.#reserve(9);
    this.#bytes[this.size] = signed ? 0xd3 : 0xcf;
    this.#view.setBigUint64(this.size + 1, BigInt.asUintN(64, v));
    this.size += 9;
  }

  text(v: string): void {
    const most = 3 * v.length;
    this.#reserve(most + 5);
    // The header's size is chosen by the largest possible number of bytes, before that number is
    // known.
    const head = most < 32 ? 1 : most < 1 << 16 ? 3 : 5;
    const bytes = this.#bytes;
    let at = this.size + head;
    for (let i = 0; i < v.length; i++) {
      let c = v.charCodeAt(i);
      if (c < 0x80) {
        bytes[at++] = c;
        continue;
      }
      if (c < 0x800) {
        bytes[at++] = 0xc0 | (c >> 6);
      } else {
        const low = v.charCodeAt(i + 1);
        if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
          c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
          i++;
          bytes[at++] = 0xf0 | (c >> 18);
          bytes[at++] = 0x80 | ((c >> 12) & 0x3f);
        } else {
          // This also encodes a lone surrogate. It is not valid UTF-8, so the server refuses it.
          bytes[at++] = 0xe0 | (c >> 12);
        }
        bytes[at++] = 0x80 | ((c >> 6) & 0x3f);
      }
      bytes[at++] = 0x80 | (c & 0x3f);
    }
    const n = at - this.size - head;
    if (head === 1) {
      bytes[this.size] = 0xa0 | n;
    } else if (head === 3) {
      bytes[this.size] = 0xda;
      this.#view.setUint16(this.size + 1, n);
    } else {
      bytes[this.size] = 0xdb;
      this.#view.setUint32(this.size + 1, n);
    }
    this.size = at;
  }

  blob(v: Uint8Array): void {
    this.#reserve(v.length + 5);
    this.#bytes[this.size] = 0xc6;
    this.#view.setUint32(this.size + 1, v.length);
    this.append(v, 5);
  }

  /** Appends bytes unchanged, and leaves `behind` bytes free before them for the caller to fill. */
  append(v: Uint8Array, behind = 0): void {
    this.#reserve(v.length + behind);
    this.#bytes.set(v, this.size + behind);
    this.size += v.length + behind;
  }
}

/** Writes one value, which must not be null. */
export type Put<T> = (p: Pack, v: T) => void;

export const putBool: Put<boolean> = (p, v) => p.code(v ? 0xc3 : 0xc2);
export const putInt: Put<number> = (p, v) => p.int(v);
// callers in plain JavaScript may pass a number
export const putBigint: Put<bigint> = (p, v) => p.bigint(BigInt(v));
export const putFloat: Put<number> = (p, v) => p.float(v);
export const putText: Put<string> = (p, v) => p.text(v);
export const putBlob: Put<Uint8Array> = (p, v) => p.blob(v);
export const putInterval: Put<Interval> = (p, v) => p.text(intervalText(v));

/** Writes a value, or nil if it is null or undefined. */
export function putOpt<T>(p: Pack, v: T | null | undefined, put: Put<T>): void {
  if (v === null || v === undefined) p.code(0xc0);
  else put(p, v);
}

export function putList<T>(p: Pack, v: readonly (T | null)[], put: Put<T>): void {
  p.header(0x90, 0xdd, v.length);
  for (const e of v) putOpt(p, e, put);
}

export function putMap<K, V>(
  p: Pack,
  v: ReadonlyMap<K, V | null>,
  key: Put<K>,
  value: Put<V>,
): void {
  p.header(0x80, 0xdf, v.size);
  for (const [k, e] of v) {
    key(p, k);
    putOpt(p, e, value);
  }
}

/** Writes a value whose type is known only at run time. */
export function putAny(p: Pack, v: unknown): void {
  if (v === null || v === undefined) p.code(0xc0);
  else if (typeof v === "boolean") putBool(p, v);
  else if (typeof v === "number") Number.isSafeInteger(v) ? p.int(v) : p.float(v);
  else if (typeof v === "bigint") p.bigint(v);
  else if (v instanceof Uint8Array) p.blob(v);
  else p.text(String(v));
}

/** Returns the body of a request: the column names, each with the packed values of `rows` rows. */
export function packed(
  names: readonly string[],
  columns: readonly Pack[],
  rows: number,
): Uint8Array<ArrayBuffer> {
  const body = new Pack();
  body.header(0x80, 0xdf, 1);
  body.text("columns");
  body.header(0x80, 0xdf, names.length);
  names.forEach((name, i) => {
    body.text(name);
    body.header(0x90, 0xdd, rows);
    body.append(columns[i]!.bytes());
  });
  return body.bytes();
}
