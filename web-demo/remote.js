/** A worker that answers calls. */

/** @typedef {{ resolve(result: any): void, reject(error: EngineError): void }} Caller */

/** A call that failed; `code` is the library's, or `worker-failed` where the worker itself has died. */
export class EngineError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/**
 * The worker that `create` starts.
 *
 * @param {() => Worker} create
 */
export function remote(create) {
  /** @type {Map<number, Caller>} The calls without an answer, by number. */
  const waiting = new Map();
  let lastId = 0;
  /** @type {Worker | undefined} The worker that answers; absent once it has died. */
  let worker = open();

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
    const opened = create();
    opened.addEventListener('message', ({ data: { id, result, failure } }) => {
      // A call that `close` has rejected is not in the map any more.
      const caller = waiting.get(id);
      waiting.delete(id);
      if (failure) caller?.reject(new EngineError(failure.code));
      else caller?.resolve(result);
    });
    for (const event of ['error', 'messageerror']) {
      opened.addEventListener(event, () => {
        if (opened === worker) close();
      });
    }
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
  function restart() {
    close();
    worker = open();
  }

  return { ask, restart };
}
