/** How strong a promise is, for someone with ten seconds: pure functions of ε and δ. */

import { element } from './element.js';
import { number, plural } from './phrases.js';
import { plus } from './promise.js';

/** @import { Guarantee } from './textveil/all/textveil.js' */
/** @import { StatementGuarantee } from './textveil/statements.js' */

/** Before reading, a guess of a reader is right with a chance of 1 in this number. */
const CHANCES = 1000;

/** From this δ on, the promise may be broken too often to count. */
const LARGE_DELTA = 1e-3;

/**
 * The zones, each with the largest ε of a text in it. At the ends of the zones, the reader's chance for that guess can
 * rise to 3 in 1,000 (ε = 1), 52 in 1,000 (ε = 4) and 891 in 1,000 (ε = 9). Beyond that, a reader can be nearly
 * certain, so nothing useful is promised.
 */
const ZONES = [
  { name: 'strong', most: 1, title: 'Strong promise' },
  { name: 'medium', most: 4, title: 'Medium promise' },
  { name: 'weak', most: 9, title: 'Weak promise' },
  { name: 'no real promise', most: Infinity, title: 'No real promise' },
];

/**
 * The zone of an ε; without a usable bound, the last one.
 *
 * @param {number} epsilon
 */
export const zoneOf = (epsilon, delta = 0) =>
  (delta < LARGE_DELTA && ZONES.find(({ most }) => epsilon <= most)) || ZONES[ZONES.length - 1];

/**
 * The most that a chance of 1 in 1,000 to guess right can rise to, rounded up: Bayes' rule, with a factor of at most e^ε.
 *
 * @param {number} epsilon
 */
export const raised = (epsilon) => Math.ceil(CHANCES / (1 + (CHANCES - 1) * Math.exp(-epsilon)) - 1e-9);

/** @param {number} epsilon */
function raise(epsilon, delta = 0) {
  const chances = raised(epsilon);
  return element('b', {}, chances < CHANCES ? `at most ${chances} in 1,000` : 'near certainty', plus(delta));
}

/**
 * The promise about a whole text that became a statement.
 *
 * @param {Pick<StatementGuarantee, 'epsilonText' | 'deltaText'>} guarantee
 */
export function textPromise({ epsilonText, deltaText }) {
  const zone = zoneOf(epsilonText, deltaText);
  const advice = isLast(zone) ? ' Think of it as if your text itself were sent.' : '';
  return [badge(zone, '.'), ' Suppose a reader guesses what you wrote, with a chance of 1 in 1,000 to be right. Reading this can raise that chance to ', raise(epsilonText, deltaText), `.${advice}`];
}

/**
 * The promise about a text that was drawn word by word: about the whole text first, then about one word.
 *
 * @param {Guarantee} guarantee
 */
export function wordsPromise({ words, epsilonText, deltaText, epsilonWord, deltaWord }) {
  if (words === 0) return [];
  const zone = zoneOf(epsilonText, deltaText);
  const whole = `about the whole text: ${plural(words, 'drawn word')}, ε ${number(epsilonText)} together. Its shape is visible.`;
  const one = [' For one word: suppose a reader knows all the others and guesses this one, with a chance of 1 in 1,000 to be right. Reading this can raise that chance to ', raise(epsilonWord, deltaWord), '.'];
  return [badge(zone), ` ${whole}`, ...(deltaWord < LARGE_DELTA ? one : [' For one word too: no useful bound is proved.'])];
}

/** @param {{ name: string }} zone */
const isLast = ({ name }) => name === ZONES[ZONES.length - 1].name;

/** @param {(typeof ZONES)[number]} zone */
const badge = (zone, end = '') => element('strong', { className: isLast(zone) ? 'badge none' : 'badge' }, zone.title, end);

/**
 * The zones of a slider: its steps, each with its ε, lie in equal cells.
 *
 * @param {readonly number[]} epsilons ascending
 * @param {number} current
 */
export function zoneBands(epsilons, current) {
  return ZONES.map((zone) => {
    const cells = epsilons.filter((epsilon) => zoneOf(epsilon) === zone).length;
    const band = element('span', { className: zoneOf(current) === zone ? 'current' : '', dataset: { zone: zone.name } }, zone.name);
    band.style.setProperty('--cells', String(cells));
    return band;
  });
}
