// A CommonJS program: the run, and the package by `require`.

const { readFile } = require('node:fs/promises');
const { join } = require('node:path');
const textveil = require('textveil');
const { firstUse } = require('./first-use.mjs');
const { run } = require('./run.mjs');

async function main() {
  const { claims } = await run(async (name) => new Uint8Array(await readFile(join(__dirname, 'public/golden', name))));
  console.log(JSON.stringify({ claims, release: await firstUse(textveil) }));
}

void main();
