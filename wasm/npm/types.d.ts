/** What the two entries have in common. */

import type { LedgerState, Spent } from './ledger.js';

/** The numbers that the mechanisms of both entries take. */
export interface Strengths {
  /** η: nats per unit of distance in the table. Above 0; smaller is more private. */
  eta: number;
  /** ε in nats, in the worst case: of one word, over any two words of the table (of one representation, for encodings). Above 0. */
  epsilon: number;
  /** A level of the table: the `index` of one of `levels()` of the same mechanism. */
  level: number;
}

/**
 * The levels of `nearest` by name. `statistics` is for counting and classifying many texts; `readable` is for people who read what
 * comes out; `balanced`, the default, is for both.
 */
export type Preset = 'statistics' | 'balanced' | 'readable';

/** The numbers that `nearest` takes in addition to ε. Those that are not given come from its level. */
export interface Nearness {
  /**
   * The share of a public base measure that the words nearest to a word hold. Above 0 and below 1; and large enough for the
   * lightest word of the table, and too small for all words.
   */
  mass: number;
  /** A word counts in that measure in proportion to its frequency to this power: from 0 (all words alike) to 1. */
  frequencyPower: number;
}

/** Of all parameters these numbers, those that may be left out, and no others. */
export type Numbers<Parameter extends string, Needed extends Parameter, Free extends string = never> = {
  [Name in Needed]: number;
} & { [Name in Free]?: number | undefined } & { [Name in Exclude<Parameter, Needed | Free>]?: undefined };

/** By at most one of level, ε and η; without any, the table's default level. */
export type Levelled<Parameter extends string> =
  | Numbers<Parameter, never, 'level'>
  | Numbers<Parameter, never, 'epsilon'>
  | Numbers<Parameter, never, 'eta'>;

/** By at most one of level, preset and ε; without any, the default level. A level has an ε, a mass and a frequency power. */
export type Near<Parameter extends string> =
  | (Numbers<Parameter, never, 'level' | keyof Nearness> & { preset?: undefined })
  | (Numbers<Parameter, never, 'epsilon' | keyof Nearness> & { preset?: undefined })
  | (Numbers<Parameter, never, keyof Nearness> & { preset: Preset });

/**
 * How the noise follows from the parameters: `sound`, so that what is asked for is what is proved; or `published`, as the
 * mechanism's paper has it. Then `guarantee.claim` says what the paper claims, and the rest of the guarantee what holds.
 */
export type Calibration = 'sound' | 'published';

/** What of a text may be sent as it is. */
export interface InTheClear {
  /**
   * Leave function words (the, of, and, …) in clear. So are acronyms and names spelled like one (US, WHO, Will, May). Which
   * they are and where they stand becomes public.
   */
  keepFunctionWords?: boolean | undefined;
  /**
   * Send `[url]`, `[email]` and `[number]` for tokens of that kind, unless it is `false`. Where which kind stands is public then. With
   * `false`, a word is drawn for each.
   */
  placeholders?: boolean | undefined;
  /**
   * Words that stay in clear where they stand, as they are written here: names of products. Each is one word, of at most 64 bytes,
   * and there are at most 1,000. They need not be in the table. Which of them stands where becomes public.
   */
  keepWords?: readonly string[] | undefined;
  /**
   * Keep of the layout only where sentences end: `.` (also of an abbreviation), `!` and `?` become `.`, and one space stands
   * between words. So less becomes public than without it: the rest of the punctuation and white space does not show.
   */
  plainLayout?: boolean | undefined;
}

/** How words are written. */
export interface Writing {
  /**
   * Send words as they were drawn, for whoever counts them. Without this, a word may be sent in another form, which agrees with the
   * words next to it ("an apple", "to say"). That is made of the drawn words and the layout alone, and costs no privacy.
   */
  asDrawn?: boolean | undefined;
  /**
   * Words that never come out, in whatever case, except in placeholders (`[number]`): the nearest other word of the table is sent instead of each. At most 1,000.
   * That changes with what probability words come out, so that a collector must know of it.
   */
  neverSay?: readonly string[] | undefined;
}

/** A span of a text that must not leave the device. */
export interface Span {
  /** Where it begins, as strings count (units of UTF-16, as `match.index`), in the text as typed. */
  readonly start: number;
  /** Where it ends: the place behind its last character. */
  readonly end: number;
  /**
   * What it is, as a name that is sent: a letter, then up to 23 letters, digits, `-` and `_`. Capitals become small, and `_` becomes
   * `-`: `PHONE_NUMBER` is sent as `[phone-number]`.
   */
  readonly kind: string;
}

/** What a detector found in this text. */
export interface Spans {
  /**
   * Take these spans out before anything is drawn. A placeholder with its kind takes the place of each; whatever token a span
   * touches goes with it. Spans of one kind that overlap are one. A span inside another one goes with it. Nothing else of what
   * stood in a span shows: no length, no number of words. An empty array says that a detector found nothing.
   *
   * What the detector chose becomes public, and may tell something of the words next to it: no number of the guarantee covers that.
   */
  spans?: readonly Span[] | undefined;
}

/** Whether texts of other languages than the table's are accepted. */
export interface AnyLanguage {
  /**
   * Take a text also if it is mostly not of the language of the table, or of the text encoder. What comes out has nothing to do with
   * its words. Without this, it is refused (`other-language`).
   */
  anyLanguage?: boolean | undefined;
}

/** What may leave the device, and the device's own account of how it came about. Deeply frozen. */
export interface Release<Name extends string, Parameter extends string> {
  /** The privatized text. This, and the guarantee, is what may be sent. */
  readonly text: string;
  /** What is promised about `text`. */
  readonly guarantee: Guarantee<Name, Parameter>;
  /**
   * Word by word, what became of the text. **For the device only: it holds the words typed and must not be uploaded.** It
   * is not enumerable, so that `JSON.stringify(release)`, `{ ...release }`, `structuredClone` and `postMessage` leave it
   * out; a worker that shows it on its own device names it: `postMessage({ ...release, account: release.account })`.
   */
  readonly account: readonly Entry[];
}

/** What became of one token. For the device only. */
export interface Entry {
  /** The token as typed (after NFKC). For `redacted` and `kept`, what was sent in its place. */
  readonly token: string;
  /** What the token was recognised as; `redacted` for one of `spans`, `kept` for a word of `keepWords`. */
  readonly kind: 'word' | 'url' | 'email' | 'number' | 'redacted' | 'kept';
  /** How it was found in the table; `null` where a placeholder was sent, which needs no word, and for a kept word. */
  readonly found: Found | null;
  /** The word of the table that it stood for; `null` for an unknown word, a kept word, and where a placeholder was sent. */
  readonly input: string | null;
  /** The word that was drawn, or that was sent in clear; `null` where a placeholder was sent, and for a kept word. */
  readonly output: string | null;
  /** The word that was sent, except for its capital: `output`, or another form of it that agrees with the words next to it. */
  readonly written: string | null;
  /** Whether it was sent in the clear, by an option, without going through the mechanism. */
  readonly clear: boolean;
  /** Whether the word sent is the word it stood for; `false` for an unknown word, and for one of `keepWords`. */
  readonly kept: boolean;
}

/** How a token was found in the table: `exact`, by a `near` spelling, or not at all: what replaces an `unknown` one does not depend on it. */
export type Found = 'exact' | 'near' | 'unknown';

/** A differential-privacy guarantee as data. It says nothing that is not proved. */
export interface Guarantee<Name extends string, Parameter extends string> {
  readonly mechanism: Name;
  /** Whether the noise is calibrated soundly, or as published: then see `claim`. */
  readonly calibration: Calibration;
  /** The parameters of the mechanism, without `eta`, `epsilon` and `level`: the numbers below state those. */
  readonly parameters: { readonly [Told in Parameter]?: number };
  /**
   * Pure ε-DP, (ε, δ)-DP, or metric DP: see `eta`. `known-seed` promises nothing: a known seed decided the draw.
   * The numbers are then those of the mechanism with a secret seed. This package never draws so, and a server refuses it.
   */
  readonly notion: 'pure-dp' | 'approximate-dp' | 'metric-dp' | 'known-seed';
  /** What one draw protects. `whole-text` is a text of any length, which is exchanged for statements of a list. If it is a `value` of a public list, what is said below of a word or a text is said of it. */
  readonly unit: 'word' | 'text' | 'whole-text' | 'value';
  /** Which texts are compared, in words. */
  readonly neighbours: string;
  /**
   * For metric DP: η in nats per unit of `metric`. Take any two words at distance d in one place, in texts that are otherwise equal.
   * Each outcome is at most e^(η·d) times as likely for the first word as for the second.
   */
  readonly eta: number | null;
  /** The distance that `eta` is about. */
  readonly metric: 'euclidean' | 'truncated-euclidean' | 'mahalanobis' | null;
  /** For `truncated-euclidean`, from where on all distances count as this one. */
  readonly cutoff: number | null;
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
   * Chinese is a piece of its own), `punctuation`, `white-space` (with `plainLayout` `sentence-ends` in
   * their place); by choice `function-words`, `placeholders`, `kept-words`, `redactions`; with `class-exponential` `word-classes`; with a `mask`, `mask`;
   * unless `anyLanguage`, `language`: that the text is not refused as one of another language.
   */
  readonly clear: readonly string[];
  /** SHA-256 of the table, in hex; `null` for vectors of another encoder and values of a list. */
  readonly table: string | null;
  /** The list of the words that stay in clear; only there if there is one. */
  readonly keptWords?: WordList;
  /** The list of the words that never come out; only there if there is one. */
  readonly neverSaid?: WordList;
  /** The guarantee in plain English. */
  readonly statement: string;
}

/** A guarantee without the fields that follow from the others. */
export type ShortGuarantee<Name extends string, Parameter extends string> = Omit<Guarantee<Name, Parameter>, 'neighbours' | 'exactSampler' | 'statement'> & {
  /** The SHA-256 of all fields, in hex: of their JSON in the canonical form of RFC 8785. */
  readonly digest: string;
};

/** Which public list of words a guarantee speaks of. */
export interface WordList {
  /** How many words it has, without repetitions. */
  readonly words: number;
  /** SHA-256 of its words in the order of their spellings, each with a line feed behind it, in hex. */
  readonly digest: string;
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
export interface MechanismInfo<Name extends string, Parameter extends string> {
  readonly name: Name;
  /** The parameters that it takes. */
  readonly parameters: readonly Parameter[];
  /** Whether it can be asked for in the `published` calibration. */
  readonly hasPublished: boolean;
}

/** A point that a slider can stand on. */
export interface Level<Name extends string> {
  readonly mechanism: Name;
  /** What to pass as `level`. Counts from 0 within the mechanism, from the most private on. */
  readonly index: number;
  /** Nats per unit of distance; `null` for `nearest`, to which distances do not count. */
  readonly eta: number | null;
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
  /**
   * For `certified` and `plateau`: what was computed over all pairs of words when the table was made. The η and ε of `certified` are
   * the largest losses; those of `plateau` are upper bounds.
   */
  readonly certificate: Certificate | null;
  /** For `nearest`: what to pass as `frequencyPower`; else `null`. */
  readonly frequencyPower: number | null;
  /** For `nearest`: what to pass as `mass`; else `null`. */
  readonly mass: number | null;
  /** The name of the level, if it has one. */
  readonly preset: Preset | null;
}

/** What is certified of a level: the channel P(y|x) ∝ g(y)·e^(−β·max(m(x,y), near)), m = min(d, cutoff), and what it does. */
export interface Certificate {
  /** β in nats per unit of distance. */
  readonly beta: number;
  /** Words at least so far apart count as so far apart. */
  readonly cutoff: number;
  /** Words at most so far apart are as likely as the word itself; 0 for `certified`. */
  readonly near: number;
  /** An η for which the channel is metric DP; for `certified` the least. */
  readonly eta: number;
  /** A bound of the loss of any pair of words in nats; for `certified` the largest loss. */
  readonly epsilon: number;
  /** ln g falls by this many nats per code. */
  readonly step: number;
  /** Share of the table's words that come out as themselves, all words alike; 0…1. */
  readonly retention: number;
  /** The same, words weighted by how often they are used; 0…1. */
  readonly retentionByFrequency: number;
  /** How many words a word hides among, on average: e^entropy of what it may become. */
  readonly support: number;
  /** Mean distance of what is drawn from what went in. */
  readonly expectedDistance: number;
  /** How often a reader of single words who knows the mechanism guesses the word, all words being equally likely; 0…1. */
  readonly inversion: number;
  /** The same, words being as likely as in the language; 0…1. */
  readonly inversionByFrequency: number;
}

/** What a word could have become. For the device only: the probabilities tell which word was typed. */
export interface Alternatives {
  /** The word of the table that the token stands for; `null` for an unknown word. */
  readonly input: string | null;
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
  /** Distance between the two in the table. An unknown word is as far from every word as distances count, or from a public point between them. */
  readonly distance: number;
  /**
   * Each outcome is at most this many times as likely for one of the words as for the other, not counting δ and inexact noise:
   * e^(η·distance), the distance being cut off where the guarantee's is, at most e^`epsilonWord`; where there is no η, or one of
   * the Mahalanobis distance, the latter.
   */
  readonly factor: number;
}

/**
 * What went wrong.
 *
 * - `not-ready`: `init` has not finished.
 * - `load-failed`: the module or the table could not be fetched or compiled. `init` may be called again. Cloudflare Workers, and Jest
 *   with a package compiled to CommonJS, do not say where the two files are: pass them, `init({ wasm, table })`.
 * - `unsupported`: the engine has no WebAssembly; or, in a form, it fires no `formdata` event (jsdom, happy-dom: see `textveil/testing`).
 * - `bad-table`: the table file is damaged or not a table.
 * - `bad-statements`: the file of a list of statements is damaged or no list.
 * - `other-encoder`: the table is no text encoder, or not the one that the list was made with; or the encoder is missing.
 * - `invalid-options`: an option or argument has the wrong type, an unknown name, or contradicts another; or the mechanism
 *   does not take it.
 * - `invalid-mechanism`: there is no such mechanism, or only in `textveil/all`. `invalid-calibration`: or it has no such calibration.
 * - `invalid-eta`, `invalid-epsilon`, …: that parameter is missing or out of its range.
 * - `invalid-scale`, `invalid-argument`: the noise would be beyond what can be drawn, or computed, exactly.
 * - `invalid-argument` also: there is no list of that size, or it has no such value; or what came out is no word of the table.
 * - `invalid-dropout`, `invalid-mask`: the rate is out of its range; the mask has not one entry for each word.
 * - `invalid-vector`: no vector at all, an empty one, or one with what is not a finite number.
 * - `dimension-mismatch`: a vector of another length than the first, or of more than 4096 dimensions.
 * - `not-normalized`: `privunit2` takes vectors of length 1.
 * - `not-offered`: the mechanism cannot put out this from that: words, or vectors, of this table; or it does not state its
 *   probabilities.
 * - `invalid-span`: a span is empty, not in the text, ends within a character, has a kind that is no such name, or
 *   overlaps one of another kind. The message says its number.
 * - `invalid-keep-words`, `invalid-never-say`: what is no single word, is one too many or in both lists, or leaves no word that
 *   could come out. The message says its number.
 * - `detector-failed`: in a form, the function `redact` threw, was rejected, gave no array, or took more than 10 seconds. It has no cause: that might quote the text.
 * - `text-too-long`: more than 1 MiB of UTF-8 after NFKC, or more than 2^20 UTF-16 units before.
 * - `other-language`: the text is mostly of words that the table, or the text encoder, does not know, as one of another language is. `anyLanguage` takes it.
 * - `invalid-budget`: a scope's budget or its name is missing, unusable, or given twice.
 * - `budget-exhausted`: the release would lose more than is left of its scope's budget. It must not leave.
 * - `bad-ledger`: what is stored of the ledger is damaged, older than what is known, or missing. Nothing may leave, until
 *   `startOver`.
 * - `storage-failed`: the ledger could not be read or stored. Nothing may leave; what was stored of a loss stays spent.
 * - `not-recorded`: a form was sent before its release was recorded in the ledger; it goes without that field.
 * - `entropy-unavailable`: the platform gives no secure random numbers.
 * - `internal`: the module has crashed. It stays shut until the page is reloaded.
 */
export type ErrorCode =
  | 'not-ready'
  | 'load-failed'
  | 'unsupported'
  | 'bad-table'
  | 'bad-statements'
  | 'other-encoder'
  | 'bad-request'
  | 'other-table'
  | 'noise-elsewhere'
  | 'already-contributed'
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
  | 'invalid-mass'
  | 'invalid-frequency-power'
  | 'invalid-scale'
  | 'invalid-argument'
  | 'invalid-dropout'
  | 'invalid-mask'
  | 'invalid-vector'
  | 'dimension-mismatch'
  | 'not-normalized'
  | 'not-offered'
  | 'invalid-span'
  | 'invalid-keep-words'
  | 'invalid-never-say'
  | 'detector-failed'
  | 'text-too-long'
  | 'other-language'
  | 'invalid-budget'
  | 'budget-exhausted'
  | 'bad-ledger'
  | 'storage-failed'
  | 'not-recorded'
  | 'entropy-unavailable'
  | 'internal';

/** Every failure of this package. Never holds the user's text. */
export class TextveilError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
  readonly name: 'TextveilError';
  /** Stable; what a program should look at. */
  readonly code: ErrorCode;
}

/** Where a file comes from: an address, a response (or a promise of one), its bytes, or a function that gives one of these at each try. */
export type Source = Content | (() => Content);
type Content = KnownUrl | string | KnownResponse | PromiseLike<KnownResponse> | ArrayBuffer | ArrayBufferView;

// These are types of the platform, where the compilation knows them. A project without the DOM library may not.

/** `WebAssembly.Module`. */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never;
/** `URL`. */
export type KnownUrl = typeof globalThis extends { URL: { prototype: infer Url } } ? Url : never;
/** `Response`. */
export type KnownResponse = typeof globalThis extends { Response: { prototype: infer Answer } } ? Answer : never;
/** `AbortSignal`. */
export type KnownSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : never;

/** What both entries do with words: `Name` are the mechanisms, `Levelled` those with levels, `Parameter` their parameters. */
export interface Words<Options, Name extends string, Levelled extends string, Parameter extends string> {
  /**
   * Loads the WebAssembly module and the table. Call it once, early; later calls give the same promise and ignore their
   * argument, except to refuse what is not one. After a failure it may be called again.
   *
   * @param source Other places for the two files; without it they are taken from the folder of this module. A string is resolved
   * against the page, as `fetch` does. The table decides the language and the vocabulary. There are two modules: a function
   * is told whether the engine has 128-bit SIMD and gives the one that it can run.
   * @throws {TextveilError} `invalid-options`, `load-failed`, `unsupported`, `bad-table`, `internal`
   */
  init(source?: {
    wasm?: Source | CompiledModule | ((simd: boolean) => Source | CompiledModule) | undefined;
    table?: Source | undefined;
  }): Promise<void>;

  /**
   * Privatizes a text: the only thing that leaves the device should be the result's `text` (and its `guarantee`).
   *
   * A text is drawn **once**: for the life of the page (or worker), the same text under the same terms gives the very
   * same release, because every further draw would spend privacy again. Texts and releases are remembered in memory, in
   * plain text, for as long. Any edit is another text and draws all its words anew: privatize the finished text, not each
   * keystroke. Synchronous, less than a tenth of a millisecond a word (an unknown one some tenths).
   *
   * @param control `field`: any name of what the text is for, such as that of the form's field; each field is drawn for itself,
   * as equal releases for two fields would show that their texts are equal. Stays here.
   * @throws {TextveilError} `not-ready`, `text-too-long`, `other-language`, `entropy-unavailable`, `internal`, and what is wrong with the options
   */
  privatize(text: string, options?: Options & Spans, control?: { field?: string | undefined }): Release<Name, Parameter>;

  /**
   * As `privatize`, but draws in slices of about 8 ms. Other tasks of the page run in between.
   * Gives the very release that `privatize` gives. All who ask for the same text on the same terms wait for one drawing,
   * which a `privatize` that comes in between finishes at once. (How a text is split, and the first use of a mechanism, are
   * not sliced: about 1 ms for a thousand words, and 20 ms.)
   *
   * @param control `field`, as there; `signal`: once it is aborted, the promise is rejected with its reason. A drawing that nobody waits for any
   * more is dropped, and nothing of it is released.
   * @throws {TextveilError} as `privatize`, as a rejection
   */
  privatizeAsync(
    text: string,
    options?: Options & Spans,
    control?: { field?: string | undefined; signal?: KnownSignal | undefined },
  ): Promise<Release<Name, Parameter>>;

  /**
   * The guarantee that `privatize` would give for a text of one word, before anything is drawn. `spans` may be an empty array.
   *
   * @throws {TextveilError} as `privatize`
   */
  guarantee(options?: Options & Spans): Guarantee<Name, Parameter>;

  /**
   * Every mechanism, with the names of its parameters.
   *
   * @throws {TextveilError} `not-ready`, `internal`
   */
  mechanisms(): readonly MechanismInfo<Name, Parameter>[];

  /**
   * The levels of the table, for all mechanisms, each ordered from the most private on.
   *
   * @throws {TextveilError} `not-ready`, `internal`
   */
  levels(): readonly Level<Levelled>[];

  /**
   * The `k` likeliest outcomes of a token, if it is drawn: options that leave it in clear do not count. **For the device only**: the
   * probabilities tell which word was typed.
   *
   * @param k How many: a whole number from 1 to 1000. Default: 10.
   * @throws {TextveilError} as `privatize`
   */
  alternatives(token: string, options?: Options, k?: number): Alternatives;
}

/** What a table can do in the bare module: see `textveil/raw`. */
export interface RawWords<Options, Name extends string, Levelled extends string, Parameter extends string> {
  /**
   * What the release of a text in NFKC must be remembered by: the same for options that are one law, and for one `field`. It is made of the text
   * without a secret, so that it must not leave the device.
   */
  key(text: string, field: string | undefined, options: Options & Spans): string;
  /** Draws a release of a text in NFKC; of a text as typed, if there are `spans`. The account is an ordinary property here. */
  privatize(text: string, options: Options & Spans): Release<Name, Parameter>;
  /** Splits such a text, for a release that is drawn in slices. */
  begin(text: string, options: Options & Spans): RawDrawing<Release<Name, Parameter>>;
  /** The guarantee of one word. */
  guarantee(options: Options & Spans): Guarantee<Name, Parameter>;
  /** The levels of the table. */
  levels(): Level<Levelled>[];
  /** The mechanisms and their parameters. */
  mechanisms(): MechanismInfo<Name, Parameter>[];
  /** The names of all parameters, also of those that no mechanism here takes. */
  parameters(): string[];
  /** The `k` likeliest outcomes of a token. */
  alternatives(token: string, options: Options, k: number): Alternatives;
  /** SHA-256 of the table, in hex. */
  tableId(): string;
  /** Gives the table's memory back. */
  free(): void;
}

/** The ledger's mathematics, for a host that keeps the state and the lock: each call resumes from what was stored. */
export class RawLedger {
  /** Gives a scope its budget. */
  allow(scope: string, epsilon: number, delta: number, releases?: number, period?: number): void;
  /** What to store before a release of this loss may leave, at `now` in seconds. */
  spend(bytes: Uint8Array | undefined, sequence: number, now: number, scope: string, epsilon: number, delta: number): LedgerState;
  /** What a scope has spent. */
  spent(bytes: Uint8Array | undefined, sequence: number, now: number, scope: string): Spent;
  /** What to store instead of a state that is damaged, old or missing. */
  exhausted(sequence: number, now: number): LedgerState;
  /** Gives its memory back. */
  free(): void;
}

/** A release in the making. Nothing of it can be seen before it is finished. */
export interface RawDrawing<Finished> {
  /** Draws for up to `most` more tokens; returns whether all are drawn. */
  advance(most: number): boolean;
  /** Draws all that is left, and returns the release. The object cannot be used again. */
  finish(): Finished;
  /** Drops what is not finished. */
  free(): void;
}

/** Instantiates the module; there is no default address. */
export function instantiate(input: {
  module_or_path: KnownResponse | PromiseLike<KnownResponse> | ArrayBuffer | ArrayBufferView | CompiledModule;
}): Promise<unknown>;

/** Instantiates a module that is compiled already. */
export function initSync(input: { module: ArrayBuffer | ArrayBufferView | CompiledModule }): unknown;
