// The pages that the README and the book print, as a newcomer has them: built by Vite as they stand, filled in, and sent. And the
// book's programs for JavaScript, in Node.

import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { open, watchedPage } from '../browser/chromium.mjs';
import { blocks } from './blocks.mjs';
import { serve } from './serve.mjs';
import { at, program, tool } from './workbench.mjs';

/** The table lacks these words, so that they cannot come out by chance. */
const SECRET = 'Zebulon Quimby has colonoscopyx';
const RAW = /zebulon|quimby|colonoscopyx/i;
/** How long a form may take, and how often it is looked at, in milliseconds. */
const PATIENCE = 60_000;
const STEP = 50;

const FORMS = [
  ['README.md', 'note', '/releases'],
  ['docs/src/tutorials/form.md', 'note', '/releases'],
  ['docs/src/tutorials/form.md', 'comment', '/releases'],
];

let browser;
before(async () => (browser = await open()));
after(() => browser?.close());

for (const [number, [document, field, action]] of FORMS.entries()) {
  test(`the form of ${document} with the field ${field} sends a release and nothing of what is typed, and no policy blocks a part of it`, async () => {
    const form = (await blocks(document, 'html')).find((block) => block.includes(`"${field}"`) && block.includes('<script'));
    const folder = `app/book/${number}`;
    await rm(at(folder), { recursive: true, force: true });
    await mkdir(at(folder), { recursive: true });
    await writeFile(at(folder, 'index.html'), form.startsWith('<!doctype') ? form : `<!doctype html>\n<title>Book</title>\n${form}`);
    const [style] = await blocks(document, 'css');
    if (style) await writeFile(at(folder, 'style.css'), style);
    await tool('app', 'vite/bin/vite.js', 'build', at(folder), '--logLevel', 'warn');
    const { site, log, close } = await serve([at(folder, 'dist')]);
    const { page: tab, troubles } = await watchedPage(browser.context);
    try {
      await tab.goto(site, { waitUntil: 'networkidle' });
      await tab.fill('textarea', SECRET);
      await tab.click('button:not([type=button])', { noWaitAfter: true });
      const sent = () => log.find(({ method, path }) => method === 'POST' && path === action);
      for (let waited = 0; !sent() && waited < PATIENCE; waited += STEP) await wait(STEP);
      // For what may still go out.
      await wait(1000);
      const data = new URLSearchParams(sent().body);
      assert.ok(data.get(field));
      assert.ok(data.get('nonce'));
      assert.equal(JSON.parse(data.get(`${field}-guarantee`)).notion, 'pure-dp');
      for (const { path, body } of log) assert.doesNotMatch(path + body, RAW);
      assert.deepEqual(troubles.filter((trouble) => /policy/i.test(trouble)), []);
    } finally {
      await tab.close();
      await close();
    }
  });
}

test('the question with given answers sends an answer of the list and nothing else, and loads no encoder', async () => {
  const page = 'docs/src/how-to/ask-a-closed-question.md';
  const [form] = await blocks(page, 'html');
  const folder = 'app/book/question';
  await rm(at(folder), { recursive: true, force: true });
  await mkdir(at(folder, 'public'), { recursive: true });
  const data = new URL('../data/', import.meta.url);
  await copyFile(new URL('answers.tvs', data), at(folder, 'public/often.tvs'));
  const answers = (await readFile(new URL('answers.txt', data), 'utf8')).trim().split('\n');
  assert.deepEqual((await blocks(page, 'txt'))[0].trim().split('\n'), answers);
  assert.deepEqual([...form.matchAll(/<option>(.*)<\/option>/g)].map(([, answer]) => answer), answers);
  await writeFile(at(folder, 'index.html'), form);
  await tool('app', 'vite/bin/vite.js', 'build', at(folder), '--logLevel', 'warn');
  const { site, log, close } = await serve([at(folder, 'dist')]);
  const { page: tab } = await watchedPage(browser.context);
  try {
    await tab.goto(site, { waitUntil: 'networkidle' });
    await tab.selectOption('select', answers[3]);
    await tab.click('button:not([type=button])', { noWaitAfter: true });
    // A browser may never close a page that is on its way to the next one.
    await tab.getByText('Received.').waitFor();
    const sent = log.find(({ method }) => method === 'POST');
    const { often, nonce, 'often-guarantee': guarantee, ...others } = Object.fromEntries(new URLSearchParams(sent.body));
    assert.deepEqual(others, {});
    assert.ok(answers.includes(often));
    assert.match(nonce, /^\d{22,64}$/);
    assert.deepEqual([JSON.parse(guarantee).epsilonText, JSON.parse(guarantee).parameters.mass], [2, 1 / answers.length]);
    assert.deepEqual(log.filter(({ path }) => path.includes('.tvt')), []);
  } finally {
    await tab.close();
    await close();
  }
});

for (const document of ['README.md', 'docs/src/reference/apis.md']) {
  test(`the program for JavaScript of ${document} runs in Node`, async () => {
    const [code] = (await blocks(document, 'js')).filter((block) => block.includes("from 'textveil'"));
    const result = '\nconsole.log(JSON.stringify(typeof release === "undefined" ? { text, guarantee } : release));\n';
    await mkdir(at('app/book'), { recursive: true });
    await writeFile(at('app/book/program.mjs'), `globalThis.fetch = async () => new Response();\n${code}${result}`);
    const { text, guarantee } = JSON.parse(await program('app', process.execPath, 'book/program.mjs'));
    assert.match(text, /^\S+( \S+)+\.$/);
    assert.equal(guarantee.epsilonWord, 9);
  });
}
