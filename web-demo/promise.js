/** What is promised, as elements: pure functions of a guarantee. */

/** @import { Claim, Entry, Guarantee } from './textveil/all/textveil.js' */

import { element } from './element.js';
import { clearItem, loss, notionName, number, plural, times, tiny, worstCase } from './phrases.js';

/**
 * The condition under which a bound on a factor holds.
 *
 * @param {Guarantee} guarantee
 */
export const ideal = ({ exactSampler }) => (exactSampler ? '' : ' (for ideal noise)');

/**
 * The probability δ that may be added to a bound on a factor.
 *
 * @param {number} delta
 */
export const plus = (delta) => (delta > 0 ? `, plus a probability of δ = ${tiny(delta)}` : '');

/**
 * How to read a guarantee: e^ε in words, for one word and for the text.
 *
 * @param {Guarantee} guarantee
 * @param {readonly Entry[]} account what became of the text; empty where nothing is written
 */
export function guaranteeReading(guarantee, account) {
  const { eta, deltaWord, epsilonText, deltaText, words, claim } = guarantee;
  if (words === 0) {
    const isHidden = account.every(({ written }) => written === null);
    const stays = isHidden ? 'Placeholders stand for all of this text.' : 'By your choice every word of this text is left in clear.';
    const open = account.length > 0 ? stays : 'There is no word in this text.';
    return [element('p', {}, `${open} Nothing of it is protected.`)];
  }
  const reading = [eta !== null && deltaWord >= 1 ? nearReading(eta, guarantee) : wordReading(guarantee)];
  if (claim) reading.unshift(claimReading(claim));
  if (words > 1) {
    reading.push(
      element(
        'p',
        {},
        `Over all ${plural(words, 'drawn word')}, that is between any two texts of the same shape, the ε add up to `,
        element('b', {}, number(epsilonText)),
        deltaText > 0 ? ` and the δ to ${tiny(deltaText)}` : '',
        epsilonText > 10 || deltaText > 0.5
          ? '. As a promise about the whole text that is next to nothing: the promise lives in the single word. '
          : `: at most ${times(epsilonText)}. `,
        'A word that stands n times is drawn n times, and its loss adds up n-fold.',
      ),
    );
  }
  return reading;
}

/** @type {(clear: readonly string[]) => string} */
const condition = (clear) => (clear.includes('language') ? ', if neither text is refused' : '');

/**
 * What holds for any two words.
 *
 * @param {Guarantee} guarantee
 */
function wordReading({ eta, epsilonWord, deltaWord, clear }) {
  const alike = clear.includes('word-classes') ? 'of the same class' : 'of the same shape';
  return element(
    'p',
    {},
    `Take any two private words ${alike} in one place, with the rest of the text the same${condition(clear)}. Whatever came out is at most `,
    element('b', {}, times(epsilonWord)),
    ` as likely for the one as for the other${plus(deltaWord)}: that is e to the power of ε = ${number(epsilonWord)}. `,
    worstCase(epsilonWord, deltaWord, eta !== null),
  );
}

/**
 * For a level that proves nothing about the words that are farthest apart.
 *
 * @param {number} eta
 * @param {Guarantee} guarantee
 */
function nearReading(eta, { totalVariation, clear }) {
  return element(
    'p',
    {},
    `Take any two private words in one place, at distance d of each other, with the rest of the text the same${condition(clear)}. `,
    'Whatever came out is at most ',
    element('b', {}, `e^(${number(eta)}·d) times`),
    ` as likely for the one as for the other. This is for ideal noise. As it is computed, every probability may be off by ${tiny(totalVariation)}. ` +
      'So nothing is proved about words that are far apart. Choose a word above to see what holds for its neighbours.',
  );
}

/**
 * The claim of a published calibration. The rest of the guarantee says what is proved.
 *
 * @param {Claim} claim
 */
function claimReading(claim) {
  const introduction = `This is the calibration of a paper (${claim.source}), which claims ${loss(claim)} for one word. `;
  return element(
    'p',
    { className: claim.holds ? '' : 'warning' },
    introduction,
    claim.holds ? 'That holds.' : element('strong', {}, 'That does not follow.'),
    ' What is proved:',
  );
}

/** A value longer than this, in characters, stands below its term. */
const LONGEST_VALUE = 24;

/**
 * The guarantee's numbers as terms and definitions.
 *
 * @param {Guarantee} guarantee
 */
export function guaranteeNumbers(guarantee) {
  const { mechanism, calibration, notion, unit, neighbours, eta, words, claim, table } = guarantee;
  /** @type {([string, string | HTMLElement] | false | null)[]} */
  const lines = [
    ['ε of one word, worst case', number(guarantee.epsilonWord)],
    guarantee.deltaWord > 0 && ['δ of one word', tiny(guarantee.deltaWord)],
    claim && [`Claimed for one word, ${claim.holds ? 'rightly' : 'without proof'}`, loss(claim)],
    ['Words drawn', words.toLocaleString('en')],
    ['ε of this text', number(guarantee.epsilonText)],
    guarantee.deltaText > 0 && ['δ of this text', tiny(guarantee.deltaText)],
    eta !== null && ['η, per unit of distance', number(eta)],
    ['Notion', notionName(notion)],
    ['Unit', unit],
    ['Neighbours', neighbours],
    ['Mechanism', mechanism],
    ['Calibration', calibration],
    ['Sampler', guarantee.exactSampler ? 'exact' : `ideal noise, to within ${tiny(guarantee.totalVariation)}`],
    table !== null && ['Table', element('code', { title: table }, `${table.slice(0, 12)}…`)],
  ];
  /** @param {string | HTMLElement} value */
  const stacked = (value) => (typeof value === 'string' && value.length > LONGEST_VALUE ? 'stacked' : '');
  return lines
    .filter((line) => !!line)
    .map(([term, value]) => element('div', { className: stacked(value) }, element('dt', {}, term), element('dd', {}, value)));
}

const BY_CHOICE = new Set(['function-words']);

/**
 * What is public, one item a line. An item that the person chose says so.
 *
 * @param {Guarantee} guarantee
 */
export function guaranteeClear({ clear }) {
  return clear.map((id) =>
    element('li', {}, clearItem(id), ...(BY_CHOICE.has(id) ? [element('span', { className: 'remark' }, ' by your choice')] : [])),
  );
}
