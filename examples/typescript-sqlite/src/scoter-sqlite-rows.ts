/**
 * The row iterators of streams. The query begins when the first row is requested, and ends early if
 * the loop does. They are not generator functions, because a generator costs as much per row as
 * SQLite needs to read the row.
 */
import type { Raw } from "./scoter.js";

/** A running query. */
export interface OpenRows {
  readonly rows: Iterator<unknown>;
  /** Called once, after the last row was read or the loop ended early. */
  close(): void;
}

/**
 * Converts a driver's row to the row that callers receive. undefined if the driver's row needs no
 * conversion.
 */
export type ReadRow<T> = ((row: Raw) => T) | undefined;

class LazyRows<T> {
  readonly #open: () => OpenRows;
  readonly #read: ReadRow<T>;
  #opened: OpenRows | undefined;
  #ended = false;

  constructor(open: () => OpenRows, read: ReadRow<T>) {
    this.#open = open;
    this.#read = read;
  }

  next(): IteratorResult<T, void> {
    if (this.#ended) return { done: true, value: undefined };
    try {
      const result = (this.#opened ??= this.#open()).rows.next();
      if (result.done === true) this.#end();
      else if (this.#read !== undefined)
        return { done: false, value: this.#read(result.value as Raw) };
      return result as IteratorResult<T, void>;
    } catch (error) {
      this.return();
      throw error;
    }
  }

  return(): IteratorResult<T, void> {
    if (!this.#ended) {
      this.#opened?.rows.return?.();
      this.#end();
    }
    return { done: true, value: undefined };
  }

  throw(error: unknown): never {
    this.return();
    throw error;
  }

  #end(): void {
    this.#ended = true;
    this.#opened?.close();
  }
}

class LazyRowsAsync<T> {
  readonly #open: () => Promise<AsyncIterator<unknown>>;
  readonly #read: ReadRow<T>;
  #opening: Promise<AsyncIterator<unknown>> | undefined;
  #rows: AsyncIterator<unknown> | undefined;
  #ended = false;

  constructor(open: () => Promise<AsyncIterator<unknown>>, read: ReadRow<T>) {
    this.#open = open;
    this.#read = read;
  }

  next(): Promise<IteratorResult<T, void>> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    const next = this.#rows === undefined ? this.#first() : this.#rows.next();
    // The driver's promise is returned unchanged. Another promise per row would add 3% to the time
    // that turso takes to read a row.
    return this.#read === undefined
      ? (next as Promise<IteratorResult<T, void>>)
      : next.then(this.#step);
  }

  /**
   * Opens the query on the first call and returns its next row. Several calls may be made before
   * the query is open; all of them share it.
   */
  async #first(): Promise<IteratorResult<unknown>> {
    try {
      this.#rows = await (this.#opening ??= this.#open());
    } catch (error) {
      this.#ended = true;
      throw error;
    }
    return this.#rows.next();
  }

  readonly #step = (result: IteratorResult<unknown>): IteratorResult<T, void> | Promise<never> => {
    if (result.done === true) return { done: true, value: undefined };
    try {
      return { done: false, value: this.#read!(result.value as Raw) };
    } catch (error) {
      return this.throw(error);
    }
  };

  async return(): Promise<IteratorResult<T, void>> {
    if (!this.#ended) {
      this.#ended = true;
      const rows = await this.#opening;
      await rows?.return?.();
    }
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }
}

// The classes inherit from the prototypes of the language's own iterators, so that they have all
// iterator methods of the running JavaScript version.
Object.setPrototypeOf(
  LazyRows.prototype,
  Object.getPrototypeOf(Object.getPrototypeOf([].values())) as object,
);
Object.setPrototypeOf(
  LazyRowsAsync.prototype,
  Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype)) as object,
);

/** Yields the rows of a query one at a time, converted by `read`. */
export const lazyRows = <T>(
  open: () => OpenRows,
  read: ReadRow<T>,
): Generator<T, void, undefined> =>
  new LazyRows(open, read) as unknown as Generator<T, void, undefined>;

/**
 * The asynchronous form of lazyRows. The iterator that `open` returns must close its query by
 * itself: after its last row, after an error, and on return.
 */
export const lazyRowsAsync = <T>(
  open: () => Promise<AsyncIterator<unknown>>,
  read: ReadRow<T>,
): AsyncGenerator<T, void, undefined> =>
  new LazyRowsAsync(open, read) as unknown as AsyncGenerator<T, void, undefined>;
