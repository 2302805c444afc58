/**
 * textveil/statements: exchanges a whole text for a statement of a public list, under one ε.
 *
 * The module decides what is private. This file makes sure that a text is drawn once, that only a finished release is returned,
 * and that an error never quotes the text. It needs no table of words. Lists share the encoder that they were made with.
 */

/** @import { Source } from './types.js' */
/** @import { Place } from './module.js' */
/** @typedef {{ wasm?: Place, encoder?: Source | null }} Places */

import { checkedControl, checkedVectors, normalized, plainCopy, requireCount } from './arguments.js';
import { invalid } from './errors.js';
import { provide } from './lists.js';
import { read, toBytes } from './loading.js';
import { deepFreeze, drawnOnce, remembered } from './memory.js';
import { initOnce, loading, notReady } from './module.js';
// @ts-expect-error `module` is for the files of this package: the public types leave it out.
import { module } from './textveil.js';
import { Encoder, Statements } from './textveil_wasm.js';

export { TextveilError } from './errors.js';

/** What `init` takes. */
const SOURCES = { __proto__: null, wasm: 'any', encoder: 'any' };
const OPTIONS = { __proto__: null, epsilon: 'number', near: 'number', perSentence: 'number', anyLanguage: 'boolean' };

/**
 * The encoders of this page, by their address.
 *
 * @type {Map<string, Encoder>}
 */
const encoders = new Map();
/**
 * Their files, while they are loaded.
 *
 * @type {Map<string, Promise<Uint8Array>>}
 */
const files = new Map();

/**
 * What exchanges texts by one list.
 *
 * @param {Source} source the list's file
 */
export function statements(source) {
  /** @type {Statements | undefined} */
  let made;
  let hasAnswers = false;

  const init = initOnce(module, SOURCES, load);

  /** @param {Places} places */
  async function load({ wasm, encoder }) {
    const [list, known] = await loading(
      () => {
        const [ready, file] = [module.load(wasm), read(source).then(toBytes)];
        const known = file.then((list) => (encoder === null || isOfAnswers(list) ? undefined : encoderOf(encoder, ready)));
        return Promise.all([file, known, ready]);
      },
      "The WebAssembly module, the list or the encoder could not be loaded. Are the files served, and does the " +
        "Content-Security-Policy allow 'wasm-unsafe-eval'? Cloudflare Workers and Jest need `init({ wasm, encoder })`.",
    );
    made = module.run(() => {
      const fresh = new Statements(list);
      if (known) fresh.encodeBy(known);
      return fresh;
    });
    hasAnswers = isOfAnswers(list);
  }

  /**
   * @param {string} text
   * @param {unknown} [options]
   * @param {unknown} [control]
   */
  function privatize(text, options, control) {
    const ready = loadedForTexts();
    const normal = normalized(text);
    const { terms, field } = checked(options, control);
    const key = remembered(module.run(() => ready.key(normal, field, terms)), terms);
    return drawnOnce(key, () => deepFreeze(module.run(() => ready.exchange(normal, terms))));
  }

  /**
   * @param {string} text
   * @param {unknown} [options]
   * @param {any} [control]
   */
  async function privatizeAsync(text, options, control) {
    const { signal } = checked(options, control);
    if (signal && typeof signal.aborted !== 'boolean') throw invalid('The signal must be an AbortSignal.');
    if (signal?.aborted) throw signal.reason;
    return privatize(text, options, control);
  }

  /**
   * @param {ArrayLike<number>[]} vectors
   * @param {unknown} [options]
   * @param {unknown} [control]
   */
  function privatizeVectors(vectors, options, control) {
    const ready = loaded();
    const flat = joined(vectors);
    const { terms, field } = checked(options, control);
    const key = module.run(() => ready.vectorKey(flat, vectors.length, field, terms));
    return drawnOnce(key, () => deepFreeze(module.run(() => ready.exchangeVectors(flat, vectors.length, terms))));
  }

  /**
   * @param {string} text
   * @param {readonly number[]} chosen
   * @param {unknown} [options]
   * @param {unknown} [control]
   */
  function privatizeChosen(text, chosen, options, control) {
    const ready = loaded();
    const normal = normalized(text);
    const [numbers] = checkedVectors([chosen]);
    const { terms, field } = checked(options, control);
    const key = module.run(() => ready.chosenKey(normal, numbers, field, terms));
    return drawnOnce(key, () => deepFreeze(module.run(() => ready.exchangeChosen(numbers, terms))));
  }

  /** @param {unknown} [options] */
  function guarantee(options) {
    const ready = loaded();
    const { terms } = checked(options);
    return deepFreeze(module.run(() => ready.guarantee(terms)));
  }

  /** @param {unknown} [options] */
  function odds(options) {
    const ready = loaded();
    const { terms } = checked(options);
    return deepFreeze(module.run(() => ready.odds(terms)));
  }

  /**
   * @param {string} text
   * @param {unknown} [options]
   */
  function near(text, options) {
    const ready = loadedForTexts();
    const normal = normalized(text);
    const { terms } = checked(options);
    return deepFreeze(module.run(() => ready.near(normal, terms)));
  }

  /**
   * @param {string} text
   * @param {number} [count]
   */
  function suggest(text, count = 5) {
    const ready = loadedForTexts();
    const normal = normalized(text);
    requireCount(count);
    return deepFreeze(module.run(() => ready.suggested(normal, count)));
  }

  function list() {
    const ready = loaded();
    return deepFreeze(module.run(() => ready.list()));
  }

  function ofAnswers() {
    loaded();
    return hasAnswers;
  }

  function loaded() {
    module.requireReady();
    if (!made) throw notReady();
    return made;
  }

  function loadedForTexts() {
    const ready = loaded();
    if (hasAnswers) throw invalid('The list has answers: a person chooses one, in a <select> or by `privatizeChosen`.');
    return ready;
  }

  return Object.freeze({ init, privatize, privatizeAsync, privatizeVectors, privatizeChosen, guarantee, odds, near, suggest, list, ofAnswers });
}

provide(statements);

/**
 * Whether a list has answers that people choose. Then zeros stand where a list names its encoder.
 *
 * @param {Uint8Array} list
 */
const isOfAnswers = (list) => list.subarray(16, 48).every((byte) => byte === 0);

/**
 * Checks and copies what is asked for.
 *
 * @param {unknown} options
 * @param {unknown} [control]
 */
function checked(options, control) {
  const terms = plainCopy(options, 'options', OPTIONS);
  return { terms, ...checkedControl(control) };
}

/**
 * @param {Source | undefined} source
 * @param {Promise<void>} ready when the module is loaded
 * @returns {Promise<Encoder>}
 */
async function encoderOf(source = new URL('./english-text.tvt', import.meta.url), ready) {
  if (typeof source !== 'string' && !(source instanceof URL)) {
    const [bytes] = await Promise.all([read(source).then(toBytes), ready]);
    return module.run(() => new Encoder(bytes));
  }
  const address = `${source}`;
  if (!encoders.has(address)) {
    const file = files.get(address) ?? read(source).then(toBytes);
    files.set(address, file);
    const [bytes] = await Promise.all([file, ready]).finally(() => files.delete(address));
    if (!encoders.has(address)) encoders.set(address, module.run(() => new Encoder(bytes)));
  }
  // @ts-expect-error It was set above.
  return encoders.get(address);
}

/**
 * The numbers of all vectors, one after the other. All have one length.
 *
 * @param {unknown} vectors
 */
function joined(vectors) {
  const rows = checkedVectors(vectors);
  if (rows.some((row) => row.length !== rows[0].length)) throw invalid('The vectors must all have one length.');
  const flat = new Float64Array(rows.reduce((length, row) => length + row.length, 0));
  let at = 0;
  for (const row of rows) {
    flat.set(row, at);
    at += row.length;
  }
  return flat;
}
