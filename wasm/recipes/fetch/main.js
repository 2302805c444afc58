import { protect } from 'textveil/form';
import { browserStorage, Ledger } from 'textveil/ledger';
import { showPreview } from '../shared/preview.js';

/** At most so much a day, over all visits and tabs. What is beyond it is not sent. */
const budgets = { comment: { epsilon: 1000, releases: 20, period: 86_400 } };

const form = document.querySelector('form');
showPreview(form, protect(form, { ledger: () => Ledger.open(budgets, browserStorage()) }));

// The submission that arrives here has waited for the releases: they are recorded, and in the form data.
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { ok } = await fetch(form.action, { method: form.method, body: new FormData(form) }).catch(() => ({ ok: false }));
  form.querySelector('[role=status]').textContent = ok ? 'Sent.' : 'It could not be sent. Please try again.';
});
