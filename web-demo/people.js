/** What many people together tell: texts of the page, and the estimated share of each. The texts are invented; the estimates are not. */

import { drawn, element } from './element.js';
import { estimated } from './shares.js';

/** @import { Odds } from './textveil/statements.js' */

/** @typedef {{ text: string, statement: string, written: number, came: number }} Row A text, its nearest statement, of how many people that is near to the text, and how often it came out. */

/** @type {Record<string, string[]>} Texts for each list. The page starts with the first. */
export const EXAMPLES = {
  'product-feedback': [
    'It crashes every time I take a photo of my dog Bruno.',
    'I love it, I open it every morning.',
    'Far too many ads these days.',
    'It is slow on my old phone.',
  ],
  'support-requests': [
    'I forgot my password, and the mail to reset it never comes.',
    'I waited on the phone for forty minutes.',
    'I was charged twice for one order.',
    'How do I cancel my subscription?',
  ],
  'health-check-in': [
    'I lie awake half the night and think about my bills.',
    'I went for a walk every day this week.',
    'My back hurts again.',
    'I forgot to take my pills yesterday.',
  ],
  'workplace-survey': [
    'There is far too much work for the three of us.',
    'I like my colleagues in the kitchen.',
    'We sit in meetings all day.',
    'I would love to work from home more often.',
  ],
  'shop-and-delivery': [
    'The parcel stood in the rain and the vase inside is in pieces.',
    'It came two weeks late.',
    'Everything was perfect, I will order here again.',
    'The shoes are too small for my son.',
  ],
  'film-and-book-reviews': [
    'Beautiful pictures, but I nearly fell asleep in the middle.',
    'The ending made me cry.',
    'I laughed from beginning to end.',
    'It was far too long.',
  ],
};

/** How many people write each of the four texts. */
const COUNTS = [400, 300, 200, 100];
const PEOPLE = COUNTS.reduce((sum, count) => sum + count);

/**
 * The people who write the texts of a list.
 *
 * @param {string} list
 */
export const peopleOf = (list) => EXAMPLES[list].map((text, n) => ({ text, count: COUNTS[n] }));

/** @typedef {{ text: string, statement: string, truth: number, share: number, low: number, high: number }} Learned A share of people, what a collector estimates, and the ends of its 95% interval; 0…1. */

/**
 * What a collector learns of each statement.
 *
 * @param {Row[]} rows
 * @param {Odds} odds
 * @returns {Learned[]}
 */
export const learned = (rows, odds) =>
  rows.map(({ text, statement, written, came }) => ({ text, statement, truth: written / PEOPLE, ...estimated(came, PEOPLE, odds) }));

/**
 * The rows of the table, and below each its drawing.
 *
 * @param {Learned[]} all
 */
export function peopleRows(all) {
  return all.flatMap(({ text, statement, truth, share, low, high }) => [
    element(
      'tr',
      {},
      element('th', { scope: 'row', lang: 'en' }, statement, element('span', { className: 'wrote' }, `nearest to “${text}”`)),
      element('td', {}, `${100 * truth}%`),
      element('td', {}, `${percent(share)} `, element('span', {}, `(${number(low)} to ${percent(high)})`)),
    ),
    element('tr', { className: 'chart', ariaHidden: 'true' }, element('td', { colSpan: 3 }, drawing({ truth, share, low, high }))),
  ]);
}

/** An estimate that may be off by more tells nothing of a share. */
const TOO_WIDE = 0.25;

/**
 * By how much an estimate may be off, at most.
 *
 * @param {Learned[]} all
 */
const error = (all) => Math.max(...all.flatMap(({ share, low, high }) => [share - low, high - share]));

/**
 * Whether the estimates tell shares apart.
 *
 * @param {Learned[]} all
 */
export const tells = (all) => error(all) <= TOO_WIDE;

/**
 * What the table says, in a sentence.
 *
 * @param {Learned[]} all
 */
export function peopleSummary(all) {
  if (!tells(all)) return `At this ε, 1,000 answers tell nothing about shares: an estimate may be off by as much as ${percent(error(all))}. Choose a larger ε to see estimates.`;
  const held = all.filter(({ truth, low, high }) => low <= truth && truth <= high).length;
  return `${held} of ${all.length} true shares lie within the interval of their estimate.`;
}

/** The height of a drawing, in pixels. */
const HEIGHT = 22;

/**
 * The true share as a bar, the estimate as a dot, its interval as a line. The table says the same in numbers.
 *
 * @param {Pick<Learned, 'truth' | 'share' | 'low' | 'high'>} learned
 */
function drawing({ truth, share, low, high }) {
  const [from, to] = [place(low), place(high)];
  const middle = HEIGHT / 2;
  return drawn(
    'svg',
    { height: HEIGHT },
    drawn('rect', { class: 'track', y: 3, width: '100%', height: HEIGHT - 6 }),
    drawn('rect', { class: 'truth', y: 3, width: place(truth), height: HEIGHT - 6 }),
    drawn('line', { class: 'interval', x1: from, x2: to, y1: middle, y2: middle }),
    ...[from, to].map((x) => drawn('line', { class: 'interval', x1: x, x2: x, y1: middle - 5, y2: middle + 5 })),
    drawn('circle', { class: 'estimate', cx: place(share), cy: middle, r: 5 }),
  );
}

/**
 * A share as a place on the drawing, which spans 0 to 100%.
 *
 * @param {number} share
 */
const place = (share) => `${(100 * share).toFixed(2)}%`;

/** @param {number} share */
const number = (share) => (100 * share).toFixed(1);

/** @param {number} share */
const percent = (share) => `${number(share)}%`;
