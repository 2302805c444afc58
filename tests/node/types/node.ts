// A strict TypeScript consumer with Node's types and without the DOM library: addresses, responses and signals are Node's.

import { init, privatizeAsync } from 'textveil';
import type { Release } from 'textveil';

export async function protect(text: string, signal: AbortSignal): Promise<Release> {
  await init({ wasm: new URL('file:///textveil_wasm.wasm'), table: fetch('https://host.example/english.tvt') });
  return privatizeAsync(text, { level: 2 }, { signal });
}

export function refused(controller: AbortController): void {
  // @ts-expect-error a controller is no signal
  void privatizeAsync('', {}, { signal: controller });
  // @ts-expect-error a request is no place
  void init({ table: new Request('https://host.example/english.tvt') });
}
