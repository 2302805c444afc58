/**
 * textveil: replaces the words of a text on the user's device, before it is sent, under a stated differential-privacy
 * guarantee. More mechanisms, representations and choices are in `textveil/all`, whose module is larger.
 *
 * ```js
 * import { init, privatize } from 'textveil';
 *
 * await init();
 * const release = privatize('I was diagnosed with diabetes in March.');
 * await fetch('/notes', { method: 'POST', body: JSON.stringify(release), headers: { 'content-type': 'application/json' } });
 * ```
 */

import type * as shared from './types.js';
import type { Words } from './types.js';

export type { Alternative, Alternatives, Calibration, Certificate, Claim, CompiledModule, Entry, ErrorCode, Found, Preset, Source, Span, WordList } from './types.js';
export { TextveilError } from './types.js';

/** The numbers that mechanisms take. */
export type Parameters = shared.Strengths & shared.Nearness;

/**
 * The mechanisms, and the parameters of each. All draw a word of the whole table with an exact sampler; nearer words are
 * more likely. `certified` has the table's certified levels: η and ε choose the largest level that spends at most as much
 * (`invalid-level` if no level is that small). So does `plateau`. Its near words are as likely as the word itself, so the word that comes
 * out is nearer, at a larger η. `exponential` takes any η, and must state about twice the loss. Its ε is at most 56.01.
 *
 * `nearest` is the default. Of the words nearest to a word, as many as hold `mass` come out up to e^ε times as often as they would by
 * their frequency alone, and any other word still can. It promises ε for any two words, but no less for near ones: it has no η. Its
 * ε is at most 20. A level of it has a number, and three have a name, the `preset`. With an ε alone it takes the mass and the
 * frequency power of the largest level within that ε.
 */
export interface MechanismParameters {
  certified: shared.Levelled<keyof Parameters>;
  plateau: shared.Levelled<keyof Parameters>;
  nearest: shared.Near<keyof Parameters>;
  exponential: shared.Levelled<keyof Parameters>;
}

/** A mechanism's name. */
export type Mechanism = keyof MechanismParameters;
/** A mechanism with levels. */
export type LevelMechanism = Mechanism;

/**
 * What to do with a text: a plain object. Anything else, and a name that is not listed here, is refused
 * (`invalid-options`), not ignored. Without a mechanism, it is `nearest`. (With a table of your own that is too small for its levels,
 * it is `certified`, or `exponential` if the table has no certificates.)
 */
export type Options = {
  [Name in Mechanism]: MechanismParameters[Name] &
    (Name extends 'nearest' ? { mechanism?: Name | undefined } : { mechanism: Name }) & { calibration?: 'sound' | undefined };
}[Mechanism] &
  shared.InTheClear &
  shared.Writing &
  shared.AnyLanguage;

/** What may leave the device, and the device's own account of how it came about. Deeply frozen. */
export type Release = shared.Release<Mechanism, keyof Parameters>;
/** A differential-privacy guarantee as data. It says nothing that is not proved. */
export type Guarantee = shared.Guarantee<Mechanism, keyof Parameters>;
/** A mechanism, for a page that builds its controls from the list. */
export type MechanismInfo = shared.MechanismInfo<Mechanism, keyof Parameters>;
/** A point that a slider can stand on. */
export type Level = shared.Level<LevelMechanism>;

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
