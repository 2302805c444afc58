// A prompt for a language model, and its answer: names and numbers come back on the device, and nothing of them leaves it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engines, open } from './browsers.mjs';
import { POLICY, record, until } from './recorder.mjs';

const PROMPT = 'Please write to Zebulonia Quimbleton that invoice 4929817733 is late, with a copy for zeb@velvetfrog.org and for Xantippe at 4929817733.';
const { missing } = engines.find(({ name }) => name === 'chromium');

/** Where the three names stand in the prompt, counted in words. */
const NAMES_AT = [3, 4, 17];
const WORDS = /[\p{L}'’]+/gu;

/** A model that answers politely to the person named by the fourth and fifth word of the prompt. */
function model({ body }) {
  const prompt = body.toString('utf8');
  const [first = '', last = ''] = prompt.split(' ').slice(3, 5);
  return `Dear ${first} ${last.toUpperCase()}, invoice [number-1] is late. I told [email-1] and [Number-2]. ${first}’s answer to [number-7] is missing.`;
}

const OWN_WORDS = ['s', ...model({ body: '' }).toLowerCase().match(WORDS)];

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

  // A name that is drawn as a word of the answer comes back there too, and a word that was drawn twice stands for nobody. Either is
  // rare. The same prompt gets the same words again, so each try asks another one.
  const askWithNamesApart = async () => {
    for (let tries = 0; tries < 20; tries += 1) {
      const asked = await ask(PROMPT + '!'.repeat(tries));
      const words = asked.text.toLowerCase().match(WORDS);
      const names = NAMES_AT.map((at) => asked.text.split(' ')[at].toLowerCase());
      if (names.every((name) => words.filter((word) => word === name).length === 1 && !OWN_WORDS.includes(name))) return asked;
    }
    throw new Error('in 20 draws, no prompt had three names that stand only for themselves');
  };

  test('numbers, addresses and names come back', async () => {
    const { text, restored } = await askWithNamesApart();
    assert.ok(text.includes('[number-1]') && text.includes('[number-2]') && text.includes('[email-1]'));
    assert.equal(
      restored,
      'Dear Zebulonia Quimbleton, invoice 4929817733 is late. I told zeb@velvetfrog.org and 4929817733. Zebulonia’s answer to [number-7] is missing.'
    );
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
