/** How well releases of many people tell shares: pure functions. `textveil-collector plan` and `estimate` compute the same. */

/** @import { Odds } from './textveil/statements.js' */

/** Each answer comes out as it is. */
export const IN_CLEAR = { near: 1, inside: 1, outside: 0 };

/** What each end of a 95% interval leaves out: together 1 case in 20. */
const TAIL = 0.025;

/** Of a normal distribution, two-sided, at 95 %. */
const SPREAD = 1.96;

/**
 * The fewest answers that tell a share to within ± `half`: those for which the exact interval of the expected number reaches no
 * farther. A share is that of the texts that a statement is near to.
 *
 * @param {number} share 0…1
 * @param {number} half 0…1
 * @param {Odds} odds
 */
export function answersNeeded(share, half, { inside, outside }) {
  const seen = (/** @type {number} */ share) => outside + share * (inside - outside);
  const [low, chance, high] = [share - half, share, share + half].map(seen);
  const isEnough = (/** @type {number} */ answers) => {
    const came = chance * answers;
    return (share <= half || below(low, came, answers - came + 1) <= TAIL) && (share + half >= 1 || below(1 - high, answers - came, came + 1) <= TAIL);
  };
  // Somewhat fewer are enough for a normal distribution.
  let enough = Math.ceil((SPREAD / (half * (inside - outside))) ** 2 * chance * (1 - chance));
  while (!isEnough(enough)) enough *= 2;
  let few = 0;
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}

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
    low: share(came === 0 ? 0 : where((chance) => below(chance, came, people - came + 1) >= TAIL)),
    high: share(came === people ? 1 : where((chance) => below(1 - chance, people - came, came + 1) <= TAIL)),
  };
}

/**
 * The probability that a draw of the beta distribution of a and b lies below x: its continued fraction (Abramowitz and Stegun,
 * 26.5.8), evaluated as by Lentz (1976). Of n people, `a` or more succeed with this probability, if each does with probability x
 * and b is n − a + 1.
 *
 * @param {number} x
 * @param {number} a
 * @param {number} b
 * @returns {number}
 */
function below(x, a, b) {
  if (x > (a + 1) / (a + b + 2)) return 1 - below(1 - x, b, a);
  const first = 1 / (1 - ((a + b) * x) / (a + 1));
  let [numerator, denominator, fraction, before] = [1, first, first, 0];
  for (let m = 1; Math.abs(fraction - before) > Number.EPSILON * fraction; m++) {
    before = fraction;
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      numerator = 1 + term / numerator;
      denominator = 1 / (1 + term * denominator);
      fraction *= numerator * denominator;
    }
  }
  return (fraction * Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b))) / a;
}

/**
 * The logarithm of Γ: Stirling’s series, from 15 on.
 *
 * @param {number} x above 0
 */
function logGamma(x) {
  let steps = 0;
  for (; x < 15; x++) steps += Math.log(x);
  const part = 1 / (x * x);
  const series = (1 / 12 - part * (1 / 360 - part * (1 / 1260 - part / 1680))) / x;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - steps;
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
