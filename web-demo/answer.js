/** The other side of `remote.js`, in the worker. */

/**
 * Answers every message that asks for one of `calls`.
 *
 * @param {Record<string, Function>} calls
 * @param {new (...given: any[]) => Error & { code: string }} TextveilError the error whose code the page may see
 * @param {() => unknown} [ready] what each call waits for
 */
export function answer(calls, TextveilError, ready) {
  addEventListener('message', async ({ data: { id, call, args } }) => {
    try {
      await ready?.();
      postMessage({ id, result: await calls[call](...args) });
    } catch (error) {
      postMessage({ id, failure: { code: error instanceof TextveilError ? error.code : 'internal' } });
    }
  });
}
