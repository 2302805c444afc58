// A person who writes a long text in a protected control never waits for the drawing. No task of the page takes longer
// than 50 ms: browsers call such tasks long.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { engines, open } from './browsers.mjs';
import { POLICY, record, until } from './recorder.mjs';

const WORDS = 2000;
const SENTENCE = ' and my sister told the doctor about it.';

/** Another program may take the processor away for longer than that, but not for minutes, in milliseconds. */
const PATIENCE = 180_000;

const { missing } = engines.find(({ name }) => name === 'chromium');

const PAGES = {
  'protect()': `<form><textarea data-private="a" rows="12" cols="60"></textarea></form>`,
  '<textveil-field>': `<form><textveil-field name="a"><textarea rows="12"></textarea></textveil-field></form>`,
};

describe('2,000 words, pasted and written on, while previews are asked for', { skip: missing }, () => {
  let browser;
  before(async () => {
    browser = await open('chromium');
  });
  after(() => browser?.close());

  for (const [name, body] of Object.entries(PAGES)) {
    test(name, async (t) => {
      const end = Date.now() + PATIENCE;
      let long = await write(t, body);
      while (long.length > 0 && Date.now() < end) long = await write(t, body);
      assert.deepEqual(long, []);
    });
  }

  /** Writes in a page with this form; the durations of its long tasks in milliseconds. */
  async function write(t, body) {
    const files = {
      '/page.html': `<!doctype html><html lang="en"><title>A form</title>${body}<script type="module" src="/main.js"></script></html>`,
      '/main.js': `import * as textveil from '/textveil/textveil.js';
        import { protect } from '/textveil/form.js';
        import '/textveil/element.js';
        const form = document.querySelector('form');
        const protection = form.querySelector('[data-private]') && protect(form);
        await textveil.init();
        window.ask = () => (protection ? void protection.preview('a') : document.querySelector('.textveil-show').click());
        window.drawn = [];
        addEventListener('textveil:release', ({ detail }) => drawn.push(detail.guarantee.words));
        window.started = true;`,
    };
    const site = await record({ files, headers: { 'Content-Security-Policy': POLICY } });
    try {
      await browser.goto(`${site.url}/page.html`);
      await until(() => browser.evaluate(() => Boolean(window.started)), 'the page');
      await browser.evaluate((count) => {
        const words = 'the doctor was kind to my sister when she told him about the pain in her left knee'.split(' ');
        const text = Array.from({ length: count }, (_, at) => words[at % words.length]).join(' ');
        const control = document.querySelector('textarea');
        control.focus();
        // The page comes to rest before it is watched.
        return new Promise((rest) => setTimeout(rest, 500)).then(() => {
          window.long = [];
          new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
          // And how long a key waits to be heard.
          window.delays = [0];
          new PerformanceObserver((list) => delays.push(...list.getEntries().map((entry) => entry.processingStart - entry.startTime))).observe({
            type: 'event',
            durationThreshold: 16,
          });
          control.setRangeText(text, 0, 0, 'end');
          control.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));
        });
      }, WORDS);
      // Some keys come while a preview is drawn, and end that.
      for (const part of SENTENCE.match(/.{1,13}/g)) {
        await browser.page.keyboard.type(part, { delay: 40 });
        await browser.evaluate(() => window.ask());
        await new Promise((next) => setTimeout(next, 20));
      }
      const words = WORDS + SENTENCE.trim().split(' ').length;
      await until(() => browser.evaluate((words) => window.drawn.includes(words), words), 'the release');
      const { long, delays } = await browser.evaluate(() => ({ long: window.long, delays: window.delays }));
      t.diagnostic(`tasks over 50 ms: ${long.length ? long.join(', ') : 'none'}; a key waited ${Math.max(...delays).toFixed(0)} ms at most`);
      return long;
    } finally {
      await site.close();
    }
  }
});
