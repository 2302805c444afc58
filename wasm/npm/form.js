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

/** The forms that are protected as a whole. */
const protectedForms = new WeakSet();

export function protect(form, settings) {
  if (form?.localName !== 'form') throw invalid('What is protected is a form.');
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

/** What may hold text and has a name in something that is marked: no field of its own, and never sent. */
const INSIDE = '[data-private] :is(input, textarea, select)[name]';

/** Also those that lie elsewhere in the document and name the form; not those that a `<textveil-field>` cares for. */
function privateControls(form) {
  const marked = [...form.getRootNode().querySelectorAll(`[data-private], ${INSIDE}`)];
  const belongs = (control) => (control.form ?? control.closest('form')) === form;
  const own = marked.filter((control) => belongs(control) && control.closest('textveil-field')?.control !== control);
  return own.map((control) => ({ control, field: control.dataset.private ?? '' }));
}
