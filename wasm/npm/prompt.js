/**
 * textveil/prompt: privatizes what a language model is asked, and puts back into its answer, on this device, what it can:
 * numbers, addresses and names.
 *
 * What the model gets is a function of a release, which costs no privacy. What stands for what never leaves the closure
 * that `restore` is.
 */

/** @import { Entry, Release } from './textveil.js' */

import * as textveil from './textveil.js';

/** Neither side of a whole word; `'s` may follow one, and stays. */
const BEFORE = String.raw`(?<![\p{L}\p{N}])`;
const AFTER = String.raw`(?![\p{L}\p{N}])(?!['’](?!s(?![\p{L}\p{N}]))[\p{L}\p{N}])`;

/**
 * @param {string} text
 * @param {Record<string, any>} options
 */
export function preparePrompt(text, { engine = textveil, ...options } = {}) {
  const release = engine.privatize(text, { placeholders: true, ...options });
  const { prompt, placed } = numbered(release);
  const originals = new Map([...placed, ...drawnNames(release)]);
  // Longer words first: an alternation takes the first that fits.
  const words = [...originals.keys()].sort((a, b) => b.length - a.length).map((word) => word.replace(/[[\]^$.|?*+(){}\\/]/g, '\\$&'));
  const pattern = words.length ? new RegExp(`${BEFORE}(?:${words.join('|')})${AFTER}`, 'giu') : /(?!)/g;
  /** @type {(answer: string) => string} */
  const restore = (answer) => answer.replace(pattern, (found) => originals.get(found.toLowerCase()) ?? found);
  // Not enumerable, so that `JSON.stringify`, `structuredClone` and `postMessage` take what may be sent, and no more.
  return Object.freeze(Object.defineProperty({ text: prompt, guarantee: release.guarantee }, 'restore', { __proto__: null, value: restore }));
}

/**
 * The release with its placeholders told apart: `[number-1]`, `[number-2]`. They are numbered in order, also where one number
 * stands twice: that two are equal is nobody's business.
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
    if (entry.output !== null) continue;
    counts[entry.kind] = (counts[entry.kind] ?? 0) + 1;
    const placeholder = `[${entry.kind}-${counts[entry.kind]}]`;
    prompt += text.slice(at, start) + placeholder;
    at = start + piece.length;
    placed.set(placeholder, entry.token);
  }
  return { prompt: prompt + text.slice(at), placed };
}

/**
 * Drawn word → what it stands for: names, and what the table does not know. Common words are left as they were drawn, and so is
 * a word that was drawn for two different ones.
 *
 * @param {Release} release
 * @returns {[any, string][]}
 */
function drawnNames({ text, account }) {
  const pieces = located(text, account).filter(({ entry }) => entry.output !== null);
  /** @type {(word: string) => boolean} */
  const isCapital = (word) => word.length > 1 && word.charAt(0) !== word.charAt(0).toLowerCase();
  // A capital says something inside a sentence alone; there the release has none.
  const names = new Set(pieces.filter(({ piece, entry }) => isCapital(entry.token) && !isCapital(piece)).map(({ entry }) => entry.token));
  const originals = new Map();
  for (const { entry } of pieces) {
    const others = originals.get(entry.output) ?? new Set();
    originals.set(entry.output, others.add(entry.token));
  }
  /** @type {(entry: Entry) => boolean} */
  const isName = ({ token, found, clear }) => !clear && (names.has(token) || found === 'hashed');
  const drawn = pieces.filter(({ entry }) => isName(entry) && originals.get(entry.output).size === 1);
  return drawn.map(({ entry }) => [entry.output, entry.token]);
}

/**
 * Where in the release each token of the account stands.
 *
 * @param {string} text
 * @param {readonly Entry[]} account
 */
function located(text, account) {
  const low = text.toLowerCase();
  let at = 0;
  return account.map((entry) => {
    const sought = entry.output ?? `[${entry.kind}]`;
    const start = low.indexOf(sought, at);
    at = start + sought.length;
    return { piece: text.slice(start, at), start, entry };
  });
}
