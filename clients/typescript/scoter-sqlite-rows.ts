/**
 * The rows of a stream: a query that begins when the first row is asked for and ends early when its
 * reader does. These are no generators because one costs as much per row as SQLite needs to read
 * it.
 */
import type { Raw } from "./scoter.js";

/** An open query. */
export interface OpenRows {
  readonly rows: Iterator<unknown>;
  /** Called once, when there are no more rows to be read. */
  close(): void;
}

/** Makes what callers get of a row; undefined if it is that already. */
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
    // What the driver promises is passed on as it is: one more promise a row is 3% of what turso
    // takes to read it.
    return this.#read === undefined
      ? (next as Promise<IteratorResult<T, void>>)
      : next.then(this.#step);
  }

  /** The first row, or the next one where several are asked for at once. */
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

// Otherwise they are what generators are, with all that a version of the language gives to those.
Object.setPrototypeOf(
  LazyRows.prototype,
  Object.getPrototypeOf(Object.getPrototypeOf([].values())) as object,
);
Object.setPrototypeOf(
  LazyRowsAsync.prototype,
  Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype)) as object,
);

/** The rows of a query as typed ones, one at a time. */
export const lazyRows = <T>(
  open: () => OpenRows,
  read: ReadRow<T>,
): Generator<T, void, undefined> =>
  new LazyRows(open, read) as unknown as Generator<T, void, undefined>;

/**
 * The asynchronous lazyRows. The iterator ends by itself: with its last row, with an error, by
 * return.
 */
export const lazyRowsAsync = <T>(
  open: () => Promise<AsyncIterator<unknown>>,
  read: ReadRow<T>,
): AsyncGenerator<T, void, undefined> =>
  new LazyRowsAsync(open, read) as unknown as AsyncGenerator<T, void, undefined>;
