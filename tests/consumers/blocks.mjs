// What a document of the project prints as code.

import { readFile } from 'node:fs/promises';

/** The blocks of a document, or of one of its parts, in a language. */
export async function blocks(document, language, part = '') {
  const text = await readFile(new URL(`../../${document}`, import.meta.url), 'utf8');
  const [own] = part ? (text.split(`\n## ${part}\n`)[1] ?? '').split('\n## ') : [text];
  return [...own.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, code]) => code);
}
