/**
 * textveil/testing: for the tests of a page that run in jsdom or happy-dom.
 *
 * They fire no `formdata` event, which adds the release to the form's data. So `settled()` rejects there with `unsupported`, and a
 * submission is stopped with a message at the control. Do not import this into a page.
 *
 * ```js
 * import { submitted } from 'textveil/testing';
 *
 * const data = await submitted(form);
 * data.get('comment');             // the release
 * data.get('comment-guarantee');   // its guarantee
 * ```
 */

/**
 * Makes `new FormData(form)` fire `formdata`, as a browser does, for tests of a page that builds its `FormData` itself. Call it before
 * that, once. In a browser it does nothing.
 */
export function provideFormData(): void;

/**
 * Submits the form as a person does, by a click on the button, and gives the data that a browser would send. The submission
 * itself is cancelled. The page's own listeners for `submit` run as well. Calls `provideFormData`.
 *
 * @param submitter The button. Default: the form's first submit button.
 * @param settings `limit`: how long it waits for what would be sent, in milliseconds. Default: 30,000. A test runner may have a shorter
 *   limit, and then does not say what was missing.
 * @throws {TextveilError} as a rejection: what `textveil:error` tells; `invalid-argument` if a browser would not submit the form;
 *   `not-ready` if nothing would be sent within the limit. The message says what did not happen.
 */
export function submitted(form: HTMLFormElement, submitter?: HTMLElement, settings?: { limit?: number }): Promise<FormData>;
