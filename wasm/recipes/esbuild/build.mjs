// esbuild does not follow `new URL(…, import.meta.url)`: the modules and the table are copied to the folder of the bundle.
// Statements need `english-text.tvt` and a list (`lists/product-feedback.tvs`) instead of the table.

import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

await build({ absWorkingDir: import.meta.dirname, entryPoints: ['main.js'], bundle: true, format: 'esm', minify: true, outdir: 'dist' });
for (const file of ['textveil_wasm.wasm', 'textveil_wasm_baseline.wasm', 'english.tvt']) {
  await cp(fileURLToPath(import.meta.resolve(`textveil/${file}`)), `${import.meta.dirname}/dist/${file}`);
}
