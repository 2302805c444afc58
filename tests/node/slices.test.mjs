// Releases that are drawn in slices are those that `privatize` gives. Other tasks run between the slices.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import * as main from 'textveil';
import * as all from 'textveil/all';
import initSeeded, { Veil } from 'textveil-insecure/raw';

/** A text so long that two draws of it differ, and that it takes more than one slice. `mark` makes each text different. */
const long = (mark) => `${'The nurse was afraid to tell her sister of the diagnosis in March. '.repeat(40)}${mark}`;
const asset = (path) => readFileSync(new URL(import.meta.resolve(path)));

before(() => Promise.all([main.init(), all.init()]));

for (const [entry, { privatize, privatizeAsync, TextveilError }] of Object.entries({ textveil: main, 'textveil/all': all })) {
  const fails = (code) => (error) => error instanceof TextveilError && error.code === code;

  describe(`${entry}: privatizeAsync`, () => {
    test('gives the release that privatize gives, whoever is first', async () => {
      const [first, second] = [long(`${entry} a`), long(`${entry} b`)];
      const release = await privatizeAsync(first, { level: 2 });
      assert.equal(privatize(first, { level: 2 }), release);
      const known = privatize(second);
      assert.equal(await privatizeAsync(second), known);
      assert.deepEqual(Object.keys(release), ['text', 'guarantee']);
      assert.equal(release.guarantee.words, release.account.length);
      assert.ok(Object.isFrozen(release.account[0]));
    });

    test('gives all who ask at once one release, which a privatize in between finishes', async () => {
      const text = long(`${entry} c`);
      const waiting = [privatizeAsync(text), privatizeAsync(text, {}), privatizeAsync(text)];
      const now = privatize(text);
      for (const release of await Promise.all(waiting)) assert.equal(release, now);
      const again = long(`${entry} d`);
      const [one, two] = await Promise.all([privatizeAsync(again), privatizeAsync(again)]);
      assert.equal(one, two);
    });

    test('lets timers fire in between, about every eight milliseconds', async () => {
      let [turns, took] = [0, 0];
      // However fast the machine: a text that takes many slices. However busy: one that takes long enough.
      for (let times = 4; turns < 5 && took < 10_000; times *= 2) {
        const text = long(`${entry} e`).repeat(times);
        turns = 0;
        const timer = setInterval(() => (turns += 1), 1);
        const started = performance.now();
        await privatizeAsync(text);
        took = performance.now() - started;
        clearInterval(timer);
      }
      // Each turn takes 8 ms and what a busy machine adds.
      assert.ok(turns >= 5, `${turns} turns in ${took} ms`);
    });

    test('rejects what is wrong, and throws nothing', async () => {
      await assert.rejects(privatizeAsync(42), fails('invalid-options'));
      await assert.rejects(privatizeAsync('a word', { level: 10_000 }), fails('invalid-level'));
      await assert.rejects(privatizeAsync('a'.repeat(1_048_577)), fails('text-too-long'));
      for (const control of [null, 'abort', { abort: true }, { signal: true }, { signal: {} }, new AbortController().signal]) {
        await assert.rejects(privatizeAsync('a word', {}, control), fails('invalid-options'));
      }
    });

    test('an aborted caller gets the reason and no release; the others get theirs', async () => {
      const text = long(`${entry} f`);
      const [aborted, other] = [new AbortController(), new AbortController()];
      const reason = new Error('the field was emptied');
      const left = privatizeAsync(text, {}, { signal: aborted.signal });
      const stays = privatizeAsync(text, {}, { signal: other.signal });
      aborted.abort(reason);
      await assert.rejects(left, (error) => error === reason);
      const release = await stays;
      assert.equal(privatize(text), release);
      await assert.rejects(privatizeAsync(text, {}, { signal: AbortSignal.abort(reason) }), (error) => error === reason);
    });

    test('a drawing that nobody waits for is dropped, and the next is another', async () => {
      const text = long(`${entry} g`);
      const controller = new AbortController();
      const left = privatizeAsync(text, {}, { signal: controller.signal });
      controller.abort();
      await assert.rejects(left, { name: 'AbortError' });
      const release = await privatizeAsync(text);
      assert.equal(privatize(text), release);
      assert.equal(release.account.length, release.guarantee.words);
    });
  });
}

test('without randomness nothing is drawn, and the text can be asked for again', async () => {
  const { getRandomValues } = crypto;
  crypto.getRandomValues = () => {
    throw new Error('none');
  };
  try {
    await assert.rejects(main.privatizeAsync(long('random')), { code: 'entropy-unavailable' });
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
  assert.equal(await main.privatizeAsync(long('random')), main.privatize(long('random')));
});

test('a crash in the middle shuts the entry, and leaves nothing that the other one would trip over', async () => {
  const script = `
    import { parentPort } from 'node:worker_threads';
    import * as main from ${JSON.stringify(import.meta.resolve('textveil'))};
    import * as all from ${JSON.stringify(import.meta.resolve('textveil/all'))};
    await Promise.all([main.init(), all.init()]);
    const code = (promise) => promise.then(({ account }) => account.length, (error) => error.code);
    const text = 'the nurse was kind '.repeat(500);
    const waiting = [main.privatizeAsync(text), main.privatizeAsync(text), main.privatizeAsync(text + 'too')].map(code);
    const { now } = performance;
    let calls = 0;
    // A slice looks at the clock when it begins, and then while it draws.
    performance.now = () => {
      if (++calls === 1) return now.call(performance);
      performance.now = now;
      throw new Error('a crash, as far as the entry can tell');
    };
    const codes = await Promise.all(waiting);
    codes.push(await code(main.privatizeAsync('a word')), await code(all.privatizeAsync(text)), all.privatize(text + 'too').account.length);
    parentPort.postMessage(codes);
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  const codes = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  assert.deepEqual(codes, ['internal', 'internal', 'internal', 'internal', 2000, 2001]);
});

test('a drawing is one, through whichever entry it began and ends', async () => {
  const text = long('both');
  const begun = main.privatizeAsync(text);
  const finished = all.privatize(text);
  assert.equal(await begun, finished);
  assert.equal(main.privatize(text), finished);
});

test('however it is sliced, the same keystream gives the same release', async () => {
  await initSeeded({ module_or_path: asset('textveil-insecure/textveil_wasm.wasm') });
  const veil = new Veil(asset('textveil-insecure/english.tvt'));
  const text = 'So: anna@example.org — “fine”, 4111 1111 1111 1111!\nThe nurse 東京 was kind.';
  const drawn = (draw) => {
    veil.seeded('5a'.repeat(32));
    return draw();
  };
  const whole = drawn(() => veil.privatize(text, {}));
  for (const most of [1, 2, 5, 1000]) {
    const sliced = drawn(() => {
      const drawing = veil.begin(text, {});
      while (!drawing.advance(most));
      return drawing.finish();
    });
    assert.deepEqual(sliced, whole);
  }
  assert.deepEqual(drawn(() => veil.begin(text, {}).finish()), whole);
  veil.begin(text, {}).free();
});
