/**
 * The WebAssembly module itself, for a host that manages instances on its own.
 *
 * It remembers nothing: each call draws again and spends again. The text must be in NFKC, or, with `spans`, as it was typed. After a crash the instance must not
 * be used any more. The main entry of the package takes care of all three.
 */

import type { RawWords } from './types.js';
import type { Odds, Stated, StatementGuarantee, StatementOptions, StatementRelease } from './statements.js';
import type { LevelMechanism, Mechanism, Options, Parameters } from './textveil.js';

export { instantiate as default, initSync, RawLedger as Ledger } from './types.js';

/** A table, loaded. Its methods throw errors of the name `TextveilError` with a `code`. */
export interface Veil extends RawWords<Options, Mechanism, LevelMechanism, keyof Parameters> {}
export class Veil {
  /** Reads a table file. */
  constructor(table: Uint8Array);
}

/** A text encoder, loaded. */
export class Encoder {
  /** Reads a table file that is an encoder. */
  constructor(table: Uint8Array);
  /** Gives its memory back. */
  free(): void;
}

/** A list of statements, loaded. Vectors are one after the other in one array. */
export class Statements {
  /** Reads the file of a list. Until it has an encoder, it takes vectors alone. */
  constructor(list: Uint8Array);
  /** Encodes texts by this encoder from now on. */
  encodeBy(encoder: Encoder): void;
  /** What the release of a text in NFKC must be remembered by. It must not leave the device. */
  key(text: string, field: string | undefined, options: StatementOptions): string;
  /** The same of `count` vectors. */
  vectorKey(vectors: Float64Array, count: number, field: string | undefined, options: StatementOptions): string;
  /** Exchanges a text in NFKC. */
  exchange(text: string, options: StatementOptions): StatementRelease;
  /** Exchanges a text by `count` vectors of an app's own encoder. */
  exchangeVectors(vectors: Float64Array, count: number, options: StatementOptions): StatementRelease;
  chosenKey(text: string, chosen: Float64Array, field: string | undefined, options: StatementOptions): string;
  exchangeChosen(chosen: Float64Array, options: StatementOptions): StatementRelease;
  suggested(text: string, count: number): Stated[];
  /** What holds for a release. */
  guarantee(options: StatementOptions): StatementGuarantee;
  /** With what probability statements come out. */
  odds(options: StatementOptions): Odds;
  /** The statements that are near to a text in NFKC, the nearest first. They must not leave the device. */
  near(text: string, options: StatementOptions): Stated[];
  /** The statements, in order. */
  list(): string[];
  /** Gives its memory back. */
  free(): void;
}
