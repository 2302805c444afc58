"""SPEC.md, section 14: the short form of a guarantee; and its golden vectors."""

import hashlib
import math
from decimal import Decimal

from vector_tools import Json

LEFT_OUT = ("neighbours", "exactSampler", "statement")


# --- The short form --------------------------------------------------------------------------------------------------


def short(guarantee: dict[str, Json]) -> dict[str, Json]:
    kept = {name: value for name, value in guarantee.items() if name not in LEFT_OUT}
    return kept | {"digest": hashlib.sha256(canonical(guarantee).encode()).hexdigest()}


def canonical(value: Json) -> str:
    """JSON as RFC 8785 has it."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(name)}:{canonical(value[name])}" for name in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return number(float(value))


def quoted(text: str) -> str:
    """A guarantee has no control character."""
    assert text.isprintable()
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number(x: float) -> str:
    """ECMA-262, Number::toString: the shortest digits, placed by their exponent."""
    assert math.isfinite(x) and x >= 0
    if x == 0:
        return "0"
    digits = "".join(map(str, Decimal(repr(x)).normalize().as_tuple().digits))
    k, n = len(digits), Decimal(repr(x)).adjusted() + 1
    if k <= n <= 21:
        return digits + "0" * (n - k)
    if 0 < n <= 21:
        return f"{digits[:n]}.{digits[n:]}"
    if -6 < n <= 0:
        return "0." + "0" * -n + digits
    sign = "+" if n > 0 else "-"
    return f"{digits[0]}{'.' + digits[1:] if k > 1 else ''}e{sign}{abs(n - 1)}"


# --- Golden vectors --------------------------------------------------------------------------------------------------


CONDITION = ", if neither text is refused"
PLACE = " in one place, with the rest of the text the same"
OWN_LOSS = "Every further release of the same text adds its own loss."
ORDER = "Not protected: the number and order of words and symbols, punctuation and spacing"
TIMES = ". A word that stands several times adds its loss each time. "
TABLE = "0123456789abcdef" * 4


def guarantees() -> list[dict[str, Json]]:
    """One of every kind of field, each with its statement as a person reads it."""
    words = of(
        mechanism="nearest", parameters={"mass": 0.003, "frequencyPower": 0.5}, epsilonWord=9.0, words=8, epsilonText=72.0,
        statement="Each private word is replaced by a random draw (nearest mechanism). Take any two "
                  f"words{PLACE}. Whatever comes out is at most e^9.00 times as likely for the one as for the other. For all 8 private "
                  f"words together it is at most e^72.00 times as likely{TIMES}{ORDER}. {OWN_LOSS}")
    certified = of(
        mechanism="certified", notion="metric-dp", eta=7.201674998431226, metric="truncated-euclidean", cutoff=1.2792117765427058,
        epsilonWord=8.817993220921085, words=1, epsilonText=8.817993220921085,
        clear=["word-count", "sentence-ends", "function-words", "placeholders"],
        neighbours="texts of the same number of words and sentence ends that differ in one private word",
        statement="Each private word is replaced by a random draw (certified mechanism). Take any two words at distance d "
                  f"(counted as 1.28 at most){PLACE}. Whatever comes out is at most e^(7.21·d) times as likely for the one as for "
                  "the other, and at most e^8.82 times as likely for any two words at all. Not protected: the number and order "
                  "of words and symbols, where sentences end, which function words stand where, where an address or a long "
                  f"number stands and of which kind. {OWN_LOSS}")
    laplace = of(
        mechanism="metric-laplace", notion="metric-dp", eta=4.0, metric="euclidean", epsilonWord=8.2639866341031,
        deltaWord=9.673583734629373e-07, words=8, epsilonText=66.1118930728248, deltaText=7.738866987703498e-06, exactSampler=False,
        totalVariation=1.993249738212646e-09,
        statement="Each private word is replaced by a random draw (metric-laplace mechanism). Take any two words at "
                  f"distance d{PLACE}. Whatever comes out is at most e^(4.00·d) times as likely for the one as for the other. This is "
                  "for ideal noise. As it is computed, every probability may be off by 2e-9. So any set of outcomes is at most e^8.27 "
                  "times as likely for any two words at all, plus a probability of 9.7e-7. For all 8 private words together it is at "
                  f"most e^66.12 times as likely, plus a probability of 7.8e-6{TIMES}{ORDER}. {OWN_LOSS}")
    gaussian = of(
        mechanism="gaussian", calibration="published", parameters={"delta": 1e-07, "clip": 1.5}, notion="approximate-dp", unit="text",
        neighbours="texts of the same number of words that differ in one of them", epsilonWord=4.265489161250864,
        deltaWord=1.0000000034558856e-07, words=8, epsilonText=34.12391329000691, deltaText=1.0, clear=["word-count", "mask"],
        claim={"epsilon": 4.0, "delta": 1e-07, "source": "Huang et al. 2024, the Gaussian baseline", "holds": False},
        statement="Published calibration. Its claim (Huang et al. 2024, the Gaussian baseline), at most e^4.00 times as likely, "
                  "plus a probability of 1e-7, does not follow. What is proved is this. The text is replaced by one random draw "
                  f"(gaussian mechanism). Take any two words{PLACE}. Any set of outcomes is at most e^4.27 times as likely for the one "
                  "as for the other, plus a probability of 1.1e-7. For any two texts of 8 words nothing is proved. Not "
                  f"protected: the number of words and symbols, which of them were left out. {OWN_LOSS}")
    unbounded = of(
        mechanism="dpnr", unit="text", table=None, clear=["word-count"], epsilonWord=None, words=2, epsilonText=None,
        neighbours="lists of the same number of vectors that differ in one of them",
        statement="The vectors are replaced by one random draw (dpnr mechanism). Take any two vectors in one place, with "
                  "the others the same. Whatever comes out is at most e^∞ times as likely for the one as for the other. For any two "
                  "lists of 2 vectors it is at most e^∞ times as likely. The same holds for one word of a text, if the encoder lets it "
                  "move all of the text's vectors. Not protected: the number of vectors. Every further release of the same vectors "
                  "adds its own loss.")
    choice = of(
        mechanism="oue", parameters={"tilt": 1e21}, unit="value", table=None, clear=[], epsilonWord=1.0, words=1, epsilonText=1.0,
        neighbours="any two values of the list",
        statement="The value is replaced by one random draw (oue mechanism). Take any two values. Whatever "
                  "comes out is at most e^1.00 times as likely for the one as for the other. Not protected: that there is a "
                  "value. Every further release of the same value adds its own loss.")
    statement = of(
        mechanism="nearest", parameters={"mass": 0.03125}, unit="whole-text", clear=[], words=1, neighbours="any two texts",
        statement="The text is exchanged for a statement of a public list by one random draw (nearest mechanism). Take any two "
                  "texts, of any allowed length. Whatever comes out is at most e^8.00 times as likely for the one as for the other. Not "
                  f"protected: that there is a text. {OWN_LOSS}")
    in_english = of(
        mechanism="nearest", parameters={"mass": 0.03125}, unit="whole-text", clear=["language"], words=2, epsilonText=16.0,
        neighbours=f"any two texts{CONDITION}",
        statement="Each of its parts, or nothing, is exchanged for a statement of a public list by a random draw (nearest "
                  f"mechanism). Take any two texts in one of the statements{CONDITION}. Whatever comes out is at most e^8.00 times as "
                  f"likely for the one as for the other. For any two texts, of any allowed length{CONDITION}, and all 2 statements "
                  "together it is at most e^16.00 times as likely. Not protected: that there is a text, that the text is not refused "
                  f"as one of another language. {OWN_LOSS}")
    in_german = certified | {
        "clear": ["word-count", "sentence-ends", "language", "redactions"], "neighbours": certified["neighbours"] + CONDITION,
        "statement": "Each private word is replaced by a random draw (certified mechanism). Take any two words at distance d "
                     f"(counted as 1.28 at most){PLACE}{CONDITION}. Whatever comes out is at most e^(7.21·d) times as likely for the "
                     "one as for the other, and at most e^8.82 times as likely for any two words at all. Not protected: the number "
                     "and order of words and symbols, where sentences end, that the text is not refused as one of another language, "
                     f"where a detector took out a span and of which kind, and what its choice tells. {OWN_LOSS}"}
    return [words, certified, laplace, gaussian, unbounded, choice, statement, in_english, in_german]


def of(**fields: Json) -> dict[str, Json]:
    """A guarantee as JSON has it, with what is usual in it."""
    usual = {"mechanism": "", "calibration": "sound", "parameters": {}, "notion": "pure-dp", "unit": "word",
             "neighbours": "texts of the same layout that differ in one private word", "eta": None, "metric": None, "cutoff": None,
             "epsilonWord": 8.0, "deltaWord": 0.0, "words": 1, "epsilonText": 8.0, "deltaText": 0.0, "claim": None,
             "exactSampler": True, "totalVariation": 0.0, "clear": ["word-count", "punctuation", "white-space"], "table": TABLE,
             "statement": ""}
    return usual | fields


def refused() -> list[dict[str, Json]]:
    """What is no short form: each breaks one rule."""
    whole = guarantees()[0]
    good = short(whole)
    changes = [
        ("the digest of another guarantee", {"digest": short(guarantees()[1])["digest"]}),
        ("a digest in capitals", {"digest": good["digest"].upper()}),
        ("no digest", {"digest": None}),
        ("less loss than the digest is of", {"epsilonWord": 8.0}),
        ("more words", {"words": 9}),
        ("another unit", {"unit": "text"}),
        ("another table", {"table": "f" * 64}),
        ("less that is public", {"clear": good["clear"][:2]}),
        ("a parameter less", {"parameters": {"mass": 0.003}}),
        ("a parameter that nobody knows", {"parameters": {**good["parameters"], "depth": 1.0}}),
        ("a mechanism that nobody knows", {"mechanism": "farthest"}),
        ("a cut-off of no metric", {"cutoff": 1.0}),
        ("a claim of nobody", {"claim": {"epsilon": 1.0, "delta": 0.0, "source": "a paper", "holds": True}}),
        ("the notion of a known seed", {"notion": "known-seed"}),
        ("a field that no guarantee has", {"level": 4}),
        *((f"the long form's {name}, too", {name: whole[name]}) for name in LEFT_OUT),
    ]
    missing = [{"why": f"without {name}", "short": {kept: good[kept] for kept in good if kept != name}} for name in good]
    return [{"why": why, "short": good | change} for why, change in changes] + missing


def short_vectors() -> Json:
    cases = [{"guarantee": one, "canonical": canonical(one), "short": short(one)} for one in guarantees()]
    return {"cases": cases, "refused": refused()}
