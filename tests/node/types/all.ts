// A strict TypeScript consumer of `textveil/all`: it must compile, and each line under an `@ts-expect-error` must not.

import { alternatives, choice, contributor, guarantee, guesses, init, levels, mechanisms, privatize, representation, representationOf, TextveilError, vectors, words } from 'textveil/all';
import type {
  Alternatives,
  BitRepresentation,
  ChoiceOptions,
  ChoiceReport,
  Contribution,
  Contributor,
  ErrorCode,
  Guarantee,
  Guesses,
  Level,
  MechanismInfo,
  Options,
  Release,
  VectorRepresentation,
} from 'textveil/all';
import { initSync, Veil } from 'textveil/all/raw';

export async function protect(text: string): Promise<string> {
  await init();
  const strongest: Level | undefined = levels()[0];
  const options: Options = { level: strongest?.index, keepFunctionWords: true };
  const release: Release = privatize(text, options);
  const promised: Guarantee = guarantee({ mechanism: 'metric-laplace', epsilon: 10 });
  const found: Alternatives = alternatives('doctor', { mechanism: 'certified', eta: 20 }, 5);
  const kept: number = release.account.filter((entry) => entry.kept && entry.kind === 'word').length;
  return `${release.text} ${promised.epsilonWord} ${found.distribution[0]?.word} ${kept}`;
}

export function everyMechanism(): Guarantee[] {
  const asked: Options[] = [
    { mechanism: 'truncated-exponential', eta: 20, gamma: 0.5 },
    { mechanism: 'class-exponential', epsilon: 8, placeholders: true },
    { mechanism: 'nearest', epsilon: 9, mass: 0.01, frequencyPower: 0.5 },
    { mechanism: 'vickrey', epsilon: 40, t: 0.5 },
    { mechanism: 'mahalanobis', eta: 20, lambda: 0.2 },
    { mechanism: 'laplace', epsilon: 40, clip: 1, calibration: 'published' },
    { mechanism: 'gaussian', epsilon: 8, delta: 1e-5 },
    { mechanism: 'truncated-laplace', epsilon: 20, delta: 1e-5, clip: undefined },
    { mechanism: 'discrete-gaussian', epsilon: 8, delta: 1e-5 },
  ];
  // A level knows its mechanism.
  const ladder: Options[] = levels().map(({ mechanism, index }) => ({ mechanism, level: index }));
  return [...asked, ...ladder].map((options) => guarantee(options));
}

export function represented(text: string, vectors: Float32Array[]): number {
  const plain: VectorRepresentation = representation(text, { mechanism: 'metric-laplace' });
  const words: VectorRepresentation = representation(text, { mechanism: 'gaussian', epsilon: 8, delta: 1e-5, unit: 'word', dropout: 0.5, dropoutSize: 'fixed' });
  const bits: BitRepresentation = representation(text, { mechanism: 'ome', epsilon: 50, lambda: 100, integerBits: 3, mask: [true, false] });
  const usual: VectorRepresentation = representation(text, { epsilon: 4 }, { field: 'comment' });
  const theirs: VectorRepresentation = representationOf(vectors, { epsilon: 10, unit: 'word' }, { field: 'comment' });
  const named: VectorRepresentation = representationOf(vectors, { mechanism: 'privunit2', epsilon: 10, clip: 1 });
  const lists: VectorRepresentation = representationOf([[0.6, 0.8]], { mechanism: 'lattice-laplace', eta: 20, clip: 1, unit: 'word' });
  const known: readonly MechanismInfo[] = mechanisms();
  const claimed: number | undefined = bits.guarantee.claim?.epsilon;
  return (plain.vectors[0]?.[0] ?? 0) + words.vectors.length + bits.bitLength + (bits.bits[0]?.length ?? 0) + (claimed ?? 0) + known.length + usual.vectors.length + theirs.vectors.length + named.vectors.length + lists.vectors.length;
}

export function chosen(index: number, raw: Veil): number {
  const usual: ChoiceReport = choice(index, 5, { question: 'smoker', epsilon: 1 });
  const options: ChoiceOptions = { question: 'smoker', mechanism: 'sue', epsilon: 1, calibration: 'published' };
  const { guarantee: promised, bitLength } = choice(index, 5, options);
  const again: Uint8Array = raw.choice(index, 5, { mechanism: 'oue', epsilon: 1 }).bits;
  return (usual.bits[0] ?? 0) + bitLength + again.length + raw.choiceGuarantee(5, { epsilon: 1 }).words + (promised.unit === 'value' ? 1 : 0);
}

export function guessed(word: string, raw: Veil): number {
  const { guess, candidates }: Guesses = guesses(word, { level: 2 }, 5);
  const [vector]: Float64Array[] = vectors([guess[0]?.word ?? word]);
  const read: readonly (string | null)[] = words(word);
  return candidates + (guess[0]?.probability ?? 0) + (vector?.length ?? 0) + raw.vector(word).length + read.length + raw.words(word).length;
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
  // @ts-expect-error a parameter that the mechanism needs
  guarantee({ mechanism: 'gaussian', epsilon: 8 });
  // @ts-expect-error a parameter that the mechanism does not take
  guarantee({ mechanism: 'exponential', delta: 1e-5 });
  // @ts-expect-error a mechanism that has no published calibration
  guarantee({ mechanism: 'exponential', calibration: 'published' });
  // @ts-expect-error a mechanism that puts out no words
  privatize('', { mechanism: 'dpnr', epsilon: 4 });
  // @ts-expect-error a mechanism that puts out no vectors
  representation('', { mechanism: 'exponential', epsilon: 4 });
  // @ts-expect-error bits are not vectors
  representation('', { mechanism: 'sue', epsilon: 4 }).vectors;
  // @ts-expect-error vectors of another encoder have no known norm
  representationOf([[1]], { mechanism: 'dpnr', epsilon: 4 });
  // @ts-expect-error and no levels
  representationOf([[1]], { mechanism: 'metric-laplace', level: 3, clip: 1 });
  // @ts-expect-error neither η nor ε
  representationOf([[1]], { mechanism: 'lattice-laplace', clip: 1 });
  // @ts-expect-error both
  representationOf([[1]], { mechanism: 'metric-laplace', epsilon: 3, eta: 2, clip: 1 });
  // @ts-expect-error a representation needs a strength
  representation('');
  // @ts-expect-error whatever else is said of it
  representation('', { unit: 'word' });
  // @ts-expect-error what is usual has no δ
  representation('', { epsilon: 4, delta: 1e-5 });
  // @ts-expect-error and gives no bits
  representation('', { epsilon: 4 }).bits;
  // @ts-expect-error a representation has no function words
  representation('', { mechanism: 'metric-laplace', keepFunctionWords: true });
  // @ts-expect-error a choice answers a question
  choice(0, 2, { epsilon: 1 });
  // @ts-expect-error and has no levels
  choice(0, 2, { question: 'smoker', level: 3 });
  // @ts-expect-error nor a code of numbers
  choice(0, 2, { question: 'smoker', epsilon: 1, integerBits: 4 });
  // @ts-expect-error a mechanism that flips no one-hot codes
  choice(0, 2, { question: 'smoker', mechanism: 'ome', epsilon: 1, lambda: 2 });
  // @ts-expect-error a release package cannot be seeded
  new Veil(new Uint8Array()).seeded('');
}

export async function answered(request: string, texts: readonly string[]): Promise<Int32Array> {
  const asked: Contributor = await contributor(request, { table: '/table.tvt' });
  const given: Contribution = asked.contribute(texts, { epsilon: 1 });
  const { noise } = given.guarantee;
  // @ts-expect-error One text is no list of texts.
  asked.contribute('text');
  // @ts-expect-error Whoever holds the sum has no number of devices.
  const least: number = noise.by === 'devices' ? noise.least : noise.least;
  return least > 0 ? given.vector : new Int32Array();
}
