/**
 * What a page, its developer and the person hear of a protected form: events, lines of the console, and messages at the controls.
 */

/** @import { Member } from './form-controls.js' */
/** @import { Filled, Found } from './form-part.js' */
/** @import { Release } from './textveil.js' */

import { invalid, TextveilError } from './errors.js';
import { isCustom, isQuestion, isRendered, stateOf } from './form-controls.js';

export const TAKEN = 'Two copies of textveil protect this form. Load one: from one address, or from one bundle. Nothing is sent.';

/** @param {Found} faulty */
export function fault({ region: { localName }, field }) {
  return invalid(
    field
      ? `No text can be read from the private <${localName}>: neither it nor anything in it is a control for text, an editable element, ` +
          'a <select> of one answer with a list of answers in `statements`, or a custom element that is defined and whose `value` is a string. Nothing is sent.'
      : `The private <${localName}> has no field. Write the name of the field: data-private="note", or <textveil-field name="note">. Nothing is sent.`,
  );
}

/**
 * Whether a submission waits for what is missing. The person has nothing to do.
 *
 * @type {(error: any) => boolean}
 */
export const isAwaited = (error) => error?.code === 'not-ready' || error?.code === 'not-recorded';

export const notReady = () => new TextveilError('not-ready', 'textveil is not ready: wait for `settled()`, or submit the form.');

/** @type {(message: string) => () => never} */
export const refuse = (message) => () => {
  throw invalid(message);
};

/**
 * An error of this package. What a function of the page throws becomes one, and its message is never shown: it may quote the text.
 *
 * @param {any} cause
 * @returns {TextveilError}
 */
export const asTextveilError = (cause) =>
  cause?.name === 'TextveilError' ? cause : new TextveilError('invalid-options', 'A function that the page has set failed.', { cause });

/**
 * Tells the developer of the page of an error, once. No message of ours holds the text.
 *
 * @param {any} cause
 * @param {string} [where]
 */
export function tell(cause, where) {
  const error = asTextveilError(cause);
  if (toldErrors.has(error)) return;
  toldErrors.add(error);
  // The file, if `loading.js` names it. Another cause may come from the page.
  const [file = ''] = /^\S+: (?:HTTP status \d+|a page, and not the file)$/.exec(/** @type {any} */ (error.cause)?.message) ?? [];
  console.error(`textveil: ${[where, error.code, error.message, file].filter(Boolean).join(': ')}`);
}

/** @type {WeakSet<TextveilError>} */
const toldErrors = new WeakSet();

/**
 * What a page says of an error. If it says nothing, or fails, a person reads the package's message.
 *
 * @param {TextveilError} error
 * @param {(error: TextveilError) => string | undefined} [message]
 * @param {Member} [control]
 * @returns {string}
 */
export function said(error, message, control) {
  try {
    return message?.(error) ?? messageOf(error, control);
  } catch (cause) {
    console.error('textveil: the function `message` of the page has failed.', cause);
    return messageOf(error, control);
  }
}

/**
 * @param {TextveilError} error
 * @param {Member} [control]
 * @returns {string}
 */
export function messageOf({ code }, control) {
  const what = control && isQuestion(control) ? 'answer' : 'text';
  switch (code) {
    case 'budget-exhausted':
      return `This would tell more about you than may still be sent from this field. Please ${what === 'text' ? 'shorten the text, or ' : ''}try again later.`;
    case 'text-too-long':
      return 'This text is too long to be made private. Please shorten it.';
    case 'other-language':
      return 'This text seems to be in a language that cannot be made private here, so it cannot be sent. Usually, only English can.';
    case 'unsupported':
      return `This browser cannot make the ${what} private, so it cannot be sent.`;
    case 'load-failed':
      return `The page could not load the part that makes the ${what} private, so it cannot be sent yet. Please check your connection and try again.`;
    case 'internal':
      return `The ${what} could not be made private, so it cannot be sent. Please copy your ${what}, and then reload the page.`;
    case 'bad-ledger':
    case 'storage-failed':
      return `This browser does not let the page count what it sends, so the ${what} cannot be sent. Please let this site store data, or leave the private window.`;
    default:
      if (/^(?:invalid-|bad-statements$|other-encoder$)/.test(code)) return `This form is not set up as it should be, so the ${what} cannot be sent.`;
      return `The ${what} could not be made private, so it cannot be sent. Please try again.`;
  }
}

/**
 * Dispatches `textveil:release`, once for each release. The event never holds the account.
 *
 * @param {Filled} one
 * @param {Release} release
 */
export function announce(one, release) {
  const state = stateOf(one.control);
  if (state.announced === release) return;
  state.announced = release;
  dispatch(one, 'release', { text: release.text, guarantee: release.guarantee });
}

/**
 * Dispatches an event. False if a listener has called `preventDefault`: then the page shows the error itself.
 *
 * @param {Found} one
 * @param {string} what
 * @param {object} detail
 */
export function dispatch({ target, field }, what, detail) {
  return target.dispatchEvent(new CustomEvent(`textveil:${what}`, { bubbles: true, cancelable: what === 'error', detail: { field, ...detail } }));
}

/**
 * Shows a message after an element, where the browser shows none. If the element is hidden, the message stands after the nearest
 * element around it where it can be seen.
 *
 * @param {Member} target
 * @param {string} message
 */
export function showMessageAfter(target, message) {
  const paragraph = Object.assign(document.createElement('p'), { className: 'textveil-error', textContent: message });
  paragraph.setAttribute('role', 'alert');
  stateOf(target).message = paragraph;
  let place = target;
  place.after(paragraph);
  while (!isRendered(paragraph) && place.parentElement && place.parentElement !== document.body) {
    place = place.parentElement;
    place.after(paragraph);
  }
}

/** @param {Member} target */
export function clear(target) {
  const state = stateOf(target);
  if (!state.failed) return;
  state.failed = false;
  if (!isCustom(target)) target.setCustomValidity?.('');
  target.removeAttribute('aria-invalid');
  state.message?.remove();
  state.message = undefined;
}
