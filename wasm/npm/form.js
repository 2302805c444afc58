/**
 * textveil/form: sends the releases of a form's private controls, and never their text.
 *
 *     <textarea data-private="comment"></textarea>     no name: without script nothing of it is sent
 *
 *     import { protect } from 'textveil/form';
 *     protect(document.querySelector('form'));
 */

import { guard } from './guard.js';
import { invalid } from './shared.js';

const SETTINGS = ['options', 'source', 'engine', 'ledger', 'scope', 'withGuarantee', 'message'];

/** The forms that are protected as a whole. */
const protectedForms = new WeakSet();

export function protect(form, settings = {}) {
  if (form?.localName !== 'form') throw invalid('What is protected is a form.');
  // A setting that is not understood might have asked for more privacy.
  if (Object.keys(settings).some((name) => !SETTINGS.includes(name))) throw invalid(`A form knows only: ${SETTINGS.join(', ')}.`);
  // Of two protections with different terms, which would hold?
  if (protectedForms.has(form)) throw invalid('This form is protected already: `stop()` that protection first.');
  const protection = guard(form, () => privateControls(form), settings);
  protectedForms.add(form);
  return {
    get ready() {
      return protection.ready;
    },
    preview: protection.preview,
    settled: protection.settled,
    stop() {
      protectedForms.delete(form);
      protection.stop();
    },
  };
}

/** Also those that lie elsewhere in the document and name the form; not those that a `<textveil-field>` cares for. */
function privateControls(form) {
  const marked = [...form.getRootNode().querySelectorAll('[data-private]:not(textveil-field *)')];
  const own = marked.filter((control) => (control.form ?? control.closest('form')) === form);
  return own.map((control) => ({ control, field: control.dataset.private }));
}
