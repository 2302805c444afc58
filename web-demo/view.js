/** The elements of the page that the scripts use, by id. */

/** The kind of each element. An id in the page is written with hyphens: `word-detail`. */
const KINDS = {
  saying: HTMLTextAreaElement,
  choosing: HTMLElement,
  offers: HTMLElement,
  statement: HTMLOutputElement,
  statementPromise: HTMLElement,
  statementShares: HTMLElement,
  statementStatus: HTMLElement,
  statementRetry: HTMLButtonElement,
  statementLevel: HTMLInputElement,
  statementStops: HTMLElement,
  statementZones: HTMLElement,
  statementMeaning: HTMLElement,
  statementList: HTMLSelectElement,
  statementMeantLead: HTMLElement,
  statementMeant: HTMLElement,
  statementCount: HTMLElement,
  statementAll: HTMLElement,
  statementDescribed: HTMLElement,
  statementCode: HTMLElement,
  peopleKeys: HTMLElement,
  peopleTable: HTMLTableElement,
  peopleAside: HTMLElement,
  people: HTMLElement,
  peopleSummary: HTMLElement,
  text: HTMLTextAreaElement,
  releaseTitle: HTMLElement,
  release: HTMLOutputElement,
  placeholderNote: HTMLElement,
  releasePromise: HTMLElement,
  status: HTMLElement,
  retry: HTMLButtonElement,
  send: HTMLButtonElement,
  sendStatus: HTMLElement,
  level: HTMLInputElement,
  ticks: HTMLElement,
  zones: HTMLElement,
  levelMeaning: HTMLElement,
  levelFacts: HTMLElement,
  levelContext: HTMLElement,
  keepFunctionWords: HTMLInputElement,
  placeholders: HTMLInputElement,
  mechanism: HTMLSelectElement,
  legend: HTMLElement,
  wordsLayout: HTMLElement,
  words: HTMLElement,
  wordsHint: HTMLElement,
  wordDetail: HTMLElement,
  wordsNote: HTMLElement,
  compareTotal: HTMLElement,
  compareLevels: HTMLInputElement,
  compareMechanisms: HTMLInputElement,
  compare: HTMLElement,
  compareNote: HTMLElement,
  attackStart: HTMLButtonElement,
  attackResult: HTMLElement,
  attackSummary: HTMLElement,
  attackGuesses: HTMLElement,
  attackNote: HTMLElement,
  heldTitle: HTMLElement,
  heldCount: HTMLElement,
  held: HTMLElement,
  heldDelete: HTMLButtonElement,
  heldStatus: HTMLElement,
  guaranteeReading: HTMLElement,
  guaranteeStatement: HTMLElement,
  guaranteeClear: HTMLElement,
  guaranteeNumbers: HTMLElement,
  codeKinds: HTMLFieldSetElement,
  codeText: HTMLElement,
  copyCode: HTMLButtonElement,
  copyLink: HTMLButtonElement,
  copyStatus: HTMLElement,
};

/** @typedef {{ [Name in keyof typeof KINDS]: InstanceType<(typeof KINDS)[Name]> }} View */

/** Finds all of them. A page that lacks one is an error. */
export function findView() {
  const entries = Object.entries(KINDS).map(([name, kind]) => {
    const id = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const element = document.getElementById(id);
    if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} with the id ${id}.`);
    return [name, element];
  });
  return /** @type {View} */ (Object.fromEntries(entries));
}
