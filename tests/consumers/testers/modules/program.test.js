// A test of a program: nothing is passed to `init`.

test('import() gets the package, and init() finds its files', async () => {
  const { init, privatize } = await import('textveil');
  await init();
  expect(privatize('My sister was diagnosed with diabetes in March.', { level: 2 }).guarantee.words).toBe(8);
});
