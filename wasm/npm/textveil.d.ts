/**
 * textveil: replaces the words of a text on the user's device, before it is sent, under a stated
 * differential-privacy guarantee.
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
 * How a word is drawn.
 *
 * - `exponential` (the default): a word is chosen from the whole table, with probability falling exponentially with its
 *   distance from the word typed. Exact sampler; ε a word is bounded by 76 however large η is.
 * - `metric-laplace`: noise is added to the word's vector and the nearest word is taken. What is promised holds for ideal
 *   noise; the sampler is floating point.
 */
export type Mechanism = 'exponential' | 'metric-laplace';

/** How strongly to protect: by at most one of level, ε and η. None is the table's default level. */
export type Strength =
  | {
      /** A level of the table: the `index` of one of `levels()` of the same mechanism. */
      level?: number | undefined;
      epsilon?: undefined;
      eta?: undefined;
    }
  | {
      /** ε of one word in the worst case, in nats: over any two words of the table. Above 0; smaller is more private. */
      epsilon?: number | undefined;
      level?: undefined;
      eta?: undefined;
    }
  | {
      /** η in nats per unit of distance in the table. Above 0; smaller is more private. */
      eta?: number | undefined;
      level?: undefined;
      epsilon?: undefined;
    };

/**
 * What to do with a text: a plain object. Anything else, and a name that is not listed here, is refused
 * (`invalid-options`), not ignored.
 */
export type Options = Strength & {
  /** How a word is drawn; `exponential` unless told. */
  mechanism?: Mechanism | undefined;
  /**
   * Leave function words (the, of, and, …) in clear. So are acronyms and names spelled like one (US, WHO, Will, May). Which
   * they are and where they stand becomes public.
   */
  keepFunctionWords?: boolean | undefined;
  /** Send `[url]`, `[email]` and `[number]` for tokens of that kind. Where which kind stands becomes public. */
  placeholders?: boolean | undefined;
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

/** A differential-privacy guarantee as data. It says nothing that is not proved. */
export interface Guarantee {
  readonly mechanism: Mechanism;
  /** Metric differential privacy: see `eta`. */
  readonly notion: 'metric-dp';
  /** What is protected: one word at a time. */
  readonly unit: 'word';
  /** Which texts are compared, in words. */
  readonly neighbours: string;
  /**
   * η in nats per unit of distance: whatever came out, it is at most e^(η·d) times likelier for the one than for the other of
   * any two words at distance d in one place, the rest of the text being the same. With `metric-laplace`: for ideal noise.
   */
  readonly eta: number;
  /** ε of one word in nats, over any two words of the table. */
  readonly epsilonWord: number;
  /** How many words went through the mechanism (1 where no text has been given yet). */
  readonly words: number;
  /** ε of the text in nats: `words` times `epsilonWord`. A word that stands n times is drawn n times, and its loss adds up n-fold. */
  readonly epsilonText: number;
  /** Whether draws follow the proof exactly; otherwise the numbers are those of ideal noise, computed in floating point. */
  readonly exactSampler: boolean;
  /**
   * What is public, by stable id: `word-count` (the number of pieces and their order; a symbol, an emoji, a character of
   * Chinese is a piece of its own), `punctuation`, `white-space`, and by choice `function-words`, `placeholders`.
   */
  readonly clear: readonly string[];
  /** SHA-256 of the table, in hex. */
  readonly table: string;
  /** The guarantee in plain English. */
  readonly statement: string;
}

/** A point that a slider can stand on, measured when the table was made. */
export interface Level {
  readonly mechanism: Mechanism;
  /** What to pass as `level`. Counts from 0 within the mechanism, from the most private on. */
  readonly index: number;
  /** Nats per unit of distance. */
  readonly eta: number;
  /** ε of one word in nats, in the worst case. */
  readonly epsilonWord: number;
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
   * e^(η·distance), at most e^`epsilonWord`: whatever came out, it is at most this many times likelier for the one word than
   * for the other. With `metric-laplace`: for ideal noise.
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
 * - `invalid-options`: an option or argument has the wrong type, an unknown name, or contradicts another.
 * - `invalid-mechanism`, `invalid-eta`, `invalid-epsilon`, `invalid-level`: that option is out of its range.
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
  | 'invalid-eta'
  | 'invalid-epsilon'
  | 'invalid-level'
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
 * @throws {TextveilError} `not-ready`, `invalid-options`, `invalid-mechanism`, `invalid-eta`, `invalid-epsilon`,
 * `invalid-level`, `text-too-long`, `entropy-unavailable`, `internal`
 */
export function privatize(text: string, options?: Options): Release;

/**
 * The guarantee that `privatize` would give for a text of one word, before anything is drawn.
 *
 * @throws {TextveilError} as `privatize`
 */
export function guarantee(options?: Options): Guarantee;

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
