//! Words that agree with the words next to them: "a"/"an", verbs behind "to" and behind a subject, nouns behind a
//! number.
//!
//! # Privacy
//! The written words are a function of the drawn rows, the public layout and the table. The token that was typed is not
//! an input. So this is post-processing: it costs no ε, and an observer who has the drawn words learns nothing from it.
//!
//! A word becomes another form of itself, which the table offers and marks as that form, or stays. The rules are those of
//! SPEC.md, section 5.1. Each was kept because it changes many more words of releases than of texts that people wrote.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::lists::Substitutes;
use crate::{Flags, Table, WordId};

/// What a word asks of the one behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Article,
    Each,
    This,
    Many,
    To,
    Do,
    Modal,
    Have,
    I,
    He,
    They,
}

const ROLES: [(Role, &str); 11] = [
    (Role::Article, "a an"),
    (Role::Each, "another each every"),
    (Role::This, "one that this"),
    (Role::Many, "eight few five four many nine seven several six ten these those three twelve two various"),
    (Role::To, "to"),
    (Role::Do, "did do does"),
    (
        Role::Modal,
        "can can't cannot could couldn't didn't doesn't don't he'll i'll it'll let's may might must mustn't shall \
         she'll should shouldn't they'll we'll will won't would wouldn't you'll",
    ),
    (Role::Have, "had hadn't has hasn't have haven't i've they've we've you've"),
    (Role::I, "i"),
    (Role::He, "he it she"),
    (Role::They, "they we you"),
];

/// What may stand behind a subject, each with what is written for it.
const AGREEING: [(Role, &str); 3] = [
    (Role::I, "is am are am has have does do doesn't don't hasn't haven't"),
    (Role::He, "am is are is were was have has do does don't doesn't haven't hasn't aren't isn't weren't wasn't"),
    (Role::They, "am are is are was were has have does do doesn't don't hasn't haven't isn't aren't wasn't weren't"),
];

/// Base, past, participle, other forms.
const VERBS: &str = "be was been am are being is were,have had had has having,do did done does doing,\
    go went gone goes,become became become,begin began begun,bite bit bitten,break broke broken,\
    bring brought brought,build built built,buy bought bought,catch caught caught,choose chose chosen,come came come,\
    deal dealt dealt,draw drew drawn,drink drank drunk,drive drove driven,eat ate eaten,fall fell fallen,feed fed fed,\
    feel felt felt,fight fought fought,find found found,fly flew flown,forget forgot forgotten,get got got,\
    give gave given,grow grew grown,hang hung hung,hear heard heard,hide hid hidden,hold held held,keep kept kept,\
    know knew known,lead led led,leave left left,lose lost lost,make made made,mean meant meant,meet met met,\
    pay paid paid,ride rode ridden,rise rose risen,run ran run,say said said,see saw seen,seek sought sought,\
    sell sold sold,send sent sent,shake shook shaken,shoot shot shot,show showed shown,sing sang sung,sit sat sat,\
    sleep slept slept,speak spoke spoken,spend spent spent,stand stood stood,steal stole stolen,stick stuck stuck,\
    take took taken,teach taught taught,tear tore torn,tell told told,think thought thought,throw threw thrown,\
    understand understood understood,wake woke woken,wear wore worn,win won won,write wrote written";

/// Singular and plural.
const NOUNS: &str = "child children,foot feet,half halves,knife knives,leaf leaves,life lives,man men,mouse mice,\
    person people,shelf shelves,thief thieves,tooth teeth,wife wives,wolf wolves,woman women";

/// An ending, and of what end of the base it takes the place. `DOUBLED` is the last letter, which is written twice.
type Endings = [(&'static str, &'static str)];
const DOUBLED: &str = "2";
const S: &Endings = &[("", "s"), ("", "es"), ("y", "ies")];
const ED: &Endings = &[("", "ed"), ("e", "ed"), ("y", "ied"), (DOUBLED, "ed")];
const ING: &Endings = &[("", "ing"), ("e", "ing"), ("ie", "ying"), (DOUBLED, "ing")];

const VERB_FORMS: Flags = Flags::THIRD_PERSON.union(Flags::PAST).union(Flags::PARTICIPLE).union(Flags::ING);
const FORMS: Flags = VERB_FORMS.union(Flags::PLURAL);
/// What no word becomes, and what is not inflected.
const FIXED: Flags = Flags::FUNCTION_WORD.union(Flags::NAME);
/// Where the table has a form that is rarer than its word by more steps of frequency, the word is mostly something else.
const RARER: u8 = 20;

/// The rules for one table.
pub(crate) struct Mender {
    /// Ascending.
    roles: Vec<(WordId, Role)>,
}

/// The words that stand before the next one, each behind one space and nothing else.
#[derive(Clone, Copy, Default)]
pub(crate) struct Before {
    last: Option<Neighbour>,
    last_but_one: Option<Neighbour>,
}

#[derive(Clone, Copy)]
struct Neighbour {
    word: WordId,
    role: Option<Role>,
}

/// What is written for a drawn word.
#[derive(Clone, Copy)]
pub(crate) struct Mended {
    /// What the article before it becomes, if that changes.
    pub(crate) article: Option<WordId>,
    /// The word.
    pub(crate) word: WordId,
}

impl Mender {
    /// A table that marks no form knows no rule but that of the articles.
    pub(crate) fn new(table: &Table) -> Self {
        let rules = if table.knows(FORMS) { &ROLES[..] } else { &ROLES[..1] };
        let mut roles: Vec<(WordId, Role)> = Vec::new();
        for (role, words) in rules {
            for word in words.split(' ').filter_map(|word| table.find(word)) {
                roles.insert(roles.partition_point(|(row, _)| *row < word), (word, *role));
            }
        }
        Self { roles }
    }

    fn role(&self, word: WordId) -> Option<Role> {
        let place = self.roles.binary_search_by_key(&word, |(row, _)| *row).ok()?;
        self.roles.get(place).map(|(_, role)| *role)
    }

    /// The words that may be written for a word in any place, except the word itself.
    pub(crate) fn rewritten(&self, forms: Forms<'_>, drawn: WordId) -> Vec<WordId> {
        let table = forms.0;
        let count = table.find("5").map(|word| Neighbour { word, role: None });
        let is_article = self.role(drawn) == Some(Role::Article);
        let roles = self.roles.iter().map(|(word, role)| Neighbour { word: *word, role: Some(*role) }).chain(count);
        let mut written: Vec<WordId> = roles
            .filter_map(|last| forms.behind(last, None, drawn))
            .chain(["a", "an"].into_iter().filter(|_| is_article).filter_map(|article| forms.offered(article)))
            .filter(|word| *word != drawn)
            .collect();
        written.sort_unstable();
        written.dedup();
        written
    }

    /// What is written for the next word.
    pub(crate) fn next(&self, forms: Forms<'_>, before: &mut Before, drawn: WordId) -> Mended {
        let table = forms.0;
        let keeps_kind = |word: &WordId| table.is_function_word(*word) || !table.is_function_word(drawn);
        let agreeing = before.last.and_then(|last| forms.behind(last, before.last_but_one, drawn));
        let word = agreeing.filter(keeps_kind).unwrap_or(drawn);
        let article = before.last.and_then(|last| forms.article(last, word));
        before.last_but_one = before.last.replace(Neighbour { word, role: self.role(word) });
        Mended { article, word }
    }
}

/// The forms of a table's words, without those that are never said.
#[derive(Clone, Copy)]
pub(crate) struct Forms<'a>(pub(crate) &'a Table, pub(crate) &'a Substitutes);

impl Forms<'_> {
    /// The article that belongs before `word`, if another stands there.
    #[inline(never)]
    fn article(&self, last: Neighbour, word: WordId) -> Option<WordId> {
        if last.role != Some(Role::Article) {
            return None;
        }
        let article = if takes_an(&self.0.word(word))? { "an" } else { "a" };
        self.offered(article).filter(|article| *article != last.word)
    }

    /// The word to write for `word` behind `last`, or `None` if it stays.
    #[inline(never)]
    fn behind(&self, last: Neighbour, last_but_one: Option<Neighbour>, word: WordId) -> Option<WordId> {
        let flags = self.0.flags(word);
        let Some(role) = last.role else {
            let may_be_counted = !flags.intersects(FIXED.union(FORMS)) && is_count(&self.0.word(last.word));
            return if may_be_counted { self.usual(word, self.plural(word)) } else { None };
        };
        match role {
            Role::Article | Role::Each if flags.intersects(Flags::PLURAL) => self.singular(word),
            Role::This if flags.intersects(Flags::PLURAL) && !flags.intersects(Flags::THIRD_PERSON) => {
                self.singular(word)
            }
            Role::Many if !flags.intersects(FIXED.union(FORMS)) => self.usual(word, self.plural(word)),
            Role::Modal if flags.intersects(VERB_FORMS) => self.base(word),
            Role::To if flags.intersects(VERB_FORMS) && !flags.intersects(Flags::PLURAL) => self.base(word),
            Role::Do if flags.intersects(VERB_FORMS) && !flags.intersects(Flags::PLURAL.union(Flags::ING)) => {
                self.base(word).filter(|base| !self.0.is_function_word(*base))
            }
            Role::Have if !flags.intersects(FIXED.union(FORMS)) && self.plural(word).is_none() => {
                self.usual(word, self.participle(word))
            }
            Role::Have
                if flags.intersects(Flags::PAST) && !flags.intersects(FIXED.union(FORMS.difference(Flags::PAST))) =>
            {
                let base = self.base(word)?;
                self.usual(base, self.participle(base))
            }
            Role::I | Role::They => self.agreeing(role, word).or_else(|| {
                let is_inflected = flags.intersects(Flags::THIRD_PERSON) && !flags.intersects(Flags::FUNCTION_WORD);
                if is_inflected { self.base(word) } else { None }
            }),
            Role::He if self.may_be_subject(last_but_one) => self.agreeing(role, word).or_else(|| {
                let third = || self.formed(word, ("", 0), S, Flags::THIRD_PERSON);
                if flags.intersects(FIXED.union(FORMS)) { None } else { self.usual(word, third()) }
            }),
            _ => None,
        }
    }

    /// Whether "he", "she" and "it" behind this are a subject: not in "does it" and "make it".
    fn may_be_subject(&self, last: Option<Neighbour>) -> bool {
        last.is_none_or(|last| last.role.is_none() && self.0.is_function_word(last.word))
    }

    /// What is written for a word of [`AGREEING`].
    #[inline(never)]
    fn agreeing(&self, role: Role, word: WordId) -> Option<WordId> {
        let word = self.0.word(word);
        let (_, pairs) = AGREEING.iter().find(|(of, _)| *of == role)?;
        let mut pairs = pairs.split(' ');
        while let (Some(found), Some(written)) = (pairs.next(), pairs.next()) {
            if *found == *word {
                return self.offered(written);
            }
        }
        None
    }

    #[inline(never)]
    fn offered(&self, word: &str) -> Option<WordId> {
        self.0.find(word).filter(|row| self.0.is_offered(*row) && !self.1.has(*row))
    }

    /// A form of a word, unless it is much rarer than the word.
    #[inline(never)]
    fn usual(&self, word: WordId, form: Option<WordId>) -> Option<WordId> {
        form.filter(|form| self.0.zipf_step(*form).saturating_add(RARER) >= self.0.zipf_step(word))
    }

    /// Among these words, the offered one that is used most, the first of equals. It has a flag of `with` and no flag
    /// of `without`.
    #[inline(never)]
    fn likeliest(&self, words: &[String], with: Flags, without: Flags) -> Option<WordId> {
        let mut best = None;
        for word in words {
            let fits = |row: &WordId| {
                let flags = self.0.flags(*row);
                (with == Flags::NONE || flags.intersects(with)) && !flags.intersects(without)
            };
            let step = |row: WordId| self.0.zipf_step(row);
            if let Some(row) = self.offered(word).filter(fits)
                && best.is_none_or(|best| step(best) < step(row))
            {
                best = Some(row);
            }
        }
        best
    }

    #[inline(never)]
    fn base(&self, form: WordId) -> Option<WordId> {
        let (flags, form) = (self.0.flags(form), self.0.word(form));
        if let Some(base) = listed(VERBS, &form, false, 0) {
            return self.offered(base);
        }
        let past = Flags::PAST.union(Flags::PARTICIPLE);
        let mut found = Vec::new();
        for (of, endings) in [(Flags::THIRD_PERSON, S), (past, ED), (Flags::ING, ING)] {
            if flags.intersects(of) {
                found.append(&mut respelled(&form, endings, true));
            }
        }
        self.likeliest(&found, Flags::NONE, FIXED)
    }

    fn participle(&self, base: WordId) -> Option<WordId> {
        self.formed(base, (VERBS, 2), ED, Flags::PARTICIPLE)
    }

    fn plural(&self, singular: WordId) -> Option<WordId> {
        self.formed(singular, (NOUNS, 1), S, Flags::PLURAL)
    }

    /// A form of a base: the listed one, else one with an ending.
    #[inline(never)]
    fn formed(
        &self,
        base: WordId,
        (list, place): (&'static str, usize),
        endings: &Endings,
        with: Flags,
    ) -> Option<WordId> {
        let base = self.0.word(base);
        let found = match listed(list, &base, true, place) {
            Some(form) => Vec::from([form.to_string()]),
            None => respelled(&base, endings, false),
        };
        self.likeliest(&found, with, Flags::NONE)
    }

    #[inline(never)]
    fn singular(&self, plural: WordId) -> Option<WordId> {
        let plural = self.0.word(plural);
        match listed(NOUNS, &plural, false, 0) {
            Some(singular) => self.offered(singular),
            None => self.likeliest(&respelled(&plural, S, true), Flags::NONE, FIXED.union(Flags::PLURAL)),
        }
    }
}

/// The form at a place in the line of a list that has a word as its base, or as another form.
#[inline(never)]
fn listed(list: &'static str, word: &str, is_base: bool, place: usize) -> Option<&'static str> {
    let has = |line: &&str| line.split(' ').position(|form| form == word).is_some_and(|at| (at == 0) == is_base);
    list.split(',').find(has)?.split(' ').nth(place)
}

/// What a base may look like with an ending; or, if the word is a form, what bases it may have.
#[inline(never)]
fn respelled(word: &str, endings: &Endings, is_form: bool) -> Vec<String> {
    let mut found = Vec::new();
    for (end, ending) in endings {
        let (from, to) = if is_form { (*ending, *end) } else { (*end, *ending) };
        if *end != DOUBLED {
            let stem = word.strip_suffix(from).filter(|stem| !end.is_empty() || takes(stem, ending));
            found.extend(stem.map(|stem| [stem, to].concat()));
        } else if is_form {
            let stem = word.strip_suffix(from).unwrap_or_default();
            let mut letters = stem.chars();
            if letters.next_back().is_some_and(|last| letters.as_str().ends_with(last)) {
                found.push(letters.as_str().to_string());
            }
        } else if let Some((place, _)) = word.char_indices().next_back() {
            found.push([word, word.get(place..).unwrap_or_default(), to].concat());
        }
    }
    found
}

/// Whether a base takes this ending as it is. One short syllable doubles its last letter before others than -s.
#[inline(never)]
fn takes(base: &str, ending: &str) -> bool {
    match (ending, base.as_bytes()) {
        ("s", _) => true,
        ("es", _) => ["s", "x", "z", "ch", "sh", "o"].into_iter().any(|end| base.ends_with(end)),
        (_, [begin @ .., vowel, last]) => {
            let is_short = is_vowel(*vowel) && last.is_ascii_lowercase() && !is_vowel(*last) && !b"wxy".contains(last);
            !is_short || begin.iter().copied().any(is_vowel)
        }
        _ => true,
    }
}

const fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// Whether a word is a number from 2 to 999 in digits.
fn is_count(word: &str) -> bool {
    match word.as_bytes() {
        [one] => matches!(one, b'2'..=b'9'),
        [b'1'..=b'9', rest @ ..] => rest.len() <= 2 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Whether "an" stands before a word; nothing where its sound is not known.
#[inline(never)]
fn takes_an(word: &str) -> Option<bool> {
    let word = word.strip_prefix('$').unwrap_or(word);
    let begins = |with: &[&str]| with.iter().any(|start| word.starts_with(start));
    match word.as_bytes() {
        [first @ b'0'..=b'9', ..] => {
            let digits = word.bytes().take_while(u8::is_ascii_digit).count();
            Some(*first == b'8' || begins(&["11", "18"]) && matches!(digits, 2 | 4))
        }
        [first @ b'a'..=b'z', rest @ ..] => {
            if !word.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
                return Some(b"fhlmnrsx".contains(first));
            }
            let sounds_like_one =
                word.strip_prefix("one").is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()));
            let sounds_like_you = match (first, rest) {
                (b'u', [b'n', b'i', third, ..]) => !b"dmn".contains(third),
                (b'u', [b'n', b'i']) => true,
                (b'u', [second, third, ..]) if second.is_ascii_lowercase() && !b"np".contains(second) => {
                    !is_vowel(*second) && is_vowel(*third)
                }
                _ => false,
            };
            if sounds_like_one
                || sounds_like_you
                || begins(&["eu", "ew", "once"])
                || ["uk", "us", "usa", "usb"].contains(&word)
            {
                return Some(false);
            }
            Some(is_vowel(*first) || begins(&["heir", "honest", "honor", "honour", "hour"]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_article_follows_the_sound_of_the_next_word() {
        let an = "apple hour honest heir honor uncle under unusual uninspired unimportant upon ugly umbrella x mp3 hd 8 80 \
                  8th 11 18 1800 11th $8 idea onerous";
        let a = "user unit union unique university usual uk usa usb europe ewe one once one's house hotel b yes year tv 1 \
                 10 110 180 9 $10 cafe";
        for (words, expected) in [(an, Some(true)), (a, Some(false)), ("😀 über & Éclair $ мир", None)] {
            for word in words.split_whitespace() {
                assert_eq!(takes_an(word), expected, "{word}");
            }
        }
    }

    #[test]
    fn a_regular_form_and_its_base_are_spelled_from_each_other() {
        let pairs = [
            ("look", S, "looks"),
            ("watch", S, "watches"),
            ("try", S, "tries"),
            ("hope", ED, "hoped"),
            ("hop", ED, "hopped"),
            ("visit", ED, "visited"),
            ("try", ED, "tried"),
            ("see", ING, "seeing"),
            ("make", ING, "making"),
            ("stop", ING, "stopping"),
            ("tie", ING, "tying"),
        ];
        for (base, endings, form) in pairs {
            assert!(respelled(base, endings, false).contains(&form.to_string()), "{base} {form}");
            assert!(respelled(form, endings, true).contains(&base.to_string()), "{form} {base}");
        }
        assert!(!respelled("hop", ED, false).contains(&"hoped".to_string()));
        assert!(!respelled("stared", ED, true).contains(&"star".to_string()));
        assert!(!respelled("cares", S, true).contains(&"car".to_string()));
        for strange in ["", "s", "ed", "ing", "éé", "ééed", "日s"] {
            for endings in [S, ED, ING] {
                drop((respelled(strange, endings, false), respelled(strange, endings, true)));
            }
        }
    }
}
