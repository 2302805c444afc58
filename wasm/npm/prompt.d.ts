/**
 * textveil/prompt: privatizes a question to a language model. On this device it puts numbers, addresses and names back into the
 * answer, where it can.
 *
 * ```js
 * import { init } from 'textveil';
 * import { preparePrompt } from 'textveil/prompt';
 *
 * await init();
 * const prompt = preparePrompt('Write to Alice Smith that invoice 4711002 is due.');
 * const answer = await ask(prompt.text);       // 'Tell Victor Hayes that invoice [number-1] is due.'
 * show(prompt.restore(answer));                // 'Tell Alice Smith that invoice 4711002 is due.'
 * ```
 */

import type * as all from './all/textveil.js';
import type * as words from './textveil.js';

type Engine = typeof words | typeof all;

/** What may be sent, and the way back. Frozen. */
export interface Prompt<E extends Engine = typeof words> {
  /** The release's text, its placeholders numbered in order: `[number-1]`, `[email-1]`, and for one of `spans` `[KIND-1]`. */
  readonly text: string;
  /** What is promised about `text`. */
  readonly guarantee: ReturnType<E['privatize']>['guarantee'];
  /**
   * Puts back what was typed, on this device: numbered placeholders, and whole words that were drawn instead of names (words
   * with a capital inside a sentence) and of words that the table does not know. A word that was drawn for two different ones is left,
   * and so are all common words: what the model says about those stays as it is, though it is not about what was typed.
   *
   * Not enumerable: `JSON.stringify`, `structuredClone` and `postMessage` of a prompt carry `text` and `guarantee` alone. The answer with
   * what was put back is private again. Show it as text: rendered as HTML or Markdown, an image or a link whose address the model wrote
   * around a placeholder would carry what was put back to that address.
   */
  readonly restore: (answer: string) => string;
}

/**
 * Privatizes a prompt. Unless `placeholders` is `false`, the places of numbers and addresses become public. With `spans`, what
 * a detector found leaves as placeholders, too, and comes back in the answer, with the rest of its word or address. With `plainLayout`
 * that rest stays away.
 *
 * Each prompt is a release of its own, and so is each turn of a conversation. Their losses add up.
 *
 * @throws {TextveilError} as `privatize`: call `init` first
 */
export function preparePrompt<E extends Engine = typeof words>(
  text: string,
  options?: NonNullable<Parameters<E['privatize']>[1]> & { engine?: E },
): Prompt<E>;
