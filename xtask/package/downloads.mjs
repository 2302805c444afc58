/**
 * Measures what a page downloads of a package, and fails if that is too much: `node downloads.mjs FOLDER [--json]`. `--json` prints
 * the bytes of each file, without limits.
 */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loaded, size } from './scripts.mjs';

/**
 * Each entry with the folder of its modules, its script and its table, and with three limits in bytes. Two are for the
 * module and the JavaScript next to it (each script by itself), gzipped. One is for the download (module, JavaScript
 * and table) with brotli. The module finds the key of a release: that takes 2 kB of the small one, and 4 kB of the
 * other. `nearest` is 4 kB of each. The figure that says how sure a reader can be adds 0.4 kB to the other. Agreement
 * after the draw adds 7 kB to each. Picking near rows out adds 1 to 2 kB to modules with SIMD. Statements add 13 kB to
 * the small one, and 1.8 kB of JavaScript to both. Vectors of whole texts add 1.5 kB to the other, and the words of a
 * text 0.3 kB. Errors that say what is allowed add 0.3 kB of JavaScript to each. Contributions to new words add 11.7 kB
 * to the other, and 0.6 kB of JavaScript. Spans, kept words and words never said add 12 kB to each, and 0.3 kB of JavaScript.
 * Guesses that know which words stay in clear add 0.3 kB to the other. The polarity of words and the language of statements add
 * 0.2 kB to it, and 0.1 kB of JavaScript. A guarantee that names the language adds 0.2 kB to the small one, and 0.4 kB to the other. Statements that a person
 * chooses add 2.3 kB to the small one, and 0.2 kB of JavaScript. Pages instead of files are found by 0.1 kB of JavaScript. Errors that
 * name a line of a list add 0.2 kB to each. Lists of answers, which need no encoder, add 0.1 kB of JavaScript to statements.
 */
const ENTRIES = [
  { name: 'textveil', folder: '', script: 'textveil.js', table: 'english.tvt', mostModule: 107_800, mostScript: 12_100, mostBrotli: 1_200_000 },
  { name: 'textveil/all', folder: 'all', script: 'textveil.js', table: 'english.tvt', mostModule: 157_500, mostScript: 14_100, mostBrotli: 1_200_000 },
  { name: 'textveil/statements', folder: '', script: 'statements.js', table: 'english-text.tvt', mostModule: 107_800, mostScript: 14_500, mostBrotli: 1_500_000 },
];

const sum = (files, key) => files.reduce((total, file) => total + file[key], 0);

/** The modules and the scripts of each entry. */
async function entries(root) {
  const found = [];
  for (const entry of ENTRIES) {
    const modules = readdirSync(join(root, entry.folder)).filter((name) => name.endsWith('.wasm')).sort();
    assert.equal(modules.length, 2, `${entry.name} has the modules ${modules}`);
    const scripts = await loaded(root, join(entry.folder, entry.script));
    assert(scripts.length > 1, `${entry.name} loads ${scripts}`);
    found.push({ ...entry, modules: modules.map((name) => join(entry.folder, name)), scripts });
  }
  return found;
}

/** A line for each module of each entry. */
async function judged(root) {
  const lines = [];
  for (const { name, modules, scripts, table: file, mostModule, mostScript, mostBrotli } of await entries(root)) {
    const [table, ...beside] = [file, ...scripts].map((file) => size(join(root, file)));
    const script = sum(beside, 'gzip');
    for (const file of modules) {
      const module = size(join(root, file));
      const brotli = sum([table, ...beside, module], 'brotli');
      const line =
        `${name} with ${file}: module ${module.raw} B, gzip ${module.gzip} B; ` +
        `JavaScript gzip ${script} B; whole download ${brotli} B with brotli`;
      const held = module.gzip <= mostModule && script <= mostScript && brotli <= mostBrotli;
      assert(held, `more than ${mostModule} B, ${mostScript} B or ${mostBrotli} B: ${line}`);
      lines.push(line);
    }
  }
  return lines;
}

const [root, option] = process.argv.slice(2);
if (option === '--json') {
  const files = (await entries(root)).flatMap(({ modules, scripts, table }) => [...modules, ...scripts, table]);
  console.log(JSON.stringify(Object.fromEntries(files.map((file) => [file, size(join(root, file))]))));
} else {
  console.log((await judged(root)).join('. '));
}
