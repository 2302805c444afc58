/**
 * textveil/prompt: privatizes a question to a language model. On this device it puts numbers, addresses and names back into the
 * answer, where it can.
 *
 * The model gets a function of a release, which costs no further privacy. The table of originals never leaves the closure
 * `restore`.
 */

/** @import { Entry, Release } from './textveil.js' */

import * as textveil from './textveil.js';

/** What must stand before and after a whole word. `'s` may follow it, and stays. */
const BEFORE = String.raw`(?<![\p{L}\p{N}])`;
const AFTER = String.raw`(?![\p{L}\p{N}])(?!['’](?!s(?![\p{L}\p{N}]))[\p{L}\p{N}])`;

/** What stands before the first word of a sentence, in the layout of a release. */
const SENTENCE_START = /(?:\n|[.!?]["'()]*[ \t])[ \t"'()]*$/;

/**
 * @param {string} text
 * @param {Record<string, any>} options
 */
export function preparePrompt(text, { engine = textveil, ...options } = {}) {
  const release = engine.privatize(text, { placeholders: true, ...options });
  const { prompt, placed } = numbered(release);
  const originals = new Map([...placed, ...drawnNames(release)]);
  // Longer words first: an alternation takes the first one that matches.
  const words = [...originals.keys()].sort((a, b) => b.length - a.length).map((word) => word.replace(/[[\]^$.|?*+(){}\\/]/g, '\\$&'));
  const pattern = words.length ? new RegExp(`${BEFORE}(?:${words.join('|')})${AFTER}`, 'giu') : /(?!)/g;
  /** @type {(answer: string) => string} */
  const restore = (answer) => answer.replace(pattern, (found) => originals.get(found.toLowerCase()) ?? found);
  // Not enumerable: `JSON.stringify`, `structuredClone` and `postMessage` take only what may be sent.
  return Object.freeze(Object.defineProperty({ text: prompt, guarantee: release.guarantee }, 'restore', { __proto__: null, value: restore }));
}

/**
 * The release with numbered placeholders: `[number-1]`, `[number-2]`. A number that stands twice gets two placeholders, so that
 * the model cannot see that they are equal.
 *
 * @param {Release} release
 */
function numbered({ text, account }) {
  /** @type {Record<string, number>} */
  const counts = {};
  const placed = new Map();
  let prompt = '';
  let at = 0;
  for (const { piece, start, entry } of located(text, account)) {
    if (entry.written !== null) continue;
    counts[entry.kind] = (counts[entry.kind] ?? 0) + 1;
    const placeholder = `[${entry.kind}-${counts[entry.kind]}]`;
    prompt += text.slice(at, start) + placeholder;
    at = start + piece.length;
    placed.set(placeholder, entry.token);
  }
  return { prompt: prompt + text.slice(at), placed };
}

/**
 * The original of each drawn word that is put back: of names, and of words that the table does not know. Common words stay as they
 * were drawn. So does a word that was drawn for two different originals.
 *
 * @param {Release} release
 * @returns {[any, string][]}
 */
function drawnNames({ text, account }) {
  const pieces = located(text, account).filter(({ entry }) => entry.written !== null);
  /** @type {(word: string) => boolean} */
  const isCapital = (word) => word.length > 1 && word.charAt(0) !== word.charAt(0).toLowerCase();
  // A capital letter marks a name only inside a sentence.
  const names = new Set(pieces.filter(({ before, entry }) => isCapital(entry.token) && !SENTENCE_START.test(before)).map(({ entry }) => entry.token));
  const originals = new Map();
  for (const { entry } of pieces) {
    const others = originals.get(entry.written) ?? new Set();
    originals.set(entry.written, others.add(entry.token));
  }
  /** @type {(entry: Entry) => boolean} */
  const isName = ({ token, found, clear }) => !clear && (names.has(token) || found === 'unknown');
  const drawn = pieces.filter(({ entry }) => isName(entry) && originals.get(entry.written).size === 1);
  return drawn.map(({ entry }) => [entry.written, entry.token]);
}

/**
 * The place of each token of the account in the release, with what stands before it.
 *
 * @param {string} text
 * @param {readonly Entry[]} account
 */
function located(text, account) {
  const low = text.toLowerCase();
  let at = 0;
  return account.map((entry) => {
    const sought = entry.written ?? `[${entry.kind}]`;
    const start = low.indexOf(sought, at);
    const before = (at === 0 ? '\n' : '') + text.slice(at, start);
    at = start + sought.length;
    return { before, piece: text.slice(start, at), start, entry };
  });
}
