"""SPEC.md, section 5.1: the written words of a release, from the drawn ones and the layout between them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

NEVER_OFFERED, FUNCTION_WORD, NAME, PLURAL, THIRD_PERSON, PAST, PARTICIPLE, ING = (1 << bit for bit in range(8))
_FORMS = PLURAL | THIRD_PERSON | PAST | PARTICIPLE | ING
_VERB_FORMS = THIRD_PERSON | PAST | PARTICIPLE | ING
RARER = 20

_ROLES = {
    "article": "a an",
    "each": "another each every",
    "this": "one that this",
    "many": "eight few five four many nine seven several six ten these those three twelve two various",
    "to": "to",
    "do": "did do does",
    "modal": "can can't cannot could couldn't didn't doesn't don't he'll i'll it'll let's may might must mustn't shall she'll should"
             " shouldn't they'll we'll will won't would wouldn't you'll",
    "have": "had hadn't has hasn't have haven't i've they've we've you've",
    "i": "i",
    "he": "he it she",
    "they": "they we you",
}
ROLE_OF = {word: role for role, words in _ROLES.items() for word in words.split()}

# What stands behind a subject, and what is written for it.
_AGREEING = {
    "i": "is am are am has have does do doesn't don't hasn't haven't",
    "he": "am is are is were was have has do does don't doesn't haven't hasn't aren't isn't weren't wasn't",
    "they": "am are is are was were has have does do doesn't don't hasn't haven't isn't aren't wasn't weren't",
}
AGREEING = {role: dict(zip(pairs.split()[::2], pairs.split()[1::2], strict=True)) for role, pairs in _AGREEING.items()}

# Base, past, participle, other forms.
VERBS = [line.split() for line in """
be was been am are being is were; have had had has having; do did done does doing; go went gone goes; become became become;
begin began begun; bite bit bitten; break broke broken; bring brought brought; build built built; buy bought bought;
catch caught caught; choose chose chosen; come came come; deal dealt dealt; draw drew drawn; drink drank drunk;
drive drove driven; eat ate eaten; fall fell fallen; feed fed fed; feel felt felt; fight fought fought; find found found;
fly flew flown; forget forgot forgotten; get got got; give gave given; grow grew grown; hang hung hung; hear heard heard;
hide hid hidden; hold held held; keep kept kept; know knew known; lead led led; leave left left; lose lost lost;
make made made; mean meant meant; meet met met; pay paid paid; ride rode ridden; rise rose risen; run ran run; say said said;
see saw seen; seek sought sought; sell sold sold; send sent sent; shake shook shaken; shoot shot shot; show showed shown;
sing sang sung; sit sat sat; sleep slept slept; speak spoke spoken; spend spent spent; stand stood stood; steal stole stolen;
stick stuck stuck; take took taken; teach taught taught; tear tore torn; tell told told; think thought thought;
throw threw thrown; understand understood understood; wake woke woken; wear wore worn; win won won; write wrote written
""".strip().replace("\n", " ").split(";")]

# Singular and plural.
NOUNS = [pair.split() for pair in """
child children; foot feet; half halves; knife knives; leaf leaves; life lives; man men; mouse mice; person people;
shelf shelves; thief thieves; tooth teeth; wife wives; wolf wolves; woman women
""".strip().replace("\n", " ").split(";")]

# What an ending takes the place of: (end of the base, end of the form). `None` is the last letter, doubled.
_S = [("", "s"), ("", "es"), ("y", "ies")]
_ED = [("", "ed"), ("e", "ed"), ("y", "ied"), (None, "ed")]
_ING = [("", "ing"), ("e", "ing"), ("ie", "ying"), (None, "ing")]


class Vocabulary(Protocol):
    """What is read of a table."""

    words: Sequence[str]
    flags: Sequence[int]
    zipf: Sequence[int]
    row_of: dict[str, int]


def _takes(base: str, ending: str) -> bool:
    """Whether a base takes this ending as it is."""
    if ending == "es":
        return base.endswith(("s", "x", "z", "ch", "sh", "o"))
    return ending == "s" or re.fullmatch("[^aeiou]*[aeiou][b-df-hj-np-tvz]", base) is None


def _forms(base: str, endings: Sequence[tuple[str | None, str]]) -> Iterator[str]:
    for end, ending in endings:
        if end is None:
            yield base + base[-1] + ending
        elif base.endswith(end) and (end or _takes(base, ending)):
            yield base[:len(base) - len(end)] + ending


def _bases(form: str, endings: Sequence[tuple[str | None, str]]) -> Iterator[str]:
    for end, ending in endings:
        stem = form.removesuffix(ending)
        if stem == form:
            continue
        if end is None:
            if stem[-1:] == stem[-2:-1]:
                yield stem[:-1]
        elif end or _takes(stem, ending):
            yield stem + end


def takes_an(word: str) -> bool | None:
    """Whether `an` stands before a word; `None` where its sound is not known."""
    word = word.removeprefix("$")
    if not re.match("[a-z0-9]", word):
        return None
    if digits := re.match("[0-9]+", word):
        return digits[0][0] == "8" or (digits[0][:2] in ("11", "18") and len(digits[0]) in (2, 4))
    if re.search("[aeiouy]", word) is None:
        return word[0] in "fhlmnrsx"
    if re.match("eu|ew|once|one(?![a-z])|uni(?![dmn])|u[b-df-hj-mq-tv-z][aeiou]|uk$|us$|usa$|usb$", word):
        return False
    return word[0] in "aeiou" or re.match("heir|honest|honor|honour|hour", word) is not None


def mended(table: Vocabulary, rows: Sequence[int | None], joined: Sequence[bool]) -> list[int | None]:
    """The rows that are written. `joined[n]`: one space and nothing else is written between the n-th token and the one before."""
    forms = Forms(table)
    written: list[int | None] = []
    for place, row in enumerate(rows):
        before = written[-1] if joined[place] else None
        far = written[-2] if before is not None and joined[place - 1] else None
        written.append(row if row is None or before is None else forms.behind(far, before, row))
    for place in range(1, len(written)):
        written[place - 1] = forms.article(written[place - 1], written[place] if joined[place] else None)
    return written


@dataclass
class Forms:
    """The forms of a table's words."""

    table: Vocabulary

    @cached_property
    def knows_forms(self) -> bool:
        """Whether the table says of any word what form it is."""
        return any(flags & _FORMS for flags in self.table.flags)

    def _offered(self, word: str) -> int | None:
        row = self.table.row_of.get(word)
        return None if row is None or self.table.flags[row] & NEVER_OFFERED else row

    def role(self, row: int | None) -> str | None:
        """What a word asks of the one behind it."""
        return None if row is None else ROLE_OF.get(self.table.words[row])

    def article(self, row: int | None, following: int | None) -> int | None:
        """What is written for `row` before `following`."""
        if following is None or self.role(row) != "article":
            return row
        an = takes_an(self.table.words[following])
        other = None if an is None else self._offered("an" if an else "a")
        return row if other is None else other

    def behind(self, far: int | None, before: int, row: int) -> int:
        """What is written for `row` behind `before`, behind `far`."""
        if not self.knows_forms:
            return row
        found = self._asked(self.role(before), far, before, row)
        if found is None or self.table.flags[row] & ~self.table.flags[found] & FUNCTION_WORD:
            return row
        return found

    def _asked(self, role: str | None, far: int | None, before: int, row: int) -> int | None:
        flags, word = self.table.flags[row], self.table.words[row]
        if (role in ("article", "each") and flags & PLURAL) or (role == "this" and flags & PLURAL and not flags & THIRD_PERSON):
            return self._singular(row)
        if role == "many" or (role is None and re.fullmatch("[2-9]|[1-9][0-9][0-9]?", self.table.words[before])):
            return None if flags & (FUNCTION_WORD | NAME | _FORMS) else self._inflected(row, PLURAL)
        if (role == "modal" and flags & _VERB_FORMS) or (role == "to" and flags & _VERB_FORMS and not flags & PLURAL):
            return self._base(row)
        if role == "do" and flags & _VERB_FORMS and not flags & (PLURAL | ING):
            base = self._base(row)
            return None if base is None or self.table.flags[base] & FUNCTION_WORD else base
        if role == "have" and not flags & (FUNCTION_WORD | NAME | PARTICIPLE | ING | PLURAL | THIRD_PERSON):
            if flags & PAST:
                base = self._base(row)
                return None if base is None else self._inflected(base, PARTICIPLE)
            return None if self._plural(row) is not None else self._inflected(row, PARTICIPLE)
        if role in AGREEING and (role != "he" or self._begins(far)):
            if (agreeing := self._offered(AGREEING[role].get(word, ""))) is not None:
                return agreeing
            if role != "he":
                return self._base(row) if flags & THIRD_PERSON and not flags & FUNCTION_WORD else None
            return None if flags & (FUNCTION_WORD | NAME | _FORMS) else self._inflected(row, THIRD_PERSON)
        return None

    def _begins(self, far: int | None) -> bool:
        """Whether the word behind this one may be a subject."""
        return far is None or (bool(self.table.flags[far] & FUNCTION_WORD) and self.role(far) is None)

    def _likeliest(self, words: Iterator[str], fits: Callable[[int], bool]) -> int | None:
        """Of these words, the offered row that is used most; the first of equals."""
        rows = [row for word in words if (row := self._offered(word)) is not None and fits(self.table.flags[row])]
        return max(rows, key=lambda row: self.table.zipf[row], default=None)

    def _base(self, row: int) -> int | None:
        word, flags = self.table.words[row], self.table.flags[row]
        for base, *forms in VERBS:
            if word in forms:
                return self._offered(base)
        endings = [ending for bits, ending in ((THIRD_PERSON, _S), (PAST | PARTICIPLE, _ED), (ING, _ING)) if flags & bits]
        candidates = (base for ending in endings for base in _bases(word, ending))
        return self._likeliest(candidates, lambda flags: not flags & (FUNCTION_WORD | NAME))

    def _singular(self, row: int) -> int | None:
        word = self.table.words[row]
        for singular, plural in NOUNS:
            if word == plural:
                return self._offered(singular)
        return self._likeliest(_bases(word, _S), lambda flags: not flags & (FUNCTION_WORD | NAME | PLURAL))

    def _plural(self, row: int) -> int | None:
        word = self.table.words[row]
        irregular = (plural for singular, plural in NOUNS if word == singular)
        return self._likeliest([*irregular] or _forms(word, _S), lambda flags: bool(flags & PLURAL))

    def _inflected(self, row: int, bit: int) -> int | None:
        """A form of a word, unless it is much rarer than the word: then the word is mostly something else."""
        word = self.table.words[row]
        if bit == PLURAL:
            found = self._plural(row)
        elif bit == PARTICIPLE:
            irregular = [forms[1] for base, *forms in VERBS if word == base]
            found = self._likeliest(irregular or _forms(word, _ED), lambda flags: bool(flags & bit))
        else:
            found = self._likeliest(_forms(word, _S), lambda flags: bool(flags & bit))
        return None if found is None or self.table.zipf[found] + RARER < self.table.zipf[row] else found
