// Node, Deno and Bun: the run, its outcome on the standard output.

import { readFile } from 'node:fs/promises';
import { run } from './run.mjs';

const read = async (name) => new Uint8Array(await readFile(new URL(`public/golden/${name}`, import.meta.url)));
console.log(JSON.stringify(await run(read)));
