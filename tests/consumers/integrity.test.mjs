// A page that states the digests of the files it loads, as in the package's README. It works with the released files,
// and refuses every other script, module or table, even a valid one. The same page without digests takes each of them.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { open } from '../browser/chromium.mjs';
import { serve } from './serve.mjs';
import { at } from './workbench.mjs';

const PACKAGE = at('recipes/node_modules/textveil');

/** The table lacks these words, so that they cannot come out by chance. */
const SECRET = 'Zebulon Quimby has colonoscopyx';
const RAW = /zebulon|quimby|colonoscopyx/i;

/** An attacker's line: whatever is typed goes out. */
const THIEF = "\naddEventListener('submit', ({ target }) => navigator.sendBeacon('/stolen', target.querySelector('textarea').value));\n";
/** A section that an engine skips. */
const SECTION = Buffer.from([0, 5, 4, ...Buffer.from('more')]);

/** The engine's message for a wrong digest. */
const INTEGRITY = /integrity/i;
/** How long a visit may take, and how often it is looked at, in milliseconds. */
const PATIENCE = 60_000;
const STEP = 50;

/** What is changed, and how: each is a file that would work. */
const CHANGES = {
  'the entry script': (folder) => appendFile(`${folder}/form.js`, THIEF),
  'a script that it imports': (folder) => appendFile(`${folder}/engine.js`, THIEF),
  'the module': (folder) => appendFile(`${folder}/textveil_wasm.wasm`, SECTION),
  'the table': (folder) => cp(new URL('../tables/toy.tvt', import.meta.url), `${folder}/english.tvt`),
};

/** The two pages, and the folder of the package that they name. */
let pages;
let name;
let browser;

before(async () => {
  const readme = await readFile(`${PACKAGE}/README.md`, 'utf8');
  const [, example] = readme.match(/^## Check what is loaded\n[^]*?^```html\n([^]*?)^```$/m);
  [name] = example.match(/textveil@[\d.]+/);
  const form = '<form id="notes" method="post" action="/notes"><textarea data-private="note"></textarea><button>Send</button></form>';
  const page = (script) => `<!doctype html><html lang="en"><title>Note</title><link rel="icon" href="data:,">${form}${script}</html>`;
  // Each digest in the example stands behind the name of its file.
  const digests = example.matchAll(/([\w.-]+)[`'"]?[,:] ['"]sha384-…/g);
  let checked = example;
  for (const [whole, file] of digests) {
    const digest = createHash('sha384').update(await readFile(`${PACKAGE}/${file}`)).digest('base64');
    checked = checked.replace(whole, whole.replace('…', digest));
  }
  assert.doesNotMatch(checked, /…/);
  const unchecked = example.replace(/<script type="importmap">[^]*?<\/script>/, '').replace('{ integrity }', '{}');
  assert.doesNotMatch(unchecked, /integrity: |importmap/);
  pages = { checked: page(checked), unchecked: page(unchecked) };
  browser = await open();
});
after(() => browser?.close());

test('with the files that were released, the release is sent', async () => {
  const { log, sent } = await visit('checked');
  assert.equal(sent.length, 1);
  assert.match(sent[0].body, /note=/);
  assert.match(sent[0].body, /note-guarantee=/);
  // A script without a digest would be taken as it is.
  const scripts = log.map(({ path }) => path).filter((path) => path.endsWith('.js'));
  for (const script of scripts) assert.match(pages.checked, new RegExp(`"${script}": "sha384-`), `the README gives no digest for ${script}`);
});

for (const [what, change] of Object.entries(CHANGES)) {
  test(`${what}, changed, is refused, and the text goes nowhere`, async () => {
    const { log, errors } = await visit('checked', change);
    assert.ok(errors.some((error) => INTEGRITY.test(error)), `the engine says nothing of a digest: ${errors.join('; ')}`);
    assert.ok(!log.some(({ path, body }) => RAW.test(path + body) || body.includes('note=') || path === '/stolen'));
  });

  test(`${what}, changed, is taken by a page without digests`, async () => {
    const { sent } = await visit('unchecked', change);
    assert.ok(sent.some(({ body }) => body.includes('note=')));
  });
}

/** Fills in the form of a page next to a package, after `change` may have changed a file of it. */
async function visit(page, change) {
  const folder = at('recipes/digests');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(PACKAGE, `${folder}/${name}`, { recursive: true });
  await writeFile(`${folder}/index.html`, pages[page]);
  await change?.(`${folder}/${name}`);
  const { site, log, close } = await serve([folder], { inline: true });
  const tab = await browser.context.newPage();
  const errors = [];
  tab.on('console', (message) => errors.push(message.text()));
  tab.on('pageerror', (error) => errors.push(error.message));
  try {
    await tab.goto(site, { waitUntil: 'networkidle' });
    await tab.fill('textarea', SECRET);
    await tab.click('button', { noWaitAfter: true });
    const ended = () => log.some(({ method, path }) => method === 'POST' && path === '/notes') || errors.some((error) => INTEGRITY.test(error));
    for (let waited = 0; !ended() && waited < PATIENCE; waited += STEP) await wait(STEP);
    // For what may still go out.
    await wait(1000);
    return { log, errors, sent: log.filter(({ method, path }) => method === 'POST' && path === '/notes') };
  } finally {
    await tab.close();
    await close();
  }
}
