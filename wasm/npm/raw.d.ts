/**
 * The WebAssembly module itself, for a host that manages instances on its own.
 *
 * It remembers nothing: each call draws again and spends again. The text must be in NFKC. After a crash the instance must not
 * be used any more. The main entry of the package takes care of all three.
 */

import type { RawWords } from './types.js';
import type { LevelMechanism, Mechanism, Options, Parameters } from './textveil.js';

export { instantiate as default, initSync, RawLedger as Ledger } from './types.js';

/** A table, loaded. Its methods throw errors of the name `TextveilError` with a `code`. */
export interface Veil extends RawWords<Options, Mechanism, LevelMechanism, keyof Parameters> {}
export class Veil {
  /** Reads a table file. */
  constructor(table: Uint8Array);
}
