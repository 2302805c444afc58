/** What is done with the scripts of an npm package: comments are taken out, and what a page downloads is measured. */

import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** The esbuild of the tests' lock. */
const { build } = createRequire(new URL('../../tests/package.json', import.meta.url))('esbuild');
/** The script that wasm-bindgen generates: a machine wrote it, and only machines read it. */
const GLUE = 'textveil_wasm.js';

/** Rewrites all scripts of a folder without their comments, which a page would download in vain. Names stay, and so do comments that bundlers read. */
export async function stripped(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const scripts = names.map((name) => join(folder, name));
  const isGlue = (script) => basename(script) === GLUE;
  for (const minifyWhitespace of [false, true]) {
    await build({
      entryPoints: scripts.filter((script) => isGlue(script) === minifyWhitespace),
      outdir: folder,
      outbase: folder,
      allowOverwrite: true,
      minifyWhitespace,
      legalComments: 'none',
      charset: 'utf8',
      banner: { js: '// textveil, MIT OR Apache-2.0. With its comments: wasm in the repository.' },
    });
  }
}

/** The scripts that an entry of a package loads, itself included. */
export async function loaded(folder, entry) {
  const options = { entryPoints: [entry], absWorkingDir: folder, bundle: true, write: false, metafile: true };
  const { metafile } = await build({ ...options, format: 'esm', outdir: folder, logLevel: 'warning' });
  return Object.keys(metafile.inputs);
}

/** The bytes of a file: as stored, with gzip and with brotli. The gzip of Node compresses less than the program. */
export function size(file) {
  const bytes = readFileSync(file);
  const gzip = execFileSync('gzip', ['-9', '--no-name', '--stdout', file], { maxBuffer: 1 << 26 });
  return { raw: bytes.length, gzip: gzip.length, brotli: brotliCompressSync(bytes).length };
}
