/**
 * textveil/element: `<textveil-field>`, a private control. On request it shows what will be sent, and the guarantee.
 *
 * ```html
 * <form action="/notes" method="post">
 *   <textveil-field name="comment" level="4">
 *     <label>Comment <textarea autocomplete="off" spellcheck="false"></textarea></label>
 *   </textveil-field>
 *   <button>Send</button>
 * </form>
 * <script type="module">import 'textveil/element';</script>
 * ```
 *
 * (On a page without a bundler: `import './textveil/element.js'`, with the package in a folder next to it.)
 * With React 19 and TypeScript, import `textveil/react` instead: it adds the element's types to JSX.
 *
 * The label and the control belong to the page. The control is the first element inside that holds text: an input, a text area, an
 * element with `contenteditable`, or a custom element whose `value` is a string. Give it **no `name`**: then the browser sends nothing
 * of it, even without script. Other elements inside are not sent either, unless they are marked with `data-private` and `protect`
 * handles them. If no text can be read inside, the element shows an error when the form is submitted, and nothing is sent.
 *
 * With a list of answers in `statements` the control is a `<select>` of one answer, and nothing inside holds text: a question with given
 * answers. The value of each option is an answer of the list, or empty. See `textveil/form`.
 *
 * Importing this module defines the element. It protects the form as `protect` of `textveil/form` does, with the same events
 * (`textveil:release`, `textveil:error`). One form may use both.
 *
 * | attribute | is |
 * | --- | --- |
 * | `name` | the field: the form's data get `NAME` and `NAME-guarantee` |
 * | `level`, `preset`, `epsilon`, `eta` | the strength: at most one of them |
 * | `statements` | the address of a list: the whole text is exchanged for a statement of it. Import `textveil/statements`, too |
 * | `suggest` | with `statements`: the person sees this number of nearest statements (5 without a number) and the one for texts that fit nothing, and may choose. Otherwise the nearest is taken. No text is refused for its language. Not with `per-sentence` |
 * | `near`, `per-sentence` | with `statements`: its other two options |
 * | `mechanism` | the mechanism; beyond those of `textveil` set `settings.engine` |
 * | `keep-function-words` | what may be sent as it is: on if present, off if absent or `"false"` |
 * | `placeholders` | `[email]`, `[number]` and so on are sent for tokens of that kind: on unless it is `"false"` |
 * | `keep-words`, `never-say` | words that stay in clear, and words that never come out, with spaces between them |
 * | `plain-layout` | of the layout only sentence ends are sent: the same |
 * | `as-drawn` | words are sent as they were drawn: the same |
 * | `any-language` | texts of other languages are taken, too: the same |
 * | `output-lang` | the language of what is sent, for screen readers. Without it, that of the page for an answer, and else `en`, as of all that comes with the package |
 * | `form`, `disabled` | as for any control |
 *
 * What it shows is in the light DOM, after the control. The page can style it: `.textveil-error` (linked by the control's
 * `aria-describedby`), and in `.textveil-sent` the `button.textveil-show`, the `.textveil-label`, the `output.textveil-preview` and the
 * `.textveil-guarantee`; with `suggest`, a `button` for each statement in `.textveil-suggested`. After an error only the button remains that leaves the field out. After a file could not be loaded, so does
 * the one that tries again. Its own style is in the cascade layer `textveil`. Every rule of the page outside of layers overrides it, except that what is hidden stays hidden. A page with layers writes `@layer textveil;` before them. A press of the button draws a
 * preview, records it in the ledger, and shows it instead of the button. The next input removes it.
 * Next to a preview or an error is `button.textveil-withdraw`, with which the person leaves the field out of what is sent, or takes it in again.
 * Whoever receives the form sees that a field was left out. While the page is open, the same text is not drawn anew.
 *
 * The control gets `autocomplete="off"` where the page has not set it (and the attributes that `protect` sets), so that the browser
 * does not keep the typed text for a later visit. The browser may keep the release. A person who comes back then finds an empty
 * control and the release. It is sent if the person types nothing.
 */

import type { Engine, FormSettings, StatementSettings } from './form.js';
import type { StatementOptions } from './statements.js';
import type { TextveilError } from './textveil.js';
import type { Preset } from './types.js';

/** `<textveil-field>`. */
export class TextveilField extends HTMLElement {
  static readonly formAssociated: true;
  /** The texts of the element. For a page in another language, set them before elements are connected; `message` is for errors. */
  static messages: {
    /** Above the statements that are offered. */
    choose: string;
    /** On the button. */
    show: string;
    /** Above what will be sent. */
    preview: string;
    /** On the button that leaves the field out of what is sent. */
    withdraw: string;
    /** In place of what will be sent, after that. */
    withdrawn: string;
    /** On the button that takes it in again. */
    restore: string;
    /** While a preview takes longer than a moment. */
    working: string;
    /** Instead of a preview of an empty text. */
    empty: string;
  };
  /**
   * The message for an error, in another language for example, in each field whose `settings.message` gives none. Without it, or if it
   * gives `undefined`: a message in English.
   */
  static message?: (error: TextveilError) => string | undefined;
  /** The field's name: the attribute. */
  name: string;
  /** The attributes, for frameworks that set properties; `undefined` or false removes one, but `placeholders = false` sets `"false"`. */
  level?: number;
  preset?: Preset;
  epsilon?: number;
  eta?: number;
  mechanism?: string;
  statements?: string;
  /** True: 5. */
  suggest?: number | boolean;
  near?: number;
  perSentence?: number;
  keepFunctionWords?: boolean;
  placeholders?: boolean;
  plainLayout?: boolean;
  asDrawn?: boolean;
  anyLanguage?: boolean;
  keepWords?: readonly string[];
  neverSay?: readonly string[];
  /** The control in which the person writes. */
  readonly control: HTMLElement | null;
  /** The options of `privatize`. Once set, they replace the attributes. An object with equal entries changes nothing. */
  options: NonNullable<Parameters<Engine['privatize']>[1]> | StatementOptions;
  /**
   * How the field is protected, without `options`: with `redact`, for one, spans of the text are taken out. Set it at any time, and as a whole. An unknown name is refused
   * (`invalid-options`). An object with equal entries changes nothing, but a new `redact` or `ledger` is a new setting. A submission that waits is
   * sent under the new settings. Set a ledger before the person can submit: earlier submissions are not counted.
   */
  settings: Omit<FormSettings<Engine>, 'options'> | Omit<StatementSettings, 'options'>;
}

declare global {
  interface HTMLElementTagNameMap {
    'textveil-field': TextveilField;
  }
}
