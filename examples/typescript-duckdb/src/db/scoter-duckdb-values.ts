/**
 * Functions that convert JavaScript values to the values that DuckDB's driver takes. They throw a
 * RangeError for a value that the column's type cannot hold.
 */
import * as duck from "@duckdb/node-api";
import type * as core from "./scoter.js";

type Value = duck.DuckDBValue;

export const toBlob = (v: Uint8Array): Value => new duck.DuckDBBlobValue(v);

// The driver truncates a number to the size of its type without an error. The range checks below
// prevent that.

const toNumber =
  (least: number, most: number) =>
  (v: number): number => {
    if (!Number.isInteger(v) || v < least || v > most)
      throw new RangeError(`${v} is not a whole number from ${least} to ${most}`);
    return v;
  };
export const toInt8 = toNumber(-(2 ** 7), 2 ** 7 - 1);
export const toInt16 = toNumber(-(2 ** 15), 2 ** 15 - 1);
export const toInt32 = toNumber(-(2 ** 31), 2 ** 31 - 1);
export const toUint8 = toNumber(0, 2 ** 8 - 1);
export const toUint16 = toNumber(0, 2 ** 16 - 1);
export const toUint32 = toNumber(0, 2 ** 32 - 1);

const toBigint =
  (least: bigint, most: bigint) =>
  (v: bigint): bigint => {
    if (v < least || v > most) throw new RangeError(`${v} is not from ${least} to ${most}`);
    return v;
  };
export const toInt64 = toBigint(-(2n ** 63n), 2n ** 63n - 1n);
export const toInt128 = toBigint(-(2n ** 127n), 2n ** 127n - 1n);
export const toUint64 = toBigint(0n, 2n ** 64n - 1n);
export const toUint128 = toBigint(0n, 2n ** 128n - 1n);

export const toInterval = (v: core.Interval): Value =>
  new duck.DuckDBIntervalValue(toInt32(v.months), toInt32(v.days), toInt64(v.micros));

/** A scratch buffer in which toUUID joins the parts of a UUID. */
const halves = new DataView(new ArrayBuffer(16));

/**
 * Parses `digits` hexadecimal digits (at most 8) that begin at the index `at`. Returns NaN if
 * another character is among them.
 */
function hex(v: string, at: number, digits: number): number {
  let n = 0;
  for (let i = at; i < at + digits; i++) {
    const c = v.charCodeAt(i);
    n =
      n * 16 +
      (c >= 48 && c <= 57
        ? c - 48
        : c >= 97 && c <= 102
          ? c - 87
          : c >= 65 && c <= 70
            ? c - 55
            : NaN);
  }
  return n;
}

export function toUUID(v: string): Value {
  if (v.length === 36 && v[8] === "-" && v[13] === "-" && v[18] === "-" && v[23] === "-") {
    // Parsing the digits with BigInt takes three times as long.
    const a = hex(v, 0, 8),
      b = hex(v, 9, 4) * 65536 + hex(v, 14, 4),
      c = hex(v, 19, 4) * 65536 + hex(v, 24, 4),
      d = hex(v, 28, 8);
    if (!Number.isNaN(a + b + c + d)) {
      // DuckDB flips the first bit, so that UUIDs sort like their text
      halves.setUint32(0, a ^ 0x80000000);
      halves.setUint32(4, b);
      halves.setUint32(8, c);
      halves.setUint32(12, d);
      return duck.DuckDBUUIDValue.fromStoredHugeInt(
        (halves.getBigInt64(0) << 64n) | halves.getBigUint64(8),
      );
    }
  }
  const digits = v.replaceAll("-", "");
  if (!/^[0-9a-fA-F]{32}$/.test(digits)) throw new RangeError(`not a UUID: ${v}`);
  return duck.DuckDBUUIDValue.fromUint128(BigInt("0x" + digits));
}

/**
 * Parses a decimal number of up to 15 characters quickly. Returns the number times 10 to the power
 * of `scale`, or undefined for any text that the fast path does not handle.
 */
function shortDecimal(v: string, scale: number): number | undefined {
  const signed = v[0] === "-" || v[0] === "+";
  if (v.length > 15 || v.length === (signed ? 1 : 0)) return undefined;
  let n = 0;
  let behind = -1;
  for (let i = signed ? 1 : 0; i < v.length; i++) {
    const c = v.charCodeAt(i);
    if (c >= 48 && c <= 57) {
      n = n * 10 + c - 48;
      if (behind >= 0) behind++;
    } else if (c === 46 && behind < 0 && v.length > 2) behind = 0;
    else return undefined;
  }
  for (behind = Math.max(behind, 0); behind < scale; behind++) n *= 10;
  return behind === scale && Number.isSafeInteger(n) ? (v[0] === "-" ? -n : n) : undefined;
}

export const toDecimal =
  (width: number, scale: number) =>
  (v: string): Value => {
    const short = shortDecimal(v, scale);
    if (short !== undefined && Math.abs(short) < 10 ** width)
      return new duck.DuckDBDecimalValue(BigInt(short), width, scale);
    const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(v.trim());
    const whole = match?.[2] ?? "";
    const fraction = match?.[3] ?? "";
    if (match === null || whole + fraction === "")
      throw new RangeError(`not a decimal number: ${v}`);
    if (/[^0]/.test(fraction.slice(scale)))
      throw new RangeError(`${v} has more than ${scale} digits after the point`);
    const digits = BigInt(whole + fraction.slice(0, scale).padEnd(scale, "0"));
    if (digits >= 10n ** BigInt(width))
      throw new RangeError(`${v} does not fit DECIMAL(${width},${scale})`);
    return new duck.DuckDBDecimalValue(match[1] === "-" ? -digits : digits, width, scale);
  };

/**
 * Returns the number of days from 1970-01-01 to an ISO date. The year may have any size and a sign.
 */
function days(date: string): number {
  const match = /^([+-]?\d+)-(\d{1,2})-(\d{1,2})$/.exec(date.trim());
  if (match === null) throw new RangeError(`not a date: ${date}`);
  const time = new Date(0);
  time.setUTCFullYear(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  if (time.getUTCMonth() !== Number(match[2]) - 1 || time.getUTCDate() !== Number(match[3]))
    throw new RangeError(`not a date: ${date}`);
  return Math.round(time.getTime() / 86400000);
}

/**
 * Parses a time of day. Returns its nanoseconds since midnight and, if the text has one, its UTC
 * offset in seconds.
 */
function clock(time: string): { nanos: bigint; offset: number | undefined } {
  const match =
    /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?(?::?\d{2})?)?$/.exec(
      time.trim(),
    );
  if (match === null) throw new RangeError(`not a time: ${time}`);
  const [hours, minutes, rest] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  const seconds = hours * 3600 + minutes * 60 + rest;
  if (seconds > 86400 || minutes > 59 || rest > 59) throw new RangeError(`not a time: ${time}`);
  const nanos = BigInt(seconds) * 1000000000n + BigInt((match[4] ?? "").padEnd(9, "0"));
  const zone = match[5];
  if (zone === undefined) return { nanos, offset: undefined };
  if (zone === "Z") return { nanos, offset: 0 };
  const [h, m, s] = zone.slice(1).replaceAll(":", "").padEnd(6, "0").match(/../g) as [
    string,
    string,
    string,
  ];
  const offset = Number(h) * 3600 + Number(m) * 60 + Number(s);
  return { nanos, offset: zone.startsWith("-") ? -offset : offset };
}

/**
 * Parses the two decimal digits at the index `at`. Returns NaN if another character is among them.
 */
function two(v: string, at: number): number {
  const a = v.charCodeAt(at) - 48;
  const b = v.charCodeAt(at + 1) - 48;
  return a >= 0 && a <= 9 && b >= 0 && b <= 9 ? a * 10 + b : NaN;
}

/**
 * Parses a timestamp such as `2025-01-01T00:00:00.123Z` quickly. Returns its microseconds since
 * 1970, or undefined for any text that the fast path does not handle.
 */
function shortMicros(v: string): number | undefined {
  const length = v.length - (v.endsWith("Z") ? 1 : 0);
  if (
    length < 19 ||
    length > 26 ||
    length === 20 ||
    v[4] !== "-" ||
    v[7] !== "-" ||
    (v[10] !== "T" && v[10] !== " ") ||
    v[13] !== ":" ||
    v[16] !== ":"
  )
    return undefined;
  const year = two(v, 0) * 100 + two(v, 2);
  const month = two(v, 5),
    day = two(v, 8),
    hour = two(v, 11),
    minute = two(v, 14),
    second = two(v, 17);
  // The slower general parser handles the last days of long months, 29 February and invalid dates.
  if (
    !(
      year >= 1000 &&
      year < 2200 &&
      month >= 1 &&
      month <= 12 &&
      day >= 1 &&
      day <= (month === 2 ? 28 : 30)
    )
  )
    return undefined;
  if (!(hour < 24 && minute < 60 && second < 60)) return undefined;
  let micros = 0;
  if (length > 19) {
    if (v[19] !== ".") return undefined;
    for (let i = 20; i < 26; i++) {
      const digit = i < length ? v.charCodeAt(i) - 48 : 0;
      if (digit < 0 || digit > 9) return undefined;
      micros = micros * 10 + digit;
    }
  }
  return Date.UTC(year, month - 1, day, hour, minute, second) * 1000 + micros;
}

/**
 * Returns the 64-bit number that DuckDB stores for `infinity` or `-infinity`, and undefined for any
 * other text.
 */
function infinity(v: string): bigint | undefined {
  return v === "infinity" ? 2n ** 63n - 1n : v === "-infinity" ? -(2n ** 63n - 1n) : undefined;
}

function epochMicros(v: string): bigint {
  const short = shortMicros(v) ?? infinity(v);
  return short === undefined ? floor(epochNanos(v), 1000n) : BigInt(short);
}

function epochNanos(v: string): bigint {
  const [date, time] = v.trim().split(/[T ]/, 2) as [string, string | undefined];
  const { nanos, offset } = clock(time === undefined ? "00:00" : v.trim().slice(date.length + 1));
  return BigInt(days(date)) * 86400000000000n + nanos - BigInt(offset ?? 0) * 1000000000n;
}

export const toDate = (v: string): Value =>
  new duck.DuckDBDateValue(
    v === "infinity" ? 2 ** 31 - 1 : v === "-infinity" ? -(2 ** 31 - 1) : days(v),
  );
export const toTime = (v: string): Value => new duck.DuckDBTimeValue(clock(v).nanos / 1000n);
export const toTimeTZ = (v: string): Value => {
  const { nanos, offset } = clock(v);
  return duck.DuckDBTimeTZValue.fromMicrosAndOffset(nanos / 1000n, offset ?? 0);
};
export const toTimestampSeconds = (v: string): Value =>
  new duck.DuckDBTimestampSecondsValue(infinity(v) ?? floor(epochNanos(v), 1000000000n));
export const toTimestampMillis = (v: string): Value =>
  new duck.DuckDBTimestampMillisecondsValue(infinity(v) ?? floor(epochNanos(v), 1000000n));
export const toTimestamp = (v: string): Value => new duck.DuckDBTimestampValue(epochMicros(v));
export const toTimestampNanos = (v: string): Value =>
  new duck.DuckDBTimestampNanosecondsValue(infinity(v) ?? toInt64(epochNanos(v)));
export const toInstant = (v: string): Value => new duck.DuckDBTimestampTZValue(epochMicros(v));

/** Divides and rounds down, also for negative values (times before 1970). */
function floor(value: bigint, unit: bigint): bigint {
  return value / unit - (value % unit < 0n ? 1n : 0n);
}

export const toList =
  <T>(write: (v: T) => Value) =>
  (v: readonly (T | null)[]): Value =>
    new duck.DuckDBListValue(v.map((e) => (e === null ? null : write(e))));
export const toArray =
  <T>(length: number, write: (v: T) => Value) =>
  (v: readonly (T | null)[]): Value => {
    if (v.length !== length) throw new RangeError(`${v.length} elements for an array of ${length}`);
    return new duck.DuckDBArrayValue(v.map((e) => (e === null ? null : write(e))));
  };
export const toMap =
  <K, V>(key: (v: K) => Value, value: (v: V) => Value) =>
  (v: ReadonlyMap<K, V | null>): Value =>
    new duck.DuckDBMapValue(
      [...v].map(([k, e]) => ({ key: key(k), value: e === null ? null : value(e) })),
    );

/**
 * Makes a writer that also accepts a value of the driver's own class and passes that on unchanged.
 */
export const orValue =
  <T extends string | Uint8Array, D extends Value>(write: (v: T) => Value) =>
  (v: T | D): Value =>
    typeof v === "string" || v instanceof Uint8Array ? write(v as T) : (v as D);

/**
 * Makes a writer that also accepts an object with `items`, which is how the driver returns lists.
 */
export const orItems =
  <T>(write: (v: readonly T[]) => Value) =>
  (v: readonly T[] | { readonly items: readonly T[] }): Value =>
    write("items" in v ? v.items : v);

export const plain = (v: unknown): Value => v as Value;
