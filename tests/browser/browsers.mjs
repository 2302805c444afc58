// Three browsers behind one small interface: Chromium, Firefox and WebKitGTK, each driven in its own way.
//
//   const browser = await open('firefox');
//   await browser.goto(url); await browser.evaluate((a) => document.title + a, '!'); await browser.close();

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { after, before, describe } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import puppeteer from 'puppeteer-core';
import * as chromium from './chromium.mjs';

const ROOT = process.getuid?.() === 0;

/** How long the driver of WebKit may take to start, in milliseconds; and how often it is started. */
const START = 120_000;
const TRIES = 3;

/** Each engine: the variable that names its program, and the function that opens it. */
const ENGINES = {
  chromium: { program: process.env.CHROME, open: openChromium },
  firefox: { program: process.env.FIREFOX, open: openFirefox },
  webkit: { program: process.env.WEBKIT_DRIVER, open: openWebKit },
};

/** The names of the engines. `missing` is the reason why a test skips an engine. */
export const engines = Object.entries(ENGINES).map(([name, { program }]) => ({ name, missing: program ? false : `no ${name} here` }));

/**
 * Opens a browser with a profile of its own.
 *
 * The browser has these functions:
 * - `goto`, `back` and `close`
 * - `evaluate` runs a function with its arguments in the page, and waits for a promise.
 * - `type` types a text key by key into the element of a selector.
 * - `press` presses a key.
 * - `click` presses the element of a selector for some milliseconds.
 * - `console` has the lines since it was opened (see `openWebKit`).
 */
export function open(engine, settings = {}) {
  return ENGINES[engine].open(ENGINES[engine].program, settings);
}

/**
 * Runs all tests in each engine, in a browser of its own. The engines run in parallel, because the tests mostly wait.
 *
 * @param tests is called with the browser, which is open once a test runs, and the name of the engine
 */
export function inEachEngine(name, tests) {
  describe(name, { concurrency: true }, () => {
    for (const { name: engine, missing } of engines) {
      describe(engine, { skip: missing, concurrency: false }, () => {
        const browser = {};
        before(async () => void Object.assign(browser, await open(engine)));
        after(() => browser.close?.());
        tests(browser, engine);
      });
    }
  });
}

async function openChromium(_, settings) {
  // Ordinary browsers keep pages in memory for the back button.
  const { context, close } = await chromium.open({ ignoreDefaultArgs: ['--disable-back-forward-cache'], ...settings });
  const page = await context.newPage();
  const console = [];
  page.on('console', (message) => console.push(message.text()));
  page.on('pageerror', (error) => console.push(String(error)));
  return {
    page,
    console,
    goto: (url) => page.goto(url),
    back: () => page.goBack({ waitUntil: 'commit' }),
    evaluate: (work, ...given) => page.evaluate(`(${work})(...${JSON.stringify(given)})`),
    type: (selector, text) => page.locator(selector).pressSequentially(text),
    press: (key) => page.keyboard.press(key),
    click: (selector, delay = 0) => page.click(selector, { delay, noWaitAfter: true }),
    close,
  };
}

async function openFirefox(executablePath) {
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true, timeout: chromium.PATIENCE });
  const page = await browser.newPage();
  page.setDefaultTimeout(chromium.PATIENCE);
  page.setDefaultNavigationTimeout(chromium.PATIENCE);
  const console = [];
  page.on('console', (message) => console.push(message.text()));
  page.on('pageerror', (error) => console.push(String(error)));
  /** On a busy machine, Firefox sometimes loads a page and never answers that it has. So the page is asked, too. */
  const goto = async (url) => {
    const asked = new AbortController();
    const old = await page.evaluate('performance.timeOrigin').catch(() => 0);
    const come = async () => {
      const is = `document.readyState === 'complete' && performance.timeOrigin !== ${old} && location.href === ${JSON.stringify(url)}`;
      do await wait(5000, undefined, { signal: asked.signal });
      while (!(await page.evaluate(is).catch(() => false)));
    };
    await Promise.race([page.goto(url), come()]).finally(() => asked.abort());
  };
  return {
    console,
    goto,
    back: () => page.evaluate('void setTimeout(() => history.back())'),
    evaluate: (work, ...given) => page.evaluate(`(${work})(...${JSON.stringify(given)})`),
    type: (selector, text) => page.type(selector, text),
    press: (key) => page.keyboard.press(key),
    click: (selector, delay = 0) => page.click(selector, { delay }),
    close: () => chromium.within(chromium.PATIENCE, 'the end of Firefox', browser.close()).finally(() => browser.process()?.kill('SIGKILL')),
  };
}

/**
 * Uses the W3C WebDriver protocol, which cannot read the console. The page's own spies report its lines to the recording server.
 * Lines that the engine itself writes are missing.
 */
async function openWebKit(driver) {
  const { display, session } = await startWebKit(driver);
  await session('POST', '/timeouts', { script: 120_000, pageLoad: 120_000 });
  const find = async (selector) => Object.values(await session('POST', '/element', { using: 'css selector', value: selector }))[0];
  const KEYS = { Enter: '\uE007', Tab: '\uE004' };
  return {
    console: [],
    goto: (url) => session('POST', '/url', { url }),
    back: () => session('POST', '/back', {}),
    evaluate: async (work, ...given) => {
      const script = `const done = arguments[arguments.length - 1];
        Promise.resolve((${work})(...${JSON.stringify(given)})).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const { value, error } = await session('POST', '/execute/async', { script, args: [] });
      if (error) throw new Error(error);
      return value;
    },
    type: async (selector, text) => session('POST', `/element/${await find(selector)}/value`, { text }),
    press: (key) => {
      const value = KEYS[key] ?? key;
      const actions = [{ type: 'key', id: 'keyboard', actions: [{ type: 'keyDown', value }, { type: 'keyUp', value }] }];
      return session('POST', '/actions', { actions });
    },
    click: async (selector, delay = 0) => {
      const element = await find(selector);
      if (!delay) return session('POST', `/element/${element}/click`, {});
      const origin = { 'element-6066-11e4-a52e-4f735466cecf': element };
      const actions = [
        { type: 'pointerMove', origin, x: 0, y: 0 },
        { type: 'pointerDown', button: 0 },
        { type: 'pause', duration: delay },
        { type: 'pointerUp', button: 0 },
      ];
      return session('POST', '/actions', { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }] });
    },
    close: async () => {
      await session('DELETE', '').catch(() => {});
      end(display);
    },
  };
}

/** Starts the driver with a session. Another program may take the free port before the driver does: then another port is tried. */
async function startWebKit(driver) {
  /** @type {NodeJS.ProcessEnv} */
  const environment = { ...process.env, WEBKIT_DISABLE_COMPOSITING_MODE: '1' };
  // Its sandbox does not work as root.
  if (ROOT) environment.WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS = '1';
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    const display = spawn('xvfb-run', ['-a', driver, `--port=${port}`], { env: environment, stdio: 'ignore', detached: true });
    // A driver that does not end holds up no test.
    display.unref();
    const call = async (method, path, body) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
      const { value } = await answer.json();
      if (!answer.ok) throw new Error(`${method} ${path}: ${value?.error}: ${value?.message}`);
      return value;
    };
    try {
      await ready(() => call('GET', '/status'), display);
      const { sessionId } = await call('POST', '/session', { capabilities: {} });
      // A driver of another test may have answered instead.
      if (hasEnded(display)) throw new Error('the driver of WebKit has ended');
      return { display, session: (method, path, body) => call(method, `/session/${sessionId}${path}`, body) };
    } catch (error) {
      end(display);
      if (tries === TRIES) throw error;
    }
  }
}

const hasEnded = (program) => program.exitCode !== null || program.signalCode !== null;

/** Ends the driver and the display that it runs on. */
function end(display) {
  try {
    process.kill(-Number(display.pid));
  } catch {
    // Both have ended.
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Waits until a program answers. */
async function ready(answers, program) {
  const end = Date.now() + START;
  for (;;) {
    try {
      return await answers();
    } catch (error) {
      if (hasEnded(program) || Date.now() > end) throw error;
      await wait(100);
    }
  }
}
