/** Sends a release to the collector, and shows what the collector holds. No other part of the page uses the network. */

import { element } from './element.js';
import { number, plural, refusal } from './phrases.js';
import { strength } from './views.js';

/** @import { Guarantee, Release } from './textveil/all/textveil.js' */
/** @import { View } from './view.js' */

/** @typedef {{ text: string, guarantee: Guarantee | null, day: string }} Held A text that the server holds; a public one has no guarantee. */
/** @typedef {{ count: number, entries: Held[] }} Listed What the server holds. `entries` are the latest. */

/** The collector next to the page. A page from a plain file server has no collector. */
const RELEASES = new URL('./releases', import.meta.url);

/** Rows on show. */
const LISTED = 8;

/**
 * The send button and the panel.
 *
 * @param {View} view the page's elements
 */
export function collectorPanel(view) {
  /** @type {Release | undefined} The release on show. It is absent before the first, and while one is being drawn. */
  let offered;
  /** @type {Set<string>} What the collector has taken in. */
  const taken = new Set();
  /** @type {Map<string, string>} The nonce of each release that was sent: a release that is sent again, because no answer came, keeps it. */
  const nonces = new Map();

  /** How many texts the server holds. */
  let held = 0;

  /** Looks whether there is a collector, and shows what it holds. */
  async function find() {
    const listed = await list();
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-collector]'))) {
      part.hidden = part.dataset.collector !== (listed ? 'here' : 'absent');
    }
    if (listed) showHeld(listed);
  }

  /**
   * What the collector holds; nothing if there is no collector.
   *
   * @returns {Promise<Listed | undefined>}
   */
  async function list() {
    try {
      const answer = await fetch(RELEASES);
      return answer.ok && answer.headers.get('content-type') === 'application/json' ? await answer.json() : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Offers a release to be sent. Without a release, nothing can be sent.
   *
   * @param {Release} [release]
   */
  function offer(release) {
    if (release !== offered) view.sendStatus.textContent = '';
    offered = release;
    const sentAlready = taken.has(JSON.stringify(release));
    view.send.textContent = sentAlready ? 'Sent' : 'Send this release';
    view.releaseTitle.textContent = sentAlready ? 'These words have left this device' : 'These words would leave this device';
    view.send.setAttribute('aria-disabled', String(!release || sentAlready));
  }

  /** @param {Listed} listed */
  function showHeld({ count, entries }) {
    const spent = entries.reduce((sum, { guarantee }) => sum + (guarantee?.epsilonText ?? 0), 0);
    const latest = count > LISTED ? `, the latest ${LISTED} below` : '';
    const whose = count > entries.length ? `the ε of the latest ${entries.length} add` : 'their ε add';
    view.heldCount.textContent =
      count === 0 ? 'Nothing.' : `${plural(count, 'text')}${latest}. If all are one person’s, ${whose} up to ${number(spent)}.`;
    view.held.replaceChildren(...entries.slice(0, LISTED).map(heldItem));
    view.heldDelete.hidden = count === 0;
    held = count;
  }

  async function refresh() {
    const listed = await list();
    if (listed) showHeld(listed);
    else view.heldStatus.textContent = refusal();
  }

  view.send.addEventListener('click', async () => {
    const release = offered;
    const key = JSON.stringify(release);
    if (!release || taken.has(key)) return;
    if (!nonces.has(key)) nonces.set(key, randomNonce());
    const body = JSON.stringify({ ...release, nonce: nonces.get(key) });
    let message;
    try {
      const answer = await fetch(RELEASES, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
      if (answer.ok) taken.add(key);
      message = answer.ok ? 'Sent: the release above, its guarantee and a random number, and nothing else.' : refusal((await answer.json()).code);
    } catch {
      message = refusal();
    }
    offer(offered);
    // Another release may be on show by now.
    if (release === offered) view.sendStatus.textContent = message;
    await refresh();
  });

  view.heldDelete.addEventListener('click', async () => {
    if (!confirm(`Delete all that this server holds? It holds ${plural(held, 'text')}, also those of other people.`)) return;
    const answer = await fetch(RELEASES, { method: 'DELETE' }).catch(() => undefined);
    view.heldTitle.focus();
    await refresh();
    view.heldStatus.textContent = answer?.ok ? 'All that the server held is deleted.' : 'The server did not say that all is deleted. Try again.';
  });

  return { find, offer };
}

/** 128 random bits. By them the server counts a release that arrives twice once, and equal releases of two people as two. */
function randomNonce() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * A text that the server holds, and what is promised about it.
 *
 * @param {Held} held
 */
function heldItem({ text, guarantee, day }) {
  const facts = guarantee
    ? [strength(guarantee), plural(guarantee.words, 'word drawn', 'words drawn'), `ε ${number(guarantee.epsilonText)} in all`]
    : ['public'];
  return element(
    'li',
    {},
    element('p', { className: 'compare-text', lang: 'en' }, text),
    element('p', { className: 'small' }, [...facts, day].join(' · ')),
  );
}
