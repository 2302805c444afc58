// The recipe for Cloudflare Workers: the service behind the Worker gets the release, and the text arrives nowhere.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, program } from './workbench.mjs';
import { DATES, workerd } from './workerd.mjs';

/** Seven words; those of the pattern are not in the table, so that they cannot come out by chance. */
const SECRET = 'Zebulon Quimby has fear of the colonoscopyx';
const RAW = /zebulon|quimby|colonoscopyx/i;

/** What the service gets. */
const received = [];
let worker;

before(async () => {
  await program('recipes', 'npm', 'run', '--silent', 'cloudflare');
  const service = async (request) => {
    received.push({ url: request.url, headers: [...request.headers], body: await request.text() });
    return new Response('Received.', { status: 201 });
  };
  worker = workerd(at('recipes/cloudflare/dist'), DATES.at(-1), service, { SERVICE: 'https://notes.example/' });
});
after(() => worker.dispose());

const post = (body, person) => worker.dispatchFetch('http://localhost/', { method: 'POST', body, headers: person ? { 'X-Person': person } : {} });

test('cloudflare: the release is sent, and the text is not', async () => {
  const answers = await Promise.all(['anna', 'bert'].map((person) => post(SECRET, person)));
  assert.deepEqual(answers.map(({ status }) => status), [201, 201]);
  const [one, other] = received.map(({ body }) => JSON.parse(body));
  assert.deepEqual(Object.keys(one), ['text', 'guarantee']);
  assert.equal(one.guarantee.words, 7);
  assert.notEqual(one.text, other.text, 'equal texts of two people are two draws');
  assert.doesNotMatch(JSON.stringify(received), RAW);
});

test('cloudflare: without a person, and when the text is too long, nothing is sent', async () => {
  const before = received.length;
  assert.equal((await post(SECRET)).status, 400);
  const tooLong = await post(SECRET.repeat(30_000), 'anna');
  assert.equal(tooLong.status, 413);
  assert.doesNotMatch(await tooLong.text(), RAW);
  assert.equal(received.length, before);
});
