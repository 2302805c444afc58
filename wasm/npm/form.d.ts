/**
 * textveil/form: sends the releases of a form's private controls, and never their text.
 *
 * ```html
 * <form id="feedback" action="/notes" method="post">
 *   <label>Comment <textarea data-private="comment" autocomplete="off" spellcheck="false"></textarea></label>
 *   <button>Send</button>
 * </form>
 * <script type="module">
 *   import { protect } from 'textveil/form';
 *   protect(document.querySelector('#feedback'), { options: { level: 4 } });
 * </script>
 * ```
 *
 * (On a page without a bundler: `from './textveil/form.js'`, with the package in a folder next to it.)
 *
 * A private control has **no `name`**, so that the browser itself never sends it, also if scripts are off, while this is
 * loading, and after a failure. (A `name` that is found is removed, with a warning on the console; until this module runs
 * it would have been sent.) An element with `data-private` is a private region. Its text is its own, or that of the first control
 * in it: an input for text, a text area, an element with `contenteditable`, or a custom element whose `value` is a string. They may
 * come later, be defined later, or belong to the form by their `form` attribute. Nothing else in a region is sent: no choice, file,
 * hidden field or further text, and no entry that a custom element makes or adds. Custom elements get `form=""`, which takes
 * them out of every form; set it in the markup, too. An element that was in a region once stays out of the form.
 *
 * With a list of answers (`statements`) the control is a `<select>` of one answer, and nothing in the region holds text: **a question with
 * given answers**. `textveil statements build --answers` makes the list, and no text encoder is loaded for it. The value of each option is
 * an answer of the list, or empty. The answer is exchanged by `privatizeChosen`, at ε 2 unless it is set. Where no answer is chosen, any comes
 * out, under the same guarantee: so it does not show. A value that the list does not have is an error (`invalid-options`), as is a list of
 * statements for texts, and nothing is sent. Copies of an answer elsewhere in the form are not recognized.
 *
 * An entry outside of the regions whose value or name is recognized as a copy of a private text is left out, with a warning on the
 * console. A copy holds the text, as it stands or in other cases and in the escapes of JSON, HTML and addresses: a text of four to seven
 * characters as whole words, a longer one anywhere. Or it holds the first 24 letters and digits of the text, or it has 24 or more and
 * stands in the text. A shorter value is a copy, too, if it has at least eight and lacks only the last three letters of the text, or
 * fewer. Such a part does not count within a release, nor if it stands in something that a person wrote elsewhere in the form. Smaller
 * pieces, other older states, files and other encodings are not recognized. A value that a person wrote in a control that can be seen
 * is no copy. Nor is a value or a name that stood there before a person wrote in a region. A form is stopped (`invalid-options`) if a
 * script has put a text into its address.
 *
 * A form without any region is sent as it is, with a warning on the console.
 *
 * Each control adds two entries to the form's data: `comment`, the release's text, and `comment-guarantee`, its guarantee in
 * JSON, in the short form. They are there however the form is sent: by a button, `requestSubmit()`, `submit()` or `fetch(url, { body: new
 * FormData(form) })`. A submission waits until all is loaded, drawn and recorded; `submit()` and `new FormData(form)` cannot
 * wait, so await `settled()` first, or a release that is not there yet is left out. The same holds for a form with `method="dialog"`,
 * whose submission does not wait, and for a submission that a listener has cancelled before this module hears of it. If a listener of the page changes a text at
 * `submit`, the submission starts again, at most five times. If it takes the form data at once, and there is no release for the new
 * text, the field is missing there, and the person sees an error (`invalid-options`).
 *
 * A failure leaves the entry out, stops the submission, and shows a message at the control: `setCustomValidity`, or a line
 * `.textveil-error` for an element that is hidden or for which the browser has no message, `aria-invalid`, and the event
 * `textveil:error`. The message goes with the next input, and another try to submit loads anew what could not be loaded. A field whose
 * text cannot be read, a control without a field (`invalid-options`), or an element that came too late to be taken out empties the form
 * data: then nothing is sent. If the button is removed while a submission waits, the form is not sent, and the person sees an error.
 *
 * Not protected against: scripts of the page that read the control's value themselves.
 */

import type * as all from './all/textveil.js';
import type * as words from './textveil.js';
import type { Ledger } from './ledger.js';
import type { Statements } from './statements.js';
import type { ErrorCode, Span, TextveilError } from './textveil.js';

/** What draws: the entry `textveil` or `textveil/all`, or a list of statements. */
export type Engine = typeof words | typeof all | Statements;

/** The options of `privatize` for a field. */
export type FieldOptions<E extends Engine> = (Parameters<E['privatize']>[1] & { spans?: undefined }) | undefined;

/** How a form is protected: a plain object. A name that is not listed here is refused (`invalid-options`). */
export interface FormSettings<E extends Engine = typeof words> {
  /**
   * The options of `privatize`, or a function that gives them for each field. Without `spans`, which differ from text to text. If
   * options that are no function are invalid, the console says so when the engine has loaded. A form with them sends nothing.
   */
  options?: FieldOptions<E> | ((field: string) => FieldOptions<E>);
  /**
   * Finds the spans of a text that must not leave: names, addresses, whatever your detector knows. It runs on this device, before
   * anything is drawn. A placeholder takes the place of each span: `[name]` for the kind `name`.
   *
   * It is asked once for each text of a field. An answer for a text that is no longer in the control is not used. If the function
   * throws, is rejected, gives no array, or takes more than 10 seconds, nothing is sent (`detector-failed`). A span that is not in
   * the text stops the form, too (`invalid-span`). Not with `statements`.
   */
  redact?: (text: string, field: string) => readonly Span[] | Promise<readonly Span[]>;
  /** Where the engine's two files are: the argument of `init`. Give a `Response` by a function, so that another try fetches it anew. */
  source?: Parameters<E['init']>[0];
  /** `import * as engine from 'textveil/all'` for its mechanisms. Default: `textveil`. */
  engine?: E;
  statements?: undefined;
  /**
   * What is released is counted here before it is sent, once for each distinct release, and refused when a budget is spent
   * (`budget-exhausted`). A function is called once the engine is ready, which `Ledger.open` needs; with `textveil/all` as the engine
   * the ledger is that of `textveil/all/ledger`. A preview is counted before it is given out.
   */
  ledger?: Ledger | (() => Ledger | Promise<Ledger>);
  /** The ledger's scope for a field. Default: the name of the field. */
  scope?: (field: string) => string;
  /**
   * How `FIELD-guarantee` is sent with `FIELD`: `short` as by `textveil/short`, `long` with its English, `none` not at all. A collector
   * takes the first two, and keeps the long form of both. Default: `short`.
   */
  guarantee?: 'short' | 'long' | 'none';
  /** The message to the person when a field cannot be sent. Default: a message in English. */
  message?: (error: TextveilError) => string | undefined;
}

/** How a form is protected whose texts are exchanged for statements. */
export interface StatementSettings extends Omit<FormSettings<Statements>, 'engine' | 'statements' | 'redact'> {
  redact?: undefined;
  /** What `statements()` of `textveil/statements` has made; or, in a page that imports it, the address of a list. */
  statements: string | Statements;
}

/** A protected form. While a submission waits, the form has `aria-busy="true"`: a page can show that by a style, and can say it (see the README). */
export interface Protection<E extends Engine = typeof words> {
  /** When the engine has loaded and the ledger is open. Read anew, it is the newest attempt: asking after a failure tries again. */
  readonly ready: Promise<void>;
  /**
   * The release that would be sent for the field as it now stands; `textveil:release` tells it, too. It is recorded in the ledger
   * first, because a session recorder can see what a page shows. Each edited text is another release: ask once
   * the person has finished. `undefined` when there is no such field, when something has been typed meanwhile, and after an error,
   * which `textveil:error` tells. Of several controls of one field the first is meant.
   */
  preview(field: string): Promise<ReturnType<E['privatize']> | undefined>;
  /**
   * Draws and records all fields, so that `new FormData(form)` then holds them. Rejects with the first error; with `unsupported` where
   * `new FormData(form)` fires no `formdata` event, as in jsdom and happy-dom (see `textveil/testing`).
   */
  settled(): Promise<void>;
  /**
   * Leaves a field out of what is sent, until `withdraw(field, false)` or a reset of the form. The release that was drawn for its text stays:
   * it is not drawn anew. Whoever receives the form sees that the field was left out, which no guarantee covers.
   */
  withdraw(field: string, withdrawn?: boolean): void;
  /**
   * Ends the protection. The controls stay without name: nothing of them is sent any more. Call it when you remove the form from the page:
   * until then the page keeps the form and its text in memory.
   */
  stop(): void;
}

/**
 * Protects the private controls of a form: those with `data-private="FIELD"`.
 *
 * Starts loading at once. Asks browsers, writing assistants and session recorders to leave the controls alone (`spellcheck`,
 * `writingsuggestions`, `data-gramm`, `data-sentry-mask`, …), where the page has not set these attributes.
 *
 * @throws {TextveilError} `invalid-options`: not a form, a form that is protected already, or a setting that is not known. The controls
 * have lost their names by then: the form goes out without them
 */
export function protect(form: HTMLFormElement, settings: StatementSettings): Protection<Statements>;
export function protect<E extends Engine = typeof words>(form: HTMLFormElement, settings?: FormSettings<E>): Protection<E>;

/** What `textveil:release` tells: what may be sent. The ledger, if there is one, has recorded it. */
export interface ReleaseDetail<E extends Engine = typeof words> {
  readonly field: string;
  readonly text: string;
  readonly guarantee: ReturnType<E['privatize']>['guarantee'];
}

/** What `textveil:error` tells. */
export interface ErrorDetail {
  readonly field: string;
  readonly error: TextveilError & { readonly code: ErrorCode };
}

declare global {
  interface HTMLElementEventMap {
    /** A release has been drawn for this control; once for each. Bubbles. Show it elsewhere: in the control it would be another text, and would be drawn anew. */
    'textveil:release': CustomEvent<ReleaseDetail>;
    /** Nothing will be sent for this control until this is mended. Bubbles. After `preventDefault()` the browser shows no message, and no line is put behind the control. */
    'textveil:error': CustomEvent<ErrorDetail>;
  }
}
