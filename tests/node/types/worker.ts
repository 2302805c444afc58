// A strict TypeScript consumer without the DOM library, such as a program for Node or a worker: it must compile, and each line under an
// `@ts-expect-error` must not.

import { init, privatize, privatizeAsync, TextveilError } from 'textveil';
import type { Release, Source } from 'textveil';
import * as all from 'textveil/all';
import { Ledger as AllLedger } from 'textveil/all/ledger';
import { describe } from 'textveil/describe';
import { Ledger } from 'textveil/ledger';
import type { LedgerStorage } from 'textveil/ledger';
import { preparePrompt } from 'textveil/prompt';
import { Veil } from 'textveil/raw';

export async function protect(text: string, wasm: Uint8Array, table: ArrayBuffer, storage: LedgerStorage): Promise<string> {
  const place: Source = table;
  await init({ wasm, table: place });
  const release: Release = await privatizeAsync(text, { level: 2 }, { field: 'note' });
  const ledger: Ledger = await Ledger.open({ note: { epsilon: 200 } }, storage);
  await ledger.spend('note', release.guarantee);
  await all.init({ wasm: 'https://host.example/all.wasm' });
  const other: AllLedger = await AllLedger.open({ note: { epsilon: 200 } });
  await other.spend('note', all.choice(0, 2, { question: 'well', epsilon: 1 }).guarantee);
  return `${describe(release.guarantee)} ${preparePrompt(text).text} ${new Veil(wasm).privatize('', { level: 3 }).text}`;
}

export function refused(error: unknown): void {
  if (error instanceof TextveilError && error.code === 'load-failed') return;
  // @ts-expect-error a number is no place
  void init({ wasm: 5 });
  // @ts-expect-error an option that does not exist
  privatize('', { strength: 1 });
  // @ts-expect-error an invalid signal
  void privatizeAsync('', {}, { signal: { stop: true } });
}
