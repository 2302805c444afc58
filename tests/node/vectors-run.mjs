// The golden vectors by one module of the package, as JSON: a program, so that its test can choose how the engine compiles.
//
//   node [FLAGS OF V8] vectors-run.mjs FOLDER MODULE

import { readFileSync } from 'node:fs';
import { checkVectors, ENGLISH, TABLES, VECTORS } from './vectors.mjs';

const read = (path) => readFileSync(new URL(path, import.meta.url));
const packaged = (path) => new Uint8Array(readFileSync(new URL(import.meta.resolve(path))));

const [, , folder, module] = process.argv;
const { initSync, ...raw } = await import(`textveil-insecure/${folder}raw`);
initSync({ module: packaged(`textveil-insecure/${folder}${module}`) });

const vectors = Object.fromEntries(VECTORS.map((name) => [name, JSON.parse(`${read(`../vectors/${name}.json`)}`)]));
const tables = Object.fromEntries(TABLES.map((name) => [name, new Uint8Array(read(`../tables/${name}`))]));
tables[ENGLISH] = packaged(`textveil-insecure/${ENGLISH}`);
console.log(JSON.stringify(checkVectors(raw, vectors, tables)));
