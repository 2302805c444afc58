/** One call of `protect`: its settings, its engine, its ledger, and the releases that it draws. */

/** @import { Member } from './form-controls.js' */
/** @import { Release } from './textveil.js' */
/** @typedef {{ region: Member, field?: string }} Region without a field if it is left out, with an empty one if the page names none */
/** @typedef {Region & { control?: Member, target: Member, part: Part }} Found a region, its control, and where its errors are shown */
/** @typedef {Found & { control: Member, field: string }} Filled a region that has a control */

import { invalid, TextveilError } from './errors.js';
import { controlOf, getOrCreate, isQuestion, stateOf, textOf } from './form-controls.js';
import { notReady, said, tell } from './form-messages.js';
import { listAt } from './lists.js';
import { short } from './short.js';
import * as textveil from './textveil.js';

/** How long the page's detector may take for a text, in milliseconds. */
const DETECTOR_LIMIT = 10_000;

/** How long a form waits for the module, the table and the ledger, in milliseconds. Another try uses what has come. */
const LOADING_LIMIT = 60_000;

/** How a guarantee is written. */
const WRITTEN = { __proto__: null, short: (/** @type {any} */ guarantee) => JSON.stringify(short(guarantee)), long: JSON.stringify, none: undefined };

/** The settings that are not options, and the type of each. Others are refused: an unknown setting might have asked for more privacy. */
export const SETTINGS = { __proto__: null, source: 'any', engine: 'any', statements: 'any', ledger: 'any', redact: 'function', scope: 'function', guarantee: 'string', message: 'function' };

/**
 * Ledger → scope → the releases that it has recorded, and those that it is recording. A release counts once, however often it is sent.
 *
 * @type {WeakMap<object, Map<string, WeakMap<Release, true | Promise<void>>>>}
 */
const records = new WeakMap();

/** One call of `protect`: its settings and its engine. */
export class Part {
  /** @type {any} */
  #settings;
  /** @type {() => Region[]} */
  #find;
  /** @type {Promise<void> | undefined} */
  #loading;
  /** @type {any} */
  #engine;
  /** The fields that are left out of what is sent. */
  withdrawn = new Set();
  /**
   * What the detector has found, by field and text. It is asked once for a text: another answer would be another release.
   *
   * @type {Map<string, unknown[]>}
   */
  #spans = new Map();
  /**
   * The detector's answers that are awaited.
   *
   * @type {Map<string, Promise<unknown[]>>}
   */
  #asked = new Map();
  /** @type {any} */
  #ledger;
  #open = false;

  /**
   * @param {() => Region[]} find
   * @param {{ [setting: string]: any, scope?: (field: string) => string, guarantee?: string }} settings
   */
  constructor(find, { scope = (field) => field, guarantee = 'short', ...settings }) {
    if (!(guarantee in WRITTEN)) throw invalid('The setting `guarantee` is "short", "long" or "none".');
    this.#find = find;
    this.#settings = { ...settings, scope, written: Reflect.get(WRITTEN, guarantee) };
    void this.load().then(() => this.#checkOptions(), () => {});
  }

  /**
   * The regions. `target` is where errors are shown: the control, or the region itself if it has no control.
   *
   * @returns {Found[]}
   */
  regions() {
    return this.#find().map(({ region, field }) => {
      const found = controlOf(region);
      // Without a list no choice is sent.
      const control = found && isQuestion(found) && this.#settings.statements === undefined ? undefined : found;
      return { region, field, control, target: control ?? region, part: this };
    });
  }

  /** Loads the engine and the ledger. A call after a failure tries again. */
  load() {
    if (!this.#loading) {
      this.#loading = this.#load();
      // Callers who wait get the error, too.
      this.#loading.catch((error) => {
        this.#loading = undefined;
        tell(error);
      });
    }
    return this.#loading;
  }

  /**
   * Tells the developer at once what is wrong with the answers that a page offers, and with the options. Only the module knows their names
   * and ranges. A function of the page is asked when its field is drawn.
   */
  #checkOptions() {
    const { options } = this.#settings;
    try {
      for (const { control } of this.regions()) if (control && isQuestion(control)) this.#numbers(control, '');
      if (options !== undefined && typeof options !== 'function') this.guarantee('');
    } catch (/** @type {any} */ error) {
      if (error?.name === 'TextveilError') tell(error);
    }
  }

  async #load() {
    const { engine, statements, source, ledger, redact } = this.#settings;
    if (redact && statements !== undefined) throw invalid('A whole text is exchanged for a statement: the setting `redact` is for words.');
    this.#engine = engineOf(engine, statements);
    await this.#engine.init(source);
    try {
      this.#ledger = await (typeof ledger === 'function' ? ledger() : ledger);
    } catch (/** @type {any} */ error) {
      // This engine is ready, so the ledger belongs to another engine. Waiting does not help.
      throw error?.code === 'not-ready' ? invalid('The ledger must be that of the engine: textveil/ledger, or textveil/all/ledger.') : error;
    }
    // The page asked for a ledger, but its function returned none.
    if (ledger !== undefined && typeof this.#ledger?.spend !== 'function') throw invalid('The setting `ledger` gives no ledger.');
    this.#open = true;
  }

  /**
   * Draws a release of a text: usually that of the control.
   *
   * @param {Filled & { text?: string }} one
   * @param {AbortSignal} [signal]
   * @returns {Promise<Release>}
   */
  async draw({ control, field, text: seen }, signal) {
    await within(LOADING_LIMIT, this.load(), new TextveilError('load-failed', 'The module, the table and the ledger have not come within a minute.'));
    const kept = this.kept({ control, field });
    if (kept) return kept;
    // The spans are those of this very text, whatever is in the control when the detector answers.
    const text = seen ?? textOf(control);
    if (isQuestion(control)) return this.#answer(control, field, text);
    const spans = this.#settings.redact && (await this.#detect(field, text));
    try {
      return await this.#engine.privatizeAsync(text, this.#terms(field, spans), { field, signal });
    } catch (/** @type {any} */ error) {
      if (error?.code === 'invalid-span') this.#spans.delete(keyOf(field, text));
      throw error;
    }
  }

  /**
   * What the page's detector finds in a text.
   *
   * @param {string} field
   * @param {string} text
   * @returns {Promise<unknown[]>}
   */
  async #detect(field, text) {
    const key = keyOf(field, text);
    const ask = async () => {
      try {
        const found = await within(DETECTOR_LIMIT, this.#settings.redact(text, field));
        if (!Array.isArray(found)) throw found;
        const spans = found.map(({ start, end, kind }) => ({ start, end, kind }));
        this.#spans.set(key, spans);
        return spans;
      } catch {
        // Without the cause: the message of a detector may quote the text.
        throw new TextveilError('detector-failed', 'The function `redact` of the page has failed, has given no array of spans, or has not answered within 10 seconds.');
      }
    };
    return this.#spans.get(key) ?? getOrCreate(this.#asked, key, () => ask().finally(() => this.#asked.delete(key)));
  }

  /**
   * The release that the browser has kept, if the control is empty and it was drawn on the terms that hold now.
   *
   * @param {{ control: Member, field: string }} one
   */
  kept({ control, field }) {
    const { kept } = stateOf(control);
    return kept && !textOf(control) && termsOf(kept.guarantee) === termsOf(this.guarantee(field)) ? kept : undefined;
  }

  /**
   * The release of an answer. Where none is chosen, any comes out: silence must not show.
   *
   * @param {Member} control
   * @param {string} field
   * @param {string} answer
   */
  #answer(control, field, answer) {
    return this.#engine.privatizeChosen('', this.#numbers(control, answer), this.#terms(field), { field });
  }

  /**
   * The number of an answer, or none. An option that the list lacks is an error whatever is chosen: an error for those alone who chose it
   * would show their answer.
   *
   * @param {Member} control
   * @param {string} answer
   */
  #numbers(control, answer) {
    if (!this.#engine.ofAnswers?.()) throw invalid('A <select> needs a list of answers: `textveil statements build FILE --answers` makes it.');
    const list = this.#engine.list();
    /** @type {(values: string[]) => number[]} */
    const numbers = (values) => values.filter(Boolean).map((value) => list.indexOf(value.normalize('NFKC')));
    if (numbers([answer, ...[...control.options].map(({ value }) => value)]).includes(-1)) throw invalid('The value of an option is not among the answers of the list.');
    return numbers([answer]);
  }

  /** @param {string} field */
  guarantee(field) {
    return this.#engine.guarantee(this.#terms(field, this.#settings.redact && []));
  }

  /**
   * The entries of a control. Throws if they are not ready.
   *
   * @param {Filled} one
   * @returns {{ release: Release, entries: [string, string][] }}
   */
  entries({ control, field }) {
    if (!this.#open) throw notReady();
    const release = this.kept({ control, field }) ?? (isQuestion(control) ? this.#answer(control, field, textOf(control)) : this.#engine.privatize(...this.#subject(control, field), { field }));
    if (this.#mustRecord(field, release)) {
      throw new TextveilError('not-recorded', 'The ledger has not recorded this release: wait for `settled()`, or submit the form.');
    }
    /** @type {[string, string][]} */
    const entries = [[field, release.text]];
    const { written } = this.#settings;
    if (written) entries.push([guaranteeOf(field), written(release.guarantee)]);
    return { release, entries };
  }

  /**
   * @param {Filled} one
   * @param {Release} release
   */
  async record({ field }, release) {
    if (!this.#mustRecord(field, release)) return;
    const recorded = this.#recorded(field);
    let spent = recorded.get(release);
    if (!spent) {
      spent = this.#spend(field, release);
      recorded.set(release, spent);
      // After a failure the next call tries again.
      spent.then(() => recorded.set(release, true), () => recorded.delete(release));
    }
    // A preview and a submission may wait for one record.
    await spent;
  }

  /**
   * @param {string} field
   * @param {Release} release
   * @returns {Promise<void>}
   */
  async #spend(field, release) {
    await this.#ledger.spend(this.#settings.scope(field), release.guarantee);
  }

  /**
   * Whether the ledger must still record this release. A release without private words costs nothing.
   *
   * @param {string} field
   * @param {Release} release
   */
  #mustRecord(field, release) {
    return this.#ledger && release.guarantee.words > 0 && this.#recorded(field).get(release) !== true;
  }

  /** @param {string} field */
  #recorded(field) {
    const scopes = getOrCreate(records, this.#ledger, () => new Map());
    return getOrCreate(scopes, this.#settings.scope(field), () => new WeakMap());
  }

  /**
   * The text of a control and the terms of its release. Throws if the detector has not seen the text.
   *
   * @param {Member} control
   * @param {string} field
   */
  #subject(control, field) {
    const text = textOf(control);
    const spans = this.#spans.get(keyOf(field, text));
    if (this.#settings.redact && !spans) throw notReady();
    return [text, this.#terms(field, spans)];
  }

  /**
   * @param {string} field
   * @param {unknown[]} [spans] those of the text
   */
  #terms(field, spans) {
    const { options } = this.#settings;
    const terms = typeof options === 'function' ? options(field) : options;
    // One list of spans cannot be that of every text.
    if (terms?.spans !== undefined) throw invalid('In a form the setting `redact` is a function that finds the spans of each text.');
    return spans ? extended(terms, { spans }) : terms;
  }

  /**
   * @param {TextveilError} error
   * @param {Member} control
   * @returns {string}
   */
  message(error, control) {
    return said(error, this.#settings.message, control);
  }
}

/**
 * What draws: an engine, or the list of a file.
 *
 * @param {unknown} engine
 * @param {any} statements
 */
function engineOf(engine, statements) {
  if (statements === undefined) return engine ?? textveil;
  if (engine !== undefined) throw invalid('Give `engine` or `statements`, not both.');
  if (typeof statements === 'string') return listAt(statements);
  if (typeof statements?.privatizeAsync !== 'function') throw invalid('The setting `statements` is an address, or what `statements()` has made.');
  return statements;
}

/**
 * What a guarantee says of the terms: all but what depends on the text. The words of a whole text do not.
 *
 * @param {Record<string, any>} guarantee
 */
function termsOf({ words, epsilonText, deltaText, totalVariation, exactSampler, statement, ...terms }) {
  return JSON.stringify([terms, terms.unit === 'whole-text' && words]);
}

/**
 * @param {string} field
 * @param {string} text
 */
const keyOf = (field, text) => JSON.stringify([field, text]);

/**
 * What is awaited, if it comes in time.
 *
 * @template T
 * @param {number} limit in milliseconds
 * @param {Promise<T> | T} awaited
 * @param {unknown} [late] what is thrown otherwise
 * @returns {Promise<T>}
 */
async function within(limit, awaited, late) {
  /** @type {any} */
  let timer;
  try {
    return await Promise.race([awaited, new Promise((_, refuse) => (timer = setTimeout(refuse, limit, late)))]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Options with others in their place. A copy like the original, so that the engine refuses what it would refuse, and overlooks nothing.
 *
 * @param {any} options
 * @param {object} others
 */
export function extended(options = {}, others) {
  return Object.create(Object.getPrototypeOf(options), { ...Object.getOwnPropertyDescriptors(options), ...Object.getOwnPropertyDescriptors(others) });
}

/** @type {(field: string) => string} */
export const guaranteeOf = (field) => `${field}-guarantee`;

/**
 * What a browser keeps of a release for the way back. Its number goes with it: sent once more, it still counts once.
 *
 * @param {Release} release
 */
export const written = (release) => JSON.stringify({ text: release.text, guarantee: release.guarantee, number: `${numberOf(release)}` });

/**
 * The release in what a browser has kept.
 *
 * @param {string} state
 */
export function readRelease(state) {
  const { number, ...release } = JSON.parse(state);
  if (number) NUMBERS.set(release, BigInt(number));
  return release;
}

/**
 * A random number of 128 bits, the same for a release as long as the page stays.
 *
 * @type {(release: Release) => bigint}
 */
export const numberOf = (release) =>
  getOrCreate(NUMBERS, release, () => crypto.getRandomValues(new BigUint64Array(2)).reduce((high, low) => (high << 64n) | low, 0n));

/** @type {WeakMap<Release, bigint>} */
const NUMBERS = new WeakMap();
