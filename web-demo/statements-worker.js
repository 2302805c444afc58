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

const calls = {
  /**
   * The release of a text, and what only this device may know: the statements that are near to it.
   *
   * @param {string} name
   * @param {string} text
   * @param {{ epsilon: number }} options
   */
  async exchange(name, text, options) {
    const list = await listOf(name);
    return { release: list.privatize(text, options), near: list.near(text, options), odds: list.odds(options), all: list.list() };
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
