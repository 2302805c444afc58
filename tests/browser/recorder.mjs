// A web server that forgets nothing: every request with its headers and its body, whatever a page does with them.
// `stored` gives what a page keeps.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The package under test. */
const PACKAGE = fileURLToPath(new URL('../node_modules/textveil', import.meta.url));

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
  '.tvt': 'application/octet-stream',
};

/** What the tests have installed from npm. */
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));

/** The policy that the package documents; it also lets a form be sent. */
export const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; form-action 'self'";

/** Longer than anything takes, in milliseconds. */
const PATIENCE = 30_000;

/**
 * Serves `files` (path → content, or a function of the request that gives it), the package below `/textveil/` and `/copy/`, and what is installed
 * below `/modules/`.
 *
 * @param {object} settings
 * @param {Record<string, any>} [settings.files]
 * @param {Record<string, string>} [settings.headers]
 * @param {(path: string) => { status?: number, held?: boolean, change?: (content: any) => any }} [settings.rule] called with the path before an answer: may return `{ status, held, change }`, to fail it, to hold it until `free()` is called, or to damage it
 */
export async function record({ files = {}, headers = {}, rule = () => ({}) }) {
  const requests = [];
  let free = () => {};
  const freed = new Promise((resolve) => (free = () => resolve(undefined)));
  const recorder = { requests, rule, free };

  async function body(path, request) {
    if (path in files) return typeof files[path] === 'function' ? files[path](request) : files[path];
    // At a second address, for a page that loads the package twice.
    const [, file] = /^\/(?:textveil|copy)\/(.*)/.exec(path) ?? [];
    if (file && !path.includes('..')) return readFile(`${PACKAGE}/${file}`);
    if (path.startsWith('/modules/') && !path.includes('..')) return readFile(`${MODULES}/${path.slice('/modules/'.length)}`);
    // Every other request, of a form or a script, gets this answer.
    return '<!doctype html><title>arrived</title><p>Thank you.</p>';
  }

  const server = createServer(async (incoming, answer) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const url = new URL(incoming.url, 'http://localhost');
    const request = { method: incoming.method, url: incoming.url, path: url.pathname, headers: incoming.headers, body: Buffer.concat(chunks) };
    requests.push(request);
    const { status = 200, held = false, change = (content) => content } = recorder.rule(url.pathname) ?? {};
    if (held) await freed;
    try {
      const content = status === 200 ? change(await body(url.pathname, request)) : '';
      answer.writeHead(status, { 'Content-Type': TYPES[extname(url.pathname)] ?? TYPES['.html'], ...headers });
      answer.end(content);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));

  /** The requests for a path. */
  recorder.to = (path) => requests.filter((request) => request.path === path);
  /** The form that has been sent to a path, once it is here: its fields in their order. */
  recorder.form = async (path, count = 1) => {
    await until(() => recorder.to(path).length >= count, `a request for ${path}`);
    return fieldsOf(recorder.to(path).at(count - 1));
  };
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  recorder.url = `http://127.0.0.1:${port}`;
  recorder.close = () => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  };
  return recorder;
}

/** Waits until something happens. */
export async function until(come, what) {
  const end = Date.now() + PATIENCE;
  while (!(await come())) {
    if (Date.now() > end) throw new Error(`${what} did not come in ${PATIENCE / 1000} s`);
    await wait(25);
  }
}

/** The fields of a form: of a query, or a body in either encoding. */
export async function fieldsOf({ method, url, headers, body }) {
  if (method === 'GET') return [...new URL(url, 'http://localhost').searchParams];
  return [...(await new Response(body, { headers: { 'Content-Type': headers['content-type'] } }).formData())];
}

/** Everything that a site has stored, as text: contents and names. `browser` is any that evaluates a function in its page. */
export function stored(browser) {
  return browser.evaluate(async () => {
    const found = [document.cookie, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), name];
    const asked = (request) => new Promise((done, fail) => ((request.onsuccess = () => done(request.result)), (request.onerror = fail)));
    for (const { name } of await indexedDB.databases()) {
      const database = await asked(indexedDB.open(name));
      found.push(name, ...database.objectStoreNames);
      for (const store of database.objectStoreNames) {
        const objects = database.transaction(store).objectStore(store);
        for (const value of [...(await asked(objects.getAll())), ...(await asked(objects.getAllKeys()))]) {
          found.push(JSON.stringify(value), ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : '');
        }
      }
      database.close();
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      found.push(name);
      for (const request of await cache.keys()) found.push(request.url, await (await cache.match(request)).text());
    }
    return found;
  });
}
