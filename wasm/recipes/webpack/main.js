import { protect } from 'textveil/form';
import { showPreview } from '../shared/preview.js';

const form = document.querySelector('form');
showPreview(form, protect(form));
