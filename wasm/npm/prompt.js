/**
 * textveil/prompt: privatizes a question to a language model. On this device it puts numbers, addresses and names back into the
 * answer, where it can.
 *
 * The model gets a function of a release, which costs no further privacy. The table of originals never leaves the closure
 * `restore`.
 */

/** @import { Entry, Release, Span } from './textveil.js' */

import { isPlain } from './arguments.js';
import { invalid } from './errors.js';
import * as textveil from './textveil.js';

/** What must stand before and after a whole word. `'s` may follow it, and stays. */
const BEFORE = String.raw`(?<![\p{L}\p{N}])`;
const AFTER = String.raw`(?![\p{L}\p{N}])(?!['’](?!s(?![\p{L}\p{N}]))[\p{L}\p{N}])`;

/** What stands before the first word of a sentence, in the layout of a release. */
const SENTENCE_START = /(?:\n|[.!?]["'()]*[ \t])[ \t"'()]*$/;

/**
 * @param {string} text
 * @param {any} [given]
 */
export function preparePrompt(text, given) {
  // A copy of anything else would lack what a Map or a prototype holds, and the default could protect less.
  if (given !== undefined && !isPlain(given)) throw invalid('The options must be a plain object.');
  const { engine = textveil, ...options } = given ?? {};
  const release = engine.privatize(text, options);
  const { prompt, placed } = numbered(release, originalsOf(text, options.spans ?? []));
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
 * What stood in the spans of a text, in their order. Spans that overlap are one, as in the release.
 *
 * @param {string} text
 * @param {readonly Span[]} spans
 */
function originalsOf(text, spans) {
  /** @type {{ start: number, end: number }[]} */
  const all = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all.map(({ start, end }) => text.slice(start, end));
}

/**
 * What was sent for an entry of the account, in small letters.
 *
 * @param {Entry} entry
 */
function sent({ kind, token, written }) {
  return low(written ?? (kind === 'redacted' || kind === 'kept' ? token : `[${kind}]`));
}

/**
 * Small letters, each where its capital stood.
 *
 * @type {(text: string) => string}
 */
const low = (text) => text.replace(/\p{Lu}/gu, (letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter));

/**
 * The release with numbered placeholders: `[number-1]`, `[number-2]`. A number that stands twice gets two placeholders, so that
 * the model cannot see that they are equal.
 *
 * @param {Release} release
 * @param {string[]} redacted what stood in the spans
 */
function numbered({ text, account }, redacted) {
  /** @type {Record<string, number>} */
  const counts = {};
  const placed = new Map();
  let prompt = '';
  let at = 0;
  for (const { piece, start, entry } of located(text, account)) {
    if (entry.written !== null || entry.kind === 'kept') continue;
    const kind = sent(entry).slice(1, -1);
    counts[kind] = (counts[kind] ?? 0) + 1;
    const placeholder = `[${kind}-${counts[kind]}]`;
    prompt += text.slice(at, start) + placeholder;
    at = start + piece.length;
    placed.set(placeholder, entry.kind === 'redacted' ? redacted.shift() : entry.token);
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
  for (const entry of account) {
    const word = sent(entry);
    originals.set(word, (originals.get(word) ?? new Set()).add(entry.token));
  }
  /** @type {(entry: Entry) => boolean} */
  const isName = ({ token, found, clear }) => !clear && (names.has(token) || found === 'unknown');
  const drawn = pieces.filter(({ entry }) => isName(entry) && originals.get(sent(entry)).size === 1);
  return drawn.map(({ entry }) => [entry.written, entry.token]);
}

/**
 * The place of each token of the account in the release, with what stands before it.
 *
 * @param {string} text
 * @param {readonly Entry[]} account
 */
function located(text, account) {
  const small = low(text);
  let at = 0;
  return account.map((entry) => {
    const sought = sent(entry);
    const start = small.indexOf(sought, at);
    const before = (at === 0 ? '\n' : '') + text.slice(at, start);
    at = start + sought.length;
    return { before, piece: text.slice(start, at), start, entry };
  });
}
