// A strict TypeScript consumer of `textveil/react`, with React 19's types: it must compile, and each line under an `@ts-expect-error` must not.

import { TextveilField } from 'textveil/react';
import type { TextveilFieldAttributes } from 'textveil/react';
import type { ReactNode, RefObject } from 'react';

export function note(field: RefObject<TextveilField | null>, level?: number): ReactNode {
  const shared: TextveilFieldAttributes = { name: 'mood', keepFunctionWords: true, settings: { guarantee: 'none' }, options: { level: 2 } };
  return (
    <form action="/notes" method="post">
      <textveil-field name="note" level={level} className="wide" ref={field} key="note" placeholders={false} keepWords={['TextVeil']} disabled={false} form="other">
        <label>
          Note <textarea />
        </label>
      </textveil-field>
      <textveil-field {...shared} placeholders="false" />
    </form>
  );
}

export function refused(): ReactNode[] {
  return [
    // @ts-expect-error a level is a number
    <textveil-field name="note" level="three" />,
    // @ts-expect-error a strength that does not exist
    <textveil-field name="note" strength={3} />,
    // @ts-expect-error without a name nothing is sent
    <textveil-field level={3} />,
    // @ts-expect-error a setting that does not exist
    <textveil-field name="note" settings={{ withoutGuarantee: true }} />,
    // @ts-expect-error another element
    <textveil-note name="note" />,
  ];
}
