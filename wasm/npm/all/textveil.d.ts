/**
 * textveil/all: replaces the words of a text on the user's device by any of the mechanisms, or makes a noisy representation of
 * it or a noisy report of a choice, before it is sent, under a stated differential-privacy guarantee.
 */

import type * as shared from '../types.js';
import type { Calibration, Found, Source, Words } from '../types.js';

export type { Alternative, Alternatives, Calibration, Certificate, Claim, CompiledModule, Entry, ErrorCode, Found, Preset, Source, Span, WordList } from '../types.js';
export { TextveilError } from '../types.js';

/**
 * The numbers that mechanisms take. A name means the same for every mechanism. `MechanismParameters` says which mechanism takes
 * which.
 */
export interface Parameters extends shared.Strengths, shared.Nearness {
  /** δ: between 0 and 1, both excluded. */
  delta: number;
  /** Euclidean norm that vectors are clipped to, in units of the table (for another encoder: in its units, and required except for `privunit2`). Above 0. */
  clip: number;
  /** λ: from 1 for `ome`; for `mahalanobis` the share of the vocabulary's shape in the noise, from 0 to 0.999. */
  lambda: number;
  /** γ: the distance from which on all words count as equally far, in units of the table. Above 0. */
  gamma: number;
  /** The second-nearest word's share, from 0 to 1. */
  t: number;
  /** Bits before the point of an encoded element, from 0 to 15. Default: 4. */
  integerBits: number;
  /** Bits after the point of an encoded element, from 0 to 15. Default: 5. */
  fractionBits: number;
  /** How much more of ε the high bits get than the low ones, from 0 to 1000. Default: 0. */
  tilt: number;
}

type Numbers<Needed extends keyof Parameters, Free extends keyof Parameters = never> = shared.Numbers<keyof Parameters, Needed, Free>;
type Levelled = shared.Levelled<keyof Parameters>;
/** By one of ε and η. */
type Metric<Others extends keyof Parameters = never> = Numbers<'epsilon' | Others> | Numbers<'eta' | Others>;
type Bits = 'integerBits' | 'fractionBits';

/**
 * The mechanisms, and the parameters of each.
 *
 * | mechanism | draws | puts out |
 * | --- | --- | --- |
 * | `certified` | a word of the whole table, where nearer words are more likely, at the certified levels of the table: the largest that spends no more than asked; exact sampler | words |
 * | `plateau` | the same, all near words being as likely as the word itself: what comes out is nearer, for a larger η | words |
 * | `nearest` | a word of the whole table, where the nearest ones, which hold `mass`, are up to e^ε times as likely; no η; ε at most 20; exact sampler; the default | words |
 * | `exponential` | as `certified` at any η, stating about twice the loss; ε at most 56.01 however large η is | words |
 * | `truncated-exponential` | the same, in a distance that is cut off at γ | words |
 * | `class-exponential` | a word of the same public class (`not-offered` where the table has no classes) | words |
 * | `metric-laplace` | noise on the word's vector, then the nearest word | words, vectors |
 * | `vickrey` | the same, or by a coin the second nearest | words |
 * | `mahalanobis` | the same, with noise shaped like the vocabulary | words, vectors of the table |
 * | `lattice-laplace` | noise on each coordinate, scaled to the distance; exact sampler | words, vectors |
 * | `laplace`, `discrete-gaussian` | integer noise on each coordinate; exact samplers | words, vectors |
 * | `gaussian`, `truncated-laplace` | noise on each coordinate | words, vectors |
 * | `dpnr` | Laplace noise on a vector whose elements lie in [0, 1] | vectors |
 * | `privunit2` | a random vector in the direction of the representation, over a table as seen from the mean of all its words | vectors |
 * | `sue`, `oue`, `ome`, `randomized-response` | each bit of a binary code, flipped at random | bits |
 * | `sue`, `oue`, by `choice` | the same with one bit for each value of a public list, all 0 but one | bits |
 */
export interface MechanismParameters {
  certified: Levelled;
  plateau: Levelled;
  nearest: shared.Near<keyof Parameters>;
  exponential: Levelled;
  'truncated-exponential': Metric<'gamma'>;
  'class-exponential': Numbers<'epsilon'>;
  'metric-laplace': Levelled;
  vickrey: Metric<'t'>;
  mahalanobis: Metric<'lambda'>;
  'lattice-laplace': Metric;
  laplace: Numbers<'epsilon', 'clip'>;
  'truncated-laplace': Numbers<'epsilon' | 'delta', 'clip'>;
  gaussian: Numbers<'epsilon' | 'delta', 'clip'>;
  'discrete-gaussian': Numbers<'epsilon' | 'delta', 'clip'>;
  dpnr: Numbers<'epsilon'>;
  privunit2: Numbers<'epsilon'>;
  sue: Numbers<'epsilon', Bits>;
  oue: Numbers<'epsilon', Bits>;
  ome: Numbers<'epsilon' | 'lambda', Bits>;
  'randomized-response': Numbers<'epsilon', 'tilt' | Bits>;
}

/** A mechanism's name. */
export type Mechanism = keyof MechanismParameters;
/** A mechanism with levels. */
export type LevelMechanism = 'nearest' | 'certified' | 'plateau' | 'exponential' | 'metric-laplace';
/** A mechanism that puts out vectors. */
export type VectorMechanism =
  | 'metric-laplace'
  | 'lattice-laplace'
  | 'mahalanobis'
  | 'laplace'
  | 'truncated-laplace'
  | 'gaussian'
  | 'discrete-gaussian'
  | 'dpnr'
  | 'privunit2';
/** A mechanism that puts out bits. */
export type BitMechanism = 'sue' | 'oue' | 'ome' | 'randomized-response';
/** A mechanism that puts out words. */
export type WordMechanism = Exclude<Mechanism, 'dpnr' | 'privunit2' | BitMechanism>;
/** A mechanism whose paper calibrates it in a way of its own. */
export type PublishedMechanism = 'laplace' | 'truncated-laplace' | 'gaussian' | 'dpnr' | 'sue' | 'oue' | 'ome';

/** What is said of a mechanism: its name (which may be left out for `Usual`), its calibration, and `Told`. */
type Named<Name extends Mechanism, Usual, Told> = Told &
  (Name extends Usual ? { mechanism?: Name | undefined } : { mechanism: Name }) & {
    calibration?: (Name extends PublishedMechanism ? Calibration : 'sound') | undefined;
  };

/**
 * What to do with a text: a plain object. Anything else, and a name that is not listed here, is refused
 * (`invalid-options`), not ignored. Without a mechanism, it is `nearest`. (With a table of your own that is too small for its levels,
 * it is `certified`, or `exponential` if the table has no certificates.)
 */
export type Options = {
  [Name in WordMechanism]: Named<Name, 'nearest', MechanismParameters[Name]>;
}[WordMechanism] &
  shared.InTheClear &
  shared.Writing &
  shared.AnyLanguage;

/** One row for a text or one for each word, and which words are left out before that. */
interface Shape {
  /** `text` (the default): one row, of the mean of the words' vectors. `word`: one row for each word. */
  unit?: 'text' | 'word' | undefined;
  /**
   * The share of words whose vector becomes null at random, at least 0 and below 1. It makes the guarantee stronger. Not
   * offered with a mechanism of metric DP.
   */
  dropout?: number | undefined;
  /** `random` (the default): a coin for each word. `fixed`: that share of the words, rounded up to a whole number of them. */
  dropoutSize?: 'random' | 'fixed' | undefined;
  /**
   * Whether each word is left out; not with `dropout`. What is chosen is not random, and strengthens no guarantee; it counts
   * as public, so that it must not be chosen by what the words say.
   */
  mask?: readonly boolean[] | undefined;
}

/** How to represent a text by vectors of the table. Without a mechanism, it is `privunit2`, which tells most at an equal ε up to about 100. */
export type RepresentationOptions<Name extends VectorMechanism | BitMechanism = VectorMechanism | BitMechanism> = {
  [Each in Name]: Named<Each, 'privunit2', MechanismParameters[Each]>;
}[Name] &
  Shape &
  shared.AnyLanguage;

/** How to represent a whole text by a text encoder. */
export interface WholeTextOptions {
  unit: 'whole-text';
  /** ε in nats of a text. Above 0. */
  epsilon: number;
  mechanism?: 'privunit2' | undefined;
  /** How many of the encoder's first coordinates are noised, from 3. Default: 16, or all of an encoder that has fewer. */
  dims?: number | undefined;
}

/** The parameters of a mechanism for another encoder's vectors: a strength (there are no levels), and `clip` where the length is not known. */
type Clipped<Name extends Mechanism> = Name extends 'privunit2'
  ? Numbers<'epsilon', 'clip'>
  : WithClip<Name extends LevelMechanism ? Metric : MechanismParameters[Name]>;
/** One alternative after the other, so that they stay apart. */
type WithClip<Told> = Told extends unknown ? Omit<Told, 'clip'> & { clip: number } : never;

/** How to represent vectors of another encoder. */
export type VectorsOptions<
  Name extends Exclude<VectorMechanism, 'mahalanobis'> | BitMechanism = Exclude<VectorMechanism, 'mahalanobis'> | BitMechanism,
> = { [Each in Name]: Named<Each, 'privunit2', Clipped<Each>> }[Name] & Shape;

/** By what mechanism to report a choice. Without one, it is `oue`, which estimates best. */
export type ChoiceTerms = { [Name in 'sue' | 'oue']: Named<Name, 'oue', Numbers<'epsilon'>> }['sue' | 'oue'];

/** How to report a choice. */
export type ChoiceOptions = ChoiceTerms & {
  /** Any name of what is answered, such as that of the form's field: each question of the page has its own. Stays here. */
  question: string;
};

/** What may leave the device, and the device's own account of how it came about. Deeply frozen. */
export type Release = shared.Release<Mechanism, keyof Parameters>;
/** A differential-privacy guarantee as data. It says nothing that is not proved. */
export type Guarantee = shared.Guarantee<Mechanism, keyof Parameters>;
/** A mechanism, for a page that builds its controls from the list. */
export type MechanismInfo = shared.MechanismInfo<Mechanism, keyof Parameters>;
/** A point that a slider can stand on, measured when the table was made. */
export type Level = shared.Level<LevelMechanism>;

/** What may leave the device: noisy vectors and what is promised about them. Each call gives a copy. */
export interface VectorRepresentation {
  /** One vector for each word, or a single one. */
  readonly vectors: readonly Float64Array[];
  /** What is promised about them. */
  readonly guarantee: Guarantee;
}

/** What may leave the device: noisy bits and what is promised about them. Each call gives a copy. */
export interface BitRepresentation {
  /** One bit string for each word, or a single one: eight bits a byte, the first in the highest place, the last byte filled with zeros. */
  readonly bits: readonly Uint8Array[];
  /** How many bits a string has. */
  readonly bitLength: number;
  /** What is promised about them. */
  readonly guarantee: Guarantee;
}

/** A representation. */
export type Representation = VectorRepresentation | BitRepresentation;

/** What a representation is for. */
interface Purpose {
  /** Any name of what the text is for, such as that of the form's field. Stays here. */
  field?: string | undefined;
}

/** What may leave the device: the noisy report of a choice and what is promised about it. Each call gives a copy. */
export interface ChoiceReport {
  /**
   * A noisy bit for each value of the list, in its order: eight bits a byte, the first in the highest place, the last byte
   * filled with zeros.
   */
  readonly bits: Uint8Array;
  /** How many bits there are: one for each value. */
  readonly bitLength: number;
  /** What is promised about them. */
  readonly guarantee: Guarantee;
}

type Api = Words<Options, Mechanism, LevelMechanism, keyof Parameters>;

/** Loads the module and the table: see {@link Words.init}. */
export const init: Api['init'];
/** Privatizes a text: see {@link Words.privatize}. */
export const privatize: Api['privatize'];
/** The same in slices: see {@link Words.privatizeAsync}. */
export const privatizeAsync: Api['privatizeAsync'];
/** The guarantee of one word, before anything is drawn: see {@link Words.guarantee}. */
export const guarantee: Api['guarantee'];
/** Every mechanism of this entry, with the names of its parameters: see {@link Words.mechanisms}. */
export const mechanisms: Api['mechanisms'];
/** The levels of the table: see {@link Words.levels}. */
export const levels: Api['levels'];
/** The likeliest outcomes of a token. **For the device only**: see {@link Words.alternatives}. */
export const alternatives: Api['alternatives'];

/** What protects a token under the options that were asked about. For the device only. */
export interface TokenDeniability {
  /** The token as typed (after NFKC). */
  readonly token: string;
  /** What the token was recognised as. `'kept'`: a word of `keepWords`. */
  readonly kind: 'word' | 'url' | 'email' | 'number' | 'kept';
  /** How it was found in the table; `null` for a placeholder and for a kept word. */
  readonly found: Found | null;
  /** The word of the table that it stands for; `null` for a placeholder, a kept word and an unknown word. */
  readonly input: string | null;
  /** `null` for what the options leave in clear. */
  readonly deniability: Deniability | null;
}

/** The plausible deniability of a word. */
export interface Deniability {
  /** N_w: how probable it is that the word comes out as itself; 0…1. */
  readonly kept: number;
  /** S_w: the least number of words that hold 95 % of what it may become. */
  readonly support: number;
  /** How many different words 1,000 draws are expected to give. */
  readonly distinct: number;
  /** e to the entropy of what it may become: as many equally likely words would be as uncertain. */
  readonly perplexity: number;
  /** Expected distance of what comes out. */
  readonly distance: number;
  /** Whether that was estimated by 1,000 draws; otherwise it is computed. */
  readonly estimated: boolean;
}

/**
 * What protects each word of a text, in its order, before it is privatized. Nothing is released. **For the device only: it
 * depends on the words.** To choose a level by it, choose once for all texts: a level that follows the text tells of it.
 *
 * @throws {TextveilError} as `privatize`
 */
export function deniability(text: string, options?: Options): readonly TokenDeniability[];

/** What a reader who takes each word alone makes of a word that came out. */
export interface Guesses {
  /** The words that may stand behind it, by falling probability. Empty if no candidate can turn into it. */
  readonly guess: readonly Guess[];
  /**
   * How probable it is that the word itself was typed where it came out, at most; 0…1: "if *cancer* stands there, it was
   * written in 1 of 8 cases". 0 for a word that never comes out. 1, or nearly, for a word that the options leave in clear.
   */
  readonly written: number;
  /** How many words were considered: the ones nearest to what came out, 200 of a larger table. */
  readonly candidates: number;
}

/** One of them. */
export interface Guess {
  readonly word: string;
  /** How probable it is that this word was typed, at most; 0…1. Of all candidates together, at most 1. */
  readonly probability: number;
}

/**
 * The likeliest words behind what came out for a word, for someone who knows the mechanism, how frequent words are in the
 * language, and nothing else: no words around it, no second release. Each guess gets at least its true probability: words
 * farther away than the candidates are counted with the least that ε leaves them. **For the device only**, where the
 * word is the user's. About 200 scans of the table: some tenths of a second.
 *
 * @param word What was drawn: a word of the table (`invalid-argument` otherwise). Unless `asDrawn` is set, a release may write
 *   another form of the word that was drawn ("is" behind "to" becomes "be"). These guesses do not count that.
 * @param k How many: a whole number from 1 to 1000. Default: 10.
 * @throws {TextveilError} as `privatize`; `not-offered` for a mechanism that does not state its probabilities
 */
export function guesses(word: string, options?: Options, k?: number): Guesses;

/**
 * The vectors of words, in units of the table: a picture of what "near" means. They are public, as the table is. An unknown
 * word has no vector: zeros stand for it. The vectors are copies.
 *
 * @throws {TextveilError} `not-ready`, `invalid-options`, `text-too-long`, `internal`
 */
export function vectors(words: readonly string[]): Float64Array[];

/**
 * The words of the table that the words of a text stand for, in their order: what a model on the device reads. `null` stands
 * for an unknown word, an address or a long number. **For the device only**: it is the text, in clear.
 *
 * @throws {TextveilError} `not-ready`, `invalid-options`, `text-too-long`, `internal`
 */
export function words(text: string): readonly (string | null)[];

/**
 * Loads the text encoder that whole texts are represented by, from now on: `textveil/english-text.tvt`, or one for the subject of
 * the texts, as `textveil table project` makes it. Call it after `init`.
 *
 * @throws {TextveilError} `not-ready`, `load-failed`, `bad-table`, `internal`; `other-encoder` for a table that is no text encoder
 */
export function encodeBy(source: Source): Promise<void>;

/**
 * Represents a text by noisy vectors of the table, or by noisy bits: what a model on a server can learn from. It holds nothing of
 * the text's shape except the number of words and, with `unit: 'word'`, their order.
 *
 * As with `privatize`, a text is drawn once: the same text under the same terms gives the same values again. A text that is
 * both privatized and represented has been released twice, and the losses add up.
 *
 * @param control `field`, as for `privatize`: equal representations for two fields would show that their texts are equal.
 * @throws {TextveilError} as `privatize`
 */
export function representation(text: string, options: RepresentationOptions<VectorMechanism>, control?: Purpose): VectorRepresentation;
export function representation(text: string, options: RepresentationOptions<BitMechanism>, control?: Purpose): BitRepresentation;
/**
 * The same by the text encoder of {@link encodeBy}: one vector for the whole text, under one guarantee for texts of any length.
 * Nothing else of the text shows.
 *
 * @throws {TextveilError} as `privatize`; `other-encoder` without an encoder; `dimension-mismatch`, `not-offered` for such `dims`
 */
export function representation(text: string, options: WholeTextOptions, control?: Purpose): VectorRepresentation;

/**
 * The same for the vectors that any other encoder gave: one for each word, or one for the text. Each is clipped to the norm
 * `clip` (`dpnr`: each coordinate to ±`clip`) and cut to a lattice of `clip`/4096. For `privunit2`, and so without a mechanism,
 * each must have length 1, and `clip` says nothing. **What is protected is a vector**: two lists are neighbours if they differ in one.
 * If the encoder looks at more than one word for a vector (as contextual ones do), what holds for a word is `epsilonText`.
 *
 * `privunit2` keeps the direction alone, and tells most where what all vectors have in common is subtracted first: their mean over
 * public texts, **never over private ones**.
 *
 * The same vectors for the same `field` under the same terms are drawn once.
 *
 * @throws {TextveilError} as `privatize`; `invalid-vector`, `dimension-mismatch`, `not-normalized`
 */
export function representationOf(
  vectors: readonly (readonly number[] | NumberArray)[],
  options: VectorsOptions<Exclude<VectorMechanism, 'mahalanobis'>>,
  control?: Purpose,
): VectorRepresentation;
export function representationOf(
  vectors: readonly (readonly number[] | NumberArray)[],
  options: VectorsOptions<BitMechanism>,
  control?: Purpose,
): BitRepresentation;

/**
 * Reports one value of a public list (an answer, a category, a rating) as a noisy bit for each value. At a small ε a single
 * report says little; from many, a collector estimates how often each value was chosen, with `Frequencies` of the Rust crate
 * `textveil`.
 *
 * ```js
 * const report = choice(2, 5, { question: 'smoker', epsilon: 1 });
 * ```
 *
 * An answer is drawn **once**: for the life of the page (or worker), the same answer to the same question under the same terms
 * gives the same bits. **A changed answer is another value, and a new release that spends again**: report the final answer, not
 * each click. One that is changed back gives its first report again, which shows that it was. Nothing is remembered beyond the
 * page: keep what has been sent rather than report it again on the next visit. Answers to several questions are several
 * releases, and the losses add up; so questions must not share a name, or equal answers would give equal reports.
 *
 * @param index Which value of the list: a whole number from 0 to `size` − 1.
 * @param size How many values the list has: a whole number from 2 to 65,536. The list must not depend on the answer.
 * @throws {TextveilError} `not-ready`, `invalid-argument`, `entropy-unavailable`, `internal`, and what is wrong with the options
 */
export function choice(index: number, size: number, options: ChoiceOptions): ChoiceReport;

/** What is proved of a user whose contribution is in the sum. */
export interface ContributionGuarantee {
  /** ε for the user, in nats: the request's, or the user's own. */
  readonly epsilon: number;
  /** δ. */
  readonly delta: number;
  /** Concentrated DP: ρ, from which ε and δ follow. */
  readonly rho: number;
  /** Who adds the noise: whoever holds the sum, or the devices. At least `least` of them must do so. */
  readonly noise: { readonly by: 'sum' } | { readonly by: 'devices'; readonly least: number };
  /** What the sum hides the difference of. Two sets of texts of one user differ by up to twice as much. */
  readonly neighbours: string;
  /**
   * Set if a known seed decided the noise. Then nothing is protected, and the numbers are those of the same noise under a
   * secret seed.
   */
  readonly knownSeed?: true;
  /** The guarantee in English, with what it depends on. */
  readonly statement: string;
}

/** What a device answers to a request. */
export interface Contribution {
  /**
   * One number after the other for each word of the request. **By itself it protects nobody**, with this device's share of the
   * noise as little as without it: send it only to where it is added up unseen.
   */
  readonly vector: Int32Array;
  /** The request's identity. */
  readonly id: string;
  /** What is proved of the user. */
  readonly guarantee: ContributionGuarantee;
  /** Bits of a number of `vector` to which `largest` was added: what a secure sum of vectors has to be told. */
  readonly bits: number;
  /** The largest absolute value of a number. */
  readonly largest: number;
}

/** Answers one request, once. */
export interface Contributor {
  /** The request's identity: a SHA-256 in hexadecimal. Store it once you have contributed. */
  readonly id: string;
  /**
   * What will be proved of a user, whose own `epsilon` may be smaller than the request's.
   *
   * @throws {TextveilError} `invalid-epsilon`, `invalid-options`
   */
  guarantee(options?: { epsilon?: number | undefined }): ContributionGuarantee;
  /**
   * Answers the request from all texts of the user. A user without anything to say answers as well, with `[]`. A text longer than
   * 1 MiB is left out.
   *
   * @param options `epsilon`: the user's own budget, at most the request's
   * @throws {TextveilError} `already-contributed` after an answer; `invalid-epsilon`, `entropy-unavailable`,
   * `invalid-options`, `internal`: then nothing was answered
   */
  contribute(texts: readonly string[], options?: { epsilon?: number | undefined }): Contribution;
}

/**
 * Prepares the answer to a request for new words, which a collector has published as JSON: what this user's texts say of the
 * words that it names, as one vector for a sum over many users. The sum under noise says what the words mean (`textveil table
 * extend`).
 *
 * ```js
 * const asked = await contributor(request);
 * if (!localStorage.getItem(asked.id)) {
 *   localStorage.setItem(asked.id, 'answered');
 *   await sendToSecureSum(asked.contribute(texts));
 * }
 * ```
 *
 * **A user answers a request once**: every further answer spends ε again. A contributor refuses a second one. It knows nothing of
 * other contributors and pages, so store `id` before the vector leaves, and answer no request whose `id` is stored. Another request
 * may ask for the same words. A ledger adds up what the answers spend: `const { epsilon, delta } = asked.guarantee();` and
 * `await ledger.spend('words', { epsilonText: epsilon, deltaText: delta })`.
 *
 * @param request The JSON, as the collector has published it.
 * @param options `table`: the table file that the request names, if it is not the one of `init`. `trustedSum`: answer a request
 * whose noise is added to the sum, or shared by more than 10,000 devices, too. The answer then holds no noise, or next to none.
 * @throws {TextveilError} as a rejection: `not-ready`, `noise-elsewhere`, `bad-request`, `other-table`, `load-failed`, `bad-table`, `invalid-options`
 */
export function contributor(
  request: string,
  options?: { table?: Source | undefined; trustedSum?: boolean | undefined },
): Promise<Contributor>;

/** Numbers as another encoder may hold them. */
export type NumberArray = Float32Array | Float64Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array;
