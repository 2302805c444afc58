/**
 * textveil/element: `<textveil-field>`, a private control that shows, when asked, what will be sent, and what that guarantees.
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
 * (On a page without a bundler: `import './textveil/element.js'`, the package lying in a folder beside it.)
 * With React 19 and TypeScript, import `textveil/react` instead: it adds the element's types to JSX.
 *
 * The label and the control are the page's own; the control (the first one inside that holds text: an input, a text area, an
 * element with `contenteditable`, or a custom element whose `value` is a string) has **no `name`**, and nothing else inside is sent,
 * unless it is marked with `data-private` and `protect` cares for it. Without script nothing of it is sent. If no text can be read
 * inside, the element says so when the form is submitted, and nothing is sent. Importing this module defines the element; the form is protected as by
 * `protect` of `textveil/form`, whose events (`textveil:release`, `textveil:error`) it tells, and both may be used in one form.
 *
 * | attribute | is |
 * | --- | --- |
 * | `name` | the field: the form's data get `NAME` and `NAME-guarantee` |
 * | `level`, `epsilon`, `eta` | the strength: at most one of them |
 * | `mechanism` | the mechanism; beyond those of `textveil` set `settings.engine` |
 * | `keep-function-words`, `placeholders` | what may be sent as it is; present, or absent or `"false"` |
 * | `form`, `disabled` | as for any control |
 *
 * What it shows lies in the light DOM, behind the control, for the page to style: `.textveil-error` (linked by the control's
 * `aria-describedby`), and in `.textveil-sent` the `button.textveil-show`, the `.textveil-label`, the `output.textveil-preview` and the
 * `.textveil-guarantee`; it is `hidden` while nothing can be sent. Its own style is in the cascade layer `textveil`, which every rule of
 * the page overrules. A preview is drawn when the button is pressed, recorded in the ledger, then shown; it goes with the next input.
 *
 * The control gets `autocomplete="off"` where the page has not set it (and what `protect` sets), so that the browser does not keep
 * what was typed for the way back. What it may keep, where it keeps anything for such elements, is the release: coming back, the person finds an empty control
 * and the release, which is sent unless something is typed.
 */

import type { Engine, FormSettings } from './form.js';

/** `<textveil-field>`. */
export class TextveilField extends HTMLElement {
  static readonly formAssociated: true;
  /** What the element says; set them before elements are connected, for pages in other languages (`settings.message` is for errors). */
  static messages: {
    /** On the button. */
    show: string;
    /** Above what will be sent. */
    preview: string;
  };
  /** The field's name: the attribute. */
  name: string;
  /** The attributes, for frameworks that set properties; `undefined` or false removes one. */
  level?: number;
  epsilon?: number;
  eta?: number;
  mechanism?: string;
  keepFunctionWords?: boolean;
  placeholders?: boolean;
  /** The person's control. */
  readonly control: HTMLElement | null;
  /** What `privatize` is told. Set, it replaces the attributes. */
  options: NonNullable<Parameters<Engine['privatize']>[1]>;
  /**
   * How the field is protected, but for `options`. Set at any time, and as a whole; a name that is not known is refused
   * (`invalid-options`). With a ledger, set it before the person can submit: what was sent before was not counted.
   */
  settings: Omit<FormSettings<Engine>, 'options'>;
}

declare global {
  interface HTMLElementTagNameMap {
    'textveil-field': TextveilField;
  }
}
