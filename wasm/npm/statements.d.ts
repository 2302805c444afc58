/**
 * textveil/statements: a whole text, of any length, is exchanged for a statement of a public list, under **one** ε.
 *
 * ```js
 * import { statements } from 'textveil/statements';
 *
 * const feedback = statements('/product-feedback.tvs');
 * await feedback.init();
 * const release = feedback.privatize('It keeps crashing when I open the camera.');
 * const headers = { 'content-type': 'application/json' };
 * await fetch('/feedback', { method: 'POST', headers, body: JSON.stringify(release) });
 * ```
 *
 * Each text is exchanged for one of the statements that are nearest to it, or, with a stated probability, for any other. So the
 * server learns how many people say what, and about one person nothing for certain. `textveil statements build` makes a list from a text file.
 *
 * Needs no table of words. It loads the small module, the list, and the encoder that the list was made with.
 */

import type * as shared from './types.js';
import type { CompiledModule, KnownSignal, Source } from './types.js';

export type { CompiledModule, ErrorCode, Source } from './types.js';
export { TextveilError } from './types.js';

/** What to do with a text: a plain object. A name that is not listed here is refused (`invalid-options`). */
export interface StatementOptions extends shared.AnyLanguage {
  /** ε in nats of one statement. Above 0 and at most 20. Default: 8, and 2 of a list of answers. */
  epsilon?: number | undefined;
  /**
   * How many statements are near to a text: at least 1, and less than the list has. Default: 6·M/e^ε of M statements, at least 1. Of a list of answers it is 1. Then
   * one of them comes out in about six of seven cases, as long as they are several. At ε = 2 they are four fifths of the list: a
   * release says little about its text.
   */
  near?: number | undefined;
  /**
   * How many statements come out for each text: one for each of its sentences, from 1 to 32. If there are fewer sentences, the
   * others are drawn for an empty text. The last one covers all sentences that are left. Each costs ε. Default: 1, for the whole text. Of a list of answers it is 1.
   */
  perSentence?: number | undefined;
}

/** A statement that takes the place of a text, or of a sentence of it. */
export interface Stated {
  /** Its number in the list, from 0. */
  readonly number: number;
  readonly text: string;
}

/** A differential-privacy guarantee as data. Its `unit` is `whole-text`, its `table` the identity of the list. */
export type StatementGuarantee = shared.Guarantee<'nearest', 'mass' | 'frequencyPower'>;

/** What may leave the device. Deeply frozen. Nothing of the text is in it. */
export interface StatementRelease {
  /** The statements, with a space between them. */
  readonly text: string;
  /** What is promised about all of them together. */
  readonly guarantee: StatementGuarantee;
  /** As many as were asked for, whatever the text. */
  readonly statements: readonly Stated[];
}

/** What is the same for all texts. */
export interface Odds {
  /** How many statements are near to a text. */
  readonly near: number;
  /** The probability of each of them; 0…1. */
  readonly inside: number;
  /** The probability of each other statement; 0…1. */
  readonly outside: number;
}

/** What exchanges texts by one list. It can be the `engine` of `protect`. */
export interface Statements {
  /**
   * Loads the module, the list and the encoder. Call it once, early; later calls give the same promise. After a failure it may be called
   * again. All lists of a page share an encoder that has one address.
   *
   * @param source Other places for the two files that come with the package. `encoder: null` for vectors of your own encoder alone, and for
   * choices alone. A list of answers needs no encoder.
   * @throws {TextveilError} `invalid-options`, `load-failed`, `unsupported`, `bad-statements`, `bad-table`; `other-encoder` if the list was made
   * with another one; `internal`
   */
  init(source?: {
    wasm?: Source | CompiledModule | ((simd: boolean) => Source | CompiledModule) | undefined;
    encoder?: Source | null | undefined;
  }): Promise<void>;
  /**
   * Exchanges a text: the only thing that leaves the device should be the result.
   *
   * A text is drawn **once** for each field, as by `privatize` of `textveil`. Any edit is another text. The result does not
   * show that a text was empty.
   *
   * @param control `field`: any name of what the text is for. Stays here.
   * @throws {TextveilError} `not-ready`, `text-too-long`, `other-language`, `other-encoder` without an encoder, `entropy-unavailable`, `internal`, and what is wrong with
   * the options: `invalid-options`, `invalid-epsilon`, `invalid-mass` for `near`, `invalid-argument` for `perSentence`
   */
  privatize(text: string, options?: StatementOptions, control?: { field?: string | undefined }): StatementRelease;
  /**
   * The same as a promise, for a program that takes words or statements. It is not sliced: 20 words take less than a millisecond.
   *
   * @param control `field`, as there; `signal`: if it is aborted, the promise is rejected with its reason
   * @throws {TextveilError} as `privatize`, as a rejection
   */
  privatizeAsync(
    text: string,
    options?: StatementOptions,
    control?: { field?: string | undefined; signal?: KnownSignal | undefined },
  ): Promise<StatementRelease>;
  /**
   * The same by vectors of your own encoder: one for the text, or one for each sentence. Only their directions count.
   *
   * @throws {TextveilError} as `privatize`; `dimension-mismatch`, `invalid-vector`; `invalid-argument` for more vectors than statements come out
   */
  privatizeVectors(
    vectors: readonly ArrayLike<number>[],
    options?: StatementOptions,
    control?: { field?: string | undefined },
  ): StatementRelease;
  /**
   * Exchanges a text by what the person chose for it, instead of what is nearest: the number of one statement, or of one for each sentence.
   * So a form can ask "Which of these says it best?" The text and its choice are drawn **once** for each field. Nothing else of the text
   * is used: a question without a text has the text `''`.
   *
   * Whether a person has chosen says something of the text. So where they have not, call this with the number of the nearest statement
   * (`near`): then all releases have one guarantee.
   *
   * @throws {TextveilError} as `privatize`, but no text is refused for its language; `invalid-argument` for more numbers than statements
   * come out, or one that the list does not have: they are numbered from 0
   */
  privatizeChosen(text: string, chosen: readonly number[], options?: StatementOptions, control?: { field?: string | undefined }): StatementRelease;
  /**
   * The guarantee of a release, before anything is drawn.
   *
   * @throws {TextveilError} as `privatize`
   */
  guarantee(options?: StatementOptions): StatementGuarantee;
  /**
   * With what probability statements come out.
   *
   * @throws {TextveilError} as `privatize`
   */
  odds(options?: StatementOptions): Odds;
  /**
   * The statements that are near to a text, the nearest first; with `perSentence`, those of each sentence in turn. **They are for the
   * device alone**: they say more of the text than a release.
   *
   * @throws {TextveilError} as `privatize`
   */
  near(text: string, options?: StatementOptions): readonly Stated[];
  /**
   * What the person may have meant by a text: the nearest statements, whether the text fits or not, and the one for texts that fit nothing,
   * last. For `privatizeChosen`. **They are for the device alone**: they say more of the text than a release.
   *
   * @param count how many, without the last one; from 1 to 1000. Default: 5.
   * @throws {TextveilError} `not-ready`, `text-too-long`, `other-encoder` without an encoder, `invalid-options`, `internal`
   */
  suggest(text: string, count?: number): readonly Stated[];
  /**
   * The statements, in order.
   *
   * @throws {TextveilError} `not-ready`, `internal`
   */
  list(): readonly string[];
  /**
   * Whether the statements are the answers of a question, as `textveil statements build --answers` makes them. Then a person chooses one
   * (`privatizeChosen`, or a `<select>` in a form), and no encoder is loaded. A text is an error (`invalid-options`).
   *
   * @throws {TextveilError} `not-ready`, `internal`
   */
  ofAnswers(): boolean;
}

/** What exchanges texts by the list in this file. Loads nothing before `init`. */
export function statements(list: Source): Statements;
