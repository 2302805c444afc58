/**
 * Runs textveil beside the page, so that typing never waits for a long text.
 *
 * One worker serves the whole page: the library remembers what it has drawn, and two memories would draw twice.
 */

import { alternatives, deniability, guarantee, guesses, init, levels, privatize, TextveilError, vectors } from './textveil/all/textveil.js';

/** @type {Record<string, (...args: any[]) => unknown>} */
const calls = {
  levels,
  guarantee,
  alternatives,
  deniability,
  guesses,
  vectors,
  /** The account is not copied unless named; here it stays on the device, and the page shows it. */
  privatize(text, options) {
    const release = privatize(text, options);
    return { ...release, account: release.account };
  },
};

addEventListener('message', async ({ data: { id, call, args } }) => {
  try {
    await init();
    postMessage({ id, result: calls[call](...args) });
  } catch (error) {
    postMessage({ id, failure: { code: error instanceof TextveilError ? error.code : 'internal' } });
  }
});
