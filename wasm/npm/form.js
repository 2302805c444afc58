/**
 * textveil/form: sends the releases of a form's private controls, and never their text.
 *
 *     <textarea data-private="comment"></textarea>     no name: without script it is not sent
 *
 *     import { protect } from 'textveil/form';
 *     protect(document.querySelector('#feedback'));
 */

import { invalid } from './errors.js';
import { controlOf, formOf, isForm, silenceAll, unhidden } from './form-controls.js';
import { protectRegions } from './form-submission.js';

/**
 * The forms that are protected as a whole.
 *
 * @type {WeakSet<HTMLFormElement>}
 */
const protectedForms = new WeakSet();

/**
 * @param {HTMLFormElement} form
 * @param {unknown} settings
 */
export function protect(form, settings) {
  if (!isForm(form)) throw invalid('`protect` takes a form.');
  // Before anything else can fail: without a name the browser sends nothing.
  for (const { region } of privateRegions(form)) silenceAll(region);
  // Two protections may have different terms, and only one could hold.
  if (protectedForms.has(form)) throw invalid('This form is protected already: `stop()` that protection first.');
  const protection = protectRegions(form, () => privateRegions(form), settings);
  protectedForms.add(form);
  if (!privateRegions(form).length && marked(form).length) console.warn('textveil: `protect` was called for a form without data-private, but another form of this page has it.');
  return {
    get ready() {
      return protection.ready;
    },
    preview: protection.preview,
    settled: protection.settled,
    withdraw: protection.withdraw,
    stop() {
      protectedForms.delete(form);
      protection.stop();
    },
  };
}

/**
 * All elements with `data-private` around the form, and in it.
 *
 * @param {HTMLFormElement} form
 * @returns {any[]}
 */
const marked = (form) => [...unhidden(unhidden(form).getRootNode()).querySelectorAll('[data-private]:not(textveil-field)')];

/**
 * The private regions of the form. A region elsewhere in the document counts if one of its elements names the form. A
 * `<textveil-field>` protects itself. If the control of a region belongs to another form, the region is left out here, and its
 * elements only lose their names.
 *
 * @param {HTMLFormElement} form
 * @returns {any[]}
 */
function privateRegions(form) {
  /** @type {(element: HTMLElement) => boolean} */
  const belongs = (element) => formOf(element) === form || element.closest('form') === form;
  const own = marked(form).filter((region) => belongs(region) || [...region.querySelectorAll('*')].some(belongs));
  return own.map((region) => ({ region, field: formOf(controlOf(region) ?? region) === form ? region.dataset.private : undefined }));
}
