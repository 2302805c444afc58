/** textveil/all/ledger: a budget for what a page releases, by the module of the entry `textveil/all`. */

import { ledgerClass } from '../ledger-class.js';
// @ts-expect-error `module` is for the files of this package: the public types leave it out.
import { module } from './textveil.js';
import { Ledger as Book } from './textveil_wasm.js';

export { browserStorage } from '../storage.js';

export const Ledger = ledgerClass(Book, module);
