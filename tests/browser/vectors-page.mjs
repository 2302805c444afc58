// The golden vectors inside a page: fetches what the Node test reads from disk and runs the same checks.

import { checkVectors, ENGLISH, TABLES, VECTORS } from '../node/vectors.mjs';

const at = (path) => fetch(new URL(path, import.meta.url));

/** The results of `checkVectors` for one module of the package. Once a page: the glue holds one instance. */
export async function run(folder, module) {
  const { default: init, ...raw } = await import(`../insecure/${folder}textveil_wasm.js`);
  await init({ module_or_path: at(`../insecure/${folder}${module}`) });
  const vectors = await gather(VECTORS, async (name) => (await at(`../vectors/${name}.json`)).json());
  const tables = await gather(TABLES, (name) => bytes(`../tables/${name}`));
  tables[ENGLISH] = await bytes(`../insecure/${ENGLISH}`);
  return checkVectors(raw, vectors, tables);
}

async function bytes(path) {
  return new Uint8Array(await (await at(path)).arrayBuffer());
}

async function gather(names, read) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)])));
}
