import 'htmx.org';
import { protect } from 'textveil/form';
import { showPreview } from '../shared/preview.js';

const form = document.querySelector('form');
showPreview(form, protect(form));

const status = form.querySelector('[role=status]');
const SENDING = 'Sending…';
form.addEventListener('htmx:beforeRequest', () => (status.textContent = SENDING));
form.addEventListener('htmx:afterRequest', ({ detail }) => {
  // If the person has written on meanwhile, nothing is said of the new text.
  if (status.textContent === SENDING) status.textContent = detail.successful ? 'Sent.' : 'It could not be sent. Please try again.';
});
