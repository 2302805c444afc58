/** Rows of a name and its text in each language. */
export const TEXTS: readonly (readonly string[])[];
