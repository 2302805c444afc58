/**
 * The chosen settings, as a link and as code: pure functions.
 *
 * A link holds numbers and names from fixed lists, and nothing else can be read from one: a text has no place in it.
 */

/** @import { Level } from './textveil/all/textveil.js' */
/** @typedef {{ keepFunctionWords?: boolean, placeholders?: boolean }} Flags */
/** @typedef {Flags & { mechanism: string, level: number }} Settings what the page lets a person choose */
/** @typedef {Flags & { mechanism: string, level?: number, epsilon?: number, eta?: number }} Terms what a text is drawn on */
/** @typedef {{ [mechanism: string]: readonly Level[] }} Levels the levels of the table by mechanism */

/**
 * The flags among the settings.
 *
 * @type {(keyof Flags)[]}
 */
const FLAGS = ['keepFunctionWords', 'placeholders'];
const KEYS = ['mechanism', 'level', ...FLAGS];

/**
 * The settings as a fragment: `#mechanism=certified&level=4`.
 *
 * @param {Settings} settings
 */
export function fragmentOf({ mechanism, level, ...flags }) {
  const chosen = FLAGS.filter((flag) => flags[flag]).map((flag) => [flag, '1']);
  return `#${new URLSearchParams([['mechanism', mechanism], ['level', String(level)], ...chosen])}`;
}

/**
 * The settings of a fragment; nothing if it is not one that `fragmentOf` writes for one of these levels.
 *
 * @param {string} fragment
 * @param {Levels} levels
 * @returns {Settings | undefined}
 */
export function settingsOf(fragment, levels) {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  const mechanism = given.get('mechanism') ?? '';
  const level = Number(given.get('level'));
  const settings = { mechanism, level, ...Object.fromEntries(FLAGS.map((flag) => [flag, given.get(flag) === '1'])) };
  const known = Object.hasOwn(levels, mechanism) && level in levels[mechanism] && [...given.keys()].every((key) => KEYS.includes(key));
  return known && fragmentOf(settings) === `#${given}` ? settings : undefined;
}

/**
 * The options as JavaScript.
 *
 * @param {Settings} settings
 */
function literal(settings) {
  const { mechanism, level } = settings;
  const flags = FLAGS.filter((flag) => settings[flag]).map((flag) => `${flag}: true`);
  return `{ ${[`mechanism: '${mechanism}'`, `level: ${level}`, ...flags].join(', ')} }`;
}

/** Mechanisms of the smaller module. */
const SMALL = ['certified', 'plateau', 'exponential'];

/**
 * Code that privatizes on these settings: for a bundler, for a form, for a page without any tool.
 *
 * @param {Settings} settings
 * @returns {Record<string, string>}
 */
export function codeFor(settings) {
  const entry = SMALL.includes(settings.mechanism) ? '' : '/all';
  const options = literal(settings);
  const draw = [
    'await init();',
    `const release = privatize(text, ${options});`,
    `await fetch('/releases', {`,
    `  method: 'POST',`,
    `  headers: { 'Content-Type': 'application/json' },`,
    '  body: JSON.stringify(release),',
    '});',
  ];
  const form =
    `${entry && `import * as engine from 'textveil/all';\n`}import { protect } from 'textveil/form';\n\n` +
    `protect(document.querySelector('form'), { ${entry && 'engine, '}options: ${options} });\n`;
  // As files of a folder beside the page.
  const local = form.replace("'textveil/all'", "'./textveil/all/textveil.js'").replace("'textveil/form'", "'./textveil/form.js'");
  return {
    package: `import { init, privatize } from 'textveil${entry}';\n\n${draw.join('\n')}\n`,
    form: `// In the form: <textarea data-private="note" autocomplete="off" spellcheck="false"></textarea>, without a name.\n${form}`,
    static:
      `<form action="/releases" method="post">\n  <textarea data-private="note" autocomplete="off" spellcheck="false" writingsuggestions="false"></textarea>\n  <button>Send</button>\n</form>\n` +
      `<script type="module">\n${local.replace(/^(?=.)/gm, '  ')}</script>\n`,
  };
}
