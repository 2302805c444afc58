// A web server for one test: folders under the policy of the tests' own server, and a place to send forms to. It notes every request.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.tvt': 'application/octet-stream',
  '.wasm': 'application/wasm',
};

/** What a page may do: run its server's scripts and WebAssembly, and talk and send its forms to that server alone. */
const policy = (scripts) =>
  `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'${scripts}; style-src 'self'; img-src 'self' data:; font-src 'self'; ` +
  "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const THANKS = '<!doctype html><html lang="en"><title>Received</title><link rel="icon" href="data:,"><p>Received.</p></html>';

/**
 * Serves until `close`.
 *
 * @param {string[]} folders where a file is looked for, the first that has it serves it
 * @param {{ missing?: (path: string) => boolean, caching?: (path: string) => string, inline?: boolean }} [settings] `missing(path)`: answered with 404 all the same; `caching(path)`: the header Cache-Control; `inline`: the policy allows
 *   the scripts that stand in a page
 * @returns `site` (its address, with a `/`), `log` (every request as `{ method, path, headers, body }`, and the `bytes` of the answer), `close`
 */
export async function serve(folders, { missing = () => false, caching = () => 'no-cache', inline = false } = {}) {
  const log = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const body = await text(request);
    const entry = { method: request.method, path: request.url, headers: request.headers, body, bytes: 0 };
    log.push(entry);
    if (request.method === 'POST') return void response.writeHead(201, headers(TYPES['.html'], '')).end(THANKS);
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const file = missing(pathname) ? undefined : await find(folders, path);
    if (!file) return void response.writeHead(404, headers('text/plain', '')).end();
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    entry.bytes = file.length;
    const scripts = inline && type === TYPES['.html'] ? hashes(file.toString()) : '';
    response.writeHead(200, { ...headers(type, scripts), 'Cache-Control': caching(pathname) }).end(file);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
  const close = () => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  };
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { site: `http://127.0.0.1:${port}/`, log, close };
}

function headers(type, scripts) {
  return {
    'Content-Security-Policy': policy(scripts),
    'Content-Type': type,
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}

/** By which a policy allows the scripts that stand in a page. */
function hashes(html) {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)];
  return scripts.map(([, script]) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`).join('');
}

async function find(folders, path) {
  const relative = normalize(decodeURIComponent(path));
  if (relative.split(sep).includes('..')) return undefined;
  for (const folder of folders) {
    try {
      return await readFile(join(folder, relative));
    } catch (error) {
      if (!['ENOENT', 'EISDIR', 'ENOTDIR'].includes(error.code)) throw error;
    }
  }
  return undefined;
}

async function text(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
