// The types of a model that names the class of a text on the device. `textveil-collector train export` wrote this file.

/** The names of the classes. */
export declare const classes: readonly string[];

/** The table whose words the model reads: its SHA-256. */
export declare const table: string;

/** What is promised of the releases that the model learned from. It says nothing about the text that is classified. */
export declare const guarantee: string;

/** What the model needs of the module `textveil/all`. */
export interface Reader {
  guarantee(): { readonly table: string | null };
  words(text: string): readonly (string | null)[];
  vectors(words: readonly string[]): readonly Float64Array[];
}

/**
 * The likeliest class of a text, and the probability of each class in the order of `classes`. The text is read in clear. Keep
 * the answer where the text may be: it tells of the text.
 *
 * @param text
 * @param textveil the module `textveil/all`, after `init`
 * @throws as `words`, and an Error with the code `other-table` if the package has loaded another table
 */
export declare function classify(text: string, textveil: Reader): { class: string; probabilities: number[] };
