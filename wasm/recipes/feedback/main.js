import 'textveil/element';
import { statements } from 'textveil/statements';
import list from 'textveil/lists/product-feedback.tvs?url';

// `options` say how strongly: ε 8 for the whole text is what is usual.
document.querySelector('textveil-field').settings = { statements: statements(list) };
