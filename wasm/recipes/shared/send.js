const SENDING = 'Sending…';

/**
 * Sends the data of a form that may leave, and says how that went. While this runs, a second press sends nothing. If the person
 * writes on meanwhile, the form says nothing of the new text.
 *
 * @param action where to
 */
export async function send(form, action = form.action) {
  const status = form.querySelector('[role=status]');
  if (status.textContent === SENDING) return;
  const body = new FormData(form);
  status.textContent = SENDING;
  const { ok } = await fetch(action, { method: 'POST', body }).catch(() => ({ ok: false }));
  if (status.textContent === SENDING) status.textContent = ok ? 'Sent.' : 'It could not be sent. Please try again.';
}
