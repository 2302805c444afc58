/**
 * Counts what has been released, and refuses a release that is beyond its budget.
 *
 * The module counts, compares, and decides what is stored (`core/src/privacy/ledger.rs`). This file keeps the order: under one lock it
 * reads the state, spends, and stores, before the release may leave. If a step fails, the caller gets an error, and must not
 * release anything.
 */

import { plainCopy } from './arguments.js';
import { invalid, TextveilError } from './errors.js';

/** @import { Budget, LedgerStorage } from './ledger.js' */
/** @import { RawLedger } from './types.js' */
/** @import { Module } from './module.js' */
/** @typedef {[stored: Uint8Array | undefined, sequence: number, now: number]} Known what is stored, and the time in seconds */

/** @type {Record<string, string | null>} */
const BUDGET = { __proto__: null, epsilon: 'number', delta: 'number', releases: 'number', period: 'number' };

/**
 * The state in memory, for as long as the page lives. All ledgers without a storage share it: opening one again forgets nothing.
 *
 * @type {LedgerStorage & { stored: Awaited<ReturnType<LedgerStorage['read']>>, turn?: Promise<unknown>, __proto__: null }}
 */
const memory = {
  __proto__: null,
  stored: { sequence: 0 },
  turn: undefined,
  read: async () => memory.stored,
  write: async (snapshot) => {
    memory.stored = snapshot;
  },
  exclusively(work) {
    const thisTurn = Promise.resolve(memory.turn).then(work);
    memory.turn = thisTurn.catch(() => {});
    return thisTurn;
  },
};

/**
 * The class for one module.
 *
 * @param {typeof RawLedger} Book the module's class
 * @param {Module} module
 */
export function ledgerClass(Book, module) {
  return class Ledger {
    #book;
    #storage;

    /**
     * Only `open` calls this.
     *
     * @param {RawLedger} book
     * @param {LedgerStorage} storage
     */
    constructor(book, storage) {
      if (!(book instanceof Book)) throw invalid('Open a ledger with `Ledger.open()`.');
      this.#book = book;
      this.#storage = storage;
    }

    /** @param {{ readonly [scope: string]: Budget }} budgets */
    static async open(budgets, storage = memory) {
      module.requireReady();
      const names = typeof budgets === 'object' && budgets !== null ? Object.keys(budgets) : [];
      const limits = plainCopy(budgets ?? null, 'budgets', Object.fromEntries(names.map((name) => [name, 'object'])));
      const book = module.run(() => new Book());
      for (const scope of names) {
        const { epsilon, delta = 0, releases, period } = plainCopy(limits[scope], 'budget', BUDGET);
        if (epsilon === undefined) throw invalid('A budget needs an epsilon.');
        module.run(() => book.allow(scope, epsilon, delta, releases, period));
      }
      return new Ledger(book, storage);
    }

    /**
     * @param {string} scope
     * @param {{ readonly epsilonText: number, readonly deltaText: number, readonly notion?: string }} guarantee
     */
    async spend(scope, guarantee) {
      const { epsilonText, deltaText, notion } = guarantee ?? {};
      if (typeof epsilonText !== 'number' || typeof deltaText !== 'number') throw invalid('`spend` takes the guarantee of a release.');
      // Whoever knows the seed of a draw knows the text. No budget allows that.
      const epsilon = notion === 'known-seed' ? Infinity : epsilonText;
      await this.#turn(scope, (known) => this.#book.spend(...known, scope, epsilon, deltaText));
    }

    /** @param {string} scope */
    async spent(scope) {
      return this.#turn(scope, (known) => this.#book.spent(...known, scope), false);
    }

    async startOver() {
      await this.#turn('', ([, sequence, now]) => this.#book.exhausted(sequence, now));
    }

    /**
     * Runs `work` on the stored state, and stores its result. No other page, tab or worker has a turn in between.
     *
     * @param {string} scope
     * @param {(known: Known) => any} work
     */
    async #turn(scope, work, stores = true) {
      module.requireReady();
      if (typeof scope !== 'string') throw invalid('The scope must be a string.');
      let outcome;
      try {
        await this.#storage.exclusively(async () => {
          const { bytes, sequence } = await this.#storage.read();
          const stored = bytes == null ? undefined : Uint8Array.from(bytes);
          const next = module.run(() => work([stored, Number(sequence), Date.now() / 1000]));
          if (stores) await this.#storage.write(next);
          outcome = next;
        });
      } catch (cause) {
        if (cause instanceof TextveilError) throw cause;
        throw storageFailed(cause);
      }
      // A storage that did not run the work has stored nothing.
      if (!outcome) throw storageFailed();
      return outcome;
    }
  };
}

/** @param {unknown} [cause] */
function storageFailed(cause) {
  return new TextveilError('storage-failed', 'The ledger cannot be read or stored: nothing may be released.', { cause });
}
