/** What many people together tell: texts of the page, and the estimated share of each. The texts are invented; the estimates are not. */

import { element } from './element.js';
import { estimated } from './shares.js';

/** @import { Odds } from './textveil/statements.js' */

/** @typedef {{ statement: string, written: number, came: number }} Row A statement, of how many people it is near to the text, and how often it came out. */

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

/**
 * The rows of the table.
 *
 * @param {Row[]} rows
 * @param {Odds} odds
 */
export function peopleRows(rows, odds) {
  return rows.map(({ statement, written, came }) => {
    const { share, half } = estimated(came, PEOPLE, odds);
    return element(
      'tr',
      {},
      element('th', { scope: 'row', lang: 'en' }, statement),
      element('td', {}, `${(100 * written) / PEOPLE}%`),
      element('td', {}, `${percent(share)} ± ${percent(half)}`),
    );
  });
}

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1).replace('-', '−')}%`;
