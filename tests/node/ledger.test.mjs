// Budgets over time: what a ledger refuses, what survives a restart, and how a ledger notices that its storage has lost data.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as main from 'textveil';
import * as all from 'textveil/all';
import { Ledger as AllLedger } from 'textveil/all/ledger';
import { Ledger as MainLedger } from 'textveil/ledger';

/**
 * A storage that a test can look into, and damage.
 *
 * @param {{ bytes?: any, sequence: any }} kept
 */
function storage(kept = { sequence: 0 }) {
  let turn = Promise.resolve();
  return {
    kept,
    async read() {
      return { ...this.kept };
    },
    async write(state) {
      this.kept = state;
    },
    exclusively(work) {
      const mine = turn.then(work);
      turn = mine.catch(() => {});
      return mine;
    },
  };
}

const loss = (epsilonText, deltaText = 0) => ({ epsilonText, deltaText });

before(() => Promise.all([main.init(), all.init()]));

for (const [entry, { TextveilError, privatize }, Ledger] of [['textveil', main, MainLedger], ['textveil/all', all, AllLedger]]) {
  const fails = (code) => (error) => error instanceof TextveilError && error.code === code;

  describe(`${entry}: Ledger`, () => {
    test('a release of a text is spent, until the budget is', async () => {
      const { guarantee } = privatize('My sister was diagnosed with diabetes in March.');
      const ledger = await Ledger.open({ note: { epsilon: 2.5 * guarantee.epsilonText } }, storage());
      assert.deepEqual(await ledger.spent('note'), { epsilon: 0, delta: 0, releases: 0 });
      await ledger.spend('note', guarantee);
      await ledger.spend('note', guarantee);
      await assert.rejects(ledger.spend('note', guarantee), fails('budget-exhausted'));
      const { epsilon, releases } = await ledger.spent('note');
      assert.deepEqual([epsilon, releases], [2 * guarantee.epsilonText, 2]);
    });

    test('a budget holds to the last bit, for ε, for δ and for the number of releases', async () => {
      const ledger = await Ledger.open({ a: { epsilon: 1, delta: 0.25 }, b: { epsilon: 1, releases: 1 }, c: { epsilon: 1 } }, storage());
      await ledger.spend('a', loss(1, 0.25));
      for (const more of [loss(5e-324), loss(0, 5e-324)]) await assert.rejects(ledger.spend('a', more), fails('budget-exhausted'));
      await ledger.spend('b', loss(0));
      await assert.rejects(ledger.spend('b', loss(0)), fails('budget-exhausted'));
      await assert.rejects(ledger.spend('c', loss(0, 1e-9)), fails('budget-exhausted'));
      await assert.rejects(ledger.spend('c', loss(Infinity)), fails('budget-exhausted'));
      await assert.rejects(ledger.spend('c', { ...loss(0.1), notion: 'known-seed' }), fails('budget-exhausted'));
    });

    test('a refusal changes nothing that is stored', async () => {
      const place = storage();
      const ledger = await Ledger.open({ a: { epsilon: 1 } }, place);
      await ledger.spend('a', loss(1));
      const { kept } = place;
      await assert.rejects(ledger.spend('a', loss(1)), fails('budget-exhausted'));
      await assert.rejects(ledger.spend('b', loss(0)), fails('invalid-budget'));
      await assert.rejects(ledger.spend('a', loss(-1)), fails('invalid-epsilon'));
      assert.equal(place.kept, kept);
    });

    test('two ledgers on one storage share what is left, however their turns interleave', async () => {
      const place = storage();
      const ledgers = await Promise.all([1, 2].map(() => Ledger.open({ a: { epsilon: 5 } }, place)));
      const tries = Array.from({ length: 10 }, (_, i) => ledgers[i % 2].spend('a', loss(1)));
      const outcomes = await Promise.allSettled(tries);
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5);
      for (const ledger of ledgers) assert.equal((await ledger.spent('a')).epsilon, 5);
      assert.equal(place.kept.sequence, 5);
    });

    test('a restart goes on from the storage, and a scope without a budget keeps its past', async () => {
      const place = storage();
      await (await Ledger.open({ a: { epsilon: 1 } }, place)).spend('a', loss(1));
      await (await Ledger.open({ b: { epsilon: 1 } }, place)).spend('b', loss(1));
      const again = await Ledger.open({ a: { epsilon: 1 } }, place);
      await assert.rejects(again.spend('a', loss(1)), fails('budget-exhausted'));
    });

    test('a period ends, and a clock that is set back frees nothing', async (context) => {
      const day = 86_400;
      context.mock.timers.enable({ apis: ['Date'], now: 1000 * day * 1000 });
      const ledger = await Ledger.open({ a: { epsilon: 1, period: day } }, storage());
      await ledger.spend('a', loss(1));
      await assert.rejects(ledger.spend('a', loss(1)), fails('budget-exhausted'));
      context.mock.timers.setTime(1001 * day * 1000);
      await ledger.spend('a', loss(1));
      context.mock.timers.setTime(1000 * day * 1000);
      await assert.rejects(ledger.spend('a', loss(1)), fails('budget-exhausted'));
    });

    test('what is damaged, older, or missing is noticed, until it is started over, spent', async () => {
      const place = storage();
      const ledger = await Ledger.open({ a: { epsilon: 9 }, b: { epsilon: 9, period: 86_400 } }, place);
      await ledger.spend('a', loss(1));
      const old = place.kept;
      await ledger.spend('a', loss(1));
      const { bytes, sequence } = place.kept;
      const damaged = Uint8Array.from(bytes, (byte, at) => (at === 30 ? byte ^ 1 : byte));
      for (const kept of [{ bytes: damaged, sequence }, { bytes: old.bytes, sequence }, { sequence }, { bytes: 'no bytes', sequence }, { bytes, sequence: NaN }, { bytes, sequence: 0.5 }, { bytes, sequence: undefined }]) {
        place.kept = kept;
        for (const call of [ledger.spend('a', loss(0)), ledger.spent('a')]) await assert.rejects(call, fails('bad-ledger'));
        await ledger.startOver();
        for (const scope of ['a', 'b']) {
          await assert.rejects(ledger.spend(scope, loss(0)), fails('budget-exhausted'));
          assert.equal((await ledger.spent(scope)).epsilon, Infinity);
        }
      }
      place.kept = { bytes, sequence: 0n };
      assert.equal((await ledger.spent('a')).epsilon, 2, 'newer than the number: the host died between the two');
    });

    test('a storage that fails is an error, and so is one that does nothing', async () => {
      const broken = () => Promise.reject(new Error('disk full'));
      const failing = [
        { ...storage(), read: broken },
        { ...storage(), write: broken },
        { ...storage(), exclusively: broken },
        { ...storage(), exclusively: async () => {} },
        { ...storage(), read: undefined },
        {},
        null,
      ];
      for (const place of failing) {
        const ledger = await Ledger.open({ a: { epsilon: 1 } }, place);
        await assert.rejects(ledger.spend('a', loss(1)), (/** @type {any} */ error) => fails('storage-failed')(error));
      }
    });

    test('without a storage, ledgers of a page share its memory', async () => {
      const scope = `memory of ${entry}`;
      await (await Ledger.open({ [scope]: { epsilon: 1 } })).spend(scope, loss(1));
      await assert.rejects((await Ledger.open({ [scope]: { epsilon: 1 } })).spend(scope, loss(1)), fails('budget-exhausted'));
    });

    test('unusable budgets, scopes and guarantees are refused', async () => {
      for (const epsilon of [NaN, Infinity, -1]) await assert.rejects(Ledger.open({ a: { epsilon } }), fails('invalid-budget'));
      for (const more of [{ delta: 2 }, { releases: 0.5 }, { releases: -1 }, { releases: 2 ** 32 }, { period: 0 }, { period: 1.5 }, { period: NaN }]) {
        await assert.rejects(Ledger.open({ a: { epsilon: 1, ...more } }), fails('invalid-budget'), JSON.stringify(more));
      }
      for (const name of ['', 'x'.repeat(65)]) await assert.rejects(Ledger.open({ [name]: { epsilon: 1 } }), fails('invalid-budget'));
      for (const budgets of [undefined, null, 5, new Map(), { a: 5 }, { a: {} }, { a: null }, { a: { epsilon: '1' } }, { a: { epsilon: 1, limit: 1 } }]) {
        await assert.rejects(Ledger.open(budgets), fails('invalid-options'), String(budgets));
      }
      const ledger = await Ledger.open({ a: { epsilon: 1 } }, storage());
      for (const scope of [undefined, 5, null, {}]) await assert.rejects(ledger.spend(scope, loss(1)), fails('invalid-options'));
      for (const guarantee of [undefined, null, {}, { epsilonText: '1', deltaText: 0 }]) {
        await assert.rejects(ledger.spend('a', guarantee), fails('invalid-options'));
      }
      assert.throws(() => new Ledger(), fails('invalid-options'));
      assert.equal((await ledger.spent('a')).releases, 0);
    });
  });
}

test('the entries keep one ledger on one storage', async () => {
  const place = storage();
  await (await MainLedger.open({ a: { epsilon: 1 } }, place)).spend('a', loss(1));
  await assert.rejects((await AllLedger.open({ a: { epsilon: 1 } }, place)).spend('a', loss(1)), (/** @type {any} */ error) => error.code === 'budget-exhausted');
});
