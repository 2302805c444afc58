/** Checks and copies what a caller passes. A later change of the caller's object changes nothing. */

import { invalid, TextveilError } from './errors.js';

/** The options that are not parameters, and the type of each. The module checks their values. */
export const MECHANISM_OPTIONS = { mechanism: 'string', calibration: 'string', preset: 'string' };
export const TEXT_OPTIONS = {
  ...MECHANISM_OPTIONS,
  keepFunctionWords: 'boolean',
  placeholders: 'boolean',
  plainLayout: 'boolean',
  asDrawn: 'boolean',
  anyLanguage: 'boolean',
  keepWords: 'array',
  neverSay: 'array',
};

/**
 * How many alternatives may be asked for.
 *
 * @param {number} k
 */
export function requireCount(k) {
  if (!Number.isInteger(k) || k < 1 || k > 1000) throw invalid('The number must be a whole number from 1 to 1000.');
}

/**
 * Refuses a name with half a surrogate pair. For the core, two names that differ only there are one name.
 *
 * @param {string} name
 * @param {string} title
 */
export function requireWellFormed(name, title) {
  if (/\p{Surrogate}/u.test(name)) throw invalid(`The ${title} must be well-formed Unicode.`);
}

/** What comes after the options of what draws. */
const CONTROL = { __proto__: null, field: 'string', signal: 'any' };

/**
 * A copy of what comes after the options.
 *
 * @param {unknown} control
 */
export function checkedControl(control) {
  const copy = plainCopy(control, 'control', CONTROL);
  // Equal releases for two fields would show that their texts are equal.
  if (copy.field !== undefined) requireWellFormed(copy.field, 'field');
  return copy;
}

/** The core's limit in bytes of UTF-8. A text has at most as many UTF-16 units as bytes. */
const LONGEST_TEXT = 1_048_576;

/**
 * The text in NFKC. A half surrogate pair becomes U+FFFD, as in UTF-8: two texts that are equal for the core are equal here.
 *
 * @param {unknown} text
 */
export function normalized(text) {
  // Also before NFKC, which makes some texts eighteen times as long.
  const normal = typed(text).normalize('NFKC').replace(/\p{Surrogate}/gu, '\ufffd');
  requireLength(normal);
  return normal;
}

/**
 * The text as it was typed.
 *
 * @param {unknown} text
 */
export function typed(text) {
  if (typeof text !== 'string') throw invalid('The text must be a string.');
  requireLength(text);
  return text;
}

/** @param {string} text */
function requireLength(text) {
  if (text.length > LONGEST_TEXT) throw new TextveilError('text-too-long', 'The text is longer than 1 MiB.');
}

/**
 * The vectors, copied as `Float64Array`. A value that is not a number becomes NaN, which the module refuses.
 *
 * @param {unknown} vectors
 * @returns {any[]}
 */
export function checkedVectors(vectors) {
  /** @type {any[] | false} */
  const lists = Array.isArray(vectors) && [...vectors];
  if (!lists || !lists.every((list) => Array.isArray(list) || ArrayBuffer.isView(list))) {
    throw invalid('The vectors must be an array of arrays of numbers.');
  }
  // @ts-expect-error A DataView has no elements, and becomes an empty list, which the module refuses.
  return lists.map((list) => Float64Array.from(list, (value) => (typeof value === 'number' ? value : NaN)));
}

/**
 * The own properties of a plain object, in an object without prototype. Arrays are copied with their items. `undefined` gives an
 * empty object.
 *
 * Refuses everything that it does not know. Otherwise a strength in a Map, in a prototype or under a misspelt name would be
 * ignored, and the default could protect less than the caller asked for. A message names what is known, never what was passed.
 *
 * @param {unknown} object
 * @param {string} title
 * @param {any} types the known names, each with the type of its value, or `array` or `any`
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
    if (!(name in types)) {
      const known = Object.keys(types);
      const start = String(name).slice(0, 3).toLowerCase();
      const meant = known.find((one) => start[2] && one.toLowerCase().startsWith(start));
      throw invalid(`The ${title} know only these names: ${known.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`);
    }
    const value = object[name];
    if (value === undefined) continue;
    const type = types[name];
    const list = Array.isArray(value) ? value : undefined;
    if (type !== 'any' && type !== (list ? 'array' : typeof value)) throw invalid(`The option ${name} must be of the type ${type}.`);
    copy[name] = type === 'array' && list ? Array.from(list, (item) => (Object(item) === item ? { __proto__: null, ...item } : item)) : value;
  }
  return copy;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string | symbol, unknown>}
 */
export function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
