/** textveil/ledger: a budget for what a page releases, by the module of the entry `textveil`. */

import { ledgerOf } from './ledger-of.js';
import { entry } from './textveil.js';
import { Ledger as Book } from './textveil_wasm.js';

export { browserStorage } from './storage.js';

export const Ledger = ledgerOf(Book, entry);
