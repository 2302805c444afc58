/**
 * Writes bills of materials, as CycloneDX 1.6 in JSON. They list every crate compiled into the shipped files, the
 * standard library, the English table, and in the packages for npm and Python the text encoder, each with its version,
 * licence and digest. It runs in the root of the checkout.
 *
 * node bill.mjs PACKAGE                 the npm package, whose modules lie there already
 * node bill.mjs --mobile DIR TARGET...  the library for Swift and Kotlin, a bill for each target, and Python's wheels
 *
 * Cargo itself says which crates those are (`cargo tree` for one package, its features and its target), without what only runs while
 * it compiles. A bill holds no time and no random number: the same sources give the same file.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The modules of the npm package, and the features that each is built with. */
const MODULES = [
  ['textveil_wasm.wasm', ''],
  ['textveil_wasm_baseline.wasm', ''],
  ['all/textveil_wasm.wasm', 'all-mechanisms'],
  ['all/textveil_wasm_baseline.wasm', 'all-mechanisms'],
];
const WASM = 'wasm32-unknown-unknown';
/** What the release builds wheels for. */
const WHEELS = ['x86_64-unknown-linux-gnu', 'aarch64-apple-darwin'];
const TABLE = 'core/data/english.tvt';
const ENCODER = 'tables/data/english-text.tvt';
/** The licence of both files. */
const DATA_LICENCE = 'CC-BY-SA-4.0';

const printed = (program, ...words) => execFileSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 26 });
const hashes = (content) => [{ alg: 'SHA-256', content }];
const expression = (licence) => [{ expression: licence }];

/** A file that something consists of. */
function fileOf(type, name, path) {
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
  return { type, 'bom-ref': name, name, hashes: hashes(digest) };
}

/**
 * The crate of a line of `cargo tree`: `libm v0.2.16;MIT`, or `textveil v0.1.0 (/a/directory);MIT OR Apache-2.0`. One that is not in
 * the checkout has a checksum in `Cargo.lock`.
 */
export function crateOf(line, lock) {
  const [, name, version, place, licence] = /^(\S+) v(\S+?)( .+)?;([^;]+)$/.exec(line) ?? [];
  if (licence === undefined) throw new Error(`cargo tree says '${line}'`);
  const purl = `pkg:cargo/${name}@${version}`;
  // CycloneDX's schema does not know the slash, an older way to write "or".
  const licenses = expression(licence.replaceAll('/', ' OR '));
  const component = { type: 'library', 'bom-ref': purl, name, version, licenses };
  if (place !== undefined) return component;
  const start = `\nname = "${name}"\nversion = "${version}"\n`;
  const entry = lock.split('[[package]]').find((written) => written.startsWith(start));
  const [, checksum] = /^checksum = "(\w+)"$/m.exec(entry ?? '') ?? [];
  if (checksum === undefined) throw new Error(`Cargo.lock has no checksum of ${name} ${version}`);
  return { ...component, purl, hashes: hashes(checksum) };
}

/** What is compiled into a package for a target: the package itself, other crates, and the standard library. */
function cratesOf(name, target, features, release) {
  const options = ['--locked', '--edges=normal,no-proc-macro', '--prefix=none', '--no-dedupe', '--format={p};{l}'];
  const of = [`--package=${name}`, `--target=${target}`, `--features=${features}`];
  const lines = printed(process.env.CARGO ?? 'cargo', 'tree', ...options, ...of).split('\n');
  const lock = readFileSync('Cargo.lock', 'utf8');
  const standard = {
    type: 'library',
    'bom-ref': `rust-std@${release}`,
    name: 'rust-std',
    version: release,
    description: "Rust's standard library, with what it brings: core, alloc, std, compiler_builtins",
    licenses: expression('MIT OR Apache-2.0'),
  };
  return [...lines.filter((line) => line !== '').map((line) => crateOf(line, lock)), standard];
}

/** The bill of a whole, of the parts that lie in it, and of the files of data, which lie in it too. */
function bill(whole, /** @type {Record<string, object[]>} */ parts, /** @type {string[]} */ files, release) {
  const data = files.map((path) => ({ ...fileOf('data', basename(path), path), licenses: [{ license: { id: DATA_LICENCE } }] }));
  const inside = new Map(Object.entries(parts));
  const own = whole['bom-ref'];
  inside.set(own, [...(inside.get(own) ?? []), ...data]);
  const components = new Map([...inside.values()].flat().map((component) => [component['bom-ref'], component]));
  /** @param {Iterable<string>} references */
  const sorted = (references) => [...new Set(references)].sort();
  const dependencies = sorted(inside.keys()).map((part) => {
    const dependsOn = sorted(inside.get(part).map((component) => component['bom-ref']));
    return { ref: part, dependsOn };
  });
  const tools = { components: [{ type: 'application', name: 'rustc', version: release }] };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: whole, tools },
    components: sorted(components.keys()).map((reference) => components.get(reference)),
    dependencies,
  };
}

function npm(root, release) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const purl = `pkg:npm/${name}@${version}`;
  const whole = { type: 'library', 'bom-ref': purl, purl, name, version, licenses: expression(license) };
  /** @type {Record<string, object[]>} */
  const parts = { [purl]: MODULES.map(([module]) => fileOf('file', module, join(root, module))) };
  for (const [module, features] of MODULES) parts[module] = cratesOf('textveil-wasm', WASM, features, release);
  return bill(whole, parts, [TABLE, ENCODER], release);
}

function mobile(target, features, files, release) {
  const crates = cratesOf('textveil-mobile', target, features, release);
  const { name, version, licenses } = crates.find((own) => own.name === 'textveil-mobile');
  const whole = {
    type: 'library',
    'bom-ref': target,
    name,
    version,
    licenses: expression(`(${licenses[0].expression}) AND ${DATA_LICENCE} AND MPL-2.0 AND Unicode-3.0`),
    properties: [{ name: 'cdx:rust:target', value: target }],
  };
  return bill(whole, { [target]: crates }, files, release);
}

if (import.meta.filename === process.argv[1]) {
  const [, release] = /^release: (.+)$/m.exec(printed('rustc', '-vV'));
  const write = (file, content) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  const [place, folder, ...targets] = process.argv.slice(2);
  if (place === '--mobile') {
    const writeMobile = (kind, target, features, files) =>
      write(join(folder, `textveil-${kind}-${target}.cdx.json`), mobile(target, features, files, release));
    for (const target of targets) writeMobile('mobile', target, '', [TABLE]);
    for (const target of WHEELS) writeMobile('python', target, 'estimate', [TABLE, ENCODER]);
  } else {
    write(join(place, 'textveil.cdx.json'), npm(place, release));
  }
}
