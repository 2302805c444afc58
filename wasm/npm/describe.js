/**
 * Says what a guarantee means for the person at the keyboard, in their language. It is a pure function of the guarantee, and
 * says only what the guarantee says. Numbers are rounded up.
 *
 * `core/src/privacy/guarantee/describe.rs` does the same in Rust, from the same texts. Each row of the texts has a name and its text in
 * each language. The package step puts them next to this file.
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
  // What stands for itself instead of a word: its name in the texts, and that of its being there.
  const [alone, there] = unit === 'value' ? ['answer', 'an-answer'] : unit === 'whole-text' ? ['text', 'a-text'] : [];
  // Two whole texts may differ in all that is drawn for them.
  const [epsilon, delta] = unit === 'whole-text' ? [epsilonText, deltaText] : [epsilonWord, deltaWord];
  const isOfVectors = table === null && unit !== 'value';

  const strength = () => {
    if (words === 0) return texts.none;
    if (notion === 'known-seed' || provesNothing(epsilon, delta)) return texts.warning;
    const kind = clear.includes('word-classes') ? 'kind' : 'word';
    const [one, other] = alone ? [alone, alone] : isOfVectors ? ['vector', 'vector'] : ['word', kind];
    // The error of `exp` is smaller in every language. So all of them give the factor 2 for ε = ln 2.
    const factor = number(Math.exp(epsilon) * (1 - 1e-13), 2);
    const odds = { one: texts[`one-${one}`], other: texts[`other-${other}`], factor, epsilon: number(epsilon, 4) };
    const condition = clear.includes('language') ? texts.condition : '';
    // η is proved for exact samplers. For other noise only ε and δ hold.
    const near = eta !== null && exactSampler ? fill('near', { eta: number(eta, 4) }) : '';
    const text = provesNothing(epsilonText, deltaText) ? texts.nothing : `ε = ${number(epsilonText, 4)}${but(deltaText)}`;
    const all = words > 1 && !alone ? fill('all', { words: number(words, 17) }) + text : '';
    return `${fill('odds', odds)}${but(delta)}${condition}${near}${all}.`;
  };
  const claimed = claim && !claim.holds ? fill('claim', { epsilon: number(claim.epsilon, 4) }) : '';
  const count = isOfVectors ? 'vector-number' : unit === 'text' ? 'word-number' : 'word-order';
  const seen = clear.map((id) => (id === 'word-count' ? texts[count] : (texts[id] ?? id)));
  if (there) seen.unshift(texts[there]);
  return `${strength()}${claimed}${texts.seen}${seen.join(', ')}.`;
}

/**
 * Whether ε and δ promise nothing. True for NaN, too.
 *
 * @param {number} epsilon
 * @param {number} delta
 */
function provesNothing(epsilon, delta) {
  return !(delta < 1 && epsilon < Infinity);
}

/**
 * The language in which guarantees are described for a locale, as a locale with its region: English for one that has no texts.
 *
 * @param {string} [locale]
 */
export function languageOf(locale) {
  const [[, ...languages]] = TEXTS;
  try {
    const [known] = Intl.getCanonicalLocales(locale);
    if (languages.includes(known?.split('-')[0])) return known;
  } catch {
    // Not the name of a language.
  }
  return 'en';
}

/**
 * The texts of a language by name, and a function that prints a number in it, rounded up to a number of digits.
 *
 * @param {string} locale
 * @returns {[{ [name: string]: string }, (x: number, digits: number) => string]}
 */
function spoken(locale) {
  const known = languageOf(locale);
  const column = TEXTS[0].indexOf(known.split('-')[0]);
  /** @type {(x: number, digits: number) => string} */
  const print = (x, digits) => {
    if (!(x >= 0 && x < Infinity)) return '∞';
    const [mantissa, power] = up(x, digits);
    /** @type {(x: number) => string} */
    const plain = (x) => new Intl.NumberFormat(known, { maximumSignificantDigits: digits }).format(x);
    if (power >= -4 && power < 6) return plain(Number(`${mantissa}e${power}`));
    // Spaces without line breaks.
    return `${plain(mantissa)}\u00a0×\u00a010${String(power).replace(/./g, (sign) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)] ?? '⁻')}`;
  };
  return [Object.fromEntries(TEXTS.map((row) => [row[0], row[column]])), print];
}

/**
 * The smallest number with this many digits that is at least x, as its digits (a point follows the first) and the power of ten.
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
