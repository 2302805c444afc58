/** textveil as the page sees it: the library's functions, answered by the worker. */

let worker = open();
const waiting = new Map();
let lastId = 0;

/** A call that failed; `code` is the library's, or `worker-failed` where the worker itself did not start. */
export class EngineError extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

function ask(call, ...args) {
  return new Promise((resolve, reject) => {
    waiting.set(++lastId, { resolve, reject });
    worker.postMessage({ id: lastId, call, args });
  });
}

function open() {
  const opened = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  opened.addEventListener('message', ({ data: { id, result, failure } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (failure) reject(new EngineError(failure.code));
    else resolve(result);
  });
  opened.addEventListener('error', abandon);
  return opened;
}

function abandon() {
  for (const { reject } of waiting.values()) reject(new EngineError('worker-failed'));
  waiting.clear();
}

/** Starts anew after a failure. What the library remembered is gone with the old worker. */
export function restart() {
  worker.terminate();
  abandon();
  worker = open();
}

export const levels = () => ask('levels');
export const guarantee = (options) => ask('guarantee', options);
export const privatize = (text, options) => ask('privatize', text, options);
export const alternatives = (token, options, k) => ask('alternatives', token, options, k);
