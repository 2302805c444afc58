// Chromium for a test file, and a page that notes whatever goes wrong on it.

import { tmpdir } from 'node:os';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';

/** Where the tests' server is; it also serves the demo. */
export const SITE = process.env.TEXTVEIL_SITE;

/** How long the browser and its pages may take for anything, in milliseconds: the machine may be busy. */
export const PATIENCE = 180_000;

/** Longer than a page works at anything, in milliseconds. The longest are the golden vectors: half a minute on an idle machine. */
const LONGEST = 600_000;

/** What is promised, if it comes in time. Otherwise a test that hangs would end with nothing but the name of its file. */
export function within(milliseconds, what, promised) {
  const tooLate = wait(milliseconds, undefined, { ref: false }).then(() => {
    throw new Error(`${what} has not answered in ${milliseconds / 1000} s`);
  });
  return Promise.race([promised, tooLate]);
}

/** These flags stop the browser's own requests, so that every request is the page's. */
const FLAGS = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/**
 * Opens Chromium with a profile of its own, and flags for its engine; `close` removes both.
 *
 * @param {{ engine?: string[] } & Parameters<typeof chromium.launchPersistentContext>[1]} [settings]
 */
export async function open({ engine = [], ...settings } = {}) {
  const profile = await mkdtemp(join(tmpdir(), 'textveil-chromium-'));
  const root = process.getuid?.() === 0;
  const flags = [...FLAGS, ...(engine.length > 0 ? [`--js-flags=${engine.join(' ')}`] : [])];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROME,
    headless: true,
    args: root ? [...flags, '--no-sandbox', '--disable-gpu'] : flags,
    timeout: PATIENCE,
    ...settings,
  });
  context.setDefaultTimeout(PATIENCE);
  context.setDefaultNavigationTimeout(PATIENCE);
  const newPage = context.newPage.bind(context);
  // The browser's library waits without end for what a page evaluates, and for its end.
  context.newPage = async () => {
    const page = await newPage();
    const evaluate = page.evaluate.bind(page);
    page.evaluate = (work, given) => within(LONGEST, 'a page', evaluate(work, given));
    const close = page.close.bind(page);
    page.close = (settings) => within(PATIENCE, 'the end of a page', close(settings));
    return page;
  };
  const close = async () => {
    await within(LONGEST, 'the end of Chromium', context.close());
    await rm(profile, { recursive: true, force: true });
  };
  return { context, close };
}

/** A page with two lists: its errors, and every request of the page or its workers. */
export async function watchedPage(context) {
  const page = await context.newPage();
  const troubles = [];
  const requests = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => troubles.push(`failed: ${request.url()}`));
  context.on('request', (request) => requests.push({ method: request.method(), url: request.url(), body: request.postData() ?? '' }));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`policy: ${violatedDirective} ${blockedURI}`);
    });
  });
  return { page, troubles, requests };
}
