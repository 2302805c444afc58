// Timings inside a page.

import { init, privatize } from '../../textveil/textveil.js';
import { english, other } from '../node/timings.mjs';

/** Milliseconds from the import of the package to the first release of twelve words. `started`: when this module was asked for. */
export async function first(started) {
  await init();
  privatize('My sister was diagnosed with diabetes and is afraid of her boss.');
  return performance.now() - started;
}

/** The English table, by both entries, and statements. */
export async function shipped() {
  const [all, { statements }, file] = await Promise.all([import('../../textveil/all/textveil.js'), import('../../textveil/statements.js'), fetch('/textveil/english-text.tvt')]);
  return english({ init, privatize }, all, { statements, encoder: new Uint8Array(await file.arrayBuffer()) });
}

/** The table at this address. */
export const loaded = async (table) => other(await import('../../textveil/all/textveil.js'), table);
