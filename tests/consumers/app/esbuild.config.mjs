// esbuild does not follow `new URL(…, import.meta.url)`. So this file copies the files next to each bundle.

import { cp } from 'node:fs/promises';
import { build } from 'esbuild';

const OUT = 'dist/esbuild';
const MODULES = ['textveil_wasm.wasm', 'textveil_wasm_baseline.wasm'];

await build({
  entryPoints: { page: 'page.mjs', worker: 'worker.mjs', 'service-worker': 'service-worker.mjs', 'all/all': 'all/all.mjs' },
  outdir: OUT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  minify: true,
});
for (const beside of ['', 'textveil/', 'all/']) {
  for (const file of [...MODULES, 'english.tvt']) await cp(`node_modules/textveil/${file}`, `${OUT}/${beside}${file}`);
}
for (const file of MODULES) await cp(`node_modules/textveil/all/${file}`, `${OUT}/all/${file}`);
