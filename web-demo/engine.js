/** The library's functions for the page. The worker answers each call. */

/** @import { Options, Release } from './textveil/all/textveil.js' */

/** @typedef {typeof import('./textveil/all/textveil.js')} Library */
/** @typedef {'levels' | 'guarantee' | 'alternatives' | 'deniability' | 'guesses' | 'vectors' | 'privatize'} Call */
/** @typedef {{ resolve(result: any): void, reject(error: EngineError): void }} Caller */

/** @type {Map<number, Caller>} The calls without an answer, by number. */
const waiting = new Map();
let lastId = 0;
/** @type {Worker | undefined} The worker that answers; absent once it has died. */
let worker = open();

/** A call that failed; `code` is the library's, or `worker-failed` where the worker itself has died. */
export class EngineError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/**
 * @template {Call} Name
 * @param {Name} call
 * @param {Parameters<Library[Name]>} args
 * @returns {Promise<ReturnType<Library[Name]>>}
 */
function ask(call, ...args) {
  return new Promise((resolve, reject) => {
    if (!worker) {
      reject(new EngineError('worker-failed'));
      return;
    }
    waiting.set(++lastId, { resolve, reject });
    worker.postMessage({ id: lastId, call, args });
  });
}

function open() {
  const opened = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  opened.addEventListener('message', ({ data: { id, result, failure } }) => {
    // A call that `close` has rejected is not in the map any more.
    const caller = waiting.get(id);
    waiting.delete(id);
    if (failure) caller?.reject(new EngineError(failure.code));
    else caller?.resolve(result);
  });
  opened.addEventListener('error', () => {
    if (opened === worker) close();
  });
  return opened;
}

/** Ends the worker and every call that waits for it. */
function close() {
  worker?.terminate();
  worker = undefined;
  for (const { reject } of waiting.values()) reject(new EngineError('worker-failed'));
  waiting.clear();
}

/** Starts anew after a failure. What the library remembered is gone with the old worker. */
export function restart() {
  close();
  worker = open();
}

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
