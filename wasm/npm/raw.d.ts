/**
 * The WebAssembly module itself, for a host that manages instances on its own.
 *
 * Nothing here remembers: every call draws anew and spends again, the text must already be in NFKC, and a
 * crash leaves an instance that must not be used any more. The package's main entry sees to all three.
 */

import type {
  Alternatives,
  ChoiceReport,
  ChoiceTerms,
  CompiledModule,
  Guarantee,
  Level,
  MechanismInfo,
  Options,
  Release,
  Representation,
  RepresentationOptions,
  VectorsOptions,
} from './textveil.js';

/** Instantiates the module; there is no default address. */
export default function init(input: {
  module_or_path: Response | PromiseLike<Response> | ArrayBuffer | ArrayBufferView | CompiledModule;
}): Promise<unknown>;

/** Instantiates a module that is compiled already. */
export function initSync(input: { module: ArrayBuffer | ArrayBufferView | CompiledModule }): unknown;

/** A table, loaded. Its methods throw errors of the name `TextveilError` with a `code`. */
export class Veil {
  /** Reads a table file. */
  constructor(table: Uint8Array);
  /** Draws a release of a text in NFKC. The account is an ordinary property here. */
  privatize(text: string, options: Options): Release;
  /** The guarantee of one word. */
  guarantee(options: Options): Guarantee;
  /** Draws a representation of a text in NFKC. */
  representation(text: string, options: RepresentationOptions): Representation;
  /** Draws a representation of another encoder's vectors. */
  representationOf(vectors: Float64Array[], options: VectorsOptions): Representation;
  /** The guarantee of a representation of so many words (of so many dimensions, if of another encoder), its dropout apart. */
  representationGuarantee(options: RepresentationOptions | VectorsOptions, words: number, dims?: number): Guarantee;
  /** Draws the report of one value of a list. */
  choice(index: number, size: number, options: ChoiceTerms): ChoiceReport;
  /** The guarantee of a report of one of so many values. */
  choiceGuarantee(size: number, options: ChoiceTerms): Guarantee;
  /** The levels of the table. */
  levels(): Level[];
  /** The mechanisms and their parameters. */
  mechanisms(): MechanismInfo[];
  /** The `k` likeliest outcomes of a token. */
  alternatives(token: string, options: Options, k: number): Alternatives;
  /** SHA-256 of the table, in hex. */
  tableId(): string;
  /** Gives the table's memory back. */
  free(): void;
}
