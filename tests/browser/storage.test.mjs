// A ledger in the browser's own storage: it outlives the page, is one for all tabs and workers, and fails closed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, SITE, watchedPage } from './chromium.mjs';

/** Spends in a page; the name of the error, or what is spent then. */
const spend = (page, name, budget, times = 1) =>
  page.evaluate(
    async ([name, budget, times]) => {
      const { init } = await import('/tests/insecure/textveil.js');
      const { browserStorage, Ledger } = await import('/tests/insecure/ledger.js');
      await init();
      const ledger = await Ledger.open({ note: budget }, browserStorage(name));
      const tries = Array.from({ length: times }, () => ledger.spend('note', { epsilonText: 1, deltaText: 0 }));
      const errors = (await Promise.allSettled(tries)).flatMap((done) => (done.status === 'rejected' ? [done.reason.code] : []));
      return { errors, spent: await ledger.spent('note').then(({ epsilon }) => epsilon, ({ code }) => code) };
    },
    [name, budget, times],
  );

/** The same in a module worker. */
const inWorker = (page, name) =>
  page.evaluate(async (name) => {
    const worker = new Worker('/tests/browser/storage-worker.mjs', { type: 'module' });
    worker.postMessage(name);
    const said = await new Promise((resolve) => worker.addEventListener('message', ({ data }) => resolve(data), { once: true }));
    worker.terminate();
    return said;
  }, name);

let browser, pages;
const visit = async () => {
  const { page, troubles } = await watchedPage(browser.context);
  await page.goto(`${SITE}tests/browser/vectors.html`);
  return { page, troubles };
};

before(async () => {
  browser = await open();
  pages = [await visit(), await visit()];
});
after(() => browser?.close());

test('what one page has spent, another and a reload find spent', async () => {
  const [{ page }, { page: other }] = pages;
  assert.deepEqual(await spend(page, 'tabs', { epsilon: 3 }), { errors: [], spent: 1 });
  assert.deepEqual(await spend(other, 'tabs', { epsilon: 3 }), { errors: [], spent: 2 });
  await page.reload();
  assert.deepEqual(await spend(page, 'tabs', { epsilon: 3 }, 2), { errors: ['budget-exhausted'], spent: 3 });
});

test('tabs that spend at once do not overspend', async () => {
  const outcomes = await Promise.all(pages.map(({ page }) => spend(page, 'race', { epsilon: 5 }, 5)));
  assert.equal(outcomes.flatMap(({ errors }) => errors).length, 5);
  assert.equal((await spend(pages[0].page, 'race', { epsilon: 5 }, 0)).spent, 5);
});

test('a worker shares the ledger of the pages', async () => {
  const [{ page }] = pages;
  await spend(page, 'worker', { epsilon: 2 });
  assert.deepEqual(await inWorker(page, 'worker'), 2);
  assert.deepEqual(await spend(page, 'worker', { epsilon: 2 }), { errors: ['budget-exhausted'], spent: 2 });
});

test('a state that was deleted is missed, by a page and by a worker', async () => {
  const [{ page }] = pages;
  await spend(page, 'deleted', { epsilon: 5 });
  const remove = (name) =>
    page.evaluate(
      (name) =>
        new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase(name);
          request.onsuccess = () => resolve(undefined);
          request.onerror = () => reject(request.error);
        }),
      name,
    );
  await remove('deleted-ledger');
  assert.equal(await inWorker(page, 'deleted'), 'bad-ledger');
  await remove('deleted-ledger-number');
  assert.deepEqual(await spend(page, 'deleted', { epsilon: 5 }), { errors: ['bad-ledger'], spent: 'bad-ledger' });
});

test('without locks, databases or localStorage there is no ledger', async () => {
  for (const hide of [
    () => Object.defineProperty(navigator, 'locks', { value: undefined }),
    () => Object.defineProperty(window, 'indexedDB', { value: undefined }),
    () =>
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('refused', 'SecurityError');
        },
      }),
    () => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    },
  ]) {
    const { page } = await visit();
    await page.evaluate(hide);
    const { errors } = await spend(page, `hidden ${hide}`, { epsilon: 5 });
    assert.deepEqual(errors, ['storage-failed'], String(hide));
    await page.close();
  }
});

test('nothing went wrong on the pages', () => {
  for (const { troubles } of pages) assert.deepEqual(troubles, []);
});
