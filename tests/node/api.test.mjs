// What a customer of the npm package may rely on through either entry, from the packed package.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';

const SENTENCE = 'My sister was diagnosed with diabetes in March and is afraid to tell her boss.';
const asset = (path) => new Uint8Array(readFileSync(new URL(import.meta.resolve(path))));

/** The further functions of `textveil/all`, called before it is ready. */
const MORE = ({ choice, representation, representationOf }) => [
  () => representation(SENTENCE, { mechanism: 'dpnr', epsilon: 4 }),
  () => representationOf([[1]], { mechanism: 'dpnr', clip: 1, epsilon: 1 }),
  () => choice(0, 2, { question: 'well', epsilon: 1 }),
];

for (const entry of ['textveil', 'textveil/all']) {
  const { alternatives, guarantee, init, levels, mechanisms, privatize, TextveilError, ...others } = await import(entry);
  const { Veil } = await import(`${entry}/raw`);
  const more = 'choice' in others ? MORE(others) : [];
  const fails = (code) => (error) => error instanceof TextveilError && error.code === code;

  describe(entry, () => {
    describe('before init', () => {
      test('every function says what to do', () => {
        const calls = [
          () => privatize(SENTENCE),
          ...more,
          () => guarantee(),
          () => levels(),
          () => mechanisms(),
          () => alternatives('word'),
        ];
        for (const call of calls) assert.throws(call, fails('not-ready'));
      });

      test('a failed init leaves nothing half open and may be repeated', async () => {
        await assert.rejects(init({ table: new URL('absent.tvt', import.meta.url) }), fails('load-failed'));
        await assert.rejects(init({ wasm: new Uint8Array([0]) }), fails('load-failed'));
        await assert.rejects(init({ table: new Uint8Array(100) }), fails('bad-table'));
        assert.throws(() => privatize(SENTENCE), fails('not-ready'));
      });

      test('a function gives a file anew at each try', async () => {
        let tries = 0;
        const table = () => Promise.resolve(new Response(new Uint8Array(++tries)));
        for (let time = 0; time < 2; time++) await assert.rejects(init({ table }), fails('bad-table'));
        assert.equal(tries, 2);
      });

      test('init refuses what it does not understand', async () => {
        class Sources {
          get table() {
            return new Uint8Array();
          }
        }
        const wrong = [null, 'english.tvt', 1, [], new Map([['table', 1]]), Object.create({ table: 1 }), new Sources(), { tabel: 1 }, { table: null }, { wasm: 42 }];
        for (const source of wrong) await assert.rejects(init(source), fails('invalid-options'));
        assert.throws(() => privatize(SENTENCE), fails('not-ready'));
      });
    });

    describe('after init', () => {
      before(() => init());

      test('init is one promise', () => {
        assert.equal(init(), init());
      });

      test('a release is a text, its guarantee and an account that does not travel', () => {
        const release = privatize(SENTENCE);
        assert.equal(release.text.split(' ').length, SENTENCE.split(' ').length);
        assert.deepEqual(Object.keys(release), ['text', 'guarantee']);
        assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(release))), ['text', 'guarantee']);
        assert.equal(release.account.length, 15);
        assert.equal(release.account.map(({ token }) => token).join(' '), SENTENCE.replace('.', ''));
        assert.ok(release.text.endsWith('.'));
      });

      test('a release cannot be altered', () => {
        const { account, ...release } = privatize(SENTENCE);
        for (const part of [release.guarantee, account, account[0], release.guarantee.clear]) assert.ok(Object.isFrozen(part));
        assert.ok(Object.isFrozen(privatize(SENTENCE)));
      });

      test('equal texts for two fields are two draws, and each of them is one', async () => {
        const long = SENTENCE.repeat(20);
        const [a, b] = ['a', 'b'].map((field) => privatize(long, {}, { field }));
        assert.notEqual(a.text, b.text);
        assert.equal(privatize(long, undefined, { field: 'a' }), a);
        assert.equal(await others.privatizeAsync(long, undefined, { field: 'b' }), b);
        for (const control of [{ field: 5 }, { field: '\ud800' }, { name: 'a' }, new Map([['field', 'a']])]) assert.throws(() => privatize(long, {}, control), fails('invalid-options'));
      });

      test('a text is drawn once under the same terms, however they are put', () => {
        const release = privatize(SENTENCE);
        assert.equal(privatize(SENTENCE), release);
        assert.equal(privatize(SENTENCE, {}), release);
        for (const same of [{ mechanism: 'nearest' }, { preset: 'balanced' }, { epsilon: release.guarantee.epsilonWord }]) {
          assert.equal(privatize(SENTENCE, same), release);
        }
        assert.equal(privatize('ﬁne'), privatize('fine'), 'equal after NFKC');
      });

      test('other terms and other texts are drawn anew', () => {
        const long = `${SENTENCE} ${SENTENCE}`.repeat(4);
        const [most] = levels();
        assert.notEqual(privatize(long, { level: most.index }).text, privatize(`${long} `, { level: most.index }).text.trimEnd());
        assert.notEqual(privatize(long), privatize(long, { keepFunctionWords: true }));
        // The guarantee is that of the call, whatever was drawn for the text before.
        for (const [text, order] of [[`${long} One.`, [true, false]], [`${long} Two.`, [false, true]]]) {
          for (const anyLanguage of order) assert.equal(privatize(text, { anyLanguage }).guarantee.clear.includes('language'), !anyLanguage);
        }
      });

      test('nothing unknown passes through, at any level', () => {
        const unknown = ['xqzzyv', '4111 1111 1111 1111', '😀', 'Łódźwyrd', '東京都庁', 'anna.q@example.org', 'https://example.org/?q=zqv', 'x=y+z'];
        for (const { mechanism, index } of levels()) {
          for (const token of unknown) {
            const { text, account } = privatize(`So ${token} it was.`, { mechanism, level: index, placeholders: false });
            assert.ok(!text.includes(token), `${token} in ${text}`);
            assert.ok(account.every(({ clear }) => !clear));
          }
        }
      });

      test('the guarantee adds up and lists what is public', () => {
        const plain = privatize(SENTENCE).guarantee;
        assert.equal(plain.words, 15);
        const sum = 15 * plain.epsilonWord;
        assert.ok(plain.epsilonText >= sum && plain.epsilonText <= sum * (1 + Number.EPSILON), 'a bound is rounded up');
        assert.equal(plain.notion, 'pure-dp');
        assert.match(plain.table, /^[0-9a-f]{64}$/);
        assert.ok(!plain.clear.includes('function-words') && plain.clear.includes('placeholders'));
        const open = privatize(`${SENTENCE} Write to anna@example.org.`, { keepFunctionWords: true });
        assert.ok(open.guarantee.clear.includes('function-words') && open.guarantee.clear.includes('placeholders'));
        assert.ok(open.text.includes('[email]'));
        assert.equal(open.guarantee.words, open.account.filter(({ clear }) => !clear).length);
        assert.ok(open.guarantee.words < open.account.length);
      });

      test('levels rise from the most private on, with one default a mechanism', () => {
        const mechanisms = [...new Set(levels().map(({ mechanism }) => mechanism))];
        assert.ok(mechanisms.includes('exponential'));
        for (const mechanism of mechanisms) {
          const ladder = levels().filter((level) => level.mechanism === mechanism);
          assert.deepEqual(ladder.map(({ index }) => index), ladder.map((_, index) => index));
          assert.ok(ladder.every(({ epsilonWord, eta }, i) => i === 0 || (eta === null ? epsilonWord > ladder[i - 1].epsilonWord : eta > ladder[i - 1].eta)));
          assert.ok(mechanism === 'nearest' || ladder.every(({ retention }, i) => i === 0 || retention > ladder[i - 1].retention));
          assert.equal(ladder.filter(({ isDefault }) => isDefault).length, 1);
          for (const { index, eta, epsilonWord, isDefault } of ladder) {
            const promised = guarantee({ mechanism, level: index });
            assert.deepEqual([promised.eta, promised.epsilonWord], [eta, epsilonWord]);
            if (isDefault) assert.deepEqual(guarantee({ mechanism }), promised);
          }
        }
      });

      test('a requested ε is not exceeded', () => {
        for (const { name: mechanism } of mechanisms().filter(({ name, parameters }) => parameters.includes('level') && !['certified', 'plateau', 'nearest'].includes(name))) {
          for (const epsilon of [0.5, 8, 31.4]) {
            const { epsilonWord } = guarantee({ mechanism, epsilon });
            assert.ok(epsilonWord <= epsilon && epsilonWord > epsilon * 0.999999, `${epsilonWord} for ${epsilon}`);
          }
        }
      });

      test('the default is the balanced level of nearest', () => {
        const [balanced] = levels().filter(({ preset }) => preset === 'balanced');
        assert.ok(balanced.isDefault);
        for (const asked of [{ mechanism: 'nearest' }, { preset: 'balanced' }, { level: balanced.index }]) {
          assert.deepEqual(guarantee(), guarantee(asked));
        }
      });

      test('a preset is a level by its name', () => {
        const named = levels().filter(({ preset }) => preset);
        assert.deepEqual(named.map(({ preset }) => preset), ['statistics', 'balanced', 'readable']);
        for (const { mechanism, index, preset, epsilonWord, frequencyPower, mass } of named) {
          const promised = guarantee({ preset });
          assert.deepEqual([promised.mechanism, promised.epsilonWord, promised.eta], [mechanism, epsilonWord, null]);
          assert.deepEqual(promised.parameters, { frequencyPower, mass });
          assert.deepEqual(guarantee({ mechanism, level: index }), promised);
          assert.throws(() => guarantee({ mechanism: 'certified', preset }), fails('invalid-options'));
          assert.throws(() => guarantee({ preset, epsilon: 8 }), fails('invalid-options'));
        }
        for (const preset of ['', 'Balanced', 'toString']) assert.throws(() => guarantee({ preset }), fails('invalid-level'));
      });

      for (const mechanism of ['certified', 'plateau']) test(`${mechanism} stands on the largest level within what is asked`, () => {
        const certified = levels().filter((level) => level.mechanism === mechanism);
        for (const { index, eta, epsilonWord, certificate } of certified) {
          assert.deepEqual([certificate.eta, certificate.epsilon], [eta, epsilonWord]);
          for (const asked of [{ level: index }, { eta }, { eta: eta * 1.0001 }]) {
            const promised = guarantee({ mechanism, ...asked });
            assert.deepEqual([promised.eta, promised.epsilonWord, promised.exactSampler], [eta, epsilonWord, true]);
          }
          const promised = guarantee({ mechanism, epsilon: epsilonWord });
          assert.ok(promised.epsilonWord <= epsilonWord && promised.eta >= eta);
        }
        const [first] = certified;
        for (const asked of [{ level: certified.length }, { eta: first.eta * 0.9999 }, { epsilon: first.epsilonWord * 0.9999 }]) {
          assert.throws(() => guarantee({ mechanism, ...asked }), (/** @type {any} */ error) => error.code === 'invalid-level');
        }
        assert.deepEqual(guarantee({ mechanism }), guarantee({ mechanism, level: certified.find(({ isDefault }) => isDefault).index }));
      });

      test('alternatives are a distribution with the factors of the guarantee', () => {
        const { eta } = guarantee({ mechanism: 'certified' });
        const { input, found, distribution, estimated } = alternatives('doctor', { mechanism: 'certified' }, 12);
        assert.deepEqual([input, found, estimated, distribution.length], ['doctor', 'exact', false, 12]);
        const total = distribution.reduce((sum, { probability }) => sum + probability, 0);
        assert.ok(total > 0 && total <= 1);
        distribution.forEach(({ probability, distance, factor, word }, i) => {
          assert.ok(i === 0 || probability <= distribution[i - 1].probability);
          assert.ok(Math.abs(factor / Math.exp(eta * distance) - 1) < 1e-9);
          assert.equal(distance === 0, word === 'doctor');
        });
      });

      test('alternatives foretell how often a word is kept', () => {
        const [kept] = alternatives('doctor').distribution.filter(({ word }) => word === 'doctor');
        const drawn = 4000;
        const { account } = privatize('doctor '.repeat(drawn), { asDrawn: true });
        const count = account.filter((entry) => entry.kept).length;
        const deviation = Math.sqrt(drawn * kept.probability * (1 - kept.probability));
        // Six standard deviations: fails by chance about once in 500 million runs.
        assert.ok(Math.abs(count - drawn * kept.probability) < 6 * deviation + 1, `${count} of ${drawn}, expected ${kept.probability}`);
      });

      test('every mistake has its code', () => {
        const mistakes = [
          ['invalid-options', () => privatize(42)],
          ['invalid-options', () => privatize(SENTENCE, 'strong')],
          ['invalid-options', () => privatize(SENTENCE, null)],
          ['invalid-options', () => privatize(SENTENCE, { strength: 3 })],
          ['invalid-options', () => privatize(SENTENCE, { eta: '3' })],
          ['invalid-options', () => privatize(SENTENCE, { keepFunctionWords: 1 })],
          ['invalid-options', () => privatize(SENTENCE, { eta: 3, epsilon: 3 })],
          ['invalid-options', () => alternatives('doctor', {}, 0)],
          ['invalid-mechanism', () => privatize(SENTENCE, { mechanism: 'wishful' })],
          ['invalid-eta', () => privatize(SENTENCE, { eta: 0 })],
          ['invalid-eta', () => privatize(SENTENCE, { eta: NaN })],
          ['invalid-epsilon', () => privatize(SENTENCE, { epsilon: -1 })],
          ['invalid-epsilon', () => privatize(SENTENCE, { epsilon: Infinity })],
          ['invalid-level', () => privatize(SENTENCE, { level: 10_000 })],
          ['invalid-level', () => privatize(SENTENCE, { level: 0.5 })],
          ['invalid-options', () => privatize(SENTENCE, { unit: 'word' })],
          ['text-too-long', () => privatize('a'.repeat(1_048_577))],
          ['text-too-long', () => privatize('é'.repeat(524_289))],
          ['other-language', () => privatize('Ich habe seit drei Tagen starke Kopfschmerzen.')],
          ['invalid-options', () => privatize(SENTENCE, { anyLanguage: 'yes' })],
          ['invalid-options', () => privatize(SENTENCE, { plainLayout: 1 })],
          ['invalid-options', () => privatize(SENTENCE, { asDrawn: 1 })],
        ];
        for (const [code, mistake] of /** @type {[string, () => void][]} */ (mistakes)) assert.throws(mistake, fails(code), String(mistake));
      });

      test('an error says which levels there are, and which name was meant, and never repeats what was passed', () => {
        const said = (/** @type {any} */ options) => {
          try {
            guarantee(options);
          } catch (/** @type {any} */ error) {
            return error.message;
          }
        };
        for (const mechanism of [undefined, 'certified']) {
          const own = levels().filter((level) => (mechanism ? level.mechanism === mechanism : level.mechanism === 'nearest'));
          const names = own.map(({ index, preset }) => (preset ? `${index} = ${preset}` : index)).join(', ');
          for (const wrong of [{ level: 99 }, { level: -1 }, { preset: 'balancd' }]) {
            const message = said({ mechanism, ...wrong });
            assert.ok(message.includes(`Levels of ${mechanism ?? 'nearest'}: ${names}. The first has ε `), message);
            const first = Number(/ε ([\d.]+)$/.exec(message)?.[1]);
            assert.ok(first >= own[0].epsilonWord && first < own[0].epsilonWord + 0.01, message);
            assert.ok(!message.includes('balancd'));
          }
        }
        for (const [given, meant] of [['levl', 'level'], ['Level', 'level'], ['placeholder', 'placeholders'], ['epsilom', 'epsilon']]) {
          const message = said({ [given]: 1 });
          assert.ok(message.endsWith(`. Did you mean ${meant}?`), message);
        }
        for (const name of ['', 'le', 'velvetfrog']) assert.ok(!/Did you mean|velvetfrog/.test(said({ [name]: 1 })));
      });

      test('options that are not a plain object are refused, not overlooked', () => {
        class Strong {
          get epsilon() {
            return 1;
          }
        }
        const hidden = Object.defineProperty({}, 'strength', { value: 1 });
        const wrong = [new Map([['epsilon', 1]]), Object.create({ epsilon: 1 }), new Strong(), [], [1], () => {}, new Date(), { [Symbol('epsilon')]: 1 }, hidden];
        for (const options of wrong) {
          for (const call of [() => privatize(SENTENCE, options), () => guarantee(options), () => alternatives('doctor', options)]) {
            assert.throws(call, fails('invalid-options'));
          }
        }
      });

      test('own properties count however the object holds them', () => {
        const { epsilonWord } = guarantee({ epsilon: 20 });
        const alike = [
          Object.assign(Object.create(null), { epsilon: 20 }),
          Object.defineProperty({}, 'epsilon', { value: 20 }),
          { get epsilon() { return 20; } },
          { epsilon: 20, level: undefined },
        ];
        for (const options of alike) assert.equal(guarantee(options).epsilonWord, epsilonWord);
      });

      test('a polluted Object.prototype has no effect', () => {
        const polluted = { keepFunctionWords: true, placeholders: false, keepWords: ['nurse'], level: 13, enumerable: true };
        const { epsilonWord } = guarantee();
        Object.assign(Object.prototype, polluted);
        try {
          for (const options of [undefined, {}, Object.create(null)]) {
            const { guarantee: promised, account } = privatize('The nurse wrote to anna@example.org of it.', options);
            assert.deepEqual([promised.epsilonWord, promised.words], [epsilonWord, 6]);
            assert.deepEqual(account.filter(({ clear }) => clear).map(({ kind }) => kind), ['email']);
          }
          assert.deepEqual(Object.keys(privatize('a text that is drawn for the first time')), ['text', 'guarantee']);
        } finally {
          for (const name of Object.keys(polluted)) delete Object.prototype[name];
        }
      });

      test('a mistaken option is named', () => {
        const mistakes = {
          level: [{ level: '2' }, { level: 2n }],
          epsilon: [{ epsilon: null }, { epsilon: new Number(1) }, { epsilon: 1, eta: 1 }],
          eta: [{ eta: '3' }, { eta: 1, level: 1 }],
          mechanism: [{ mechanism: 1 }, { mechanism: null }],
          keepFunctionWords: [{ keepFunctionWords: 1 }, { keepFunctionWords: 'no' }],
          placeholders: [{ placeholders: null }],
        };
        for (const [name, wrong] of Object.entries(mistakes)) {
          for (const options of wrong) {
            assert.throws(() => guarantee(options), (/** @type {any} */ error) => fails('invalid-options')(error) && error.message.includes(name));
          }
        }
      });

      test('an error does not quote the options', () => {
        for (const options of [{ [SENTENCE]: 1 }, { mechanism: [SENTENCE] }, { level: SENTENCE }, SENTENCE]) {
          assert.throws(() => privatize('', options), (/** @type {any} */ error) => !`${error.message}${error.stack}`.includes('diabetes'));
        }
      });

      test('as many alternatives as are asked for, from 1 to 1000', () => {
        for (const k of [1, 1000]) assert.equal(alternatives('doctor', {}, k).distribution.length, k);
        for (const k of [0, -1, 1001, 2.5, NaN, Infinity, '5', null, 5n]) {
          assert.throws(() => alternatives('doctor', {}, k), fails('invalid-options'));
        }
      });

      test('a text that is too long is refused before any work is done on it', () => {
        // One character of eighteen after NFKC.
        const text = '\ufdfa'.repeat(2 ** 26);
        const started = performance.now();
        assert.throws(() => privatize(text), fails('text-too-long'));
        assert.ok(performance.now() - started < 2000);
        assert.throws(() => privatize('\ufdfa'.repeat(2 ** 20)), fails('text-too-long'));
        assert.throws(() => alternatives('a'.repeat(2 ** 20 + 1)), fails('text-too-long'));
      });

      test('what is spelled like a function word is left in clear with them', () => {
        const { account } = privatize('US doctors of the WHO met Will in May.', { keepFunctionWords: true });
        assert.deepEqual(account.filter(({ clear }) => clear).map(({ token }) => token), ['US', 'of', 'the', 'WHO', 'Will', 'in', 'May']);
      });

      test('what needed no word has none', () => {
        const [entry] = privatize('anna@example.org').account;
        assert.deepEqual([entry.found, entry.input, entry.output, entry.written, entry.clear], [null, null, null, null, true]);
      });

      test('an account does not travel to another thread unless it is named', () => {
        const release = privatize(SENTENCE);
        assert.equal(structuredClone(release).account, undefined);
        assert.deepEqual(structuredClone({ ...release, account: release.account }).account, release.account);
      });

      test('an error does not quote the text', () => {
        for (const options of [{ eta: 0 }, { strength: 1 }, { level: 10_000 }]) {
          assert.throws(
            () => privatize(SENTENCE, options),
            (/** @type {any} */ error) => !SENTENCE.split(' ').some((word) => word.length > 4 && `${error.message}${error.stack}`.includes(word)),
          );
        }
      });

      test('half a surrogate pair is text like any other', () => {
        const { account } = privatize('lone \ud83d surrogate');
        assert.equal(account.length, 3);
        assert.equal(account[1].found, 'unknown');
        assert.equal(account[1].input, null);
      });

      test('the instance survives what it refuses, and a text of a mebibyte', () => {
        assert.throws(() => privatize('a'.repeat(1_048_577)), fails('text-too-long'));
        assert.equal(privatize(' '.repeat(1_048_576)).guarantee.words, 0);
        assert.equal(privatize('').text, '');
      });
    });

    describe('the package', () => {
      test('the release cannot be seeded, the package for vectors can', async () => {
        const methods = (type) => new Set(Object.getOwnPropertyNames(type.prototype));
        const insecure = methods((await import(entry.replace('textveil', 'textveil-insecure') + '/raw')).Veil);
        assert.deepEqual([...methods(Veil)].filter((name) => /seed/i.test(name)), []);
        assert.deepEqual([...insecure].filter((name) => !methods(Veil).has(name)).sort(), ['draw', 'seeded', 'split']);
      });

      test('the raw module overlooks no option either', async () => {
        await init();
        const veil = new Veil(asset('textveil/english.tvt'));
        const throwing = Object.defineProperty({}, 'level', {
          get() {
            throw new Error('not now');
          },
        });
        const hidden = Object.defineProperty({}, 'strength', { value: 1 });
        for (const options of [throwing, hidden, { [Symbol('level')]: 1 }, { level: '1' }, { keepFunctionWords: null }, Object.create({ level: 1 }), 5, null]) {
          assert.throws(() => veil.guarantee(options), { name: 'TextveilError', code: 'invalid-options' });
        }
        assert.deepEqual(veil.guarantee(Object.defineProperty({}, 'level', { value: 1 })), veil.guarantee({ level: 1 }));
        veil.free();
      });

      test('two draws of the raw module differ', async () => {
        await init();
        const veil = new Veil(asset('textveil/english.tvt'));
        const draw = () => veil.privatize('one two three four five six seven eight '.repeat(20), { level: 0 }).text;
        assert.notEqual(draw(), draw());
      });

      test('it works in a worker, from bytes', async () => {
        const script = `
          import { parentPort, workerData } from 'node:worker_threads';
          import { init, privatize } from ${JSON.stringify(import.meta.resolve(entry))};
          await init({ wasm: await WebAssembly.compile(workerData.wasm), table: workerData.table });
          parentPort.postMessage(privatize('a kind doctor').guarantee.words);
        `;
        const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
          workerData: { wasm: asset(`${entry}/textveil_wasm.wasm`), table: asset('textveil/english.tvt') },
        });
        const words = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
        assert.equal(words, 3);
      });
    });
  });
}
