/** textveil/describe: a guarantee in plain words, in several languages. */

import type { Guarantee } from './types.js';

/**
 * What a guarantee means for the person at the keyboard, in one to three short sentences. It says only what the guarantee
 * says, and rounds up. For a δ of 1 it says that nothing is proved. It needs no `init`.
 *
 * @param locale The language, BCP 47: English, German, French or Spanish, with the decimal point of the region; English for any other.
 */
export function describe(guarantee: Guarantee<string, string>, locale?: string): string;
