/** textveil/all/ledger: `textveil/ledger` for pages that load `textveil/all`. */

export * from '../ledger.js';
