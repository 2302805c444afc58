// A strict TypeScript consumer: it must compile, and each line under an `@ts-expect-error` must not.

import { alternatives, guarantee, init, levels, privatize, TextveilError } from 'textveil';
import type { Alternatives, ErrorCode, Guarantee, Level, Options, Release } from 'textveil';
import { initSync, Veil } from 'textveil/raw';

export async function protect(text: string): Promise<string> {
  await init();
  const strongest: Level | undefined = levels()[0];
  const options: Options = { level: strongest?.index, keepFunctionWords: true };
  const release: Release = privatize(text, options);
  const promised: Guarantee = guarantee({ mechanism: 'metric-laplace', epsilon: 10 });
  const found: Alternatives = alternatives('doctor', { eta: 20 }, 5);
  const kept: number = release.account.filter((entry) => entry.kept && entry.kind === 'word').length;
  return `${release.text} ${promised.epsilonWord} ${found.distribution[0]?.word} ${kept}`;
}

export function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof TextveilError ? error.code : undefined;
}

export async function elsewhere(bytes: Uint8Array, module: WebAssembly.Module): Promise<Veil> {
  await init({ wasm: module, table: bytes });
  await init({ wasm: new URL('https://example.org/a.wasm'), table: fetch('/english.tvt') });
  initSync({ module });
  return new Veil(bytes);
}

export function refused(release: Release): void {
  // @ts-expect-error a release cannot be altered
  release.text = '';
  // @ts-expect-error a strength is given once
  privatize('', { eta: 1, epsilon: 1 });
  // @ts-expect-error an option that does not exist
  privatize('', { strength: 1 });
  // @ts-expect-error a mechanism that does not exist
  guarantee({ mechanism: 'wishful' });
  // @ts-expect-error a release package cannot be seeded
  new Veil(new Uint8Array()).privatizeSeeded('', {}, '');
}
