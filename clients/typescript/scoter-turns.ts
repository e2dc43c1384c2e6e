/// <reference types="node" />
/**
 * Serializes transactions, batches and bulk operations on one connection, which can have only one
 * transaction at a time. Without this, concurrent operations would share a transaction: the
 * rollback of one would also undo rows of another that has reported success.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The right of one operation to use the connection. Operations that it calls run inside its turn,
 * one after the other. The turn ends only after they have ended.
 */
export class Turn {
  /** Whether this turn runs inside a transaction, its own or that of an outer turn. */
  transaction: boolean;
  /**
   * Whether the connection can take no other statement at the moment, because a COPY is running.
   */
  busy: boolean;
  /**
   * Whether the turn has not ended. Code that the operation did not await may still try to use the
   * turn after its end.
   */
  open = true;
  /** Resolves when the last operation inside this turn has ended. */
  last: Promise<void> = Promise.resolve();

  constructor(around?: Turn) {
    this.transaction = around?.transaction ?? false;
    this.busy = around?.busy ?? false;
  }

  /**
   * Throws if the turn has ended. A statement that runs now would not be part of its transaction.
   * If the transaction was rolled back, that statement alone would stay.
   */
  check(): void {
    if (!this.open)
      throw new Error(
        "called by a transaction, batch or bulk operation that has ended: it must await what it calls",
      );
  }
}

export class Turns {
  readonly #all = new Turn();
  readonly #current = new AsyncLocalStorage<Turn>();

  /** The turn that the calling code runs in, even if it has already ended. */
  get current(): Turn | undefined {
    return this.#current.getStore();
  }

  /**
   * Runs body in a new turn. It waits for the operations before it: all of the connection or, if
   * the caller already has a turn, only those inside the caller's turn.
   */
  async take<T>(body: (turn: Turn) => Promise<T>): Promise<T> {
    const around = this.current ?? this.#all;
    around.check();
    let end!: () => void;
    const before = around.last;
    around.last = new Promise((resolve) => (end = resolve));
    await before;
    const turn = new Turn(around);
    try {
      return await this.#current.run(turn, body, turn);
    } finally {
      // Also wait for operations that body started but did not await. A COMMIT or ROLLBACK that
      // follows must run after them.
      let last: Promise<void> | undefined;
      while (last !== turn.last) {
        last = turn.last;
        await last;
      }
      turn.open = false;
      end();
    }
  }

  /**
   * Runs body in its own turn and then `end`, after the caller has begun a transaction or
   * savepoint. If body or `end` fails, runs `undo` and throws the first error. An error of `undo`
   * is ignored, because it would hide the cause.
   */
  async whole<T>(
    body: () => Promise<T>,
    end: () => Promise<unknown>,
    undo: () => Promise<unknown>,
  ): Promise<T> {
    try {
      const result = await this.take(body);
      await end();
      return result;
    } catch (error) {
      await undo().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Runs a single statement without waiting for a turn. If the caller has a turn, that turn ends
   * only after the statement has ended.
   */
  part<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.current;
    if (turn === undefined) return run();
    turn.check();
    const before = turn.last;
    const done = run();
    turn.last = done.then(
      () => before,
      () => before,
    );
    return done;
  }
}

const turns = new WeakMap<object, Turns>();

/** Returns the turns of a connection. All objects that use the connection share them. */
export function turnsOf(connection: object): Turns {
  let found = turns.get(connection);
  if (found === undefined) turns.set(connection, (found = new Turns()));
  return found;
}
