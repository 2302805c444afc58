/**
 * The lists of statements that forms and elements name by their address. `textveil/statements` makes them. A page that does not
 * import it has no use for its encoder, and bundlers leave that file out.
 */

import { invalid } from './errors.js';

/** @import { statements, Statements } from './statements.js' */

/** @type {typeof statements | undefined} */
let make;
/**
 * By their addresses: in full, and as a page first wrote them. After that a router may change what a relative one means.
 *
 * @type {Map<string, Statements>}
 */
const lists = new Map();
/** @type {Set<() => void>} */
const waiting = new Set();

/**
 * What `textveil/statements` calls when it is imported.
 *
 * @param {typeof statements} factory
 */
export function provide(factory) {
  make = factory;
  waiting.forEach((tell) => tell());
  waiting.clear();
}

/**
 * Tells when lists can be made, if they cannot yet.
 *
 * @param {() => void} tell
 */
export function whenProvided(tell) {
  if (!make) waiting.add(tell);
}

/**
 * The engine of the list at an address. There is one for each address.
 *
 * @param {string} address
 */
export function listAt(address) {
  const list = () => {
    if (!make) throw invalid("Import 'textveil/statements' to name a list of statements.");
    const url = lists.has(address) ? address : new URL(address, document.baseURI).href;
    const known = lists.get(url) ?? make(url);
    lists.set(url, known).set(address, known);
    return known;
  };
  return {
    /** @type {Statements['init']} */
    init: async (source) => list().init(source),
    /** @type {Statements['privatize']} */
    privatize: (...given) => list().privatize(...given),
    /** @type {Statements['privatizeAsync']} */
    privatizeAsync: async (...given) => list().privatizeAsync(...given),
    /** @type {Statements['guarantee']} */
    guarantee: (options) => list().guarantee(options),
    /** @type {Statements['privatizeChosen']} */
    privatizeChosen: (...given) => list().privatizeChosen(...given),
    /** @type {Statements['near']} */
    near: (...given) => list().near(...given),
    /** @type {Statements['suggest']} */
    suggest: (...given) => list().suggest(...given),
    /** @type {Statements['list']} */
    list: () => list().list(),
    /** @type {Statements['ofAnswers']} */
    ofAnswers: () => list().ofAnswers(),
  };
}
