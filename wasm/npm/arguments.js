/** What a caller passes: it is checked, and copied, so that a later change of the caller's object changes nothing. */

import { invalid, TextveilError } from './errors.js';

/** The options beside the parameters, and the type of each. What values are possible, the module sees to. */
export const MECHANISM_OPTIONS = { mechanism: 'string', calibration: 'string' };
export const TEXT_OPTIONS = { ...MECHANISM_OPTIONS, keepFunctionWords: 'boolean', placeholders: 'boolean' };

/**
 * How many alternatives may be asked for.
 *
 * @param {number} k
 */
export function requireCount(k) {
  if (!Number.isInteger(k) || k < 1 || k > 1000) throw invalid('The number k must be a whole number from 1 to 1000.');
}

/** The core's limit in bytes of UTF-8; of UTF-16 units a text within it has no more. */
const LONGEST_TEXT = 1_048_576;

/**
 * NFKC, and half surrogate pairs as the U+FFFD that they become in UTF-8: equal for the core is equal for the memory.
 *
 * @param {unknown} text
 */
export function normalized(text) {
  if (typeof text !== 'string') throw invalid('The text must be a string.');
  // First, because NFKC makes some texts eighteen times as long.
  requireLength(text);
  const normal = text.normalize('NFKC').replace(/\p{Surrogate}/gu, '\ufffd');
  requireLength(normal);
  return normal;
}

/** @param {string} text */
function requireLength(text) {
  if (text.length > LONGEST_TEXT) throw new TextveilError('text-too-long', 'The text is longer than 1 MiB.');
}

/**
 * The own properties of a plain object, in an object without prototype; none for `undefined`.
 *
 * Whatever is not understood is refused. A strength in a Map, in a prototype or under a misspelt name would otherwise go
 * unseen, and the default could protect less than was asked for. A message names what is known, never what was passed.
 *
 * @param {unknown} object
 * @param {string} title
 * @param {any} types the known names, each with the type of its value, or `any`
 * @returns {any}
 */
export function plainCopy(object, title, types) {
  /** @type {Record<string, any>} */
  const copy = { __proto__: null };
  if (object === undefined) return copy;
  if (!isPlain(object)) throw invalid(`The ${title} must be a plain object of: ${Object.keys(types).join(', ')}.`);
  /** @type {any[]} */
  const names = Reflect.ownKeys(object);
  for (const name of names) {
    if (!(name in types)) throw invalid(`The ${title} know only these names: ${Object.keys(types).join(', ')}.`);
    const value = object[name];
    if (value === undefined) continue;
    if (types[name] !== 'any' && typeof value !== types[name]) throw invalid(`The option ${name} must be a ${types[name]}.`);
    copy[name] = value;
  }
  return copy;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string | symbol, unknown>}
 */
function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
