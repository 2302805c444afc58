/**
 * textveil/all: the entry with the whole module. All mechanisms for words, the protection of each word, noisy representations of
 * texts and vectors, noisy reports of choices, and contributions to new words.
 */

/** @import * as Public from './textveil.js' */

import { checkedControl, checkedVectors, MECHANISM_OPTIONS, normalized, plainCopy, requireCount, requireWellFormed, TEXT_OPTIONS } from '../arguments.js';
import { textveil } from '../engine.js';
import { invalid, TextveilError } from '../errors.js';
import { read, toBytes } from '../loading.js';
import { deepFreeze, drawnOnce, remembered } from '../memory.js';
import { loading, Module } from '../module.js';
import instantiate, { Veil } from './textveil_wasm.js';

export { TextveilError } from '../errors.js';

/** For the other files of this package. */
export const module = new Module(instantiate, (simd) =>
  simd ? new URL('./textveil_wasm.wasm', import.meta.url) : new URL('./textveil_wasm_baseline.wasm', import.meta.url),
);
const entry = textveil(module, Veil);
const { requireReady, checkedOptions, inWasm } = entry;
export const { init, privatize, privatizeAsync, guarantee, levels, mechanisms, alternatives } = entry;

/** The options that are not parameters, and the type of each. The module checks their values. */
const CHOICE_OPTIONS = { ...MECHANISM_OPTIONS, question: 'string' };
const BUDGET = { __proto__: null, epsilon: 'number' };
const REPRESENTATION_OPTIONS = { ...MECHANISM_OPTIONS, unit: 'string', dims: 'number', dropout: 'number', dropoutSize: 'string', mask: 'array', anyLanguage: 'boolean' };

/** @type {typeof Public.deniability} */
export function deniability(text, options) {
  requireReady();
  const normal = normalized(text);
  const checked = checkedOptions(options, TEXT_OPTIONS);
  return inWasm((veil) => deepFreeze(veil.deniability(normal, checked)));
}

/** @type {typeof Public.guesses} */
export function guesses(word, options, k = 10) {
  requireReady();
  const normal = normalized(word).toLowerCase();
  const checked = checkedOptions(options, TEXT_OPTIONS);
  requireCount(k);
  return inWasm((veil) => deepFreeze(veil.guesses(normal, checked, k)));
}

/** @type {typeof Public.vectors} */
export function vectors(words) {
  requireReady();
  if (!Array.isArray(words)) throw invalid('The words must be an array of strings.');
  const normal = Array.from(words, normalized);
  return inWasm((veil) => normal.map((word) => veil.vector(word)));
}

/** @type {typeof Public.words} */
export function words(text) {
  requireReady();
  const normal = normalized(text);
  return inWasm((veil) => Object.freeze(veil.words(normal)));
}

/** @type {typeof Public.encodeBy} */
export async function encodeBy(source) {
  requireReady();
  const bytes = await loading(() => read(source).then(toBytes), 'The text encoder could not be loaded. Is the file served?');
  inWasm((veil) => veil.encodeBy(bytes));
}

/**
 * @param {string} text
 * @param {unknown} options
 * @param {unknown} [control]
 * @returns {any}
 */
export function representation(text, options, control) {
  requireReady();
  const normal = normalized(text);
  const checked = representing(options);
  const { field } = checkedControl(control);
  return copyOf(
    (veil) => remembered(veil.representationKey(normal, field, checked), checked),
    (veil) => veil.representation(normal, checked),
  );
}

/**
 * @param {unknown} vectors
 * @param {unknown} options
 * @param {unknown} [control]
 * @returns {any}
 */
export function representationOf(vectors, options, control) {
  requireReady();
  const lists = checkedVectors(vectors);
  const checked = representing(options);
  const { field } = checkedControl(control);
  return copyOf(
    (veil) => veil.representationOfKey(lists, field, checked),
    (veil) => veil.representationOf(lists, checked),
  );
}

/**
 * Drawn once for an answer to a question. The key holds the question: otherwise two equal answers would give equal reports.
 *
 * @type {typeof Public.choice}
 */
export function choice(index, size, options) {
  requireReady();
  if (typeof index !== 'number' || typeof size !== 'number') throw invalid('The index and the size of the list must be numbers.');
  const checked = checkedOptions(options, CHOICE_OPTIONS);
  const { question } = checked;
  if (question === undefined) throw invalid('The option question must name what is answered.');
  requireWellFormed(question, 'option question');
  delete checked.question;
  return copyOf(
    (veil) => veil.choiceKey(question, index, size, checked),
    (veil) => veil.choice(index, size, checked),
  );
}

/**
 * The text in NFKC, or none if it is too long: whether a device answers must not depend on its texts.
 *
 * @param {unknown} text
 */
function normalOrNone(text) {
  try {
    return normalized(text);
  } catch (error) {
    if (error instanceof TextveilError && error.code === 'text-too-long') return '';
    throw error;
  }
}

/**
 * The module answers a request once. Which requests were answered in earlier pages, only the page can remember.
 *
 * @type {typeof Public.contributor}
 */
export async function contributor(request, options) {
  requireReady();
  if (typeof request !== 'string') throw invalid('The request must be a string: the JSON that the collector has published.');
  const { table, trustedSum = false } = plainCopy(options, 'options', { __proto__: null, table: 'any', trustedSum: 'boolean' });
  const bytes = table && (await loading(() => read(table).then(toBytes), 'The table could not be loaded. Is the file served?'));
  const made = inWasm((veil) => veil.contributor(request, bytes, trustedSum));
  return Object.freeze({
    id: inWasm(() => made.id()),
    /** @param {unknown} [terms] */
    guarantee(terms) {
      const { epsilon } = plainCopy(terms, 'options', BUDGET);
      return deepFreeze(inWasm(() => made.guarantee(epsilon)));
    },
    /**
     * @param {readonly string[]} texts
     * @param {unknown} [terms]
     */
    contribute(texts, terms) {
      if (!Array.isArray(texts)) throw invalid('The texts must be an array of strings.');
      const normal = Array.from(texts, normalOrNone);
      const { epsilon } = plainCopy(terms, 'options', BUDGET);
      const { guarantee, ...values } = inWasm(() => made.contribute(normal, epsilon));
      return Object.freeze({ ...values, guarantee: deepFreeze(guarantee) });
    },
  });
}

/**
 * A copy of what was drawn once. Typed arrays cannot be frozen, so each caller gets a copy, and the original stays unchanged.
 *
 * @param {(veil: Veil) => string} key
 * @param {(veil: Veil) => any} draw
 * @returns {any}
 */
function copyOf(key, draw) {
  const drawn = inWasm((veil) =>
    drawnOnce(key(veil), () => {
      const { guarantee, ...values } = draw(veil);
      return { ...values, guarantee: deepFreeze(guarantee) };
    }),
  );
  /** @type {(values: any) => any} */
  const copy = (values) => (Array.isArray(values) ? Object.freeze(values.map(copy)) : values.slice());
  const name = 'bits' in drawn ? 'bits' : 'vectors';
  return Object.freeze({ ...drawn, [name]: copy(drawn[name]) });
}

/** @param {unknown} options */
function representing(options) {
  const copy = checkedOptions(options, REPRESENTATION_OPTIONS);
  if (copy.mask?.some((/** @type {unknown} */ entry) => typeof entry !== 'boolean')) throw invalid('The option mask must be an array of booleans.');
  return copy;
}
