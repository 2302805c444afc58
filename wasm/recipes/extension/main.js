import { protect } from 'textveil/form';
import { showPreview } from '../shared/preview.js';
import { send } from '../shared/send.js';

const form = document.querySelector('form');
showPreview(form, protect(form));

// This submission has waited for the releases: they are in the form data.
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void send(form);
});
