/** Exchanges texts for statements, in a worker of its own: the words of the page have much more to draw. */

import { answer } from './answer.js';
import { statements, TextveilError } from './textveil/statements.js';

/** @type {Map<string, ReturnType<typeof statements>>} */
const lists = new Map();

/** @param {string} name */
async function listOf(name) {
  const list = lists.get(name) ?? statements(new URL(`./textveil/lists/${name}.tvs`, import.meta.url));
  lists.set(name, list);
  await list.init();
  return list;
}

/** Where a person chooses, no text is refused for its language. Otherwise a release would show that nobody has chosen. */
const CHOOSING = { anyLanguage: true };

const calls = {
  /**
   * The release of a text, and what only this device may know: the statements that are offered for the text, and the one that it is
   * exchanged by. That is the person's choice, as long as it is offered, or else the nearest.
   *
   * @param {string} name
   * @param {string} text
   * @param {number | undefined} choice the number of a statement
   * @param {{ epsilon: number }} options
   */
  async exchange(name, text, choice, options) {
    const list = await listOf(name);
    const terms = { ...options, ...CHOOSING };
    const offered = list.suggest(text);
    const chosen = offered.find(({ number }) => number === choice);
    const [nearest] = list.near(text, terms);
    const meant = chosen ?? nearest;
    const odds = list.odds(terms);
    // In both cases the same call: a release does not show which one it was.
    const release = list.privatizeChosen(text, [meant.number], terms);
    return { release, offered, meant, isChosen: chosen !== undefined, odds, all: list.list() };
  },
  /**
   * Draws a text for each of many people, and counts the statements that are nearest to the texts.
   *
   * @param {string} name
   * @param {{ text: string, count: number }[]} people
   * @param {{ epsilon: number }} options
   */
  async people(name, people, options) {
    const list = await listOf(name);
    const came = people.flatMap(({ text, count }, place) =>
      Array.from({ length: count }, (_, person) => list.privatize(text, options, { field: `person ${place} ${person}` }).text),
    );
    const near = people.map(({ text }) => list.near(text, options).map((stated) => stated.text));
    return near.map(([statement], at) => ({
      text: people[at].text,
      statement,
      written: people.reduce((sum, { count }, place) => sum + (near[place].includes(statement) ? count : 0), 0),
      came: came.filter((text) => text === statement).length,
    }));
  },
};

answer(calls, TextveilError);
