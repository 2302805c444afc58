// The golden vectors in Node.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { initSync, Veil } from 'textveil-insecure/raw';
import { checkVectors, ENGLISH, TABLES, VECTORS } from './vectors.mjs';

const read = (path) => readFileSync(new URL(path, import.meta.url));
const packaged = (name) => new Uint8Array(readFileSync(new URL(import.meta.resolve(`textveil-insecure/${name}`))));

initSync({ module: packaged('textveil_wasm.wasm') });
const vectors = Object.fromEntries(VECTORS.map((name) => [name, JSON.parse(read(`../vectors/${name}.json`))]));
const tables = Object.fromEntries(TABLES.map((name) => [name, new Uint8Array(read(`../tables/${name}`))]));
tables[ENGLISH] = packaged(ENGLISH);

for (const { claim, tried, failures } of checkVectors(Veil, vectors, tables)) {
  test(`${claim} (${tried})`, () => {
    assert.ok(tried > 0);
    assert.deepEqual(failures, []);
  });
}
