// Timings in Node, as one line of JSON. With the made-up table as argument: of that, else of the English one.

import { readFileSync } from 'node:fs';
import { init, privatize } from 'textveil';
import * as all from 'textveil/all';
import { english, other } from './timings.mjs';

const [table] = process.argv.slice(2);
console.log(JSON.stringify(table ? await other(all, readFileSync(table)) : await english({ init, privatize }, all)));
