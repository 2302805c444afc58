// The description of a guarantee has the guarantee's numbers in each language, and adds no claim.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, suite, test } from 'node:test';
import { describe } from 'textveil/describe';
import { choice, guarantee, init, privatize, representation, representationOf } from 'textveil/all';

const { cases } = JSON.parse(readFileSync(new URL('../vectors/describe.json', import.meta.url), 'utf8'));

before(() => init());

/** How each language says that nothing is proved, that there is no private word, and what a word is. */
const LANGUAGES = {
  en: { nothing: /nothing is proved/i, none: 'no private word', spent: /published claim .* is not proved/, word: 'one word', class: 'of its kind', answer: 'one answer', vector: 'one vector', places: 'addresses' },
  de: { nothing: /nichts ist bewiesen/i, none: 'kein privates Wort', spent: /behauptet wird .* ist nicht bewiesen/, word: 'einem Wort', class: 'seiner Art', answer: 'einer Antwort', vector: 'einem Vektor', places: 'Adressen' },
  fr: { nothing: /rien n’est prouvé/i, none: 'aucun mot privé', spent: /publié .* n’est pas prouvé/, word: 'un mot', class: 'de son genre', answer: 'une réponse', vector: 'un vecteur', places: 'adresses' },
  es: { nothing: /nada está demostrado/i, none: 'ninguna palabra privada', spent: /publicado .* no está demostrado/, word: 'una palabra', class: 'de su tipo', answer: 'una respuesta', vector: 'un vector', places: 'direcciones' },
};

/** The numbers of a text behind a sign, read back in its language. */
function numbers(text, sign, locale) {
  const point = (1.5).toLocaleString(locale)[1];
  return [...text.matchAll(new RegExp(`${sign} = ([\\d.,  ’']+)`, 'g'))].map(([, shown]) => Number(shown.replace(/[.,\s]+$/, '').split(point).map((part) => part.replace(/\D/g, '')).join('.')));
}

for (const [locale, says] of Object.entries(LANGUAGES)) {
  suite(locale, () => {
    test('metric privacy is told with η and with ε of a word and of all words', () => {
      const { guarantee: promised } = privatize('My sister was diagnosed with diabetes in March.', { mechanism: 'certified', level: 3 });
      const text = describe(promised, locale);
      assert.ok(text.includes(says.word) && !says.nothing.test(text), text);
      const [eta] = numbers(text, 'η', locale);
      const [word, all] = numbers(text, 'ε', locale);
      for (const [shown, proved] of [[eta, promised.eta], [word, promised.epsilonWord], [all, promised.epsilonText]]) {
        assert.ok(shown >= proved && shown <= proved * 1.001, `${shown} for ${proved}: ${text}`);
      }
      assert.equal(promised.words, 8);
      assert.ok(/\b8\b/.test(text), text);
    });

    test('of noise that is not exact, η is not told', () => {
      const text = describe(guarantee({ mechanism: 'metric-laplace', epsilon: 12 }), locale);
      assert.ok(!text.includes('η') && text.includes('ε'), text);
    });

    test('approximate privacy is told with its δ, pure privacy without', () => {
      const approximate = guarantee({ mechanism: 'gaussian', epsilon: 8, delta: 0.001 });
      const pure = guarantee({ mechanism: 'laplace', epsilon: 8 });
      const shown = new Intl.NumberFormat(locale).format(0.001);
      assert.ok(describe(approximate, locale).includes(shown), describe(approximate, locale));
      assert.ok(!describe(pure, locale).includes(shown), describe(pure, locale));
      assert.ok(numbers(describe(pure, locale), 'ε', locale)[0] >= pure.epsilonWord);
    });

    test('a δ of 1 is said to prove nothing, for a word or for all', () => {
      const weak = guarantee({ mechanism: 'metric-laplace', epsilon: 500 });
      assert.equal(weak.deltaWord, 1);
      const text = describe(weak, locale);
      assert.ok(says.nothing.test(text) && !text.includes('ε') && !text.includes('η'), text);
      const sound = guarantee({ mechanism: 'gaussian', epsilon: 8, delta: 0.001 });
      const many = describe({ ...sound, words: 2000, epsilonText: 16000, deltaText: 1 }, locale);
      assert.ok(says.nothing.test(many) && numbers(many, 'ε', locale).length === 1, many);
    });

    test('a text without private words has nothing to promise', () => {
      const text = describe(privatize('... --- ...').guarantee, locale);
      assert.ok(text.includes(says.none) && !text.includes('ε'), text);
    });

    test('a claim that does not follow is told, and one that does is not', () => {
      const claimed = guarantee({ mechanism: 'laplace', epsilon: 40, calibration: 'published' });
      const broken = { ...claimed, claim: { ...claimed.claim, epsilon: 40, holds: false } };
      const kept = { ...claimed, claim: { ...claimed.claim, holds: true } };
      assert.match(describe(broken, locale), says.spent);
      assert.doesNotMatch(describe(kept, locale), says.spent);
    });

    test('what is public by choice is listed', () => {
      const open = guarantee();
      assert.ok(describe(open, locale).includes(says.places));
      assert.ok(!describe(guarantee({ placeholders: false }), locale).includes(says.places));
      assert.ok(describe({ ...open, clear: [...open.clear, 'moon-phase'] }, locale).includes('moon-phase'), 'what is unknown here is not hidden');
    });

    test('classes, vectors and answers are called by their names', () => {
      assert.ok(describe(guarantee({ mechanism: 'class-exponential', epsilon: 8 }), locale).includes(says.class));
      const vectors = representationOf([[0.6, 0.8]], { mechanism: 'dpnr', epsilon: 4, clip: 1 }).guarantee;
      assert.ok(describe(vectors, locale).includes(says.vector), describe(vectors, locale));
      const answer = choice(1, 5, { question: `q ${locale}`, epsilon: 1 }).guarantee;
      assert.ok(describe(answer, locale).includes(says.answer) && !describe(answer, locale).endsWith(' .'), describe(answer, locale));
      const text = representation('a kind doctor', { mechanism: 'dpnr', epsilon: 4 }).guarantee;
      assert.ok(describe(text, locale).includes(says.word), describe(text, locale));
    });

    test('it is one to three short sentences', () => {
      for (const options of [{}, { mechanism: 'gaussian', epsilon: 8, delta: 1e-5 }, { mechanism: 'laplace', epsilon: 40, calibration: 'published' }]) {
        const sentences = describe(guarantee(options), locale).split(/[.!?] (?=\p{Lu})/u);
        assert.ok(sentences.length <= 3, sentences.join('|'));
      }
    });
  });
}

test('a language is found by its first part, and any other is English', () => {
  const promised = guarantee();
  assert.match(describe(guarantee({ mechanism: 'laplace', epsilon: 2 }), 'es-MX'), /^Lo que se envía es como máximo \d\.\d veces/, 'numbers are those of the region');
  assert.ok(describe(promised, 'de-AT').startsWith(describe(promised, 'de').slice(0, 20)));
  for (const locale of [undefined, 'en-GB', 'xx', 'zz-ZZ', 'toString', '__proto__', '!', '', null, 5]) {
    assert.ok(describe(promised, locale).includes('one word'), String(locale));
  }
});

test('every description is the reference’s, number for number', () => {
  for (const { guarantee, ...told } of cases) {
    for (const [locale, text] of Object.entries(told)) assert.equal(describe(guarantee, locale), text);
  }
});

test('no number is told smaller than it is', () => {
  const promised = guarantee();
  const number = '([\\d.,]+)(?:\\u00a0×\\u00a010([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?';
  /** @type {(match: RegExpMatchArray) => number} */
  const read = ([, digits, raised = '⁰']) => Number(`${digits.replaceAll(',', '')}e${raised.replace(/./g, (sign) => `${'⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(sign)}`).replace('-1', '-')}`);
  for (const epsilonWord of [1e-9, 0.07, 0.1 + 0.2, 1, 31.62, 31.6200000001, 99.99999, 700, 1e9]) {
    const text = describe({ ...promised, epsilonWord, epsilonText: epsilonWord, words: 1 });
    const shown = read(text.match(new RegExp(`ε = ${number}`)));
    assert.ok(shown >= epsilonWord && shown <= epsilonWord * 1.001, `${shown} for ${epsilonWord}`);
    const odds = text.match(new RegExp(`at most ${number}`));
    assert.ok(odds ? read(odds) >= Math.exp(epsilonWord) : text.includes('at most ∞'), text);
  }
});

test('an infinite ε proves nothing', () => {
  const promised = { ...guarantee(), words: 2 };
  assert.match(describe({ ...promised, epsilonWord: Infinity, epsilonText: Infinity }), /^Nothing is proved/);
  assert.match(describe({ ...promised, epsilonText: Infinity }), /for all 2 together nothing is proved/);
  assert.match(describe({ ...promised, deltaWord: NaN }), /^Nothing is proved/);
});
