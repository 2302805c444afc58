/**
 * What has been released so far, and whether the next release still fits its budget.
 *
 * What is counted and compared, and what is stored, is the module's business (`core/src/ledger.rs`). This file is the order of
 * things: under one lock read what is stored, spend, and store, before anything may leave. Whatever fails on the way, the
 * caller gets an error, and nothing may be released.
 */

import { plainCopy } from './arguments.js';
import { invalid, TextveilError } from './errors.js';

const BUDGET = { __proto__: null, epsilon: 'number', delta: 'number', releases: 'number', period: 'number' };

/** What is kept as long as the page: all ledgers of a page without a storage share it, so that opening one again forgets nothing. */
const memory = {
  __proto__: null,
  stored: { sequence: 0 },
  turn: undefined,
  read: async () => memory.stored,
  write: async (snapshot) => {
    memory.stored = snapshot;
  },
  exclusively(work) {
    const mine = Promise.resolve(memory.turn).then(work);
    memory.turn = mine.catch(() => {});
    return mine;
  },
};

/**
 * The class for one entry.
 *
 * @param Book the module's class
 */
export function ledgerClass(Book, { requireReady, inWasm }) {
  return class Ledger {
    #book;
    #storage;

    /** For `open` alone. */
    constructor(book, storage) {
      if (!(book instanceof Book)) throw invalid('A ledger is opened: Ledger.open().');
      this.#book = book;
      this.#storage = storage;
    }

    static async open(budgets, storage = memory) {
      requireReady();
      const names = typeof budgets === 'object' && budgets !== null ? Object.keys(budgets) : [];
      const limits = plainCopy(budgets ?? null, 'budgets', Object.fromEntries(names.map((name) => [name, 'object'])));
      const book = inWasm(() => new Book());
      for (const scope of names) {
        const { epsilon, delta = 0, releases, period } = plainCopy(limits[scope], 'budget', BUDGET);
        if (epsilon === undefined) throw invalid('A budget needs an epsilon.');
        inWasm(() => book.allow(scope, epsilon, delta, releases, period));
      }
      return new Ledger(book, storage);
    }

    async spend(scope, guarantee) {
      const { epsilonText, deltaText } = guarantee ?? {};
      if (typeof epsilonText !== 'number' || typeof deltaText !== 'number') throw invalid('What is spent must be a guarantee.');
      await this.#turn(scope, (known) => this.#book.spend(...known, scope, epsilonText, deltaText));
    }

    async spent(scope) {
      return this.#turn(scope, (known) => this.#book.spent(...known, scope), false);
    }

    async startOver() {
      await this.#turn('', ([, sequence, now]) => this.#book.exhausted(sequence, now));
    }

    /** Runs `work` on what is stored, and stores what comes of it, before anyone else has a turn. */
    async #turn(scope, work, stores = true) {
      requireReady();
      if (typeof scope !== 'string') throw invalid('The scope must be a string.');
      let outcome;
      try {
        await this.#storage.exclusively(async () => {
          const { bytes, sequence } = await this.#storage.read();
          const stored = bytes == null ? undefined : Uint8Array.from(bytes);
          const next = inWasm(() => work([stored, Number(sequence), Date.now() / 1000]));
          if (stores) await this.#storage.write(next);
          outcome = next;
        });
      } catch (cause) {
        if (cause instanceof TextveilError) throw cause;
        throw storageFailed(cause);
      }
      // A storage that has not run the work has stored nothing.
      if (!outcome) throw storageFailed();
      return outcome;
    }
  };
}

function storageFailed(cause) {
  return new TextveilError('storage-failed', 'The ledger cannot be read or stored: nothing may be released.', { cause });
}
