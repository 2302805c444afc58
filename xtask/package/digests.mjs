/**
 * Writes the digests of a release next to its files: `node digests.mjs RELEASE PACKAGE`. `SHA256SUMS` has all files, as
 * `sha256sum --check` reads it once the tarball is unpacked. `integrity.json` has SHA-384 of the files that pages load,
 * as `integrity` takes it.
 */

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** SHA-256 of the files of a folder, and the `integrity` of those that pages load, by their names. */
export function digests(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const found = names.filter((name) => statSync(join(folder, name)).isFile());
  const files = found.map((name) => ({ name: name.replaceAll('\\', '/'), bytes: readFileSync(join(folder, name)) }));
  const loaded = files.filter(({ name }) => /\.(js|wasm|tvt|tvs)$/.test(name));
  const hash = (algorithm, bytes, encoding) => createHash(algorithm).update(bytes).digest(encoding);
  return {
    all: Object.fromEntries(files.map(({ name, bytes }) => [name, hash('sha256', bytes, 'hex')])),
    integrity: Object.fromEntries(loaded.map(({ name, bytes }) => [name, `sha384-${hash('sha384', bytes, 'base64')}`])),
  };
}

if (import.meta.filename === process.argv[1]) {
  const [release, pack] = process.argv.slice(2);
  const [beside, inside] = [digests(release), digests(pack)];
  // npm puts everything into a folder of this name.
  const unpacked = Object.entries(inside.all).map(([name, digest]) => [`package/${name}`, digest]);
  const sums = [...Object.entries(beside.all), ...unpacked].map(([name, digest]) => `${digest}  ${name}\n`);
  writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(release, 'integrity.json'), `${JSON.stringify(inside.integrity, null, 2)}\n`);
}
