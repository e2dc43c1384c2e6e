/// <reference types="node" />
/**
 * Turns on a connection that has one transaction at a time. Without them operations that run at the
 * same time would share it: one would report success, and the failure of another take its rows
 * back.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Who has the connection. What it calls itself is part of it, one after the other, and ends before
 * it does.
 */
export class Turn {
  /** Whether it has begun a transaction, or is part of one that has. */
  transaction: boolean;
  /** Whether the connection can take no other statement until this turn has ended what it does. */
  busy: boolean;
  /**
   * Whether it is still open: something that it called without waiting may still run a statement.
   */
  open = true;
  /** The end of the last of what is part of it. */
  last: Promise<void> = Promise.resolve();

  constructor(around?: Turn) {
    this.transaction = around?.transaction ?? false;
    this.busy = around?.busy ?? false;
  }

  /**
   * Fails once it has ended. What comes then can be no part of it, and by itself might be the half
   * that stays of what was rolled back.
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

  /** The turn that the caller is part of, also when it has ended. */
  get current(): Turn | undefined {
    return this.#current.getStore();
  }

  /** Runs body once those before it have ended; at once if the caller has the turn. */
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
      // What body called and did not wait for is part of it too: a COMMIT or ROLLBACK that comes
      // next must be behind it.
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
   * Runs body as a turn of its own in what has been begun, and then `end`; if one of them fails,
   * `undo`. A failure of that would only hide the cause.
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

  /** Runs a statement, which waits for no turn; the one that it is part of waits for its end. */
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

/** The turns on a connection, whichever objects use it. */
export function turnsOf(connection: object): Turns {
  let found = turns.get(connection);
  if (found === undefined) turns.set(connection, (found = new Turns()));
  return found;
}
