/** Recognizes copies of a private text in what a form sends: also a part of it, and in the escapes of JSON, HTML and addresses. */

/**
 * The least length of a private text whose copy is recognized: as whole words of a value, or anywhere in it. Then that of a part of it.
 * What is shorter may be there by chance.
 */
export const TELLING = { words: 4, anywhere: 8, part: 24 };

/** A copy of a short text is recognized, too, if it was made this many letters ago. */
const LETTERS_AGO = 3;

/**
 * A text with single spaces: a copy may stand in a control of one line, or in markup.
 *
 * @type {(text: string) => string}
 */
export const plainText = (text) => text.replace(/\s+/g, ' ').trim();

/**
 * The forms in which a text is sought: as it stands, without the escapes of addresses, HTML and JSON, and its words alone in small
 * letters. A text without words lacks the last form.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function formsOf(text) {
  const bare = unescaped(text);
  return [...new Set([text, bare, wordsOf(bare)].map(plainText))].filter(Boolean);
}

/** @type {(text: string) => string} */
const wordsOf = (text) => plainText(text.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' '));

/**
 * A text without escapes, also where a script has escaped it more than once.
 *
 * @param {string} text
 */
function unescaped(text) {
  let before;
  for (let tries = 0; tries < 4 && text !== before; tries++) {
    before = text;
    text = decoded(text).replace(/<\/?[a-z][^<>]*>|\\[bfnrt]|\\u([\da-f]{4})|&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (_, unit, hex, decimal, name) => {
      const code = parseInt(unit ?? hex, 16) || Number(decimal);
      return code < 0x110000 ? String.fromCodePoint(code) : (ENTITIES.get(name) ?? ' ');
    });
  }
  return text;
}

/**
 * A text without the escapes of `encodeURIComponent` and of `escape`. Each run is decoded by itself: a percent sign elsewhere
 * is no reason to leave it.
 *
 * @param {string} text
 */
function decoded(text) {
  return text.replace(/%u[\da-f]{4}|(?:%[\da-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replace(/%u?([\da-f]+)/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
    }
  });
}

const ENTITIES = new Map([['amp', '&'], ['lt', '<'], ['gt', '>']]);

/**
 * Whether a value, by its forms, holds one of the texts. Only a long text counts if it stands within a word.
 *
 * @param {string[]} forms
 * @param {string[]} texts
 */
export function holdsAny(forms, texts) {
  return texts.some((text) =>
    forms.some((form) => {
      let at = form.indexOf(text);
      while (text.length < TELLING.anywhere && at >= 0 && !(isEdge(form, at) && isEdge(form, at + text.length))) at = form.indexOf(text, at + 1);
      return at >= 0;
    }),
  );
}

/**
 * What says whether a value, by its forms, holds the beginning of a text or stands in it. So a copy that was cut, or made some keys ago,
 * is found. A part may be there by chance: it does not count if it stands in something that a person wrote in public, nor within a release.
 * Only words count: other values may begin with the same markup.
 *
 * @param {string[]} texts
 * @param {string[]} releases
 * @param {string[]} publics
 * @returns {(forms: string[]) => boolean}
 */
export function holderOfParts(texts, releases, publics) {
  /** @type {(part: string) => boolean} */
  const isTelling = (part) => part.length >= TELLING.anywhere && /\p{L}/u.test(part) && !publics.some((one) => one.includes(part));
  const words = texts.filter((text) => wordsOf(text) === text);
  const beginnings = words.filter(({ length }) => length >= TELLING.part).map((text) => plainText(text.slice(0, TELLING.part))).filter(isTelling);
  /** @type {(form: string) => boolean} */
  const isPart = (form) => words.some((text) => (form.length >= TELLING.part ? text.includes(form) : text.startsWith(form) && form.length >= text.length - LETTERS_AGO));
  return (forms) =>
    forms
      .map((form) => plainText(releases.reduce((rest, release) => rest.replaceAll(release, ' '), form)))
      .some((form) => beginnings.some((part) => ` ${form}`.includes(` ${part}`)) || (isTelling(form) && isPart(form)));
}

/**
 * Whether a word may begin or end at a place of a value. Scripts without capitals may have no spaces between words.
 *
 * @param {string} value
 * @param {number} at
 */
const isEdge = (value, at) => !/[\p{LC}\p{N}]$/u.test(value.slice(Math.max(0, at - 2), at)) || !/^[\p{LC}\p{N}]/u.test(value.slice(at, at + 2));
