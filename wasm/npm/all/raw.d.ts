/**
 * The WebAssembly module itself, for a host that manages instances on its own.
 *
 * It remembers nothing: each call draws again and spends again. The text must be in NFKC. After a crash the instance must not
 * be used any more. `textveil/all` takes care of all three.
 */

import type { RawWords } from '../types.js';
import type {
  ChoiceReport,
  ChoiceTerms,
  Guarantee,
  Guesses,
  LevelMechanism,
  Mechanism,
  Options,
  Parameters,
  Representation,
  RepresentationOptions,
  TokenDeniability,
  VectorsOptions,
} from './textveil.js';

export { instantiate as default, initSync, RawLedger as Ledger } from '../types.js';

/** A table, loaded. Its methods throw errors of the name `TextveilError` with a `code`. */
export interface Veil extends RawWords<Options, Mechanism, LevelMechanism, keyof Parameters> {}
export class Veil {
  /** Reads a table file. */
  constructor(table: Uint8Array);
  /** Draws a representation of a text in NFKC. */
  representation(text: string, options: RepresentationOptions): Representation;
  /** Draws a representation of another encoder's vectors. */
  representationOf(vectors: Float64Array[], options: VectorsOptions): Representation;
  /** The guarantee of a representation of `words` words (with `dims` dimensions, for another encoder), without its dropout. */
  representationGuarantee(options: RepresentationOptions | VectorsOptions, words: number, dims?: number): Guarantee;
  /** What protects each word of a text in NFKC: for the device only. */
  deniability(text: string, options: Options): TokenDeniability[];
  /** The words that may stand behind an output, by falling probability: for the device only. */
  guesses(word: string, options: Options, k: number): Guesses;
  /** The vector of the row that a token stands for. */
  vector(token: string): Float64Array;
  /** Draws the report of one value of a list. */
  choice(index: number, size: number, options: ChoiceTerms): ChoiceReport;
  /** The guarantee of a report of one of `size` values. */
  choiceGuarantee(size: number, options: ChoiceTerms): Guarantee;
}
