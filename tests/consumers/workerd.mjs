// Cloudflare Workers: bundled by Cloudflare's own tool, and run by Cloudflare's own runtime (workerd).

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { at } from './workbench.mjs';

/** Behaviour of the runtime on two days: before it had `MessageChannel`, and later. */
export const DATES = ['2024-01-01', '2026-04-01'];

/** What the runtime takes a file of a bundle for. */
const TYPES = { '.js': 'ESModule', '.wasm': 'CompiledWasm', '.tvt': 'Data' };

/** Runs the Worker whose bundle lies in `folder`, until `dispose`. `outside` answers whatever the Worker fetches. */
export function workerd(folder, compatibilityDate, outside, bindings = {}) {
  const { Miniflare } = createRequire(at('recipes/package.json'))('miniflare');
  const files = readdirSync(folder).filter((file) => TYPES[extname(file)]);
  // The script comes first.
  files.sort((a, b) => Number(extname(b) === '.js') - Number(extname(a) === '.js'));
  const modules = files.map((file) => ({ type: TYPES[extname(file)], path: join(folder, file) }));
  return new Miniflare({ cf: false, modules, modulesRoot: folder, compatibilityDate, outboundService: outside, bindings });
}
