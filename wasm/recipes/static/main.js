import { protect } from './textveil/form.js';
import { showPreview } from '../shared/preview.js';

const form = document.querySelector('form');
showPreview(form, protect(form));
