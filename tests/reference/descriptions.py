"""SPEC.md, section 11: what a person reads of a guarantee, from the texts that every language has."""

import json
from decimal import ROUND_CEILING, Context, Decimal
from pathlib import Path

import mpmath

from vector_tools import Json

ROWS = json.loads((Path(__file__).parents[2] / "core/src/privacy/guarantee/describe.json").read_text(encoding="utf-8"))
LANGUAGES = ROWS[0][1:]
TEXTS = {language: {row[0]: row[1 + column] for row in ROWS} for column, language in enumerate(LANGUAGES)}
# The decimal point, what stands between groups of three digits, and from how many digits on it does (CLDR).
SIGNS = {"en": (".", ",", 4), "de": (",", ".", 4), "fr": (",", "\u202f", 4), "es": (",", ".", 5)}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


# --- Sentences -------------------------------------------------------------------------------------------------------


def describe(guarantee: dict[str, Json], language: str) -> str:
    """One to three short sentences."""
    texts = TEXTS[language]

    def number(x: float, digits: int) -> str:
        return written(rounded_up(x, digits), language)

    def but(delta: float) -> str:
        return texts["but"].format(delta=number(delta, 2)) if delta > 0 else ""

    def strength() -> str:
        if guarantee["words"] == 0:
            return texts["none"]
        whole = "Text" if kind == "text" else "Word"
        epsilon, delta = guarantee[f"epsilon{whole}"], guarantee[f"delta{whole}"]
        if delta >= 1 or guarantee["notion"] == "known-seed":
            return texts["warning"]
        one, other = {"answer": ("answer", "answer"), "text": ("text", "text"), "vector": ("vector", "vector"), "word": ("word", "word"),
                      "kind": ("word", "kind")}[kind]
        told = texts["odds"].format(one=texts[f"one-{one}"], other=texts[f"other-{other}"],
                                    factor=number(factor(epsilon), 2), epsilon=number(epsilon, 4)) + but(delta)
        if "language" in guarantee["clear"]:
            told += texts["condition"]
        if guarantee["eta"] is not None and guarantee["exactSampler"]:
            told += texts["near"].format(eta=number(guarantee["eta"], 4))
        if guarantee["words"] > 1 and kind not in ("answer", "text"):
            epsilon, delta = guarantee["epsilonText"], guarantee["deltaText"]
            told += texts["all"].format(words=number(guarantee["words"], 17))
            told += f"ε = {number(epsilon, 4)}{but(delta)}" if delta < 1 else texts["nothing"]
        return told + "."

    of_units = "vector" if guarantee["table"] is None else "kind" if "word-classes" in guarantee["clear"] else "word"
    kind = {"value": "answer", "whole-text": "text"}.get(guarantee["unit"], of_units)
    count = "vector-number" if kind == "vector" else "word-number" if guarantee["unit"] == "text" else "word-order"
    claim = guarantee["claim"]
    claimed = texts["claim"].format(epsilon=number(claim["epsilon"], 4)) if claim and not claim["holds"] else ""
    seen = ["an-answer"] * (kind == "answer") + ["a-text"] * (kind == "text")
    seen += [count if name == "word-count" else name for name in guarantee["clear"]]
    return f"{strength()}{claimed}{texts['seen']}{', '.join(texts[name] for name in seen)}."


def factor(epsilon: float) -> float:
    """e^ε, less a relative 10⁻¹³; infinite beyond all floats."""
    with mpmath.workdps(30):
        power = float(mpmath.exp(epsilon)) if epsilon < 709.78 else float("inf")
    return power * (1 - 1e-13)


def rounded_up(x: float, digits: int) -> Decimal:
    """The smallest decimal number of ``digits`` digits whose float is not below x."""
    exact = Decimal(x)
    nearest = Context(prec=digits).plus(exact)
    return nearest if float(nearest) >= x else Context(prec=digits, rounding=ROUND_CEILING).plus(exact)


def written(number: Decimal, language: str) -> str:
    """A number as the language writes it; with a power of ten from a million on, and below 0.0001."""
    point, between, grouped_from = SIGNS[language]
    if number.is_infinite():
        return "∞"
    if number and not Decimal("0.0001") <= number < 1_000_000:
        mantissa = written(number.scaleb(-number.adjusted()), language)
        return f"{mantissa}\u00a0×\u00a010{str(number.adjusted()).translate(RAISED)}"
    whole, _, part = f"{number:f}".partition(".")
    part = part.rstrip("0")
    if len(whole) >= grouped_from:
        whole = f"{int(whole):,}".replace(",", between)
    return whole + (point + part if part else "")


# --- describe.json ---------------------------------------------------------------------------------------------------


def description_vectors() -> Json:
    return {"cases": [{"guarantee": one, **{language: describe(one, language) for language in LANGUAGES}}
                      for one in guarantees()]}


def guarantees() -> list[dict[str, Json]]:
    """Guarantees of every kind, and numbers at every edge. What no description reads is the same in all of them."""
    metric = {"notion": "metric-dp", "eta": 6.25, "metric": "truncated-euclidean", "cutoff": 2.5}
    default = metric | {"mechanism": "certified", "epsilonWord": 15.61803398874989}
    nearest = {"mechanism": "nearest", "parameters": {"mass": 0.01, "frequencyPower": 0.5}}
    laplace = {"mechanism": "laplace", "parameters": {"clip": 1.5}}
    gaussian = {"mechanism": "gaussian", "notion": "approximate-dp", "deltaWord": 1e-5, "exactSampler": False,
                "totalVariation": 3e-10}
    vectors = {"mechanism": "dpnr", "unit": "text", "table": None, "clear": ["word-count"]}
    answer = {"mechanism": "oue", "unit": "value", "table": None, "clear": [], "epsilonWord": 1.0}
    statement = {"mechanism": "nearest", "unit": "whole-text", "clear": []}
    claim = {"epsilon": 40.0, "delta": 0.0, "source": "a paper"}
    everything = ["word-count", "punctuation", "white-space", "function-words", "placeholders", "word-classes", "mask"]
    return [
        of(default), of(default, words=8),
        of(default, exactSampler=False, totalVariation=1e-9, deltaWord=0.0125, words=3),
        of(gaussian), of(gaussian, words=12), of(gaussian, deltaWord=0.001), of(gaussian, deltaWord=0.1 + 0.2),
        of(gaussian, deltaWord=5e-324), of(gaussian, deltaWord=1.0), of(gaussian, words=2000, deltaText=1.0),
        of(default, words=0), of(default, notion="known-seed"), of(default, notion="known-seed", words=0),
        of(vectors, notion="known-seed", words=4), of(answer, notion="known-seed"),
        of(laplace, calibration="published", claim=claim | {"holds": False}),
        of(laplace, calibration="published", claim=claim | {"holds": True}),
        of(laplace, calibration="published", claim=claim | {"epsilon": 1234567.8, "holds": False}, words=0),
        of(mechanism="class-exponential", words=5, clear=[*everything[:3], "word-classes"]),
        of(nearest), of(nearest, words=5), of(nearest, words=0), of(nearest, notion="known-seed", words=2),
        of(mechanism="dpnr", unit="text", clear=["word-count"], words=9), of(vectors), of(vectors, words=4),
        of(vectors, mechanism="laplace", unit="word", words=4, clear=["word-count", "mask"]),
        of(answer), of(answer, words=1, clear=["mask"]),
        of(statement), of(statement, words=3), of(statement, words=32), of(statement, words=2, deltaText=1e-5),
        of(statement, words=2, deltaText=1.0),
        of(statement, notion="known-seed"), of(statement, epsilonWord=1.0),
        of(default, clear=["word-count", "sentence-ends"]), of(default, clear=["word-count", "sentence-ends", *everything[3:]], words=3),
        of(default, clear=[*everything[:3], "kept-words", "redactions"]), of(default, clear=["word-count", "redactions"], words=3),
        of(default, clear=[*everything[:3], "language"], words=2), of(gaussian, clear=["word-count", "language", "redactions"]),
        of(statement, clear=["language"]), of(statement, words=3, clear=["language"]), of(default, clear=["language"], words=0),
        of(default, clear=everything), of(default, clear=everything[:5]), of(default, clear=[]),
        *(of(laplace, epsilonWord=epsilon) for epsilon in (1e-9, 0.0001, 0.00009999, 0.07, 0.1 + 0.2, 0.25)),
        # e^ε near a whole number, at 1, with carries, and beyond a million and all floats.
        *(of(laplace, epsilonWord=epsilon) for epsilon in (
            0.6931471805599453, 0.6931471805599454, 0.6931471806, 2.302585092994046, 4.6, 7.1, 9.3, 11.55, 13.8, 13.9,
            31.62, 31.6200000001, 99.99999, 700.0, 709.9, 999.99)),
        *(of(laplace, epsilonWord=epsilon, words=2) for epsilon in (
            1000.0, 1234.0, 9999.5, 12345.6, 499999.5, 999999.0, 999999.5, 1e6, 1234567.0, 2e9, 1e300)),
        *(of(default, words=words) for words in (2, 1234, 12345, 123456, 999999, 1048576, 4294967295)),
        *(of(default, eta=eta) for eta in (1e-6, 0.99999, 12.345, 1234.5, 1e6)),
    ]


def of(*given: dict[str, Json], **others: Json) -> dict[str, Json]:
    """A guarantee as JSON has it, for its words one by one unless told."""
    one = {"mechanism": "exponential", "calibration": "sound", "parameters": {}, "notion": "pure-dp", "unit": "word",
           "neighbours": "", "eta": None, "metric": None, "cutoff": None, "epsilonWord": 8.0, "deltaWord": 0.0, "words": 1,
           "claim": None, "exactSampler": True, "totalVariation": 0.0,
           "clear": ["word-count", "punctuation", "white-space"], "table": "0123456789abcdef" * 4, "statement": ""}
    for some in (*given, others):
        one |= some
    text = {"epsilonText": one["words"] * one["epsilonWord"], "deltaText": min(1.0, one["words"] * one["deltaWord"])}
    return text | one
