/**
 * The chosen settings, as a link and as code: pure functions.
 *
 * A link holds only numbers, and names from fixed lists. It cannot hold a text.
 */

/** @import { Level, LevelMechanism, Preset } from './textveil/all/textveil.js' */

/** @typedef {{ mechanism: LevelMechanism, level: number, keepFunctionWords: boolean, placeholders: boolean }} Settings */
/** @typedef {Partial<Record<LevelMechanism, readonly Level[]>>} Levels The levels of the table by mechanism. */

/** The flags among the settings, each as it is unless somebody chooses. */
const USUAL = { keepFunctionWords: false, placeholders: true };
const FLAGS = /** @type {(keyof typeof USUAL)[]} */ (Object.keys(USUAL));
/** @type {readonly string[]} */
const KEYS = ['mechanism', 'level', ...FLAGS];

/**
 * The flags that are not as usual.
 *
 * @type {(flags: typeof USUAL) => (keyof typeof USUAL)[]}
 */
const chosen = (flags) => FLAGS.filter((flag) => flags[flag] !== USUAL[flag]);

/**
 * The settings as a fragment: `#mechanism=nearest&level=5`.
 *
 * @param {Settings} settings
 */
export function fragmentOf({ mechanism, level, ...flags }) {
  const given = chosen(flags).map((flag) => [flag, String(Number(flags[flag]))]);
  return `#${new URLSearchParams([['mechanism', mechanism], ['level', String(level)], ...given])}`;
}

/**
 * The settings of a fragment; `undefined` if `fragmentOf` writes no such fragment for one of these levels.
 *
 * @param {string} fragment
 * @param {Levels} levels
 * @returns {Settings | undefined}
 */
export function settingsOf(fragment, levels) {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  // Not checked yet: `ladder` is only there for a mechanism of the table.
  const mechanism = /** @type {LevelMechanism} */ (given.get('mechanism'));
  const ladder = Object.hasOwn(levels, mechanism) ? levels[mechanism] : undefined;
  const level = Number(given.get('level'));
  const [keepFunctionWords, placeholders] = FLAGS.map((flag) => (given.has(flag) ? given.get(flag) === '1' : USUAL[flag]));
  const settings = { mechanism, level, keepFunctionWords, placeholders };
  const known = ladder && level in ladder && [...given.keys()].every((key) => KEYS.includes(key));
  return known && fragmentOf(settings) === `#${given}` ? settings : undefined;
}

/**
 * The options as JavaScript. Where the level has a name, they say that, as the documentation does.
 *
 * @param {Settings} settings
 * @param {Preset | null} preset
 */
function literal(settings, preset) {
  const { mechanism, level } = settings;
  const strength = preset ? `preset: '${preset}'` : `level: ${level}`;
  const flags = chosen(settings).map((flag) => `${flag}: ${settings[flag]}`);
  return `{ ${[...(preset && mechanism === USUAL_MECHANISM ? [] : [`mechanism: '${mechanism}'`]), strength, ...flags].join(', ')} }`;
}

/** What the package takes if no mechanism is named. */
const USUAL_MECHANISM = 'nearest';

/** @type {readonly string[]} The mechanisms of the smaller module. */
const SMALL = ['nearest', 'certified', 'plateau', 'exponential'];

/** The private field of a form, with what a person should know of it. */
const FIELD = [
  '<input type="hidden" name="nonce">',
  '<textarea data-private="note" aria-describedby="hint" autocomplete="off" spellcheck="false" writingsuggestions="false"></textarea>',
  '<span id="hint">This device exchanges your words at random before it sends them. Some stay as they are.</span>',
];

/**
 * Code that privatizes with these settings: for a bundler, for a form, for a page that no tool builds.
 *
 * @param {Settings} settings
 * @param {Preset | null} [preset] the name of the level, if it has one
 */
export function codeFor(settings, preset = null) {
  const entry = SMALL.includes(settings.mechanism) ? '' : '/all';
  const options = literal(settings, preset);
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
  // Here the package lies in a folder next to the page.
  const local = form.replace("'textveil/all'", "'./textveil/all/textveil.js'").replace("'textveil/form'", "'./textveil/form.js'");
  return {
    package: `import { init, privatize } from 'textveil${entry}';\n\n${draw.join('\n')}\n`,
    form: `// In the form, whose action is "/releases". The text area has no name.\n${FIELD.map((line) => `// ${line}\n`).join('')}${form}`,
    static:
      `<form action="/releases" method="post">\n${FIELD.map((line) => `  ${line}\n`).join('')}  <button>Send</button>\n</form>\n` +
      `<script type="module">\n${local.replace(/^(?=.)/gm, '  ')}</script>\n`,
  };
}
