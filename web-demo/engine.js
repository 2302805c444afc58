/** The library's functions for the page. The worker answers each call. */

import { remote } from './remote.js';

/** @import { EngineError } from './remote.js' */
/** @import { Options, Release } from './textveil/all/textveil.js' */

/** @typedef {typeof import('./textveil/all/textveil.js')} Library */
/** @typedef {'levels' | 'guarantee' | 'alternatives' | 'deniability' | 'guesses' | 'vectors' | 'privatize'} Call */

const worker = remote(() => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }));

/** @type {<Name extends Call>(call: Name, ...args: Parameters<Library[Name]>) => Promise<ReturnType<Library[Name]>>} */
const ask = (call, ...args) => worker.ask(call, ...args);

export const { restart } = worker;

export const levels = () => ask('levels');
/** @param {Options} options */
export const guarantee = (options) => ask('guarantee', options);
/** @type {(token: string, options: Options, k: number) => Promise<ReturnType<Library['alternatives']>>} */
export const alternatives = (token, options, k) => ask('alternatives', token, options, k);
/** @type {(text: string, options: Options) => Promise<ReturnType<Library['deniability']>>} */
export const deniability = (text, options) => ask('deniability', text, options);
/**
 * What a reader makes of a word that came out; `undefined` where the mechanism does not state its probabilities.
 *
 * @param {string} word
 * @param {Options} options
 * @param {number} k
 */
export const guesses = (word, options, k) =>
  ask('guesses', word, options, k).catch((/** @type {EngineError} */ error) => {
    if (error.code !== 'not-offered') throw error;
    return undefined;
  });
/** @param {readonly string[]} words */
export const vectors = (words) => ask('vectors', words);
/**
 * Those of some words of the table that no result ever has, such as slurs.
 *
 * @param {readonly string[]} words
 * @returns {Promise<string[]>}
 */
export const neverSent = (words) => worker.ask('neverSent', words);

/**
 * The release. Its account is not enumerable, as in the library: a copy of the release does not hold it.
 *
 * @param {string} text
 * @param {Options} options
 * @returns {Promise<Release>}
 */
export async function privatize(text, options) {
  const { account, ...release } = await ask('privatize', text, options);
  return /** @type {Release} */ (Object.defineProperty(release, 'account', { value: account }));
}
