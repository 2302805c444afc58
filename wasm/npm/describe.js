/**
 * What a guarantee means for the person at the keyboard, in their language. A pure function of the guarantee, which says
 * nothing that the guarantee does not. Numbers are rounded up.
 *
 * `core/src/guarantee/describe.rs` says the same in Rust, from the same texts: rows of a name and its text in each language,
 * which the package step lays beside this file.
 */

/** @import { Guarantee } from './types.js' */

import { TEXTS } from './describe-texts.js';

/**
 * @param {Guarantee<string, string>} guarantee
 * @param {string} [locale]
 */
export function describe(guarantee, locale = 'en') {
  const { notion, unit, words, eta, exactSampler, epsilonWord, deltaWord, epsilonText, deltaText, claim, clear, table } = guarantee;
  const [texts, number] = spoken(locale);
  /** @type {(name: string, values: Record<string, string>) => string} */
  const fill = (name, values) => Object.entries(values).reduce((text, [place, value]) => text.replace(`{${place}}`, value), texts[name]);
  /** @type {(delta: number) => string} */
  const but = (delta) => (delta > 0 ? fill('but', { delta: number(delta, 2) }) : '');
  const isOfVectors = table === null && unit !== 'value';

  const strength = () => {
    if (words === 0) return texts.none;
    if (notion === 'known-seed' || provesNothing(epsilonWord, deltaWord)) return texts.warning;
    const kind = clear.includes('word-classes') ? 'kind' : 'word';
    const [one, other] = unit === 'value' ? ['answer', 'answer'] : isOfVectors ? ['vector', 'vector'] : ['word', kind];
    // The error of `exp` in whatever language is less: all of them say that of ε = ln 2 the factor is 2.
    const factor = number(Math.exp(epsilonWord) * (1 - 1e-13), 2);
    const odds = { one: texts[`one-${one}`], other: texts[`other-${other}`], factor, epsilon: number(epsilonWord, 4) };
    // η is that of ideal noise: of other noise, what is said holds by ε and δ alone.
    const near = eta !== null && exactSampler ? fill('near', { eta: number(eta, 4) }) : '';
    const text = provesNothing(epsilonText, deltaText) ? texts.nothing : `ε = ${number(epsilonText, 4)}${but(deltaText)}`;
    const all = words > 1 && unit !== 'value' ? fill('all', { words: number(words, 17) }) + text : '';
    return `${fill('odds', odds)}${but(deltaWord)}${near}${all}.`;
  };
  const claimed = claim && !claim.holds ? fill('claim', { epsilon: number(claim.epsilon, 4) }) : '';
  const count = isOfVectors ? 'vector-number' : unit === 'text' ? 'word-number' : 'word-order';
  const seen = clear.map((id) => (id === 'word-count' ? texts[count] : (texts[id] ?? id)));
  if (unit === 'value') seen.unshift(texts['an-answer']);
  return `${strength()}${claimed}${texts.seen}${seen.join(', ')}.`;
}

/**
 * Also of what is no number.
 *
 * @param {number} epsilon
 * @param {number} delta
 */
function provesNothing(epsilon, delta) {
  return !(delta < 1 && epsilon < Infinity);
}

/**
 * The texts of a language by name, and what prints a number in it: rounded up to so many digits.
 *
 * @param {string} locale
 * @returns {[{ [name: string]: string }, (x: number, digits: number) => string]}
 */
function spoken(locale) {
  /** @type {string | undefined} */
  let known;
  try {
    [known] = Intl.getCanonicalLocales(locale);
  } catch {
    // No language at all.
  }
  known ??= 'en';
  const [[, ...languages]] = TEXTS;
  if (!languages.includes(known.split('-')[0])) known = 'en';
  const column = 1 + languages.indexOf(known.split('-')[0]);
  /** @type {(x: number, digits: number) => string} */
  const print = (x, digits) => {
    if (!(x >= 0 && x < Infinity)) return '∞';
    const [mantissa, power] = up(x, digits);
    /** @type {(x: number) => string} */
    const plain = (x) => new Intl.NumberFormat(known, { maximumSignificantDigits: digits }).format(x);
    if (power >= -4 && power < 6) return plain(Number(`${mantissa}e${power}`));
    // No line breaks there.
    return `${plain(mantissa)}\u00a0×\u00a010${String(power).replace(/./g, (sign) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)] ?? '⁻')}`;
  };
  return [Object.fromEntries(TEXTS.map((row) => [row[0], row[column]])), print];
}

/**
 * The smallest number of so many digits that is not below x: its digits, with the point behind the first one, and the power of ten.
 *
 * @param {number} x
 * @param {number} digits
 */
function up(x, digits) {
  const nearest = x.toExponential(digits - 1);
  const [mantissa, power] = nearest.split('e').map(Number);
  if (Number(nearest) >= x) return [mantissa, power];
  const next = Number((mantissa + 10 ** (1 - digits)).toFixed(digits - 1));
  return next < 10 ? [next, power] : [1, power + 1];
}
