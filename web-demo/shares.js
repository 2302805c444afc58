/** How well releases of many people tell shares: pure functions. `textveil statements inspect` prints the same. */

/** @import { Odds } from './textveil/statements.js' */

/** Of a normal distribution, two-sided, at 95 %. */
const SPREAD = 1.96;

/** Each answer comes out as it is. */
const IN_CLEAR = { near: 1, inside: 1, outside: 0 };

/**
 * The number of answers that tell a share to within ± `half`, in 95 of 100 cases. A share is that of the texts that a statement is near to.
 *
 * @param {number} share 0…1
 * @param {number} half 0…1
 * @param {Odds} [odds] those of releases; without them, of answers in clear
 */
export function answersNeeded(share, half, { inside, outside } = IN_CLEAR) {
  const seen = share * inside + (1 - share) * outside;
  return (SPREAD / (half * (inside - outside))) ** 2 * seen * (1 - seen);
}

/** What each end of an interval leaves out: together 1 case in 20. */
const TAIL = 0.025;

/**
 * A share, estimated from releases, and the ends of its 95% interval: 0…1. The interval is exact (Clopper and Pearson 1934), as the collector's is, so it holds for rare statements too.
 *
 * @param {number} came how often a statement came out
 * @param {number} people of how many people
 * @param {Odds} odds
 */
export function estimated(came, people, { inside, outside }) {
  const share = (/** @type {number} */ seen) => Math.min(Math.max((seen - outside) / (inside - outside), 0), 1);
  return {
    share: share(came / people),
    low: share(came === 0 ? 0 : where((chance) => atMost(came - 1, people, chance) <= 1 - TAIL)),
    high: share(came === people ? 1 : where((chance) => atMost(came, people, chance) <= TAIL)),
  };
}

/**
 * The probability that at most `count` of `trials` succeed, each with the same chance.
 *
 * @param {number} count
 * @param {number} trials
 * @param {number} chance between 0 and 1
 */
function atMost(count, trials, chance) {
  // As logarithms, which no number of trials makes too small.
  let term = trials * Math.log1p(-chance);
  let sum = Math.exp(term);
  for (let n = 1; n <= count; n++) {
    term += Math.log((trials - n + 1) / n) + Math.log(chance) - Math.log1p(-chance);
    sum += Math.exp(term);
  }
  return sum;
}

/**
 * The least chance from which on something holds, by bisection.
 *
 * @param {(chance: number) => boolean} holds
 */
function where(holds) {
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
