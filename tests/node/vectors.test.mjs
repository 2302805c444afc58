// The golden vectors in Node, by every module, as either compiler of the engine makes it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FOLDERS, MODULES, TIERS } from './vectors.mjs';

const PROGRAM = fileURLToPath(new URL('vectors-run.mjs', import.meta.url));

describe('golden vectors', { concurrency: availableParallelism() }, () => {
  for (const folder of FOLDERS) {
    for (const module of MODULES) {
      for (const [tier, flag] of Object.entries(TIERS)) {
        test(`${folder}${module}, ${tier}`, async (t) => {
          const { stdout } = await promisify(execFile)(process.execPath, [flag, PROGRAM, folder, module], { maxBuffer: 1 << 26 });
          const results = JSON.parse(stdout);
          assert.ok(results.length > 5);
          for (const { claim, tried, failures } of results) {
            await t.test(`${claim} (${tried})`, () => {
              assert.ok(tried > 0);
              assert.deepEqual(failures, []);
            });
          }
        });
      }
    }
  }
});
