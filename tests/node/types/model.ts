// A strict TypeScript consumer of a model that `train export` wrote: the package must be what the model asks for.

import * as textveil from 'textveil/all';
import { classes, classify, guarantee, table } from '../../models/logistic.js';

export async function label(text: string): Promise<string> {
  await textveil.init();
  const { class: named, probabilities } = classify(text, textveil);
  const first: string | undefined = classes[0];
  return `${named} ${probabilities[0]?.toFixed(2)} ${first} ${table} ${guarantee}`;
}

// @ts-expect-error a text is needed
classify(1, textveil);
// @ts-expect-error only a module that reads words serves
classify('good', {});
// @ts-expect-error classes cannot be changed
classes.push('other');
