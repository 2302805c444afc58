// Timings in Node, as one line of JSON. With the made-up table as argument: of that, else of the English one.

import { existsSync, readFileSync } from 'node:fs';
import { init, privatize } from 'textveil';
import * as all from 'textveil/all';
import { statements } from 'textveil/statements';
import { english, other } from './timings.mjs';

const [table] = process.argv.slice(2);
const encoder = new Uint8Array(readFileSync(new URL(import.meta.resolve('textveil/english-text.tvt'))));
const numbers = table ? await other(all, readFileSync(table)) : await english({ init, privatize }, all, { statements, encoder });
// The most memory that this process has held at once, where the system tells it.
const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
const kilobytes = /^VmHWM:\s*(\d+)/m.exec(status)?.[1];
console.log(JSON.stringify(kilobytes ? { ...numbers, 'memory MB': Number(kilobytes) / 1e3 } : numbers));
