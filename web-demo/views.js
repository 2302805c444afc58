/** What the page shows of a release: pure functions from the library's results to elements. */

import { element } from './element.js';
import { IN_CLEAR, measuredOf } from './measured.js';
import { cases, chance, decimal, mechanismName, number, plural, power, survival, times, tiny } from './phrases.js';
import { plus, ideal } from './promise.js';

/** @import { Alternatives, Deniability, Entry, Guarantee, Guesses, Level, LevelMechanism, Release } from './textveil/all/textveil.js' */

/** @typedef {{ word: string, synonym: string, distance: number }} Pair Two words of one meaning and their distance. */

/** The smallest chance that is drawn as a bar. */
const SMALLEST_BAR = 0.01;

/**
 * The word that was sent for an entry of the account.
 *
 * @param {Entry} entry
 */
export const sent = (entry) => entry.written ?? `[${entry.kind}]`;

/**
 * What happened to a token:
 * - `replaced`
 * - `kept`: drawn, and came out the same
 * - `near`: drawn, and came out as the near spelling that it was looked up by
 * - `clear`: not drawn, by choice
 *
 * An unknown token is never kept.
 *
 * @param {Entry} entry
 */
export function fate({ clear, kept, found }) {
  if (clear) return 'clear';
  if (!kept) return 'replaced';
  return found === 'near' ? 'near' : 'kept';
}

const MARKS = { replaced: '→', kept: '=', near: '≈', clear: '○' };

/** What a screen reader says between the two words, instead of the mark. */
const SPOKEN = {
  replaced: ', replaced by ',
  kept: ', came out as ',
  near: ', came out as its near spelling ',
  clear: ', left in the clear as ',
};

/**
 * A token above what it became, as a button that opens its alternatives.
 *
 * @param {Entry} entry
 * @param {number} index
 */
export function wordItem(entry, index) {
  const of = fate(entry);
  const mark = element('span', { className: 'mark' }, MARKS[of]);
  mark.setAttribute('aria-hidden', 'true');
  const button = element(
    'button',
    { type: 'button', className: 'word', dataset: { index, fate: of } },
    element('span', { className: 'word-typed' }, entry.token),
    element('span', { className: 'spoken' }, entry.written === null ? ', a placeholder: ' : SPOKEN[of]),
    element('span', { className: 'word-sent' }, mark, ` ${sent(entry)}`),
  );
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-controls', 'word-detail');
  return element('li', {}, button);
}

/** Rows in a word's table. */
const ROWS = 8;

/**
 * What a token could have become, under the terms of a guarantee.
 *
 * @param {Entry} entry
 * @param {Alternatives} alternatives
 * @param {Deniability} deniability
 * @param {Guesses | undefined} guesses what a reader makes of its table word in a release, if probabilities are stated
 * @param {Guarantee} guarantee
 */
export function wordDetail(entry, { input, found, distribution: likeliest, estimated }, deniability, guesses, guarantee) {
  const distribution = likeliest.slice(0, ROWS);
  const { eta, metric, cutoff, epsilonWord, deltaWord } = guarantee;
  const bounds = eta === null ? plus(deltaWord) : ideal(guarantee);
  // The distance on show counts in its own metric only. Otherwise any two words count as farthest apart.
  const counts = metric === 'euclidean' || metric === 'truncated-euclidean';
  /** @param {number} distance */
  const exponent = (distance) => (counts && eta !== null ? Math.min(eta * Math.min(distance, cutoff ?? Infinity), epsilonWord) : epsilonWord);
  const rest = 1 - distribution.reduce((sum, { probability }) => sum + probability, 0);
  const nearest = input === null ? undefined : neighbours({ input, distribution: likeliest }, 1)[0];
  const rows = distribution.map(({ word, probability, distance }) => {
    const heading = element('th', { scope: 'row' }, element('span', { lang: 'en' }, word), ...remarks(word, input, entry));
    if (probability >= SMALLEST_BAR) heading.append(bar(probability));
    return element(
      'tr',
      { className: word === entry.output ? 'drawn' : '' },
      heading,
      element('td', {}, chance(probability)),
      // Where distance does not count, one factor holds for all words.
      ...(eta === null ? [] : [element('td', {}, word === input ? '–' : `×${power(exponent(distance))}`)]),
    );
  });
  const about = [];
  if (entry.clear) {
    const instead = entry.output === null ? `${sent(entry)} was sent in its place.` : 'By your choice this word was left in clear.';
    about.push(element('p', {}, `${instead} If it had been drawn:`));
  }
  if (input === null) {
    about.push(
      element('p', {}, 'It is unknown: not in the table of words. Its replacement was drawn from the whole table, with the same chances for every unknown word.'),
    );
  } else if (found === 'near') {
    about.push(
      element('p', {}, 'It is not in the table of words. Its stand-in was ', element('b', { lang: 'en' }, input), ', a near spelling.'),
    );
  }
  if (input !== null && guesses) about.push(sureOf(input, guesses));
  const columns = ['Word', 'Chance', ...(eta === null ? [] : ['Factor'])].map((title) => element('th', { scope: 'col' }, title));
  const notes = [];
  if (rest > 5e-5) notes.push(`All other words of the table together: ${chance(rest)}.`);
  if (nearest) {
    notes.push(
      `For example “${input}” and “${nearest.word}”: whatever came out is at most ${times(exponent(nearest.distance))} ` +
        `as likely for the one as for the other, with the rest of the text the same${bounds}.`,
    );
  }
  if (estimated) notes.push(`These chances are estimated by simulation; the factors are bounds${bounds}.`);
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...columns)), element('tbody', {}, ...rows));
  const said = notes.map((note) => element('p', { className: 'small' }, note));
  const facts = deniabilityFacts(deniability);
  return [
    element(
      'div',
      { className: 'detail-head' },
      element('h3', { id: 'word-detail-title', tabIndex: -1 }, `What “${entry.token}” could have become`),
      element('button', { type: 'button', className: 'close' }, 'Close'),
    ),
    element(
      'p',
      { className: 'eyes-only' },
      element('strong', {}, 'For your eyes only. '),
      'All of this is worked out from the word you typed. It must not leave the device.',
    ),
    ...about,
    input === null ? facts : element('div', { className: 'detail-columns' }, element('div', {}, table, ...said, facts), element('div', { className: 'map' })),
  ];
}

/**
 * How sure a reader can be of a word that stands in a release.
 *
 * @param {string} word
 * @param {Guesses} guesses
 */
function sureOf(word, { written }) {
  const name = element('b', { lang: 'en' }, word);
  if (written === 0) return element('p', {}, name, ' itself never comes out.');
  return element(
    'p',
    { className: 'sure' },
    'If ', name, ' was drawn, it was written there in at most ', element('b', {}, cases(written)),
    ', for a reader who takes each word alone. Readers who weigh the words around know more.',
  );
}

/**
 * What hides a word: N_w, S_w, and the words that would hide it as well.
 *
 * @param {Deniability} deniability
 */
function deniabilityFacts({ kept, support, perplexity, distance, estimated }) {
  const lines = [
    [subscript('N'), 'comes out as itself', chance(kept)],
    [subscript('S'), 'words hold 95% of the chances', support.toLocaleString('en')],
    ['', 'equally likely words would hide it as well', decimal(perplexity)],
    ['', 'expected distance', decimal(distance)],
  ];
  const facts = lines.map(([symbol, meaning, value]) =>
    element('div', {}, element('dt', {}, symbol, symbol && ' ', meaning), element('dd', {}, value)),
  );
  return element(
    'section',
    {},
    element('h4', {}, 'Plausible deniability', element('span', { className: 'remark' }, estimated ? ' estimated by simulation' : '')),
    element('dl', { className: 'numbers' }, ...facts),
  );
}

/**
 * `N` or `S` of the word.
 *
 * @param {string} symbol
 */
const subscript = (symbol) => element('b', {}, symbol, element('sub', {}, 'w'));

/**
 * The nearest other words of a distribution, nearest first.
 *
 * @param {Pick<Alternatives, 'input' | 'distribution'>} alternatives
 * @param {number} count
 */
export const neighbours = ({ input, distribution }, count) =>
  distribution
    .filter(({ word }) => word !== input)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count);

/** @param {number} share */
function bar(share) {
  const drawn = element('span', { className: 'bar' });
  drawn.style.setProperty('--share', String(share));
  return drawn;
}

/**
 * @param {string} word
 * @param {string | null} input
 * @param {Entry} entry
 */
function remarks(word, input, { output, found, clear }) {
  const notes = [word === input && (found === 'exact' ? 'as typed' : 'stand-in'), !clear && word === output && 'drawn'].filter(Boolean);
  return notes.length ? [element('span', { className: 'remark' }, ` ${notes.join(', ')}`)] : [];
}

/**
 * `16 of 20 words replaced`
 *
 * @param {readonly Entry[]} account
 */
export function replacedCount(account) {
  const replaced = account.filter((entry) => fate(entry) === 'replaced').length;
  return `${replaced} of ${plural(account.length, 'word')} replaced`;
}

/**
 * A release among others, its replaced words underlined.
 *
 * @param {string} heading
 * @param {Release} release
 * @param {boolean} isCurrent
 */
export function compareItem(heading, release, isCurrent) {
  const title = element('h3', {}, heading);
  if (isCurrent) title.append(element('span', { className: 'remark' }, ' your choice'));
  return compareLine(
    title,
    [strength(release.guarantee), replacedCount(release.account)],
    element('p', { className: 'compare-text', lang: 'en' }, ...marked(release)),
    isCurrent,
  );
}

/**
 * A mechanism that cannot promise as much.
 *
 * @param {LevelMechanism} mechanism
 */
export const compareGap = (mechanism) =>
  compareLine(element('h3', {}, mechanismName(mechanism)), [], element('p', { className: 'small' }, 'It has no level that promises as much.'));

/** @type {(title: HTMLElement, facts: string[], text: HTMLElement, isCurrent?: boolean) => HTMLElement} */
const compareLine = (title, facts, text, isCurrent = false) =>
  element(
    'li',
    { className: isCurrent ? 'current' : '' },
    element('div', { className: 'compare-head' }, title, ...facts.map((fact) => element('p', {}, fact))),
    text,
  );

/**
 * The release's text in pieces, its replaced words as elements. The pieces join to the text itself.
 *
 * @param {Release} release
 */
function marked({ text, account }) {
  const pieces = [];
  let end = 0;
  for (const entry of account) {
    const word = sent(entry);
    const capital = word.charAt(0).toUpperCase() + word.slice(1);
    const [start] = [text.indexOf(word, end), text.indexOf(capital, end)].filter((at) => at >= 0).sort((a, b) => a - b);
    if (start === undefined) break;
    pieces.push(text.slice(end, start));
    end = start + word.length;
    const piece = text.slice(start, end);
    pieces.push(fate(entry) === 'replaced' ? element('span', { className: 'replaced' }, piece) : piece);
  }
  pieces.push(text.slice(end));
  return pieces;
}

/**
 * What a level, or a guarantee, costs: η where no ε is proved for the words that are farthest apart.
 *
 * @param {Pick<Guarantee, 'eta' | 'epsilonWord' | 'deltaWord'>} guarantee
 */
export function strength({ eta, epsilonWord, deltaWord }) {
  if (eta !== null && deltaWord >= 1) return `η ${number(eta)} a distance of 1, no ε proved`;
  return `ε ${number(epsilonWord)}${deltaWord > 0 ? `, δ ${tiny(deltaWord)}` : ''} a word`;
}

/**
 * A level by its number, as in code, and by its name, if it has one.
 *
 * @param {Level} level
 */
export const levelName = ({ index, preset }) => `Level ${index}${preset ? ` (${preset})` : ''}`;

/**
 * What the slider's position means.
 *
 * @param {Level} level
 * @param {number} count
 */
export function levelMeaning(level, count) {
  return [
    element('b', {}, `${levelName(level)}, of 0 to ${count - 1}. `),
    `In ordinary English ${survival(level.retentionByFrequency)}.`,
  ];
}

/** The word by which a level says how sure a reader can be. */
export const EXAMPLE = 'cancer';

/**
 * What a level costs, and what that means, as terms and definitions.
 *
 * @param {Level} level
 * @param {number | 'unknown' | undefined} written how probable it is that the example was written where it stands; unknown
 *   until it is computed, absent where the mechanism does not state its probabilities
 * @param {Pair} [pair] if the table has its words
 */
export function levelFacts(level, written, pair) {
  const { eta, epsilonWord, certificate } = level;
  const measured = measuredOf(level);
  /** @type {([string | HTMLElement, string] | null | undefined | false)[]} */
  const lines = [
    ['Any two words, worst case', strength(level)],
    measured && ['Accuracy on film reviews', `${percent(measured.accuracy)}, in clear ${percent(IN_CLEAR)}`],
    measured?.content !== undefined && ['Content words as typed', chance(measured.content)],
    written !== undefined && [
      element('span', {}, 'If ', element('span', { lang: 'en' }, `“${EXAMPLE}”`), ' stands there, it was written in'),
      written === 'unknown' ? '…' : `${cases(written)} at most`,
    ],
    pair && eta !== null && [
      element('span', { lang: 'en' }, `“${pair.word}” or “${pair.synonym}”?`),
      `×${power(Math.min(eta * Math.min(pair.distance, certificate?.cutoff ?? Infinity), epsilonWord))} at most`,
    ],
    certificate && ['A reader of single words is right', chance(certificate.inversionByFrequency)],
  ];
  return lines.filter((line) => !!line).map(([term, value]) => element('div', {}, element('dt', {}, term), element('dd', {}, value)));
}

/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)}%`;

/**
 * What the words around tell a reader beyond each word alone.
 *
 * @param {Level} level
 */
export function withContext(level) {
  const reader = measuredOf(level)?.reader;
  const figures = reader
    ? `a reader with a simple model of English was right about ${percent(reader.content)} of content words, and ${percent(reader.all)} of all words, at this level`
    : 'that was measured at other levels';
  return [
    `The words around a word tell more: ${figures} (`,
    element('a', { href: 'levels.txt' }, 'record 50'),
    '). A neural model would be right more often.',
  ];
}

/**
 * The named zones of a ladder, from the most private: each begins at the level of its name, the first at 0.
 *
 * @param {readonly Level[]} ladder
 */
export function zones(ladder) {
  const named = ladder.filter(({ preset }) => preset !== null);
  return named.map(({ index, preset }, at) => {
    const first = at === 0 ? 0 : index;
    const last = (named[at + 1]?.index ?? ladder.length) - 1;
    // A zone ends half a step beyond its last level, within the slider.
    const width = Math.min(last + 0.5, ladder.length - 1) - Math.max(first - 0.5, 0);
    return { name: String(preset), level: index, first, last, width };
  });
}

/**
 * A zone as a button that chooses its level.
 *
 * @param {ReturnType<typeof zones>[number]} zone
 */
export const zoneButton = ({ name, level, first, last }) =>
  element(
    'button',
    { type: 'button', className: 'zone', title: `Choose level ${level}`, dataset: { level } },
    element('b', {}, name),
    element('span', {}, `${first} to ${last}`),
  );
