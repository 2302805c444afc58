/**
 * textveil/testing: for the tests of a page that run in jsdom or happy-dom, which fire no `formdata` event.
 *
 * A browser fires the event, and there `provideFormData` does nothing. So what a page sends does not depend on this file.
 */

import { TextveilError } from './errors.js';
import { firesFormData } from './form-submission.js';

/** Errors that end while a submission waits. */
const PASSING = ['not-ready', 'not-recorded'];

/** How long a test waits, in milliseconds. */
const LIMIT = 30_000;

/** Makes `new FormData(form)` fire `formdata`, as a browser does. */
export function provideFormData() {
  if (firesFormData()) return;
  const Plain = FormData;
  globalThis.FormDataEvent ??= class FormDataEvent extends Event {
    /**
     * @param {string} type
     * @param {FormDataEventInit} settings
     */
    constructor(type, { formData, ...init }) {
      super(type, init);
      this.formData = formData;
    }
  };
  globalThis.FormData = class FormData extends Plain {
    /** @param {any} given */
    constructor(...given) {
      super(...given);
      given[0]?.dispatchEvent(new FormDataEvent('formdata', { formData: this, bubbles: true }));
    }
  };
}

/**
 * Submits the form as a person does, and gives the data that a browser would send.
 *
 * @param {HTMLFormElement} form
 * @param {any} submitter
 * @param {{ limit?: number }} settings
 * @returns {Promise<FormData>}
 */
export function submitted(form, submitter = [...form.elements].find(({ type }) => type === 'submit' || type === 'image'), { limit = LIMIT } = {}) {
  provideFormData();
  const listening = new AbortController();
  const { signal } = listening;
  /** @type {any} */
  let timer;
  return new Promise((resolve, reject) => {
    let [begun, lacking] = [false, false];
    /** @type {Set<any>} */
    const released = new Set();
    form.addEventListener('textveil:release', ({ target }) => released.add(target), { signal });
    timer = setTimeout(() => {
      // What still comes is not sent either.
      form.addEventListener('submit', (event) => event.preventDefault(), { once: true });
      const fields = [...released].map((control) => control.closest('textveil-field')?.name ?? control.closest('[data-private]')?.dataset.private);
      const lack = 'The module, the table, the ledger or the function `redact` has not answered, or a listener of the page has stopped the event `submit`.';
      reject(new TextveilError('not-ready', `The form was not sent within ${limit} ms. Fields with a release: ${fields.join(', ') || 'none'}. ${lack}`));
    }, limit);
    form.ownerDocument.addEventListener('submit', () => (begun = true), { capture: true, signal });
    form.addEventListener('textveil:error', ({ detail: { error } }) => {
      if (PASSING.includes(error.code)) lacking = true;
      else reject(error);
    }, { signal });
    // `protect` stops the first event, and lets the second one through when everything is drawn.
    form.addEventListener('submit', (event) => {
      if (event.target !== form) return;
      lacking = false;
      const data = new FormData(form, submitter);
      // A listener of the page has changed a text. `protect` stops this event, too, and submits once more.
      if (lacking) return;
      event.preventDefault();
      resolve(data);
    }, { signal });
    if (submitter) submitter.click();
    else form.requestSubmit();
    if (!begun) reject(new TextveilError('invalid-argument', 'A browser would not submit this form: a control is not valid, or the button is disabled.'));
  }).finally(() => {
    clearTimeout(timer);
    listening.abort();
  });
}
