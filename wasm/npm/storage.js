/**
 * Keeps a ledger in the browser's own storage, which all pages, tabs and workers of one origin share.
 *
 * The state is in one database of IndexedDB. Its number is in a second database, and in `localStorage`, which workers do not
 * have. The largest number counts: it shows that a state was deleted or rolled back. A place that is missing or fails is an
 * error. Nothing is kept in memory instead.
 */

/** @import { LedgerStorage } from './ledger.js' */

const STORE = 'state';
const KEY = 'latest';

/** @returns {LedgerStorage} */
export function browserStorage(name = 'textveil') {
  const [state, number] = [`${name}-ledger`, `${name}-ledger-number`];
  return {
    async read() {
      const [bytes, sequence] = [await inDatabase(state, 'readonly', get), (await inDatabase(number, 'readonly', get)) ?? 0];
      return { bytes, sequence: Math.max(sequence, Number(pageStorage()?.getItem(number) ?? 0)) };
    },
    async write({ bytes, sequence }) {
      await inDatabase(state, 'readwrite', (store) => store.put(bytes, KEY));
      await inDatabase(number, 'readwrite', (store) => store.put(sequence, KEY));
      pageStorage()?.setItem(number, `${sequence}`);
    },
    async exclusively(work) {
      return navigator.locks.request(state, work);
    },
  };
}

/** The storage that pages have and workers lack. A page without permission for it gets the error. */
function pageStorage() {
  return typeof document === 'object' ? localStorage : undefined;
}

/** @type {(store: IDBObjectStore) => IDBRequest} */
const get = (store) => store.get(KEY);

/**
 * One request in one transaction. The promise is fulfilled when the transaction is complete.
 *
 * @param {string} name
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest} ask
 * @returns {Promise<any>}
 */
async function inDatabase(name, mode, ask) {
  const database = await opened(name);
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode, { durability: 'strict' });
      const request = ask(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? request.error);
    });
  } finally {
    database.close();
  }
}

/**
 * @param {string} name
 * @returns {Promise<IDBDatabase>}
 */
function opened(name) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
