/** textveil/short: a guarantee without its English, with a digest of the whole. */

import type { Guarantee, ShortGuarantee } from './types.js';

export type { ShortGuarantee } from './types.js';

/**
 * The guarantee to send: half a kilobyte in place of 1.2. It leaves out what follows from its other fields. A collector
 * states that anew, and refuses the guarantee if `digest` is not that of the whole. It needs no `init`.
 */
export function short<Name extends string, Parameter extends string>(guarantee: Guarantee<Name, Parameter>): ShortGuarantee<Name, Parameter>;
