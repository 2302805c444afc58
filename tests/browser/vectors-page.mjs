// The golden vectors inside a page: fetches what the Node test reads from disk and runs the same checks.

import initMain, { Veil as Main } from '../insecure/textveil_wasm.js';
import initAll, { Veil as All } from '../insecure/all/textveil_wasm.js';
import { checkVectors, ENGLISH, TABLES, VECTORS } from '../node/vectors.mjs';

const at = (path) => fetch(new URL(path, import.meta.url));

/** The results of `checkVectors` for either module. */
export async function run() {
  await initMain({ module_or_path: at('../insecure/textveil_wasm.wasm') });
  await initAll({ module_or_path: at('../insecure/all/textveil_wasm.wasm') });
  const vectors = await gather(VECTORS, async (name) => (await at(`../vectors/${name}.json`)).json());
  const tables = await gather(TABLES, (name) => bytes(`../tables/${name}`));
  tables[ENGLISH] = await bytes(`../insecure/${ENGLISH}`);
  const checked = (entry, Veil) => checkVectors(Veil, vectors, tables).map((result) => ({ entry, ...result }));
  return [...checked('textveil', Main), ...checked('textveil/all', All)];
}

async function bytes(path) {
  return new Uint8Array(await (await at(path)).arrayBuffer());
}

async function gather(names, read) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)])));
}
