/**
 * The WebAssembly module itself, for a host that manages instances on its own.
 *
 * Nothing here remembers: every call draws anew and spends again, the text must already be in NFKC (with `spans`, as it was typed), and a
 * crash leaves an instance that must not be used any more. `textveil/all` sees to all three.
 */

import type { RawWords } from '../types.js';
import type {
  ChoiceReport,
  ChoiceTerms,
  Contribution,
  ContributionGuarantee,
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
  WholeTextOptions,
} from './textveil.js';

export { instantiate as default, initSync, RawLedger as Ledger } from '../types.js';

/** A table, loaded. Its methods throw errors of the name `TextveilError` with a `code`. */
export interface Veil extends RawWords<Options, Mechanism, LevelMechanism, keyof Parameters> {}
export class Veil {
  /** Reads a table file. */
  constructor(table: Uint8Array);
  /** Represents whole texts by this text encoder, from now on. */
  encodeBy(table: Uint8Array): void;
  /** Draws a representation of a text in NFKC. */
  representation(text: string, options: RepresentationOptions | WholeTextOptions): Representation;
  /** Draws a representation of another encoder's vectors. */
  representationOf(vectors: Float64Array[], options: VectorsOptions): Representation;
  /** What the representation of a text in NFKC must be remembered by, as `key`. */
  representationKey(text: string, field: string | undefined, options: RepresentationOptions | WholeTextOptions): string;
  /** The same for another encoder's vectors. */
  representationOfKey(vectors: Float64Array[], field: string | undefined, options: VectorsOptions): string;
  /** The guarantee of a representation of `words` words (with `dims` dimensions, for another encoder), without its dropout. */
  representationGuarantee(options: RepresentationOptions | VectorsOptions | WholeTextOptions, words: number, dims?: number): Guarantee;
  /** What protects each word of a text in NFKC: for the device only. */
  deniability(text: string, options: Options): TokenDeniability[];
  /** The words that may stand behind an output, by falling probability: for the device only. */
  guesses(word: string, options: Options, k: number): Guesses;
  /** The vector of the row that a token stands for. */
  vector(token: string): Float64Array;
  /** The words of the table that the tokens of a text in NFKC stand for; null for an unknown one. */
  words(text: string): (string | null)[];
  /** Draws the report of one value of a list. */
  choice(index: number, size: number, options: ChoiceTerms): ChoiceReport;
  /** What the report of an answer to a question must be remembered by, as `key`. */
  choiceKey(question: string, index: number, size: number, options: ChoiceTerms): string;
  /** The guarantee of a report of one of `size` values. */
  choiceGuarantee(size: number, options: ChoiceTerms): Guarantee;
  /** What answers a request for new words; with this table, unless it is given another. */
  contributor(request: string, table: Uint8Array | undefined, trustsSum: boolean): Contributor;
}

/** Answers one request, once. */
export class Contributor {
  private constructor();
  /** The request's identity. */
  id(): string;
  /** What will be proved of a user, whose own ε may be smaller than the request's. */
  guarantee(epsilon?: number): ContributionGuarantee;
  /** Answers the request from all texts of a user, in NFKC. */
  contribute(texts: string[], epsilon?: number): Contribution;
}
