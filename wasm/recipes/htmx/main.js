import 'htmx.org';
import { protect } from 'textveil/form';
import { showPreview } from '../shared/preview.js';

const form = document.querySelector('form');
showPreview(form, protect(form));

form.addEventListener('htmx:afterRequest', ({ detail }) => {
  form.querySelector('[role=status]').textContent = detail.successful ? 'Sent.' : 'It could not be sent. Please try again.';
});
