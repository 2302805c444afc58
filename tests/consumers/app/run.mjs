// Every consumer runs the golden vectors by the seeded flavour's raw module. Then it uses the release flavour once,
// which finds its files by itself.

import * as textveil from 'textveil';
import instantiate, { Encoder, Statements, Veil } from 'textveil-insecure/raw';
import { firstUse } from './first-use.mjs';
import { checkVectors, ENGLISH, TABLES, VECTORS } from './vectors.mjs';

/**
 * @param read gives the bytes of a golden file by its name
 * @param places what `init` is told, if anything
 */
export async function run(read, places) {
  const vectors = await gather(VECTORS, async (name) => JSON.parse(new TextDecoder().decode(await read(`${name}.json`))));
  const tables = await gather([...TABLES, ENGLISH], read);
  await instantiate({ module_or_path: await read('textveil_wasm.wasm') });
  return { claims: checkVectors({ Encoder, Statements, Veil }, vectors, tables), release: await firstUse(textveil, places) };
}

async function gather(names, read) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)])));
}
