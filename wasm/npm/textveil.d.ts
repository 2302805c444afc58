/**
 * textveil: replaces the words of a text on the user's device, or makes a noisy representation of it or a noisy report of
 * a choice, before it is sent, under a stated differential-privacy guarantee.
 *
 * ```js
 * import { init, privatize } from 'textveil';
 *
 * await init();
 * const release = privatize('I was diagnosed with diabetes in March.');
 * await fetch('/notes', { method: 'POST', body: release.text });
 * ```
 */

/**
 * The numbers that mechanisms can be told. A name means the same for every mechanism; `MechanismParameters` says which takes
 * which.
 */
export interface Parameters {
  /** η: nats per unit of distance in the table. Above 0; smaller is more private. */
  eta: number;
  /** ε in nats, in the worst case: of one word, over any two words of the table (of one representation, for encodings). Above 0. */
  epsilon: number;
  /** A level of the table: the `index` of one of `levels()` of the same mechanism. */
  level: number;
  /** δ: between 0 and 1, both excluded. */
  delta: number;
  /** Euclidean norm that vectors are clipped to, in units of the table (for other encoders: in theirs). Above 0. */
  clip: number;
  /** λ: from 1 for `ome`; for `mahalanobis` the share of the vocabulary's shape in the noise, from 0 to 0.999. */
  lambda: number;
  /** γ: the distance from which on all words count as equally far, in units of the table. Above 0. */
  gamma: number;
  /** The second-nearest word's share, from 0 to 1. */
  t: number;
  /** Bits before the point of an encoded element, from 0 to 15; 4 unless told. */
  integerBits: number;
  /** Bits behind the point of an encoded element, from 0 to 15; 5 unless told. */
  fractionBits: number;
  /** How much more of ε the high bits get than the low ones, from 0 to 1000; 0 unless told. */
  tilt: number;
}

/** These numbers, those that may be left out, and no others. */
type Numbers<Needed extends keyof Parameters, Free extends keyof Parameters = never> = {
  [Name in Needed]: number;
} & { [Name in Free]?: number | undefined } & { [Name in Exclude<keyof Parameters, Needed | Free>]?: undefined };

/** By at most one of level, ε and η; without any, the table's default level. */
type Levelled = Numbers<never, 'level'> | Numbers<never, 'epsilon'> | Numbers<never, 'eta'>;
/** By one of ε and η. */
type Metric<Others extends keyof Parameters = never> = Numbers<'epsilon' | Others> | Numbers<'eta' | Others>;
type Bits = 'integerBits' | 'fractionBits';

/**
 * The mechanisms, and what each must and may be told.
 *
 * | mechanism | draws | puts out |
 * | --- | --- | --- |
 * | `exponential` | a word of the whole table, likelier the nearer; exact sampler; ε at most 76.01 however large η is | words |
 * | `truncated-exponential` | the same, in a distance that is cut off at γ | words |
 * | `class-exponential` | a word of the same public class (`not-offered` where the table has no classes) | words |
 * | `metric-laplace` | noise on the word's vector, then the nearest word | words, vectors |
 * | `vickrey` | the same, or by a coin the second nearest | words |
 * | `mahalanobis` | the same, with noise shaped like the vocabulary | words, vectors of the table |
 * | `lattice-laplace` | noise on each coordinate, scaled to the distance; exact sampler | words, vectors |
 * | `laplace`, `discrete-gaussian` | integer noise on each coordinate; exact samplers | words, vectors |
 * | `gaussian`, `truncated-laplace` | noise on each coordinate | words, vectors |
 * | `dpnr` | Laplace noise on a vector whose elements lie in [0, 1] | vectors |
 * | `privunit2` | a random vector in the direction of the representation | vectors |
 * | `sue`, `oue`, `ome`, `randomized-response` | each bit of a binary code, flipped at random | bits |
 * | `sue`, `oue`, by `choice` | the same with one bit for each value of a public list, all 0 but one | bits |
 */
export interface MechanismParameters {
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
/** A mechanism that tables store levels of. */
export type LevelMechanism = 'exponential' | 'metric-laplace';
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

/**
 * How the noise follows from the parameters: `sound`, so that what is asked for is what is proved; or `published`, as the
 * mechanism's paper has it. Then `guarantee.claim` says what the paper claims, and the rest of the guarantee what holds.
 */
export type Calibration = 'sound' | 'published';

/** What is said of a mechanism: its name (which may be left out for `Usual`), its calibration, and `Told`. */
type Named<Name extends Mechanism, Usual, Told> = Told &
  (Name extends Usual ? { mechanism?: Name | undefined } : { mechanism: Name }) & {
    calibration?: (Name extends PublishedMechanism ? Calibration : 'sound') | undefined;
  };

/**
 * What to do with a text: a plain object. Anything else, and a name that is not listed here, is refused
 * (`invalid-options`), not ignored. Without a mechanism, it is `exponential`.
 */
export type Options = {
  [Name in WordMechanism]: Named<Name, 'exponential', MechanismParameters[Name]>;
}[WordMechanism] & {
  /**
   * Leave function words (the, of, and, …) in clear. So are acronyms and names spelled like one (US, WHO, Will, May). Which
   * they are and where they stand becomes public.
   */
  keepFunctionWords?: boolean | undefined;
  /** Send `[url]`, `[email]` and `[number]` for tokens of that kind. Where which kind stands becomes public. */
  placeholders?: boolean | undefined;
};

/** One row for a text or one for each word, and which words are left out before that. */
interface Shape {
  /** `text` (unless told): one row, of the mean of the words' vectors. `word`: one row for each word. */
  unit?: 'text' | 'word' | undefined;
  /**
   * The share of words whose vector becomes null at random, at least 0 and below 1. It makes the guarantee stronger. Not
   * offered with a mechanism of metric DP.
   */
  dropout?: number | undefined;
  /** `random` (unless told): a coin for each word. `fixed`: that share of the words, rounded up to a whole number of them. */
  dropoutSize?: 'random' | 'fixed' | undefined;
  /**
   * Whether each word is left out; not with `dropout`. What is chosen is not random, and strengthens no guarantee; it counts
   * as public, so that it must not be chosen by what the words say.
   */
  mask?: readonly boolean[] | undefined;
}

/** How to represent a text by vectors of the table. */
export type RepresentationOptions<Name extends VectorMechanism | BitMechanism = VectorMechanism | BitMechanism> = {
  [Each in Name]: Named<Each, never, MechanismParameters[Each]>;
}[Name] &
  Shape;

/** What a mechanism is told of another encoder's vectors: a strength, as there are no levels, and always `clip`. */
type Clipped<Name extends Mechanism> = WithClip<Name extends LevelMechanism ? Metric : MechanismParameters[Name]>;
/** One alternative after the other, so that they stay apart. */
type WithClip<Told> = Told extends unknown ? Omit<Told, 'clip'> & { clip: number } : never;

/** How to represent vectors of another encoder. */
export type VectorsOptions<
  Name extends Exclude<VectorMechanism, 'mahalanobis'> | BitMechanism = Exclude<VectorMechanism, 'mahalanobis'> | BitMechanism,
> = { [Each in Name]: Named<Each, never, Clipped<Each>> }[Name] & Shape;

/** By what mechanism to report a choice. Without one, it is `oue`, which estimates best. */
export type ChoiceTerms = { [Name in 'sue' | 'oue']: Named<Name, 'oue', Numbers<'epsilon'>> }['sue' | 'oue'];

/** How to report a choice. */
export type ChoiceOptions = ChoiceTerms & {
  /** Any name of what is answered, such as that of the form's field: each question of the page has its own. Stays here. */
  question: string;
};

/** What may leave the device, and the device's own account of how it came about. Deeply frozen. */
export interface Release {
  /** The privatized text. This, and the guarantee, is what may be sent. */
  readonly text: string;
  /** What is promised about `text`. */
  readonly guarantee: Guarantee;
  /**
   * Word by word, what became of the text. **For the device only: it holds the words typed and must not be uploaded.** It
   * is not enumerable, so that `JSON.stringify(release)`, `{ ...release }`, `structuredClone` and `postMessage` leave it
   * out; a worker that shows it on its own device names it: `postMessage({ ...release, account: release.account })`.
   */
  readonly account: readonly Entry[];
}

/** What became of one token. For the device only. */
export interface Entry {
  /** The token as typed (after NFKC). */
  readonly token: string;
  /** What the token was recognised as. */
  readonly kind: 'word' | 'url' | 'email' | 'number';
  /** How it was found in the table; `null` where a placeholder was sent, which needs no word. */
  readonly found: Found | null;
  /** The word of the table that it stood for; `null` where a placeholder was sent. */
  readonly input: string | null;
  /** The word that was sent; `null` where a placeholder was. */
  readonly output: string | null;
  /** Whether it was sent in the clear, by an option, without going through the mechanism. */
  readonly clear: boolean;
  /** Whether the word sent is the word it stood for. */
  readonly kept: boolean;
}

/** How a token was found in the table: `exact`, by a `near` spelling, or `hashed` to a row because it is unknown. */
export type Found = 'exact' | 'near' | 'hashed';

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

/** A differential-privacy guarantee as data. It says nothing that is not proved. */
export interface Guarantee {
  readonly mechanism: Mechanism;
  /** Whether the noise is calibrated soundly, or as published: then see `claim`. */
  readonly calibration: Calibration;
  /** The parameters that it was given, but for `eta`, `epsilon` and `level`, which the numbers below speak of. */
  readonly parameters: Readonly<Partial<Parameters>>;
  /** Pure ε-DP, (ε, δ)-DP, or metric DP: see `eta`. */
  readonly notion: 'pure-dp' | 'approximate-dp' | 'metric-dp';
  /** What one draw protects. If that is a `value` of a public list, what is said below of a word or a text is said of it. */
  readonly unit: 'word' | 'text' | 'value';
  /** Which texts are compared, in words. */
  readonly neighbours: string;
  /**
   * Metric DP alone: η in nats per unit of `metric`. Whatever came out, it is at most e^(η·d) times likelier for the one than
   * for the other of any two words at distance d in one place, the rest of the text being the same.
   */
  readonly eta: number | null;
  /** The distance that `eta` is about. */
  readonly metric: 'euclidean' | 'truncated-euclidean' | 'mahalanobis' | null;
  /** ε of exchanging one private word for any other that is its neighbour, in nats. */
  readonly epsilonWord: number;
  /** δ of the same. */
  readonly deltaWord: number;
  /** How many words went through the mechanism (1 where no text has been given yet). */
  readonly words: number;
  /** ε of exchanging every private word of the text, in nats. A word that stands n times is drawn n times, and its loss adds up n-fold. */
  readonly epsilonText: number;
  /** δ of the same; 1 is no promise at all. */
  readonly deltaText: number;
  /** Published calibration alone: what the mechanism's paper claims. */
  readonly claim: Claim | null;
  /** Whether draws follow the proof exactly: `totalVariation` is 0. */
  readonly exactSampler: boolean;
  /**
   * How far the law of what was drawn may be from the one that `eta` (or an ε without δ) is about, in total variation over
   * the text. The δs allow for it; `eta` cannot, it is that of ideal noise.
   */
  readonly totalVariation: number;
  /**
   * What is public, by stable id: `word-count` (the number of pieces and their order; a symbol, an emoji, a character of
   * Chinese is a piece of its own), `punctuation`, `white-space`; by choice `function-words`, `placeholders`; with
   * `class-exponential` `word-classes`; with a `mask`, `mask`.
   */
  readonly clear: readonly string[];
  /** SHA-256 of the table, in hex; `null` for vectors of another encoder and values of a list. */
  readonly table: string | null;
  /** The guarantee in plain English. */
  readonly statement: string;
}

/** What a mechanism's paper says of one word (of one representation, for encodings). */
export interface Claim {
  readonly epsilon: number;
  readonly delta: number;
  /** Where it is said. */
  readonly source: string;
  /** Whether what is proved implies it. Where it does not, the claim may be refuted or only unproved. */
  readonly holds: boolean;
}

/** A mechanism, for a page that builds its controls from the list. */
export interface MechanismInfo {
  readonly name: Mechanism;
  /** The parameters that it takes. */
  readonly parameters: readonly (keyof Parameters)[];
  /** Whether it can be asked for in the `published` calibration. */
  readonly hasPublished: boolean;
}

/** A point that a slider can stand on, measured when the table was made. */
export interface Level {
  readonly mechanism: LevelMechanism;
  /** What to pass as `level`. Counts from 0 within the mechanism, from the most private on. */
  readonly index: number;
  /** Nats per unit of distance. */
  readonly eta: number;
  /** ε of one word in nats, in the worst case. */
  readonly epsilonWord: number;
  /** δ of the same: 0 for exact samplers, 1 where nothing is proved about words that are far apart. */
  readonly deltaWord: number;
  /** Share of the table's words that come out as themselves, all words alike; 0…1. */
  readonly retention: number;
  /** The same, words weighted by how often they are used: what a reader of ordinary text meets; 0…1. */
  readonly retentionByFrequency: number;
  /** Whether this is the level used when no strength is asked for. */
  readonly isDefault: boolean;
}

/** What a word could have become. For the device only: the probabilities tell which word was typed. */
export interface Alternatives {
  /** The word of the table that the token stands for. */
  readonly input: string;
  /** How it was found. */
  readonly found: Found;
  /** The likeliest outcomes, the word itself among them, by falling probability. */
  readonly distribution: readonly Alternative[];
  /** Whether the probabilities were estimated by simulation; otherwise they are computed. */
  readonly estimated: boolean;
}

/** One outcome of a word. */
export interface Alternative {
  readonly word: string;
  /** Chance that the word comes out as this one; 0…1. */
  readonly probability: number;
  /** Distance between the two in the table. */
  readonly distance: number;
  /**
   * Whatever came out, it is at most this many times likelier for the one word than for the other, δ and inexact noise apart:
   * e^(η·distance), at most e^`epsilonWord`; where there is no η, or another metric, the latter.
   */
  readonly factor: number;
}

/**
 * What went wrong.
 *
 * - `not-ready`: `init` has not finished.
 * - `load-failed`: the module or the table could not be fetched or compiled. `init` may be called again.
 * - `unsupported`: the engine has no WebAssembly with 128-bit SIMD.
 * - `bad-table`: the table file is damaged or not a table.
 * - `invalid-options`: an option or argument has the wrong type, an unknown name, or contradicts another; or the mechanism
 *   does not take it.
 * - `invalid-mechanism`: there is no such mechanism. `invalid-calibration`: or it has no such calibration.
 * - `invalid-eta`, `invalid-epsilon`, …: that parameter is missing or out of its range.
 * - `invalid-scale`, `invalid-argument`: the noise would be beyond what can be drawn, or computed, exactly.
 * - `invalid-argument` also: there is no list of that size, or it has no such value.
 * - `invalid-dropout`, `invalid-mask`: the rate is out of its range; the mask has not one entry for each word.
 * - `invalid-vector`: no vector at all, an empty one, or one with what is not a finite number.
 * - `dimension-mismatch`: a vector of another length than the first, or of more than 4096 dimensions.
 * - `not-normalized`: `privunit2` takes vectors of length 1.
 * - `not-offered`: the mechanism cannot put out this from that: words, or vectors, of this table.
 * - `text-too-long`: more than 1 MiB of UTF-8 after NFKC, or more than 2^20 UTF-16 units before.
 * - `entropy-unavailable`: the platform gives no secure random numbers.
 * - `internal`: the module has crashed. It stays shut until the page is reloaded.
 */
export type ErrorCode =
  | 'not-ready'
  | 'load-failed'
  | 'unsupported'
  | 'bad-table'
  | 'invalid-options'
  | 'invalid-mechanism'
  | 'invalid-calibration'
  | 'invalid-eta'
  | 'invalid-epsilon'
  | 'invalid-level'
  | 'invalid-delta'
  | 'invalid-clip'
  | 'invalid-lambda'
  | 'invalid-gamma'
  | 'invalid-t'
  | 'invalid-integer-bits'
  | 'invalid-fraction-bits'
  | 'invalid-tilt'
  | 'invalid-scale'
  | 'invalid-argument'
  | 'invalid-dropout'
  | 'invalid-mask'
  | 'invalid-vector'
  | 'dimension-mismatch'
  | 'not-normalized'
  | 'not-offered'
  | 'text-too-long'
  | 'entropy-unavailable'
  | 'internal';

/** Every failure of this package. Never holds the user's text. */
export class TextveilError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
  readonly name: 'TextveilError';
  /** Stable; what a program should look at. */
  readonly code: ErrorCode;
}

/** Where a file comes from: an address, a response (or a promise of one), or its bytes. */
export type Source = URL | string | Response | PromiseLike<Response> | ArrayBuffer | ArrayBufferView;

/** `WebAssembly.Module`, where the compilation knows of it (a project for Node alone may not). */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never;

/**
 * Loads the WebAssembly module and the table. Call it once, early; later calls give the same promise and ignore their
 * argument, except to refuse what is not one. After a failure it may be called again.
 *
 * @param source Other places for the two files; without it they are taken from beside this module. A string is resolved
 * against the page, as `fetch` does. The table decides the language and the vocabulary.
 * @throws {TextveilError} `invalid-options`, `load-failed`, `unsupported`, `bad-table`, `internal`
 */
export function init(source?: {
  wasm?: Source | CompiledModule | undefined;
  table?: Source | undefined;
}): Promise<void>;

/**
 * Privatizes a text: the only thing that leaves the device should be the result's `text` (and its `guarantee`).
 *
 * A text is drawn **once**: for the life of the page (or worker), the same text under the same terms gives the very
 * same release, because every further draw would spend privacy again. Texts and releases are remembered in memory, in
 * plain text, for as long. Any edit is another text and draws all its words anew: privatize the finished text, not each
 * keystroke. Synchronous, about half a millisecond a word.
 *
 * @throws {TextveilError} `not-ready`, `text-too-long`, `entropy-unavailable`, `internal`, and what is wrong with the options
 */
export function privatize(text: string, options?: Options): Release;

/**
 * The guarantee that `privatize` would give for a text of one word, before anything is drawn.
 *
 * @throws {TextveilError} as `privatize`
 */
export function guarantee(options?: Options): Guarantee;

/**
 * Represents a text by noisy vectors of the table, or by noisy bits: what a model on a server can learn from. Of the text's
 * shape nothing is in it but the number of words, and with `unit: 'word'` their order.
 *
 * As with `privatize`, a text is drawn once: the same text under the same terms gives the same values again. A text that is
 * both privatized and represented has been released twice, and the losses add up.
 *
 * @throws {TextveilError} as `privatize`
 */
export function representation(text: string, options: RepresentationOptions<VectorMechanism>): VectorRepresentation;
export function representation(text: string, options: RepresentationOptions<BitMechanism>): BitRepresentation;

/**
 * The same for the vectors that any other encoder gave: one for each word, or one for the text. Each is clipped to the norm
 * `clip` (`dpnr`: each coordinate to ±`clip`; `privunit2`: each must have length 1) and cut to a lattice of `clip`/4096. **What is protected is a vector**: two lists are neighbours if they differ in one.
 * If the encoder looks at more than one word for a vector (as contextual ones do), what holds for a word is `epsilonText`.
 *
 * The same vectors under the same terms are drawn once.
 *
 * @throws {TextveilError} as `privatize`; `invalid-vector`, `dimension-mismatch`, `not-normalized`
 */
export function representationOf(
  vectors: readonly (readonly number[] | NumberArray)[],
  options: VectorsOptions<Exclude<VectorMechanism, 'mahalanobis'>>,
): VectorRepresentation;
export function representationOf(
  vectors: readonly (readonly number[] | NumberArray)[],
  options: VectorsOptions<BitMechanism>,
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

/** Numbers as another encoder may hold them. */
export type NumberArray = Float32Array | Float64Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array;

/**
 * Every mechanism, with the names of its parameters.
 *
 * @throws {TextveilError} `not-ready`, `internal`
 */
export function mechanisms(): readonly MechanismInfo[];

/**
 * The levels of the table, for all mechanisms, each ordered from the most private on.
 *
 * @throws {TextveilError} `not-ready`, `internal`
 */
export function levels(): readonly Level[];

/**
 * The `k` likeliest outcomes of a token. **For the device only**: the probabilities tell which word was typed.
 *
 * @param k How many: a whole number from 1 to 1000; 10 unless told.
 * @throws {TextveilError} as `privatize`
 */
export function alternatives(token: string, options?: Options, k?: number): Alternatives;
