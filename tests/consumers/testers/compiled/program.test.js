// A test of a program, which gets the package by `require`.

const { readFileSync } = require('node:fs');
const { init, privatize, TextveilError } = require('textveil');

const file = (name) => readFileSync(require.resolve(`textveil/${name}`));

test('init() says what to pass', async () => {
  const failed = init();
  await expect(failed).rejects.toBeInstanceOf(TextveilError);
  await expect(failed).rejects.toMatchObject({ code: 'load-failed', message: expect.stringContaining('init({ wasm, table })') });
});

test('init({ wasm, table }) works', async () => {
  await init({ wasm: file('textveil_wasm.wasm'), table: file('english.tvt') });
  expect(privatize('My sister was diagnosed with diabetes in March.', { level: 2 }).guarantee.words).toBe(8);
});
