/** textveil as the page sees it: the library's functions, answered by the worker. */

/** @import { Alternatives } from './textveil/all/textveil.js' */
/** @import { Settings, Terms } from './settings.js' */
/** @import * as Library from './textveil/all/textveil.js' */

/** @type {Map<number, { resolve(result: any): void, reject(error: EngineError): void }>} */
const waiting = new Map();
let lastId = 0;
/**
 * The worker that answers; absent once it has died.
 *
 * @type {Worker | undefined}
 */
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
 * @param {string} call
 * @param {unknown[]} args
 * @returns {Promise<any>}
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
    // A call that was abandoned has no one waiting any more.
    const asked = waiting.get(id);
    waiting.delete(id);
    if (failure) asked?.reject(new EngineError(failure.code));
    else asked?.resolve(result);
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

/** @type {() => Promise<readonly Library.Level[]>} */
export const levels = () => ask('levels');
/** @type {(options: Settings) => Promise<Library.Guarantee>} */
export const guarantee = (options) => ask('guarantee', options);
/** @type {(token: string, options: Settings, k: number) => Promise<Alternatives>} */
export const alternatives = (token, options, k) => ask('alternatives', token, options, k);
/** @type {(text: string, options: Settings) => Promise<readonly Library.TokenDeniability[]>} */
export const deniability = (text, options) => ask('deniability', text, options);
/** @type {(word: string, options: Settings, k: number) => Promise<Library.Guesses>} */
export const guesses = (word, options, k) => ask('guesses', word, options, k);
/** @type {(words: readonly string[]) => Promise<Float64Array[]>} */
export const vectors = (words) => ask('vectors', words);

/**
 * As the library's own: the account is there, and left out of whatever is made of the release.
 *
 * @param {string} text
 * @param {Terms} options
 * @returns {Promise<Library.Release>}
 */
export async function privatize(text, options) {
  const { account, ...release } = await ask('privatize', text, options);
  return Object.defineProperty(release, 'account', { value: account });
}
