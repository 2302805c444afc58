import { protect } from 'textveil/form';
import { browserStorage, Ledger } from 'textveil/ledger';
import { showPreview } from '../shared/preview.js';
import { send } from '../shared/send.js';

/** The most that may be released in a day, over all visits and tabs. Beyond it nothing is sent. */
const budgets = { comment: { epsilon: 1000, releases: 20, period: 86_400 } };

const form = document.querySelector('form');
showPreview(form, protect(form, { ledger: () => Ledger.open(budgets, browserStorage()) }));

// This submission has waited for the releases: they are recorded, and in the form data.
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void send(form);
});
