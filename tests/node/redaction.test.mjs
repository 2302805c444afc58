// Spans that a detector found, words that are kept and words that are never said, through either entry, from the packed package.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { preparePrompt } from 'textveil/prompt';

/** With characters before the name that NFKC makes longer and shorter, and of two units. */
const BEFORE = 'The oﬃce of 😀 ㎏ cafe\u0301 saw ';
const NAME = 'Zebulonia Quimbleton';
const TEXT = `${BEFORE}${NAME}'s sister in March.`;

/** The spans of a name in a text, of one kind. */
const spansOf = (text, name = NAME, kind = 'PERSON') => [...text.matchAll(new RegExp(name, 'g'))].map(({ index }) => ({ start: index, end: index + name.length, kind }));

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** Whether any part of a value holds something of the name. */
const names = (value) => /zebul|quimb/i.test(JSON.stringify(value));

for (const entry of ['textveil', 'textveil/all']) {
  const { alternatives, guarantee, init, privatize, privatizeAsync, TextveilError, ...others } = await import(entry);
  const fails = (code, more = /./) => (error) => error instanceof TextveilError && error.code === code && more.test(error.message) && !names([error.message, error.stack]);

  describe(entry, () => {
    before(() => init());

    describe('placeholders', () => {
      const WITH = 'Write to anna@example.org or call +44 20 7946 0123, see www.example.org.';

      test('stand for addresses and long numbers unless they are switched off', () => {
        const usual = privatize(WITH);
        for (const kind of ['[email]', '[number]', '[url]']) assert.ok(usual.text.includes(kind), usual.text);
        assert.ok(usual.guarantee.clear.includes('placeholders') && guarantee().clear.includes('placeholders'));
        assert.equal(privatize(WITH, { placeholders: true }), usual);
        const off = privatize(WITH, { placeholders: false });
        assert.ok(!off.text.includes('[') && !off.guarantee.clear.includes('placeholders'));
        assert.equal(off.guarantee.words, usual.guarantee.words + 3);
      });
    });

    describe('spans', () => {
      test('leave as their kind, and nothing of them stays, whatever NFKC makes of the rest', () => {
        const release = privatize(TEXT, { spans: spansOf(TEXT) });
        assert.equal(release.text.match(/\[person\]/g)?.length, 1);
        assert.ok(!names([release, release.account]));
        const tokens = release.account.map(({ token, kind, clear, written }) => [token, kind, clear, written === null]);
        assert.deepEqual(tokens.filter(([, kind]) => kind === 'redacted'), [['[person]', 'redacted', true, true]]);
        assert.deepEqual(tokens.map(([token]) => token), ['The', 'office', 'of', '😀', 'kg', 'café', 'saw', '[person]', 'sister', 'in', 'March']);
        assert.deepEqual(release.guarantee.clear.at(-1), 'redactions');
        assert.match(release.guarantee.statement, /detector/);
      });

      test('do not show how long they are, and what they hide is no part of what is remembered', async () => {
        const one = privatize(TEXT, { spans: spansOf(TEXT) });
        for (const other of ['x', 'a b. C!', '😀', 'ﬁ'.repeat(50), '\ud83d']) {
          const text = TEXT.replace(NAME, other);
          const spans = [{ start: BEFORE.length, end: BEFORE.length + other.length, kind: 'person' }];
          assert.equal(privatize(text, { spans }), one);
          assert.equal(await privatizeAsync(text, { spans }), one);
        }
        assert.notEqual(privatize(TEXT, { spans: spansOf(TEXT, NAME, 'name') }), one);
      });

      test('are those of the call, also if the caller changes them while a text is drawn', async () => {
        const long = TEXT.repeat(60);
        const spans = spansOf(long);
        const drawn = privatizeAsync(long, { spans });
        spans[0].start = spans[0].end - 1;
        spans.length = 1;
        const { text, account } = await drawn;
        assert.equal(text.match(/\[person\]/g)?.length, 60);
        assert.ok(!names(account));
      });

      test('of one kind that overlap are one', () => {
        const [{ start, end }] = spansOf(TEXT);
        const spans = [{ start: start + 4, end, kind: 'a' }, { start, end: start + 6, kind: 'A' }, { start: start + 1, end: start + 3, kind: 'inner' }];
        assert.equal(privatize(TEXT, { spans }).text.match(/\[a\]/g)?.length, 1);
      });

      test('that a detector did not find are said, too', () => {
        const text = 'Nobody is named here.';
        const { guarantee: promised } = privatize(text, { spans: [] });
        assert.ok(promised.clear.includes('redactions') && !privatize(text).guarantee.clear.includes('redactions'));
        for (const spans of [[], spansOf(TEXT)]) assert.ok(guarantee({ spans }).clear.includes('redactions'));
        assert.notEqual(privatize(text, { spans: [] }), privatize(text));
      });

      test('that are none are refused by their number, and the text is not drawn', async () => {
        const good = spansOf(TEXT)[0];
        const wrong = [
          { start: 5, end: 5 }, { start: 6, end: 5 }, { start: -1, end: 5 }, { start: 0, end: TEXT.length + 1 }, { start: 0.5, end: 5 }, { start: NaN, end: 5 }, { start: 0, end: Infinity },
          { start: 0, end: 2 ** 32 + 5 }, { start: '0', end: 5 }, { start: 0, end: 5n }, { start: 0 }, { end: 5 }, { start: null, end: 5 },
          // Half of a pair of surrogates.
          { start: 12, end: 13 }, { start: 0, end: 13 }, { start: 13, end: 15 },
          ...['', '1a', 'a b', 'a]', 'é', '\ud800', NAME, 'a'.repeat(25), 5, null, undefined].map((kind) => ({ start: 0, end: 3, kind })),
          // Overlaps one of another kind.
          { start: good.start + 3, end: good.end + 3, kind: 'other' },
        ].map((span) => ({ kind: 'name', ...span }));
        assert.equal(TEXT.slice(12, 14), '😀');
        for (const span of [...wrong, null, undefined, 5, 'span', []]) {
          const spans = [good, /** @type {any} */ (span)];
          assert.throws(() => privatize(TEXT, { spans }), fails('invalid-span', /number 1 /));
          await assert.rejects(privatizeAsync(TEXT, { spans }), fails('invalid-span', /number 1 /));
        }
        for (const spans of [null, {}, 'spans', 5, new Set([good]), good, new Uint8Array(3)]) assert.throws(() => privatize(TEXT, /** @type {any} */ ({ spans })), fails('invalid-options'));
      });

      test('that lack something do not get it from a polluted prototype', () => {
        Object.assign(Object.prototype, { start: 0, end: 3, kind: 'polluted', spans: [] });
        try {
          assert.throws(() => privatize(TEXT, { spans: [/** @type {any} */ ({ start: 0, end: 3 })] }), fails('invalid-span'));
          assert.ok(!privatize('not seen by a detector').guarantee.clear.includes('redactions'));
        } finally {
          for (const name of ['start', 'end', 'kind', 'spans']) delete Object.prototype[name];
        }
      });

      test('are refused where nothing is released', () => {
        const spans = spansOf(TEXT);
        for (const name of ['alternatives', 'deniability', 'guesses']) {
          const ask = { alternatives, ...others }[name];
          if (ask) assert.throws(() => ask('doctor', { spans }), fails('invalid-options'), name);
        }
      });

      test('leave a text as long as may be', () => {
        const text = `${'x'.repeat(9)} ${' '.repeat(2 ** 20 - 10)}`;
        assert.equal(privatize(text, { spans: [{ start: 0, end: 9, kind: 'id' }] }).guarantee.words, 0);
        assert.throws(() => privatize(`${text} `, { spans: [{ start: 0, end: 9, kind: 'id' }] }), fails('text-too-long'));
        assert.throws(() => privatize(`id ${'\ufdfa'.repeat(2 ** 19)}`, { spans: [{ start: 0, end: 2, kind: 'id' }] }), fails('text-too-long'));
      });
    });

    describe('kept words', () => {
      const keepWords = ['TextVeil', 'iphone', 'Zürich', 'Caf\u0065\u0301', 'ﬁx'];

      test('stand where they stood, as the list has them, and are stated', () => {
        const { text, guarantee: promised, account } = privatize('TEXTVEIL broke my iPhone in zürich: café, fix, not textveils.', { keepWords });
        for (const word of ['TextVeil', 'iphone', 'Zürich', 'Café', 'fix']) assert.ok(text.includes(word), text);
        const kept = account.filter(({ kind }) => kind === 'kept');
        assert.deepEqual(kept.map(({ token }) => token), ['TextVeil', 'iphone', 'Zürich', 'Café', 'fix']);
        assert.ok(kept.every(({ clear, output, written }) => clear && output === null && written === null));
        assert.equal(promised.words, account.length - kept.length);
        assert.ok(promised.clear.includes('kept-words'));
        // In the order of their spellings, which are small letters without marks.
        assert.deepEqual(promised.keptWords, { words: 5, digest: sha256(['Café', 'fix', 'iphone', 'TextVeil', 'Zürich', ''].join('\n')) });
        assert.ok(Object.isFrozen(promised.keptWords) && !('neverSaid' in promised));
      });

      test('make another release, and so does another form of a word', () => {
        const text = 'TextVeil is a program';
        const one = privatize(text, { keepWords: ['TextVeil'] });
        assert.equal(privatize(text, { keepWords: ['TextVeil', 'TextVeil'] }), one);
        for (const options of [{}, { keepWords: ['textveil'] }, { keepWords: ['TextVeil', 'other'] }]) assert.notEqual(privatize(text, options), one);
        assert.equal(privatize(text, { keepWords: [] }), privatize(text));
      });
    });

    describe('words that are never said', () => {
      test('come out of no draw, in no form', () => {
        const text = 'the doctor saw a nurse and an apple. '.repeat(400);
        const never = ['Doctor', 'NURSE', 'apple', 'a', 'the'];
        const said = (release) => release.text.toLowerCase().match(/\p{L}+/gu).filter((word) => never.some((one) => one.toLowerCase() === word)).length;
        // So much that every word comes out as itself.
        const options = { mechanism: 'exponential', eta: 2000 };
        assert.ok(said(privatize(text, options)) > 1500);
        for (const more of [{}, { asDrawn: true }, { keepFunctionWords: true }]) assert.equal(said(privatize(text, { ...options, ...more, neverSay: never })), 0);
        const { neverSaid, clear } = guarantee({ neverSay: never });
        assert.deepEqual(neverSaid, { words: 5, digest: sha256('a\napple\ndoctor\nnurse\nthe\n') });
        assert.deepEqual(clear, guarantee().clear);
        assert.equal(guarantee({ neverSay: never }).epsilonWord, guarantee().epsilonWord);
      });

      test('are missing among the alternatives', () => {
        const words = alternatives('doctor', { neverSay: ['doctor'] }, 50).distribution.map(({ word }) => word);
        assert.ok(!words.includes('doctor') && alternatives('doctor').distribution.some(({ word }) => word === 'doctor'));
      });
    });

    test('a list that is none is refused', () => {
      for (const [name, code] of [['keepWords', 'invalid-keep-words'], ['neverSay', 'invalid-never-say']]) {
        for (const word of ['', ' ', 'new york', 'new\u00a0york', 'a.', 'jane@example.org', '170 1234567', 'a'.repeat(65), NAME]) {
          assert.throws(() => privatize('', { [name]: ['fine', word] }), fails(code, /number 1 /), word);
        }
        assert.throws(() => guarantee({ [name]: Array.from({ length: 1001 }, (_, n) => `w${n}`) }), fails(code, /number 1000 /));
        for (const list of [null, 'word', ['fine', 5], [null], [undefined], [, 'a'], { 0: 'a', length: 1 }, new Set(['a']), 1, [['a']]]) {
          assert.throws(() => guarantee({ [name]: list }), fails('invalid-options'), JSON.stringify(list));
        }
      }
      assert.throws(() => guarantee({ keepWords: ['Fine', 'fine'] }), fails('invalid-keep-words'));
      assert.throws(() => guarantee({ keepWords: ['fine'], neverSay: ['FINE'] }), fails('invalid-never-say'));
    });

    test('all of it works with a table of one’s own', async () => {
      const script = `
        import { parentPort, workerData } from 'node:worker_threads';
        import { init, privatize } from ${JSON.stringify(import.meta.resolve(entry))};
        await init({ table: workerData });
        const options = { mechanism: 'exponential', eta: 0.001, anyLanguage: true, keepWords: ['TextVeil'], neverSay: ['apples', 'saw'] };
        const { text, guarantee, account } = privatize('Jane saw apples at jane@example.org: textveil. '.repeat(500), { ...options, spans: [{ start: 0, end: 4, kind: 'name' }] });
        parentPort.postMessage({ text, guarantee, account });
      `;
      const table = new Uint8Array(readFileSync(new URL('../tables/mend.tvt', import.meta.url)));
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), { workerData: table });
      const { text, guarantee: promised, account } = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      assert.ok(text.startsWith('[name] '), text.slice(0, 50));
      assert.deepEqual([text.match(/\[email\]/g).length, text.match(/TextVeil/g).length], [500, 500]);
      assert.ok(!/\b(?:apples|saw)\b/i.test(text));
      assert.equal(promised.words, account.filter(({ clear }) => !clear).length);
      assert.deepEqual([promised.keptWords.words, promised.neverSaid.words], [1, 2]);
      assert.notEqual(promised.table, guarantee().table);
    });
  });
}

describe('a prompt', () => {
  before(async () => (await import('textveil')).init());

  test('gets back what stood in the spans', () => {
    const question = `Tell ${NAME} and İpek Quimbleson of ${NAME} at zeb@example.org.`;
    const spans = [...spansOf(question), ...spansOf(question, 'Quimbleton', 'family'), ...spansOf(question, 'İpek Quimbleson', 'person')];
    const { text, restore, ...rest } = preparePrompt(question, { spans, keepWords: ['İpek', 'at'] });
    assert.ok(!names([text, rest]) && !/quimbleson/i.test(text));
    assert.deepEqual(text.match(/\[[^\]]*\]/g), ['[person-1]', '[person-2]', '[person-3]', '[email-1]']);
    assert.equal(restore('[person-3], [PERSON-2] and [email-1]'), `${NAME}, İpek Quimbleson and zeb@example.org`);
    assert.match(text, / at \[email-1\]\.$/);
  });

  test('leaves a kept word alone, also where a name became that word', () => {
    for (let tries = 0; tries < 40; tries += 1) {
      const { text, restore } = preparePrompt(`we saw Quimbleton, Paris${'!'.repeat(tries)}`, { keepWords: ['Paris', 'London', 'John'] });
      assert.ok(text.includes('Paris'), text);
      assert.equal(restore('Paris'), 'Paris');
    }
  });
});
