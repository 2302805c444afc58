// A strict TypeScript consumer of `textveil`: it must compile, and each line under an `@ts-expect-error` must not.

import { alternatives, guarantee, init, levels, mechanisms, privatize, privatizeAsync, TextveilError } from 'textveil';
import type { Alternatives, ErrorCode, Guarantee, Level, Mechanism, MechanismInfo, Options, Release, Span, WordList } from 'textveil';
import * as all from 'textveil/all';
import { Ledger as AllLedger } from 'textveil/all/ledger';
import { describe } from 'textveil/describe';
import { browserStorage, Ledger } from 'textveil/ledger';
import type { Budget, LedgerStorage, Spent } from 'textveil/ledger';
import { initSync, Ledger as RawLedger, Veil } from 'textveil/raw';

export async function protect(text: string, module: WebAssembly.Module): Promise<string> {
  await init({ wasm: module });
  await init({ wasm: (simd) => (simd ? module : new URL('https://host.example/baseline.wasm')) });
  const strongest: Level | undefined = levels()[0];
  const options: Options = { level: strongest?.index, keepFunctionWords: true };
  const release: Release = privatize(text, options);
  const promised: Guarantee = guarantee({ mechanism: 'exponential', epsilon: 10 });
  const near: Guarantee = guarantee({ epsilon: 9, mass: 0.01 });
  const named: Guarantee = guarantee({ preset: 'readable' });
  const found: Alternatives = alternatives('doctor', { mechanism: 'certified', eta: 20 }, 5);
  const known: readonly MechanismInfo[] = mechanisms();
  const name: Mechanism = release.guarantee.mechanism;
  return `${release.text} ${promised.epsilonWord} ${near.epsilonWord} ${named.notion} ${found.distribution[0]?.word} ${known.length} ${name}`;
}

export function redacted(text: string): string {
  const spans: readonly Span[] = [{ start: 0, end: 4, kind: 'NAME' }];
  const options: Options = { keepWords: ['TextVeil'], neverSay: ['damn'] as const, placeholders: false };
  const release: Release = privatize(text, { ...options, spans });
  const list: WordList | undefined = guarantee({ ...options, spans: [] }).keptWords;
  const kind: 'word' | 'url' | 'email' | 'number' | 'redacted' | 'kept' | undefined = release.account[0]?.kind;
  // @ts-expect-error: a span has a kind
  privatize(text, { spans: [{ start: 0, end: 4 }] });
  // @ts-expect-error: nothing is released
  alternatives(text, { spans });
  return `${list?.words} ${list?.digest} ${kind} ${all.privatize(text, { mechanism: 'vickrey', eta: 20, t: 0.5, spans }).guarantee.neverSaid?.words}`;
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

/** A release that is drawn while the page breathes, and recorded before it leaves. */
export async function recorded(text: string, signal: AbortSignal): Promise<string> {
  const daily: Budget = { epsilon: 200, releases: 5, period: 86_400 };
  const storage: LedgerStorage = browserStorage('notes');
  const ledger: Ledger = await Ledger.open({ note: daily, mood: { epsilon: 1, delta: 1e-6 } }, storage);
  const release: Release = await privatizeAsync(text, { level: 2 }, { signal });
  await ledger.spend('note', release.guarantee);
  const { epsilon }: Spent = await ledger.spent('note');
  await ledger.startOver();
  const other: AllLedger = await AllLedger.open({ note: daily });
  await other.spend('note', all.choice(0, 2, { question: 'well', epsilon: 1 }).guarantee);
  return `${release.text} ${describe(release.guarantee, navigator.language)} ${epsilon}`;
}

export function sliced(veil: Veil, text: string): string {
  const drawing = veil.begin(text, { level: 2 });
  while (!drawing.advance(10));
  const book = new RawLedger();
  book.allow('note', 5, 0);
  return `${drawing.finish().text} ${book.spend(undefined, 0, 0, 'note', 1, 0).sequence}`;
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
  // @ts-expect-error one strength alone
  privatize('', { preset: 'balanced', epsilon: 9 });
  // @ts-expect-error no such level
  privatize('', { preset: 'hidden' });
  // @ts-expect-error another mechanism has no such levels
  privatize('', { mechanism: 'certified', preset: 'balanced' });
  // @ts-expect-error it has no η
  privatize('', { mechanism: 'nearest', eta: 9, mass: 0.01, frequencyPower: 0.5 });
  // @ts-expect-error no mechanism has a published calibration
  guarantee({ calibration: 'published' });
  // @ts-expect-error a ledger is opened
  new Ledger();
  // @ts-expect-error a budget has an ε
  Ledger.open({ note: { delta: 0 } });
  // @ts-expect-error a signal is no control
  privatizeAsync('', {}, new AbortController().signal);
  // @ts-expect-error the small module makes no representations
  raw.representation('', { mechanism: 'dpnr', epsilon: 4 });
}
