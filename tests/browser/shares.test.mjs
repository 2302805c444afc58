// The page with shares, in Chromium: as a collector serves it behind a token, and as one file of `estimate --html`.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { open, watchedPage } from './chromium.mjs';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const SHOTS = process.env.TEXTVEIL_SCREENSHOTS ?? tmpdir();
/** Cargo's programs, which the step has built. Its screenshots lie next to them. */
const PROGRAMS = join(dirname(SHOTS), 'debug');
const LIST = fileURLToPath(new URL('../../statements/product-feedback.tvs', import.meta.url));
const TOKEN = 'correct-horse-battery-staple';

const SAID = ['It is too expensive.', 'The app crashes when I upload a photo.', 'Support never answered me.', 'The app is fast and smooth.'];
const TOPICS = [
  ['Price', 'It is worth the price.', 'It is too expensive.'],
  ['Crashes', 'The app crashes when I open it.', 'The app crashes when I upload a photo.'],
  ['Support', 'Support solved my problem quickly.', 'Support never answered me.'],
  ['Speed', 'The app is fast and smooth.', 'The app is slow.'],
];

const folder = mkdtempSync(join(tmpdir(), 'textveil-shares-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function write(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function run(program, ...given) {
  const { status, stderr } = spawnSync(join(PROGRAMS, program), given, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

/** Texts of six weeks, drawn as a device draws them. From week to week, more of them are about the price. */
function released() {
  const rows = [];
  for (let number = 0; number < 1800; number++) {
    const week = Math.floor(number / 300);
    const day = new Date(Date.UTC(2026, 9, 12 + 7 * week)).toISOString().slice(0, 10);
    const about = number % 10 < [2, 2, 3, 3, 4, 7][week] ? 0 : 1 + (number % 3);
    rows.push({ text: SAID[about], day, shop: ['north', 'south'][Math.floor(number / 10) % 2] });
  }
  const clear = write('clear.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const output = join(folder, 'released.jsonl');
  run('textveil', 'privatize', clear, '--column', 'text', '--statements', LIST, '--keep', 'day', '--keep', 'shop', '--output', output);
  const stated = JSON.parse(readFileSync(`${output}.guarantee.json`, 'utf8'));
  const lines = readFileSync(output, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  return { output, lines, guarantee: stated.guarantee ?? stated };
}

const topics = write('topics.tsv', TOPICS.flatMap(([name, ...statements]) => statements.map((statement) => `${name}\t${statement}\n`)).join(''));
const { output, lines, guarantee } = released();

/** A collector with a part of the releases. */
function collector() {
  const given = ['--database', join(folder, 'releases.db'), '--token-file', write('token', TOKEN)];
  return start(...given, '--statements', LIST, '--public-field', 'shop', '--shares', '--topics', topics, '--by', 'shop');
}

/** Starts one; its address. */
async function start(...given) {
  const child = spawn(join(PROGRAMS, 'textveil-collector'), ['serve', '--port', '0', '--until-input-ends', ...given], { stdio: ['pipe', 'pipe', 'inherit'] });
  after(() => child.stdin.end());
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the collector did not start');
}

/** Another one, that serves a page of ours. */
async function site(page) {
  const served = join(folder, 'site');
  mkdirSync(served);
  writeFileSync(join(served, 'index.html'), page);
  return start('--site', served, '--field', 'note', '--public-field', 'topic');
}

async function send(url, { text, shop }) {
  const body = new URLSearchParams({ text, 'text-guarantee': JSON.stringify(guarantee), shop, nonce: randomUUID() });
  const answer = await fetch(`${url}releases`, { method: 'POST', body });
  assert.equal(answer.status, 201, await answer.text());
}

/** What the page shows of shares: the name, the share and its interval, as they stand there. */
const shown = (page) =>
  page.evaluate(() => [...document.querySelectorAll('tbody tr')].map((row) => [...row.querySelectorAll('th, td.number')].map((cell) => cell.firstChild.textContent)));

/** What the file behind the link has, as the page would write it. */
async function downloaded(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('a[download]')]);
  assert.equal(download.suggestedFilename(), 'shares.csv');
  const [head, ...rows] = readFileSync(await download.path(), 'utf8').trim().split('\n').map((row) => row.split(','));
  const digits = (share) => (100 * share).toFixed(share === 0 || share >= 0.01 ? 1 : share >= 0.001 ? 2 : 3);
  return rows.map((cells) => {
    const row = Object.fromEntries(head.map((name, place) => [name, cells[place]]));
    const [estimate, low, high] = ['estimate', 'low', 'high'].map((name) => digits(Number(row[name])));
    return { period: row.period, cells: [row.name, `${estimate} %`, `${low} to ${high} %`] };
  });
}

/** Checks that everyone can use a page, on a desktop and on a phone, in light and in dark. */
async function isForEveryone(page, name) {
  const grounds = [];
  for (const [device, width, height] of [['desktop', 1200, 900], ['phone', 360, 740]]) {
    for (const colorScheme of ['light', 'dark']) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const { wide, ground } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, ground: getComputedStyle(document.body).backgroundColor }));
      assert.ok(wide <= width, `${name} is ${wide} wide on ${width}`);
      grounds.push(ground);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => axe.run());
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], `${name}, ${device}, ${colorScheme}`);
      await page.screenshot({ path: join(SHOTS, `shares-${name}-${device}-${colorScheme}.png`), fullPage: true });
    }
  }
  assert.equal(new Set(grounds).size, 2, 'dark looks as light does');
}

/** Checks that each drawing has a table with its numbers next to it. */
async function hasTables(page) {
  const { charts, bars, without } = await page.evaluate(() => {
    const charts = [...document.querySelectorAll('figure svg')];
    const bars = [...document.querySelectorAll('td.bar svg')];
    const names = (section) => [...section.querySelectorAll('tbody th')].map((head) => head.textContent);
    const without = charts.filter((chart) => !names(chart.closest('section')).includes(chart.closest('figure').querySelector('figcaption').textContent));
    return { charts: charts.length, bars: bars.length, without: without.length };
  });
  assert.equal(without, 0);
  return { charts, bars };
}

describe('shares behind a token', async () => {
  const url = await collector();
  const { context, close } = await open({ acceptDownloads: true });
  after(close);
  const { page, troubles, requests } = await watchedPage(context);

  test('who has no token sees a form, whatever is held, and a wrong one is refused', async () => {
    const first = await page.goto(`${url}shares`);
    assert.equal(first.status(), 401);
    const before = await page.content();
    for (const line of lines.slice(-600)) await send(url, line);
    await page.reload();
    assert.equal(await page.content(), before);
    assert.equal((await page.request.get(`${url}shares.csv`)).status(), 401);
    await isForEveryone(page, 'form');
    await page.fill('#token', 'wrong-horse-battery-staple');
    const [answer] = await Promise.all([page.waitForNavigation(), page.click('button')]);
    assert.equal(answer.status(), 401);
    assert.match(await page.textContent('[role=alert]'), /not the token/);
    assert.deepEqual(await context.cookies(), []);
  });

  test('who has it sees the shares of each group, and gets them as CSV', async () => {
    troubles.length = 0;
    await page.fill('#token', TOKEN);
    await page.press('#token', 'Enter');
    await page.waitForURL(`${url}shares`);
    await page.waitForSelector('tbody tr');
    assert.match(await page.textContent('main'), /600 releases by nearest, epsilon 8 for each statement/);
    assert.match(await page.textContent('header'), /Groups are named by what people gave in clear\. This page holds no other text of theirs/);
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict']);
    assert.deepEqual(await page.$$eval('h2', (heads) => heads.slice(1).map((head) => head.textContent)), ['shop north', 'shop south']);
    assert.deepEqual(await hasTables(page), { charts: 0, bars: 8 });
    const rows = await downloaded(page);
    assert.deepEqual((await shown(page)).map((cells) => cells.slice(0, 3)), rows.map(({ cells }) => cells));
    assert.deepEqual(rows.slice(0, 4).map(({ cells }) => cells[0]), TOPICS.map(([name]) => name));
  });

  test('it loads nothing from elsewhere, and everyone can use it', async () => {
    await isForEveryone(page, 'served');
    assert.deepEqual(requests.filter((request) => !request.url.startsWith(url)), []);
    assert.deepEqual(troubles, []);
  });
});

describe('shares in one file', async () => {
  const [html, csv] = ['shares.html', 'shares.csv'].map((name) => join(folder, name));
  run('textveil-collector', 'estimate', output, '--statements', LIST, '--topics', topics, '--time', 'day', '--every', 'week', '--html', html, '--csv', csv);
  const { context, close } = await open({ acceptDownloads: true });
  after(close);
  const { page, troubles, requests } = await watchedPage(context);

  test('weeks are lines, and tables have all that they show', async () => {
    await page.goto(pathToFileURL(html).href);
    assert.deepEqual(await hasTables(page), { charts: 4, bars: 24 });
    assert.match(await page.textContent('main'), /Price: grew by about/);
    await isForEveryone(page, 'file');
  });

  test('the CSV is in the file', async () => {
    const rows = await downloaded(page);
    // The page begins with the last week, and has those before it from the latest to the first.
    const weeks = [...new Set(rows.map(({ period }) => period))].reverse();
    const expected = weeks.flatMap((week) => rows.filter(({ period }) => period === week).map(({ cells }) => cells));
    assert.equal(weeks.length, 6);
    assert.deepEqual((await shown(page)).map((cells) => cells.slice(0, 3)), expected);
    assert.deepEqual(requests.filter(({ url }) => !url.startsWith('file:') && !url.startsWith('data:')), []);
    assert.deepEqual(troubles, []);
  });
});

test('a form without scripts reaches the collector that serves its page', async () => {
  const url = await site('<!doctype html><title>Feedback</title><form method="post" action="/releases"><input name="topic" value="shop"><button>Send</button></form>');
  const { context, close } = await open();
  try {
    const { page } = await watchedPage(context);
    await page.goto(url);
    const [answer] = await Promise.all([page.waitForNavigation(), page.click('button')]);
    assert.equal(await answer.text(), '{"kept":1}');
    assert.equal(answer.status(), 201);
  } finally {
    await close();
  }
});
