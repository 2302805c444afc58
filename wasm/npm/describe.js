/**
 * What a guarantee means for the person at the keyboard, in their language. A pure function of the guarantee, which says
 * nothing that the guarantee does not. Numbers are rounded up.
 */

const TEXTS = {
  en: {
    word: ['one word', 'another in its place'],
    kind: ['one word', 'another of its kind in its place'],
    vector: ['one vector', 'another in its place'],
    answer: ['one answer', 'another'],
    odds: 'Whatever is sent is at most {2} times as likely for {0} as for {1} (ε = {3})',
    but: ', but for a probability of {0}',
    near: '; the nearer the two, the smaller the factor (η = {0})',
    all: '; for all {0} together ',
    nothing: 'nothing is proved',
    none: 'There is no private word here.',
    warning: 'Nothing is proved: what was written may show.',
    claim: ' The published claim (ε = {0}) is not proved.',
    seen: ' Visible: ',
    words: 'the number of words',
    order: 'the number and order of words',
    vectors: 'the number of vectors',
    value: 'that there is an answer',
    punctuation: 'punctuation',
    'white-space': 'spaces',
    'function-words': 'function words',
    placeholders: 'where addresses and long numbers stand',
    'word-classes': 'the kind of each word',
    mask: 'what was left out',
  },
  de: {
    word: ['einem Wort', 'einem anderen an seiner Stelle'],
    kind: ['einem Wort', 'einem anderen seiner Art an seiner Stelle'],
    vector: ['einem Vektor', 'einem anderen an seiner Stelle'],
    answer: ['einer Antwort', 'einer anderen'],
    odds: 'Was auch gesendet wird, ist bei {0} höchstens {2}-mal so wahrscheinlich wie bei {1} (ε = {3})',
    but: ', bis auf eine Wahrscheinlichkeit von {0}',
    near: '; je näher sich beide sind, desto kleiner ist der Faktor (η = {0})',
    all: '; für alle {0} zusammen: ',
    nothing: 'nichts ist bewiesen',
    none: 'Hier steht kein privates Wort.',
    warning: 'Nichts ist bewiesen: Was geschrieben wurde, kann erkennbar sein.',
    claim: ' Was veröffentlicht behauptet wird (ε = {0}), ist nicht bewiesen.',
    seen: ' Sichtbar: ',
    words: 'die Zahl der Wörter',
    order: 'Zahl und Folge der Wörter',
    vectors: 'die Zahl der Vektoren',
    value: 'dass es eine Antwort gibt',
    punctuation: 'Satzzeichen',
    'white-space': 'Leerraum',
    'function-words': 'Funktionswörter',
    placeholders: 'wo Adressen und lange Zahlen stehen',
    'word-classes': 'die Art jedes Wortes',
    mask: 'was ausgelassen wurde',
  },
  fr: {
    word: ['un mot', 'un autre à sa place'],
    kind: ['un mot', 'un autre de son genre à sa place'],
    vector: ['un vecteur', 'un autre à sa place'],
    answer: ['une réponse', 'une autre'],
    odds: 'Quoi qu’il soit envoyé, c’est au plus {2} fois aussi probable pour {0} que pour {1} (ε = {3})',
    but: ', sauf avec une probabilité de {0}',
    near: '; plus les deux sont proches, plus ce facteur est petit (η = {0})',
    all: '; pour les {0} ensemble : ',
    nothing: 'rien n’est prouvé',
    none: 'Il n’y a ici aucun mot privé.',
    warning: 'Rien n’est prouvé : ce qui a été écrit peut se voir.',
    claim: ' Ce qui est publié (ε = {0}) n’est pas prouvé.',
    seen: ' Visible : ',
    words: 'le nombre de mots',
    order: 'le nombre et l’ordre des mots',
    vectors: 'le nombre de vecteurs',
    value: 'qu’il y a une réponse',
    punctuation: 'ponctuation',
    'white-space': 'espaces',
    'function-words': 'mots grammaticaux',
    placeholders: 'où se trouvent adresses et longs nombres',
    'word-classes': 'le genre de chaque mot',
    mask: 'ce qui a été omis',
  },
  es: {
    word: ['una palabra', 'otra en su lugar'],
    kind: ['una palabra', 'otra de su tipo en su lugar'],
    vector: ['un vector', 'otro en su lugar'],
    answer: ['una respuesta', 'otra'],
    odds: 'Lo que se envía es como máximo {2} veces tan probable para {0} como para {1} (ε = {3})',
    but: ', salvo con una probabilidad de {0}',
    near: '; cuanto más se parecen, menor es el factor (η = {0})',
    all: '; para los {0} en conjunto: ',
    nothing: 'nada está demostrado',
    none: 'Aquí no hay ninguna palabra privada.',
    warning: 'Nada está demostrado: lo escrito puede verse.',
    claim: ' Lo publicado (ε = {0}) no está demostrado.',
    seen: ' Visible: ',
    words: 'el número de palabras',
    order: 'el número y el orden de las palabras',
    vectors: 'el número de vectores',
    value: 'que hay una respuesta',
    punctuation: 'puntuación',
    'white-space': 'espacios',
    'function-words': 'palabras funcionales',
    placeholders: 'dónde hay direcciones y números largos',
    'word-classes': 'el tipo de cada palabra',
    mask: 'lo que se omitió',
  },
};

export function describe(guarantee, locale = 'en') {
  const { unit, words, eta, exactSampler, epsilonWord, deltaWord, epsilonText, deltaText, claim, clear, table } = guarantee;
  const [texts, number] = spoken(locale);
  const fill = (name, ...values) => values.reduce((text, value, place) => text.replace(`{${place}}`, value), texts[name]);
  const but = (delta) => (delta > 0 ? fill('but', number(delta, 2)) : '');
  const isOfVectors = table === null && unit !== 'value';

  const strength = () => {
    if (words === 0) return texts.none;
    if (deltaWord >= 1 || epsilonWord === Infinity) return texts.warning;
    const kind = clear.includes('word-classes') ? 'kind' : 'word';
    const pair = texts[unit === 'value' ? 'answer' : isOfVectors ? 'vector' : kind];
    // η is that of ideal noise: of other noise, what is said holds by ε and δ alone.
    const near = eta !== null && exactSampler ? fill('near', number(eta, 4)) : '';
    const text = deltaText >= 1 || epsilonText === Infinity ? texts.nothing : `ε = ${number(epsilonText, 4)}${but(deltaText)}`;
    const all = words > 1 && unit !== 'value' ? fill('all', number(words, 21)) + text : '';
    return `${fill('odds', ...pair, number(Math.exp(epsilonWord), 2), number(epsilonWord, 4))}${but(deltaWord)}${near}${all}.`;
  };
  const claimed = claim && !claim.holds ? fill('claim', number(claim.epsilon, 4)) : '';
  const count = isOfVectors ? 'vectors' : unit === 'text' ? 'words' : 'order';
  const seen = clear.map((id) => (id === 'word-count' ? texts[count] : (texts[id] ?? id)));
  if (unit === 'value') seen.unshift(texts.value);
  return `${strength()}${claimed}${texts.seen}${seen.join(', ')}.`;
}

/** The texts of a language, and what prints a number in it: rounded up to so many digits. */
function spoken(locale) {
  let known;
  try {
    [known] = Intl.getCanonicalLocales(locale);
  } catch {
    // No language at all.
  }
  known ??= 'en';
  const language = known.split('-')[0];
  const spoken = Object.hasOwn(TEXTS, language) ? [TEXTS[language], known] : [TEXTS.en, 'en'];
  const print = (x, digits) => {
    const notation = x < 1e15 ? (x < 1e6 ? 'standard' : 'compact') : 'scientific';
    return Intl.NumberFormat(spoken[1], { maximumSignificantDigits: digits, notation, compactDisplay: 'long' }).format(up(x, digits));
  };
  return [spoken[0], print];
}

/** The smallest number of so many digits that is not below x. */
function up(x, digits) {
  const [mantissa, power] = x.toExponential(Math.min(digits, 17) - 1).split('e');
  const near = Number(`${mantissa}e${power}`);
  if (!power) return x;
  return near >= x ? near : Number(`${(Number(mantissa) + 10 ** (1 - digits)).toFixed(digits - 1)}e${power}`);
}
