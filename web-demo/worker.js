/**
 * Runs textveil in a worker, so that a long text never delays typing.
 *
 * The whole page uses one worker. The library remembers what it has drawn, and two workers would draw the same text twice.
 */

import { answer } from './answer.js';
import { alternatives, deniability, guarantee, guesses, init, levels, privatize, TextveilError, vectors } from './textveil/all/textveil.js';

/** @import { Options } from './textveil/all/textveil.js' */

/** So large that each word comes out as itself, unless it never comes out. Only for asking: nothing is drawn by it. */
const SURE = /** @type {const} */ ({ mechanism: 'exponential', eta: 100 });

const calls = {
  levels,
  guarantee,
  alternatives,
  deniability,
  guesses,
  vectors,
  /**
   * Those of some words of the table that no result ever has, such as slurs.
   *
   * @param {string[]} words
   */
  neverSent: (words) => words.filter((word) => alternatives(word, SURE, 1).distribution[0].word !== word),
  /**
   * A message carries the account only if it is named. Here it stays on the device, and the page shows it.
   *
   * @param {string} text
   * @param {Options} options
   */
  privatize(text, options) {
    const release = privatize(text, options);
    return { ...release, account: release.account };
  },
};

answer(calls, TextveilError, init);
