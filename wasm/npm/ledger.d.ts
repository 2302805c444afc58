/** textveil/ledger: a budget for what a page releases. `textveil/all/ledger` is the same for pages that load `textveil/all`. */

/** What a scope (a form field, or an app) may lose. A number that cannot be stored exactly is rounded down. */
export interface Budget {
  /** The largest sum of ε in nats, from 0 up. */
  epsilon: number;
  /** The largest sum of δ, from 0 to 1. Default: 0. */
  delta?: number | undefined;
  /** The largest number of releases. Default: any number. */
  releases?: number | undefined;
  /** The length of a period in whole seconds. Default: one period without end. Periods are counted from 1970, in UTC. */
  period?: number | undefined;
}

/** What a scope has spent in this period. */
export interface Spent {
  /** The sum of ε, rounded up; infinite where the past is unknown. */
  readonly epsilon: number;
  /** The sum of δ, rounded up. */
  readonly delta: number;
  /** The number of releases. */
  readonly releases: number;
}

/** The state of a ledger. */
export interface LedgerState {
  /** To be stored first, all of it or nothing. */
  bytes: Uint8Array;
  /** To be stored in a second place, after the bytes: it tells when they are missing, or old. */
  sequence: number;
}

/**
 * Where a ledger keeps its state. A method that fails must reject: then nothing leaves. `browserStorage` is one
 * for pages and workers.
 */
export interface LedgerStorage {
  /** What was stored last; no bytes and 0 if nothing ever was. */
  read(): Promise<{ bytes?: Uint8Array | undefined; sequence: number }>;
  /** Done when both are stored for good. */
  write(state: LedgerState): Promise<void>;
  /** Runs `work` while no one else does who shares the storage: no other page, tab or worker. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * What has been released so far, and whether the next release still fits its budget: for everything that one scope releases
 * in one period, the sums of ε and of δ stay within what it may lose, even if each release is chosen after seeing all others.
 *
 * ```js
 * await init();
 * const ledger = await Ledger.open({ comment: { epsilon: 200, releases: 5, period: 86400 } }, browserStorage());
 * await ledger.spend('comment', release.guarantee); // throws: then the release must not leave
 * ```
 *
 * It keeps an honest page within its budget, and no attacker out: whoever can write the storage can forget the past. What is
 * about the same data adds up over scopes and periods. A clock that is set back frees nothing.
 */
export class Ledger {
  private constructor();

  /**
   * Opens a ledger with these budgets, by scope, a name of 1 to 64 bytes. Budgets are not stored. A
   * scope that has no budget any more keeps its past.
   *
   * @param storage Without one, the state is kept in memory, as long as the page (or worker) lives.
   * @throws {TextveilError} `not-ready`, `invalid-budget`, `invalid-options`, `internal`
   */
  static open(budgets: { readonly [scope: string]: Budget }, storage?: LedgerStorage): Promise<Ledger>;

  /**
   * Records a release, before it leaves: once for each release, not for each time that it is sent again. After an error it
   * must not leave. An error of the budget changes nothing.
   *
   * @throws {TextveilError} `budget-exhausted`, `invalid-budget` (the scope has no budget), `bad-ledger`, `storage-failed`,
   * `invalid-options`, `internal`
   */
  spend(scope: string, guarantee: { readonly epsilonText: number; readonly deltaText: number; readonly notion?: string }): Promise<void>;

  /**
   * What a scope has spent in this period.
   *
   * @throws {TextveilError} `invalid-budget`, `bad-ledger`, `storage-failed`, `invalid-options`, `internal`
   */
  spent(scope: string): Promise<Spent>;

  /**
   * The way on after `bad-ledger`: all budgets count as spent, one with a period until the next, any other for good.
   *
   * @throws {TextveilError} `storage-failed`, `internal`
   */
  startOver(): Promise<void>;
}

/**
 * The browser's own storage, for all pages, tabs and workers (service workers, too) of one origin: the state in IndexedDB, its
 * number in a database of its own and, in pages, in `localStorage` too, everything under one lock of `navigator.locks`. So a
 * state that was deleted or rolled back is noticed, as long as one of the places where its number stands was not; a page whose
 * whole storage was cleared starts afresh.
 *
 * Where one of these is missing or refused (no secure context, storage turned off, a full disk, Node), every call rejects, and a
 * ledger says `storage-failed`. Nothing is kept in memory instead. Importing it and calling it does nothing yet.
 *
 * @param name The name of the state. Default: `textveil`. Ledgers with one name share their state.
 */
export function browserStorage(name?: string): LedgerStorage;
