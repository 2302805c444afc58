/**
 * The WebAssembly module itself, for a host that manages instances on its own.
 *
 * Nothing here remembers: every call draws anew and spends again, the text must already be in NFKC, and a
 * crash leaves an instance that must not be used any more. The package's main entry sees to all three.
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
