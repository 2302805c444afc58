// A prompt for a language model, and its answer: names and numbers come back on the device, and nothing of them leaves it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engines, open } from './browsers.mjs';
import { POLICY, record, until } from './recorder.mjs';

const PROMPT = 'Please write to Zebulonia Quimbleton that invoice 4929817733 is late, with a copy for zeb@velvetfrog.org and for Xantippe at 4929817733.';
const { missing } = engines.find(({ name }) => name === 'chromium');

/** A model that answers politely to the person named by the fourth and fifth word of the prompt. */
function model({ body }) {
  const prompt = body.toString('utf8');
  const [first, last] = prompt.split(' ').slice(3, 5);
  return `Dear ${first} ${last.toUpperCase()}, invoice [number-1] is late. I told [email-1] and [Number-2]. ${first}’s answer to [number-7] is missing.`;
}

describe('textveil/prompt', { skip: missing }, () => {
  let browser;
  let site;
  before(async () => {
    const files = {
      '/page.html': '<!doctype html><html lang="en"><title>A model</title><script type="module" src="/main.js"></script></html>',
      '/main.js': `import { init } from '/textveil/textveil.js';
        import { preparePrompt } from '/textveil/prompt.js';
        await init();
        window.preparePrompt = preparePrompt;`,
      '/model': model,
    };
    browser = await open('chromium');
    site = await record({ files, headers: { 'Content-Security-Policy': POLICY } });
    await browser.goto(`${site.url}/page.html`);
    await until(() => browser.evaluate(() => Boolean(window.preparePrompt)), 'the page');
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  const ask = (text) =>
    browser.evaluate(async (text) => {
      const prompt = preparePrompt(text);
      const answer = await (await fetch('/model', { method: 'POST', body: prompt.text })).text();
      const carried = [JSON.stringify(prompt), JSON.stringify(structuredClone(prompt)), JSON.stringify({ ...prompt }), Object.keys(prompt).join()];
      return { text: prompt.text, answer, restored: prompt.restore(answer), itself: prompt.restore(prompt.text), carried };
    }, text);

  test('numbers, addresses and names come back', async () => {
    const { text, restored } = await ask(PROMPT);
    assert.ok(text.includes('[number-1]') && text.includes('[number-2]') && text.includes('[email-1]'));
    const words = text.toLowerCase().match(/[\p{L}'’]+/gu);
    const unique = (word) => words.filter((other) => other === word.toLowerCase()).length === 1;
    const [first, last] = text.split(' ').slice(3, 5);
    // A word that was drawn twice stands for nobody.
    const name = unique(first) ? 'Zebulonia' : first;
    const family = unique(last) ? 'Quimbleton' : last.toUpperCase();
    assert.equal(restored, `Dear ${name} ${family}, invoice 4929817733 is late. I told zeb@velvetfrog.org and 4929817733. ${name}’s answer to [number-7] is missing.`);
  });

  test('common words stay as they were drawn', async () => {
    const { text, itself } = await ask('the doctor was kind to my sister');
    assert.equal(itself, text);
  });

  test('what stands for what is not carried along, and never sent', async () => {
    const { text, carried } = await ask(PROMPT);
    for (const copy of carried) assert.ok(!/zebulonia|quimbleton|4929817733|velvetfrog/i.test(copy), copy);
    assert.equal(carried.at(-1), 'text,guarantee');
    assert.deepEqual([...new Set(site.to('/model').map(({ body }) => body.toString()))].includes(text), true);
    const sent = site.requests.map(({ url, headers, body }) => `${url} ${JSON.stringify(headers)} ${body}`).join('\n');
    assert.ok(!/zebulonia|quimbleton|xantippe|4929817733|velvetfrog/i.test(sent));
  });
});
