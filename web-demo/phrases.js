/** Numbers in words that a person can weigh. */

/** @import { Entry } from './textveil/all/textveil.js' */

const DIGITS = 3;
const figures = new Intl.NumberFormat('en', { maximumSignificantDigits: DIGITS });
const percent = new Intl.NumberFormat('en', { style: 'percent', minimumSignificantDigits: 2, maximumSignificantDigits: 2 });

/**
 * Rounds up: no bound of a guarantee is shown smaller than it is. `Intl` cannot do this in every engine.
 *
 * @param {number} value
 */
function roundedUp(value) {
  const nearest = Number(value.toPrecision(DIGITS));
  if (nearest >= value) return nearest;
  const [mantissa, exponent] = value.toExponential(DIGITS - 1).split('e').map(Number);
  return Number(`${Math.round(mantissa * 10 ** (DIGITS - 1)) + 1}e${exponent - DIGITS + 1}`);
}

/** @type {[zeros: number, name: string][]} */
const SCALES = [
  [12, 'trillion'],
  [9, 'billion'],
  [6, 'million'],
];

/**
 * ε, η, a factor: three significant digits, rounded up.
 *
 * @param {number} value
 */
export const number = (value) => figures.format(roundedUp(value));

/**
 * A measured value, which is not a bound: three significant digits.
 *
 * @param {number} value
 */
export const decimal = (value) => figures.format(value);

/**
 * δ, or the error of noise: three significant digits, rounded up; a small number as `1.5 × 10⁻⁶`.
 *
 * @param {number} value
 */
export function tiny(value) {
  if (value >= 1e-3 || value === 0) return number(value);
  const [mantissa, exponent] = roundedUp(value).toExponential().split('e');
  return `${mantissa} × 10${superscript(exponent)}`;
}

/**
 * A loss: `ε 8.4`, `ε 8.4, δ 10⁻⁵`.
 *
 * @param {{ epsilon: number, delta: number }} loss
 */
export const loss = ({ epsilon, delta }) => `ε ${number(epsilon)}${delta > 0 ? `, δ ${tiny(delta)}` : ''}`;

/**
 * A probability in percent.
 *
 * @param {number} probability
 */
export function chance(probability) {
  if (probability < 1e-4) return 'under 0.01%';
  // Only a certain outcome is shown as 100%.
  return probability > 0.99 && probability < 1 ? 'over 99%' : percent.format(probability);
}

/**
 * A probability as cases, rounded up: `1 of 7 cases`, `51 of 100 cases`.
 *
 * @param {number} probability
 */
export function cases(probability) {
  if (probability <= 0) return 'no case';
  if (probability < 0.4) return `1 of ${Math.floor(1 / probability).toLocaleString('en')} cases`;
  return `${Math.ceil(100 * probability)} of 100 cases`;
}

/**
 * e^`exponent`, which a double may be too small for: `30.5`, `2.41 million`, `10³³`.
 *
 * @param {number} exponent
 */
export function power(exponent) {
  const digits = exponent / Math.LN10;
  if (digits >= 15) return `10${superscript(Math.ceil(digits))}`;
  const value = Math.exp(exponent);
  const scale = SCALES.find(([zeros]) => digits >= zeros);
  return scale ? `${number(value / 10 ** scale[0])} ${scale[1]}` : number(value);
}

/**
 * `387 times`; a power of ten is explained: `10³³ times (a 1 with 33 zeros)`.
 *
 * @param {number} exponent
 */
export function times(exponent) {
  const zeros = Math.ceil(exponent / Math.LN10);
  return zeros >= 15 ? `${power(exponent)} times (a 1 with ${zeros} zeros)` : `${power(exponent)} times`;
}

/** @param {number | string} value */
const superscript = (value) => String(value).replace('-', '⁻').replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]);

/**
 * What a level means for ordinary text: how many of 100 words come out as typed.
 *
 * @param {number} share
 */
export function survival(share) {
  const kept = Math.round(share * 100);
  if (kept < 1) return 'hardly any word comes out as typed';
  if (kept > 99) return 'nearly every word comes out as typed';
  return `about ${kept} of 100 words come out as typed`;
}

/** From this δ on, the promise is weak, however small ε is. */
const LARGE_DELTA = 1e-3;

/**
 * How strong the promise for one word is when the two words have nothing to do with each other.
 *
 * @param {number} epsilon
 * @param {number} delta
 * @param {boolean} isMetric whether more is promised of words near each other
 */
export function worstCase(epsilon, delta, isMetric) {
  if (delta >= 1) return 'With a δ of 1 this is no promise at all.';
  if (delta > LARGE_DELTA) return 'With a δ as large as this, the promise is weak: it may be broken with that probability.';
  if (epsilon <= 1) return 'Even between unrelated words this is a strong promise.';
  if (epsilon <= 4) return 'Between unrelated words this is a moderate promise.';
  return (
    'Between unrelated words this is a weak promise: someone who weighs just those two words may well tell which it was. ' +
    (isMetric ? 'Between words near each other the bound is smaller; choose a word above to see it.' : 'Of words near each other it promises no more.')
  );
}

/** @type {(count: number, one: string, many?: string) => string} */
export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** @type {Record<string, string>} */
const CLEAR = {
  'word-count': 'how many pieces there are, and their order: words, and each symbol, emoji and character of Chinese, Thai and most of Japanese',
  punctuation: 'punctuation: . , ; : ! ? \' " ( ) - / and signs made of it, such as :-(',
  'white-space': 'spaces and line breaks',
  'sentence-ends': 'where sentences end',
  'function-words': 'function words such as “the” and “of”, and words spelled like one: US, WHO, Will, May',
  placeholders: 'where a web address, an e-mail address or a long number stood',
  'word-classes': 'the class of every word, such as names and places',
  mask: 'which words were left out',
  language: 'that the text does not look like another language',
};

/** What a placeholder stands for, by the kind of token. */
const STANDS_FOR = { email: 'an e-mail address', url: 'a web address', number: 'a number of seven digits or more, such as that of a phone' };

/**
 * What the placeholders in a release mean. It is empty for a release without any.
 *
 * @param {readonly Pick<Entry, 'kind' | 'written'>[]} account
 */
export function placeholderMeaning(account) {
  const kinds = new Set(account.filter(({ written }) => written === null).map(({ kind }) => kind));
  const meant = Object.entries(STANDS_FOR).flatMap(([kind, meaning]) => (kinds.has(/** @type {Entry['kind']} */ (kind)) ? `[${kind}] stands for ${meaning}` : []));
  return meant.length > 0 && `${meant.join(', ')}. What stood there stays on this device. That it stood there is public.`;
}

/**
 * A public item of a guarantee, in words.
 *
 * @param {string} id
 */
export const clearItem = (id) => CLEAR[id] ?? id.replaceAll('-', ' ');

const NOTIONS = {
  'pure-dp': 'pure ε-differential privacy',
  'approximate-dp': '(ε, δ)-differential privacy',
  'metric-dp': 'metric differential privacy',
  'known-seed': 'none: a known seed decided the draw',
};

/**
 * A notion of privacy, in words.
 *
 * @param {keyof typeof NOTIONS} id
 */
export const notionName = (id) => NOTIONS[id] ?? id;

const MECHANISM_NAMES = { nearest: 'Nearest', certified: 'Certified', plateau: 'Plateau', exponential: 'Exponential', 'metric-laplace': 'Noise' };

/** The mechanisms of the page, in its order. */
export const MECHANISMS = /** @type {(keyof typeof MECHANISM_NAMES)[]} */ (Object.keys(MECHANISM_NAMES));

/**
 * A mechanism's name, for a heading.
 *
 * @param {keyof typeof MECHANISM_NAMES} id
 */
export const mechanismName = (id) => MECHANISM_NAMES[id];

/** @type {Record<string, string>} */
const FAILURES = {
  'text-too-long': 'This text is too long to be privatized in one piece. Nothing leaves; shorten it to go on.',
  'other-language': 'Most of this text is not English, and only English can be replaced here. Nothing leaves.',
  unsupported: 'This browser is too old for textveil (it lacks WebAssembly). Nothing leaves.',
  'entropy-unavailable': 'This device gives no secure random numbers at the moment. Nothing leaves.',
};

/** @type {Record<string, string>} Failures after which the page can start again. */
const REPARABLE = {
  'load-failed': 'textveil could not be loaded. Nothing leaves. Check the connection and try again.',
  'worker-failed': 'textveil could not be loaded. Nothing leaves. Check the connection and try again.',
  'bad-table': 'A file of textveil is damaged. Nothing leaves. Try again to load it anew.',
  'bad-statements': 'The list of statements is damaged. Nothing leaves. Try again to load it anew.',
  internal: 'textveil has stopped after an internal error. Nothing leaves. Try again to start it anew.',
};

/** @type {Record<string, string>} */
const REFUSALS = {
  'terms-not-accepted': 'It was refused: this collector accepts only mechanisms that lose a bounded ε. Nothing was stored.',
  'too-large': 'It was refused: it is too long. Nothing was stored.',
};

/**
 * A collector's refusal, in words.
 *
 * @param {string} [code]
 */
export const refusal = (code = '') =>
  REFUSALS[code] ?? (code ? `It was refused (${code}). Nothing was stored.` : 'The collector did not answer. It may be gone.');

/**
 * A failure in words for the person at the keyboard, and whether another try may help.
 *
 * @param {string} [code]
 */
export function failure(code = 'internal') {
  const said = REPARABLE[code] ?? FAILURES[code] ?? `These settings are not possible (${code}). Nothing leaves.`;
  return { said, retry: code in REPARABLE };
}
