/**
 * Puts FILE.br and FILE.gz next to each file of a folder that they make smaller: `node compress.mjs FOLDER`. The
 * collector sends them to browsers that take them. Needs Node alone; without it the collector sends the files as they
 * are.
 */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** A compressed file that is not at least this much smaller is not worth its place. */
const LARGEST_SHARE = 0.95;

/** The largest table takes a second with it, and ten with the best quality, which is hardly smaller. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Paths of all files of a folder. */
const files = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });

for (const file of files(process.argv[2])) {
  const bytes = readFileSync(file);
  for (const [ending, compressed] of [['br', brotliCompressSync(bytes, QUALITY)], ['gz', gzipSync(bytes)]]) {
    if (compressed.length < LARGEST_SHARE * bytes.length) writeFileSync(`${file}.${ending}`, compressed);
  }
}
