// The golden vectors in Node, by either module.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { checkVectors, ENGLISH, TABLES, VECTORS } from './vectors.mjs';

const read = (path) => readFileSync(new URL(path, import.meta.url));
const packaged = (path) => new Uint8Array(readFileSync(new URL(import.meta.resolve(path))));

const vectors = Object.fromEntries(VECTORS.map((name) => [name, JSON.parse(read(`../vectors/${name}.json`))]));
const tables = Object.fromEntries(TABLES.map((name) => [name, new Uint8Array(read(`../tables/${name}`))]));
tables[ENGLISH] = packaged(`textveil-insecure/${ENGLISH}`);

for (const entry of ['textveil-insecure', 'textveil-insecure/all']) {
  const { initSync, Veil } = await import(`${entry}/raw`);
  initSync({ module: packaged(`${entry}/textveil_wasm.wasm`) });
  describe(entry, () => {
    for (const { claim, tried, failures } of checkVectors(Veil, vectors, tables)) {
      test(`${claim} (${tried})`, () => {
        assert.ok(tried > 0);
        assert.deepEqual(failures, []);
      });
    }
  });
}
