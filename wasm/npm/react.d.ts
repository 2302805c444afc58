/**
 * textveil/react: `textveil/element`, and the types of `<textveil-field>` in the JSX of React 19.
 *
 * ```jsx
 * import 'textveil/react';
 *
 * <textveil-field name="comment" level={4}>
 *   <label>Comment <textarea /></label>
 * </textveil-field>
 * ```
 *
 * **Pages that a server renders.** Import this in an effect. The element adds parts of its own to the page. Before React has hydrated,
 * it takes these for an error. React does not hand over arrays and objects there (`options`, `settings`, `keepWords`,
 * `neverSay`), so set them by a `ref`:
 *
 * ```jsx
 * const set = (field) => field && Object.assign(field, { settings, neverSay: ['damn'] });
 * useEffect(() => void import('textveil/react'), []);
 *
 * <textveil-field name="comment" ref={set}>…</textveil-field>
 * ```
 *
 * Needs the types of React (`@types/react`).
 */

import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { TextveilField } from './element.js';
import type { Preset } from './types.js';

export { TextveilField } from './element.js';

/** What `<textveil-field>` takes in JSX. Give at most one of `level`, `preset`, `epsilon` and `eta`. */
export interface TextveilFieldAttributes extends HTMLAttributes<TextveilField> {
  /** The field: the form's data get `NAME` and `NAME-guarantee`. */
  name: string;
  level?: number | undefined;
  preset?: Preset | undefined;
  epsilon?: number | undefined;
  eta?: number | undefined;
  mechanism?: string | undefined;
  /** The address of a list: import `textveil/statements`, too. */
  statements?: string | undefined;
  /** How many of the nearest statements the person sees, and may choose from. True: 5. */
  suggest?: number | boolean | undefined;
  near?: number | undefined;
  perSentence?: number | undefined;
  keepFunctionWords?: boolean | undefined;
  /** On unless false. A page that a server renders needs the text `"false"`: React's servers write no attribute for `false`. */
  placeholders?: boolean | 'false' | undefined;
  plainLayout?: boolean | undefined;
  asDrawn?: boolean | undefined;
  anyLanguage?: boolean | undefined;
  /** The property is an array, the attribute a text with spaces between the words. */
  keepWords?: readonly string[] | undefined;
  neverSay?: readonly string[] | undefined;
  /** The language of what is sent: `en` without it. */
  'output-lang'?: string | undefined;
  /** The `id` of a form that the element does not stand in. */
  form?: string | undefined;
  disabled?: boolean | undefined;
  /** The options of `privatize`. They replace the attributes. */
  options?: TextveilField['options'] | undefined;
  /** How the field is protected. */
  settings?: TextveilField['settings'] | undefined;
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'textveil-field': DetailedHTMLProps<TextveilFieldAttributes, TextveilField>;
    }
  }
}
