/**
 * textveil/testing: for the tests of a page that run in jsdom or happy-dom, which fire no `formdata` event.
 *
 * A browser fires the event, and there `provideFormData` does nothing. So what a page sends does not depend on this file.
 */

import { TextveilError } from './errors.js';
import { firesFormData } from './form-submission.js';

/** Errors that end while a submission waits. */
const PASSING = ['not-ready', 'not-recorded'];

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
 * @returns {Promise<FormData>}
 */
export function submitted(form, submitter = [...form.elements].find(({ type }) => type === 'submit' || type === 'image')) {
  provideFormData();
  const listening = new AbortController();
  const { signal } = listening;
  return new Promise((resolve, reject) => {
    let [begun, lacking] = [false, false];
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
  }).finally(() => listening.abort());
}
