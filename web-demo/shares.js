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

/**
 * A share, estimated from releases, and the most that it is off in 95 of 100 cases. It can be negative by chance.
 *
 * @param {number} came how often a statement came out
 * @param {number} people of how many people
 * @param {Odds} odds
 */
export function estimated(came, people, { inside, outside }) {
  const seen = came / people;
  // A statement that never came out is not known any better than one that came out by chance alone.
  const spread = Math.max(seen, outside);
  const half = (SPREAD * Math.sqrt((spread * (1 - spread)) / people)) / (inside - outside);
  return { share: (seen - outside) / (inside - outside), half };
}
