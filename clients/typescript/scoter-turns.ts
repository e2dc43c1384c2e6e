/**
 * Turns on a connection that has one transaction at a time. Without them operations that run at the same time would share
 * it: one would report success, and the failure of another take its rows back.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** Who has the connection. What it calls itself is part of it, one after the other. */
export class Turn {
  /** Whether it has begun a transaction, or is part of one that has. */
  transaction: boolean;
  /** Whether the connection can take no other statement until this turn has ended what it does. */
  busy: boolean;
  /** Whether it goes on: something that it called and did not wait for may come later. */
  open = true;
  /** The end of the last turn within this one. */
  last: Promise<void> = Promise.resolve();

  constructor(around?: Turn) {
    this.transaction = around?.transaction ?? false;
    this.busy = around?.busy ?? false;
  }
}

export class Turns {
  readonly #all = new Turn();
  readonly #current = new AsyncLocalStorage<Turn>();

  /** The turn that the caller is part of. */
  get current(): Turn | undefined {
    const turn = this.#current.getStore();
    return turn?.open === true ? turn : undefined;
  }

  /** Runs body once those before it have ended; at once if the caller has the turn. */
  async take<T>(body: (turn: Turn) => Promise<T>): Promise<T> {
    const around = this.current ?? this.#all;
    let end!: () => void;
    const before = around.last;
    around.last = new Promise((resolve) => (end = resolve));
    await before;
    if (!around.open) {
      end();
      return this.take(body);
    }
    const turn = new Turn(around);
    try {
      return await this.#current.run(turn, body, turn);
    } finally {
      turn.open = false;
      end();
    }
  }
}

const turns = new WeakMap<object, Turns>();

/** The turns on a connection, whichever objects use it. */
export function turnsOf(connection: object): Turns {
  let found = turns.get(connection);
  if (found === undefined) turns.set(connection, (found = new Turns()));
  return found;
}
