import { protect } from 'textveil/form';
import { showPreview } from '../shared/preview.js';

const form = document.querySelector('form');
showPreview(form, protect(form));

// This submission has waited for the releases: they are in the form data.
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { ok } = await fetch(form.action, { method: form.method, body: new FormData(form) }).catch(() => ({ ok: false }));
  form.querySelector('[role=status]').textContent = ok ? 'Sent.' : 'It could not be sent. Please try again.';
});
