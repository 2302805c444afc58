/** What tests use and no library declares. */

/**
 * Tests also pass what the public types refuse. `tests/node/types` tests those types. A name without a star also holds where the
 * package is installed: there a star does not.
 */
declare module 'textveil';
declare module 'textveil/all';
declare module 'textveil/all/ledger';
declare module 'textveil/all/raw';
declare module 'textveil/describe';
declare module 'textveil/element';
declare module 'textveil/form';
declare module 'textveil/ledger';
declare module 'textveil/prompt';
declare module 'textveil/raw';
declare module 'textveil/react';
declare module 'textveil/statements';
declare module 'textveil/testing';
declare module 'textveil-insecure';
declare module 'textveil-insecure/all';
declare module 'textveil-insecure/all/ledger';
declare module 'textveil-insecure/all/raw';
declare module 'textveil-insecure/describe';
declare module 'textveil-insecure/element';
declare module 'textveil-insecure/form';
declare module 'textveil-insecure/ledger';
declare module 'textveil-insecure/prompt';
declare module 'textveil-insecure/raw';
declare module 'textveil-insecure/react';
declare module 'textveil-insecure/statements';
declare module 'textveil-insecure/testing';
declare module 'textveil/*';
declare module 'textveil-insecure/*';

/** What the servers of the tests serve. */
declare module '/textveil/*';
declare module '/tests/*';
declare module '*/textveil/textveil.js';
declare module '*/textveil/all/textveil.js';
declare module '*/textveil/statements.js';
declare module '*/insecure/textveil.js';
declare module '*/insecure/ledger.js';
declare module '*/engine.js';
declare module '*/measured.js';
declare module '*/phrases.js';
declare module '*/promise.js';
declare module '*/settings.js';
declare module '*/shares.js';
declare module '*/strength.js';


// What a page of a test defines, for the functions that run in it.
declare const axe: any;
declare const define: any;
declare const entries: any;
declare const ask: any;
declare const eventually: any;
declare const fetched: any;
declare const find: any;
declare const ledger: any;
declare const LIST: any;
declare const part: any;
declare const ready: any;
declare const names: any;
declare const offered: any;
declare const pick: any;
declare const suggestions: any;
declare var outcomes: any;
declare const pause: any;
declare const preparePrompt: any;
declare const problems: any;
declare const protect: any;
declare const put: any;
declare const textveil: any;
declare const told: any;
declare const write: any;

// A page's elements, events and window have whatever the test has given them.
interface EventTarget {
  [property: string]: any;
}
interface Event {
  [property: string]: any;
}
interface PerformanceEntry {
  [property: string]: any;
}
interface PerformanceObserverInit {
  durationThreshold?: number;
}
