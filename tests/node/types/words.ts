// A strict TypeScript consumer of `textveil`: it must compile, and each line under an `@ts-expect-error` must not.

import { alternatives, guarantee, init, levels, mechanisms, privatize, TextveilError } from 'textveil';
import type { Alternatives, ErrorCode, Guarantee, Level, Mechanism, MechanismInfo, Options, Release } from 'textveil';
import * as all from 'textveil/all';
import { initSync, Veil } from 'textveil/raw';

export async function protect(text: string, module: WebAssembly.Module): Promise<string> {
  await init({ wasm: module });
  const strongest: Level | undefined = levels()[0];
  const options: Options = { level: strongest?.index, keepFunctionWords: true };
  const release: Release = privatize(text, options);
  const promised: Guarantee = guarantee({ mechanism: 'exponential', epsilon: 10 });
  const found: Alternatives = alternatives('doctor', { eta: 20 }, 5);
  const known: readonly MechanismInfo[] = mechanisms();
  const name: Mechanism = release.guarantee.mechanism;
  return `${release.text} ${promised.epsilonWord} ${found.distribution[0]?.word} ${known.length} ${name}`;
}

/** What is asked of `textveil` can be asked of `textveil/all`, whose errors are the same. */
export function either(text: string, options: Options): all.Release | ErrorCode {
  try {
    return all.privatize(text, options);
  } catch (error) {
    if (error instanceof TextveilError && error instanceof all.TextveilError) return error.code;
    throw error;
  }
}

export function bare(bytes: Uint8Array, module: WebAssembly.Module): string {
  initSync({ module });
  return new Veil(bytes).privatize('', { level: 3 }).text;
}

export function refused(raw: Veil): void {
  // @ts-expect-error a strength is given once
  privatize('', { eta: 1, epsilon: 1 });
  // @ts-expect-error an option that does not exist
  privatize('', { strength: 1 });
  // @ts-expect-error a mechanism that is in `textveil/all` alone
  guarantee({ mechanism: 'metric-laplace' });
  // @ts-expect-error a parameter of such mechanisms
  privatize('', { epsilon: 1, delta: 1e-5 });
  // @ts-expect-error its one mechanism has no published calibration
  guarantee({ calibration: 'published' });
  // @ts-expect-error the small module makes no representations
  raw.representation('', { mechanism: 'dpnr', epsilon: 4 });
}
