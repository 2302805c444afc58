// A strict TypeScript consumer of `textveil/form`, `textveil/element`, `textveil/statements`, `textveil/prompt` and `textveil/testing`: it must compile, and each line under an
// `@ts-expect-error` must not.

import { Ledger } from 'textveil/ledger';
import type { Release, Span } from 'textveil';
import * as all from 'textveil/all';
import { TextveilField } from 'textveil/element';
import { protect } from 'textveil/form';
import type { ErrorDetail, FormSettings, Protection, ReleaseDetail, StatementSettings } from 'textveil/form';
import { preparePrompt } from 'textveil/prompt';
import type { Prompt } from 'textveil/prompt';
import { describe } from 'textveil/describe';
import { short } from 'textveil/short';
import type { ShortGuarantee } from 'textveil/short';
import { statements } from 'textveil/statements';
import type { Odds, Stated, StatementRelease } from 'textveil/statements';
import { provideFormData, submitted } from 'textveil/testing';

export async function plain(form: HTMLFormElement): Promise<FormData> {
  const settings: FormSettings = {
    options: (field) => ({ level: field === 'comment' ? 2 : 4 }),
    ledger: () => Ledger.open({ comment: { epsilon: 100 } }),
    scope: (field) => field,
    message: (error) => error.code,
    guarantee: 'long',
  };
  const protection: Protection = protect(form, settings);
  await protection.ready;
  const release: Release | undefined = await protection.preview('comment');
  form.addEventListener('textveil:release', ({ detail }) => {
    const { field, text, guarantee }: ReleaseDetail = detail;
    const { digest, words }: ShortGuarantee<string, string> = short(guarantee);
    console.log(field, text, guarantee.statement, release?.text, digest, words);
    // @ts-expect-error: the short form has no English
    console.log(short(guarantee).statement);
    // @ts-expect-error: events never carry the account
    console.log(detail.account);
  });
  form.addEventListener('textveil:error', ({ detail: { error } }: CustomEvent<ErrorDetail>) => console.log(error.code === 'not-recorded'));
  await protection.settled();
  protection.stop();
  return new FormData(form);
}

export function byDetector(form: HTMLFormElement): void {
  const find = async (text: string): Promise<Span[]> => [...text.matchAll(/\d+/g)].map(({ index, 0: found }) => ({ start: index, end: index + found.length, kind: 'number' }));
  protect(form, { redact: find, options: { keepWords: ['TextVeil'] } });
  protect(form, { message: ({ code }) => (code === 'text-too-long' ? 'Please shorten it.' : undefined) });
  protect(form, { redact: (text, field) => [{ start: 0, end: text.length, kind: field }], engine: all });
  // @ts-expect-error: a detector gives spans
  protect(form, { redact: async () => ['text'] });
  // @ts-expect-error: no text has these spans yet
  protect(form, { options: { spans: [] } });
  // @ts-expect-error: whole texts are exchanged
  protect(form, { statements: '/list.tvs', redact: find });
  document.createElement('textveil-field').settings = { redact: find };
}

export function byOtherMechanisms(form: HTMLFormElement): Protection<typeof all> {
  // @ts-expect-error: not a mechanism of `textveil`
  protect(form, { options: { mechanism: 'gaussian', epsilon: 8, delta: 1e-5 } });
  // @ts-expect-error: no such setting
  protect(form, { level: 2 });
  return protect(form, { engine: all, options: { mechanism: 'gaussian', epsilon: 8, delta: 1e-5 } });
}

export async function byStatements(form: HTMLFormElement): Promise<StatementRelease | undefined> {
  const feedback = statements('/product-feedback.tvs');
  await feedback.init({ encoder: '/english-text.tvt' });
  const odds: Odds = feedback.odds({ epsilon: 6, near: 3 });
  const near: readonly Stated[] = feedback.near('text', { epsilon: 6 });
  console.log(near[0]?.number, near[0]?.text);
  const own: StatementRelease = feedback.privatizeVectors([new Float32Array(384)], { perSentence: 2 }, { field: `${odds.near}` });
  // @ts-expect-error: statements have no levels
  feedback.privatize('text', { level: 3 });
  // @ts-expect-error: a statement has no account
  console.log(own.account, own.guarantee.epsilonText, describe(own.guarantee));
  // @ts-expect-error: either an engine or statements
  protect(form, { statements: feedback, engine: all });
  const settings: StatementSettings = { statements: '/product-feedback.tvs', options: { epsilon: 8, near: 2 } };
  const protection = protect(form, settings);
  protection.withdraw('comment');
  protection.withdraw('comment', false);
  return protection.preview('comment');
}

export function element(): string {
  TextveilField.messages.preview = 'Das wird gesendet:';
  TextveilField.message = ({ code }) => (code === 'other-language' ? 'Bitte schreiben Sie auf Englisch.' : undefined);
  const field = document.createElement('textveil-field');
  field.options = { level: 3, placeholders: false };
  Object.assign(field, { keepWords: ['TextVeil'] });
  field.neverSay = ['damn'];
  field.settings = { engine: all, guarantee: 'none' };
  field.statements = '/product-feedback.tvs';
  field.settings = { statements: statements('/other.tvs') };
  return `${field.name} ${field.control?.id}`;
}

export async function tested(form: HTMLFormElement, button: HTMLButtonElement): Promise<FormData[]> {
  provideFormData();
  // @ts-expect-error: a form is submitted
  await submitted(button);
  return [await submitted(form), await submitted(form, button)];
}

export function prompt(question: string, answer: string): string {
  const prompt: Prompt = preparePrompt(question, { level: 4 });
  const other: Prompt<typeof all> = preparePrompt(question, { engine: all, mechanism: 'vickrey', eta: 20, t: 0.5 });
  const redacted: Prompt = preparePrompt(question, { spans: [{ start: 0, end: 4, kind: 'name' }] });
  // @ts-expect-error: frozen
  prompt.text = question;
  console.log(redacted.text);
  return prompt.restore(answer) + other.guarantee.mechanism;
}
