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
  const { prompt, placed } = numbered(release, originalsOf(text, options.spans ?? [], options.plainLayout ? undefined : release));
  const originals = new Map([...placed, ...drawnNames(release)]);
  // Longer words first: an alternation takes the first one that matches.
  const words = [...originals.keys()].sort((a, b) => b.length - a.length).map((word) => word.replace(/[[\]^$.|?*+(){}\\/]/g, '\\$&'));
  const pattern = words.length ? new RegExp(`${BEFORE}(?:${words.join('|')})${AFTER}`, 'giu') : /(?!)/g;
  /** @type {(answer: string) => string} */
  const restore = (answer) => answer.replace(pattern, (found) => originals.get(found.toLowerCase()) ?? found);
  // Not enumerable: `JSON.stringify`, `structuredClone` and `postMessage` take only what may be sent.
  return Object.freeze(Object.defineProperty({ text: prompt, guarantee: release.guarantee }, 'restore', { __proto__: null, value: restore }));
}

/** What stands for a span while a text is compared with its release. */
const MARK = '\ue000';

/**
 * A text in the layout of a release, with small letters.
 *
 * @type {(text: string) => string}
 */
const plain = (text) =>
  text.normalize('NFKC').replace(/[\u2018-\u201b\u02bc]/g, "'").replace(/[\u201c-\u201f\u00ab\u00bb]/g, '"').replace(/[\u2010-\u2015\u2212]/g, '-').replace(/\r\n?/g, '\n').replaceAll(MARK, '');

/**
 * What the placeholders of spans stand for, in their order: a span, and the rest of its word or address, which goes with it.
 *
 * @param {string} text
 * @param {readonly Span[]} spans
 * @param {Release} [release] the release, if it has the layout of the text
 */
function originalsOf(text, spans, release) {
  const inside = joined(spans);
  const originals = inside.map(({ start, end }) => text.slice(start, end));
  if (!inside.length || !release) return originals;
  const left = [...inside, { start: text.length }].map(({ start }, at) => plain(text.slice(inside[at - 1]?.end ?? 0, start))).join(MARK);
  const small = low(left);
  const pieces = located(release.text, release.account);
  /** @type {(at: number) => number} */
  const wordEnd = (at) => at + small.slice(at).search(/\s|$/);
  /**
   * Where a piece of the release begins and ends in the text, if the one before it ends at `at`. One with a span ends behind its mark.
   *
   * @param {{ before: string, entry: Entry }} piece
   * @param {number} at
   */
  const place = ({ before, entry }, at) => {
    // Two words without a space between get one in a release.
    if (small.startsWith(before, at)) at += before.length;
    else if (before !== ' ') return undefined;
    if (entry.kind !== 'redacted') return small.startsWith(low(entry.token), at) ? [at, at + entry.token.length] : undefined;
    const mark = small.indexOf(MARK, at);
    return mark >= 0 && mark < wordEnd(at) ? [at, mark + 1] : undefined;
  };
  let [behind, span] = [0, 0];
  for (const [number, piece] of pieces.entries()) {
    const [start = -1, end = -1] = place(piece, behind) ?? [];
    // The text and the release differ otherwise: then the spans alone are known.
    if (start < 0) break;
    behind = end;
    if (piece.entry.kind !== 'redacted') continue;
    // The rest of its word goes as far as the next piece.
    const next = pieces[number + 1];
    const last = wordEnd(end);
    while (behind < last && !(next ? place(next, behind) : /^[^\p{L}\p{N}]*$/u.test(left.slice(behind)))) behind++;
    // Of "Anna's" the model writes the end itself.
    originals[span] = left.slice(start, behind).replace(`${MARK}'s`, MARK).replace(MARK, () => originals[span] ?? '');
    span++;
  }
  return originals;
}

/**
 * Spans in their order. Those that overlap are one, as in a release.
 *
 * @param {readonly Span[]} spans
 */
function joined(spans) {
  /** @type {{ start: number, end: number }[]} */
  const all = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
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
  // A capital letter marks a name only inside a sentence. The text begins as a line does.
  /** @type {(before: string, start: number) => boolean} */
  const isInside = (before, start) => !SENTENCE_START.test(start > before.length ? before : `\n${before}`);
  const names = new Set(pieces.filter(({ before, start, entry }) => isCapital(entry.token) && isInside(before, start)).map(({ entry }) => entry.token));
  const originals = new Map();
  for (const entry of account) {
    const word = sent(entry);
    originals.set(word, (originals.get(word) ?? new Set()).add(entry.token));
  }
  /** @type {(entry: Entry) => boolean} */
  const isName = ({ token, found, clear }) => !clear && (names.has(token) || (found === 'unknown' && /[\p{L}\p{N}]/u.test(token)));
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
    const before = text.slice(at, start);
    at = start + sought.length;
    return { before, piece: text.slice(start, at), start, entry };
  });
}
