"""The golden vectors of SPEC.md, sections 7 to 10: samplers, words, representations, choices, and what is refused."""

import itertools
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from typing import TypeVar

import samplers
from choices import MOST_VALUES, Choices
from guarantees import BITS, CERTIFIED, COORDINATE, ENCODINGS, METRIC, PUBLISHED, WORDS_ALONE, Guarantee, Options, of_words
from reference import Stream, Table
from representations import Dropout, Input, Representation, of_text, of_vectors, of_whole_text, represent
from samplers import DiscreteGaussian, DiscreteLaplace, Tail
from vector_tools import Json, all_spelled, code_of, seeds
from word_mechanisms import NEAREST_LEVELS, NEAREST_PRESETS, word_mechanism

GUARANTEED_WORDS = (0, 1, 7)


# --- samplers.json ---------------------------------------------------------------------------------------------------

COUNTS = (1, 2, 3, 10, 1024, 2**32, 2**53 + 1, 2**63 + 1, 2**64 - 1, 2**64, 2**64 + 1, 3 * 2**90, 2**127, 2**128 - 1)
COINS = (0, 1, 2**62, 2**63, 2**64 - 1)
RATIOS = ((0, 1), (1, 1), (1, 3), (2, 3), (999, 1000), (2**70, 2**71 + 1), (1, 2**127))
EXPONENTS = ((0, 1), (1, 1000), (1, 2), (1, 1), (3, 2), (10, 3), (100, 1), (2**100, 2**99 + 1), (2**101, 3 * 2**99))
SCALES = (5e-324, 1 / 1024, 0.3, 1.0, 7.25, 1000.1, 123456.789, 2.0**30)
VARIANCES = (5e-324, 1 / 1024, 0.5, 1.0, 3.999, 100.3, 1e6, 2.0**40)
DEVIATIONS = (2.0**-20, 0.1, 0.5, 1.0, 3.7, 123.4, 98765.4, 2.0**20)
TRUNCATED = ((2.0**-40, 2.0**30), (2.0**40, 2.0**30), (1.0, 0.25), (1.0, 0.5), (1.0, 10.0), (0.01, 1000.5), (0.001, 8e4),
             (30.0, 2.0), (2.0**-40, 1e-3), (0.5, 2.0**30))


T = TypeVar("T")


def _first_robust(draw: Callable[[bytes], tuple[T, bool]], *name: object) -> tuple[bytes, T]:
    """The first seed of that name whose result depends on no last bit, with that result."""
    for seed in itertools.islice(seeds(*name), 200):
        result, robust = draw(seed)
        if robust:
            return seed, result
    raise AssertionError(f"no seed is robust: {name}")


def sampler_vectors() -> Json:
    return {
        "below": [_exact({"n": str(n)}, lambda *given: str(samplers.below(*given)), n) for n in COUNTS],
        "bernoulli": [_exact({"p": str(p)}, samplers.bernoulli, p) for p in COINS],
        "bernoulli_ratio": [_exact({"p": str(p), "q": str(q)}, samplers.bernoulli_ratio, p, q) for p, q in RATIOS],
        "bernoulli_exp": [_exact({"p": str(p), "q": str(q)}, samplers.bernoulli_exp, p, q) for p, q in EXPONENTS],
        "discrete_laplace": [_exact({"scale": scale, "t": law.t}, lambda law, stream: law.draw(stream)[0], law)
                             for scale, law in zip(SCALES, map(DiscreteLaplace.of_scale, SCALES), strict=True)],
        "discrete_gaussian": [_exact({"variance": variance, "v": law.v}, lambda law, stream: law.draw(stream)[0], law)
                              for variance, law in zip(VARIANCES, map(DiscreteGaussian.of_variance, VARIANCES), strict=True)],
        "gaussian": [_tail({"deviation": deviation}, Tail.gaussian(deviation)) for deviation in DEVIATIONS],
        "truncated_laplace": [_tail({"rate": rate, "radius": radius}, Tail.truncated_laplace(rate, radius))
                              for rate, radius in TRUNCATED],
        "refused": list(_refused_scales()),
    }


def _exact(parameters: dict[str, Json], draw: Callable[..., Json], *given: object) -> dict[str, Json]:
    seed = next(seeds("sampler", parameters))
    stream = Stream(seed)
    draws = [draw(*given, stream) for _ in range(24)]
    return {**parameters, "seed": seed.hex(), "draws": draws, "words_read": stream.position}


def _tail(parameters: dict[str, float], tail: Tail) -> dict[str, Json]:
    most = tail.most
    places = sorted({m for m in (0, 1, 2, 3, 10, most // 100, most // 8, most // 2, most - 1, most, most + 1) if m >= 0})

    def draw(seed: bytes) -> tuple[dict[str, Json], bool]:
        stream = Stream(seed)
        drawn = [tail.draw(stream) for _ in range(24)]
        return {"draws": [k for k, _ in drawn], "words_read": stream.position}, all(robust for _, robust in drawn)

    seed, drawn = _first_robust(draw, "tail", parameters)
    return {**parameters, "bound": tail.most, "slack": tail.slack, "beyond": tail.beyond,
            "w": [[m, str(tail.w(m))] for m in places], "seed": seed.hex(), **drawn}


def _refused_scales() -> Iterator[dict[str, Json]]:
    never = (0.0, -0.0, -1.0, math.nan, math.inf, -math.inf)
    above = math.nextafter
    cases: list[tuple[str, dict[str, float], Callable[..., object]]] = []
    cases += [("discrete_laplace", {"scale": x}, DiscreteLaplace.of_scale) for x in (*never, above(2.0**30, math.inf))]
    cases += [("discrete_gaussian", {"variance": x}, DiscreteGaussian.of_variance)
              for x in (*never, above(2.0**40, math.inf))]
    cases += [("gaussian", {"deviation": x}, Tail.gaussian)
              for x in (*never, above(2.0**-20, 0), above(2.0**20, math.inf))]
    cases += [("truncated_laplace", {"rate": x, "radius": 10.0}, Tail.truncated_laplace)
              for x in (*never, above(2.0**-40, 0), above(2.0**40, math.inf))]
    cases += [("truncated_laplace", {"rate": 1.0, "radius": x}, Tail.truncated_laplace)
              for x in (*never, above(2.0**30, math.inf))]
    for name, parameters, make in cases:
        error = code_of(partial(make, *parameters.values()))
        assert error == "invalid-scale", (name, parameters, error)
        yield {"sampler": name, **all_spelled(parameters), "error": error}


# --- mechanisms.json -------------------------------------------------------------------------------------------------

_CLIPS = {"toy.tvt": 5.0, "odd.tvt": 1.0, "one.tvt": 1e-7}


# ε, mass and frequency power. The power takes 0, a quarter, a half and 1. Masses lie within the heaviest row, match k rows of
# equal q, or take nearly all rows. One ε favours no row, and one is the largest.
_NEAREST: list[Options] = [{"epsilon": epsilon, "mass": mass, "frequency_power": power} for epsilon, mass, power in (
    (3.0, 0.3, 0.0), (8.0, 0.5, 0.25), (1.0, 0.02, 0.5), (12.0, 0.9, 1.0), (5.0, 0.4, 1.0), (6.0, 3 / 7, 0.0),
    (6.0, 0.3001, 0.0), (20.0, 0.15, 0.5), (1e-9, 0.5, 0.5), (0.25, 0.999, 0.75))]
_NEAREST_TABLES = ("toy.tvt", "odd.tvt", "line.tvt")


def _word_options(table: Table, clip: float) -> Iterator[tuple[str, Options]]:
    """Mechanisms with parameters; a diameter of 0 leaves only η as given for the metric ones."""
    reach = 40 * table.scale
    metric = [{"eta": 0.2 / table.scale ** 0.5}, {"eta": 0.05 / table.scale}]
    if table.d_max > 0:
        metric += [{"epsilon": 3.0}, {"epsilon": 25.0}, {"epsilon": 100.0}]
    if table.certificates is not None:
        plain = [level for level in table.certificates.levels if level.near == 0]
        yield from (("plateau", options) for options in ({"level": 0}, {"level": 1}, {"epsilon": 1e6}))
        etas, epsilons = ([getattr(level, name) for level in plain] for name in ("eta", "epsilon"))
        yield from (("certified", {"level": level}) for level in range(len(etas)))
        yield from (("certified", options) for options in (
            {"eta": etas[0]}, {"eta": math.nextafter(etas[1], 0)}, {"eta": 1e3 * etas[2]}, {"epsilon": epsilons[1]},
            {"epsilon": math.nextafter(epsilons[2], 0)}, {"epsilon": 1e6}))
    yield from (("exponential", options) for options in metric)
    yield from ((mechanism, options) for mechanism in ("metric-laplace", "lattice-laplace") for options in metric)
    for options, gamma in zip(metric, (reach, table.scale, 3 * reach, reach, 1e300), strict=False):
        yield "truncated-exponential", {**options, "gamma": gamma}
    for options, t in zip(metric, (0.5, 1.0, 0.25, 0.0, 0.75), strict=False):
        yield "vickrey", {**options, "t": t}
    for options, share in zip(metric, (0.5, 0.0, 0.25, 0.999, 0.9), strict=False):
        yield "mahalanobis", {**options, "lambda": share}
    yield from (("laplace", options) for options in _noise_options(({},), clip))
    deltas = ({"delta": 1e-5}, {"delta": 1e-9}, {"delta": 0.01})
    for mechanism in ("truncated-laplace", "gaussian", "discrete-gaussian"):
        yield from ((mechanism, options) for options in _noise_options(deltas, clip))
    for mechanism in ("laplace", "gaussian", "truncated-laplace"):
        for clipped in ({}, {"clip": clip}):
            delta = {} if mechanism == "laplace" else {"delta": 0.02}
            epsilon = 0.03 if mechanism == "truncated-laplace" and table.dims == 1 else 0.2
            yield mechanism, {"epsilon": epsilon, **delta, **clipped, "calibration": "published"}


def _noise_options(deltas: tuple[dict[str, float], ...], clip: float) -> Iterator[Options]:
    for n, (epsilon, clipped) in enumerate(((0.5, {}), (8.0, {"clip": clip}), (30.0, {}), (3.0, {"clip": 0.4 * clip}))):
        yield {"epsilon": epsilon, **deltas[n % len(deltas)], **clipped}


def word_vectors(tables: Mapping[str, Table]) -> Json:
    cases = [_word_case(name, table, mechanism, options) for name, table in tables.items() if name in _CLIPS
             for mechanism, options in _word_options(table, _CLIPS[name])]
    cases += [_word_case("classes.tvt", tables["classes.tvt"], "class-exponential", {"epsilon": epsilon})
              for epsilon in (0.01, 0.5, 4.0, 30.0, 200.0)]
    cases += [_word_case(name, tables[name], "nearest", options) for name in _NEAREST_TABLES for options in _NEAREST]
    levels: list[Options] = [{"level": place} for place in range(len(NEAREST_LEVELS))]
    cases += [_word_case("line.tvt", tables["line.tvt"], "nearest", options) for options in ({}, *levels, {"epsilon": 9.5}, {"mass": 0.01})]
    toys = [("toy.tvt", kind, options) for kind, options in _word_options(tables["toy.tvt"], _CLIPS["toy.tvt"])]
    others = [(name, "nearest", options) for name in _NEAREST_TABLES for options in _NEAREST[:3]]
    unknown = [_unknown_case(name, tables[name], kind, options)
               for name, kind, options in [*toys, ("classes.tvt", "class-exponential", {"epsilon": 4.0}), *others]]
    weights = [_weights_case(name, tables[name], options) for name in _NEAREST_TABLES[:2] for options in _NEAREST]
    weights.append(_weights_case("line.tvt", tables["line.tvt"], _NEAREST[2]))
    return {"cases": cases, "unknown": unknown, "weights": weights}


def _weights_case(name: str, table: Table, options: Options) -> dict[str, Json]:
    """The weights of all rows, for an unknown word and for each fifth row; of a large table for one."""
    mechanism = word_mechanism("nearest", table, options)
    rows = (None, *range(0, table.rows, 5)) if table.rows < 500 else (331,)
    inputs = [{"row": row, "weights": [str(weight) for weight in mechanism.weights(row)]} for row in rows]
    return {"table": name, "mechanism": "nearest", "options": options, "inputs": inputs}


def _unknown_case(name: str, table: Table, kind: str, options: Options) -> dict[str, Json]:
    """What comes out for unknown words, drawn between known ones."""
    mechanism = word_mechanism(kind, table, options)
    inputs = [None if n % 3 else (5 * n) % table.rows for n in range(24)]

    def draw(seed: bytes) -> tuple[dict[str, Json], bool]:
        stream = Stream(seed)
        draws = [mechanism.draw(row, stream) for row in inputs]
        return {"outputs": [d.row for d in draws], "words_read": stream.position}, all(d.robust for d in draws)

    seed, drawn = _first_robust(draw, "unknown", name, kind, sorted(options.items()))
    return {"table": name, "mechanism": kind, "options": options, "seed": seed.hex(), "inputs": inputs, **drawn}


def _word_case(name: str, table: Table, kind: str, options: Options) -> dict[str, Json]:
    mechanism = word_mechanism(kind, table, options)
    step = 331 if table.rows > 500 else 7
    inputs = [(step * n) % table.rows for n in range(8 if table.rows == 1 else 28)]

    def draw(seed: bytes) -> tuple[dict[str, Json], bool]:
        stream = Stream(seed)
        draws = [mechanism.draw(row, stream) for row in inputs]
        return {"outputs": [d.row for d in draws], "words_read": stream.position}, all(d.robust for d in draws)

    seed, drawn = _first_robust(draw, "words", name, kind, sorted(options.items()))
    return {"table": name, "mechanism": kind, "options": options, "calibrated": mechanism.calibrated,
            "guarantees": [_guarantee(n, of_words(n, mechanism.epsilon, mechanism.delta)) for n in GUARANTEED_WORDS],
            "seed": seed.hex(), "inputs": inputs, **drawn}


def _guarantee(words: int, guarantee: Guarantee) -> dict[str, Json]:
    return {"words": words, **asdict(guarantee)}


# --- representations.json --------------------------------------------------------------------------------------------

TEXTS = {
    "toy.tvt": ("The dog saw a tree, by the river bank.", "cat", "Damn! A cat & 2 dogs at www.trees.org?"),
    "odd.tvt": ("Hello John: meet our friend.", "I can't, you know; call 020 7946 0123.", "London tomorrow"),
    "one.tvt": ("alone", "So alone here."),
}
VECTORS = (
    (2, 1.0, ((0.6, 0.8), (-1.0, 0.0), (0.28, -0.96))),
    (3, 2.5, ((0.1, -0.2, 0.3), (5.0, -1.0, 2.0), (0.0, 0.0, 0.0), (1e-3, 2.0, -1.0))),
    (8, 1.0, ((0.5, 0.5, -0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.6, 0.0, 0.0, -0.8, 0.0, 0.0))),
    (5, 0.75, ((0.1, 0.2, -0.3, 0.4, -0.5),)),
    (1, 3.0, ((2.1,), (-7.5,), (0.3,))),
)
WHOLE_TEXTS = ("", "the app crashes", "It is NOT good! The delivery was late.", "Приложение 我们 9", "good", "not good " * 300)
NORMALIZED = ((4, 3.0, ((0.5, -0.5, 0.5, -0.5), (0.0, 1.0, 0.0, 0.0), (0.1, 0.7, -0.7, 0.1))), VECTORS[2],
              (3, 0.5, ((0.0, 0.6, -0.8), (1.0, 0.0, 0.0), (-0.48, 0.6, 0.64), (0.0, 0.0, -1.0))))


def _representation_options(mechanism: str) -> list[Options]:
    published = {"calibration": "published"}
    delta = {"delta": 1e-4}
    return {
        "metric-laplace": [{"epsilon": 12.0}, {"eta": 3.0}, {"eta": 20.0}],
        "lattice-laplace": [{"epsilon": 12.0}, {"eta": 3.0}, {"eta": 20.0}],
        "mahalanobis": [{"epsilon": 12.0, "lambda": 0.5}, {"eta": 3.0, "lambda": 0.0}, {"eta": 20.0, "lambda": 0.8}],
        "laplace": [{"epsilon": 4.0}, {"epsilon": 30.0, **published}, {"epsilon": 0.5}],
        "truncated-laplace": [{"epsilon": 4.0, **delta}, {"epsilon": 0.01, "delta": 0.05, **published},
                              {"epsilon": 0.5, "delta": 1e-8}],
        "gaussian": [{"epsilon": 4.0, **delta}, {"epsilon": 2.0, **delta, **published},
                     {"epsilon": 0.5, "delta": 1e-8}],
        "discrete-gaussian": [{"epsilon": 4.0, **delta}, {"epsilon": 0.5, "delta": 1e-8},
                              {"epsilon": 20.0, "delta": 0.01}],
        "dpnr": [{"epsilon": 4.0}, {"epsilon": 4.0, **published}, {"epsilon": 50.0}],
        "privunit2": [{"epsilon": 0.5}, {"epsilon": 16.0}, {"epsilon": 40.0}],
        "sue": [{"epsilon": 40.0}, {"epsilon": 6.0, **published, "integer_bits": 2, "fraction_bits": 3},
                {"epsilon": 150.0, "integer_bits": 0, "fraction_bits": 11}],
        "oue": [{"epsilon": 40.0}, {"epsilon": 6.0, **published, "integer_bits": 3, "fraction_bits": 0},
                {"epsilon": 60.0, "integer_bits": 2, "fraction_bits": 2}],
        "ome": [{"epsilon": 40.0, "lambda": 10.0}, {"epsilon": 6.0, "lambda": 3.0, **published},
                {"epsilon": 60.0, "lambda": 1.0, "integer_bits": 2, "fraction_bits": 1}],
        "randomized-response": [{"epsilon": 60.0, "tilt": 1.0}, {"epsilon": 6.0, "tilt": 0.0, "fraction_bits": 2},
                                {"epsilon": 60.0, "tilt": 0.25, "integer_bits": 1}],
    }[mechanism]


def _table_of(mechanism: str) -> str:
    """A small table of enough dimensions."""
    return "odd.tvt" if mechanism == "privunit2" else "toy.tvt"


REPRESENTED = ("metric-laplace", "lattice-laplace", "mahalanobis", *COORDINATE, *ENCODINGS)


def _dropouts(mechanism: str, words: int, n: int) -> list[Dropout]:
    rates = (0.0, 0.0) if mechanism in METRIC else ((0.3, 0.4), (0.5, 0.9), (0.75, 0.2))[n % 3]
    return [Dropout(), Dropout("bernoulli", rates[0]), Dropout("fixed", rates[1]),
            Dropout("mask", mask=tuple((place + n) % 3 == 0 for place in range(words)))]


def representation_vectors(tables: Mapping[str, Table]) -> Json:
    return {"cases": [*_representations_of_texts(tables), *_representations_of_vectors()],
            "whole_texts": [*_representations_of_whole_texts("wide.tvt", tables["wide.tvt"])]}


def _representations_of_texts(tables: Mapping[str, Table]) -> Iterator[Json]:
    for mechanism in REPRESENTED:
        plan = [(name, text) for turn in range(3) for name, texts in TEXTS.items() for text in texts[turn:turn + 1]
                if name != "one.tvt" or mechanism in ("laplace", "gaussian", "dpnr", *BITS)
                if name == "odd.tvt" or mechanism != "privunit2"]
        options = _representation_options(mechanism)
        for n in range(24):
            name, text = plan[n % len(plan)]
            chosen = options[n % 3]
            if mechanism in COORDINATE and n % 2:
                chosen = {**chosen, "clip": _CLIPS[name]}
            yield _text_case(name, tables[name], text, mechanism, chosen, n)
        yield _text_case("odd.tvt", tables["odd.tvt"], "", mechanism, options[0], 0)
        blank = _table_of(mechanism)
        yield _text_case(blank, tables[blank], " ", mechanism, options[1], 4)
    for mechanism, n in itertools.product(BITS, (0, 4)):
        widest = {**_representation_options(mechanism)[0], "integer_bits": 15, "fraction_bits": 15}
        yield _text_case("odd.tvt", tables["odd.tvt"], TEXTS["odd.tvt"][0], mechanism, widest, n)


def _text_case(name: str, table: Table, text: str, mechanism: str, options: Options, n: int) -> Json:
    given = of_text(table, text, mechanism, options)
    return _case({"table": name, "text": text}, given, mechanism, options, n)


def _representations_of_vectors() -> Iterator[Json]:
    for mechanism in REPRESENTED:
        if mechanism == "mahalanobis":
            continue
        sets = NORMALIZED if mechanism == "privunit2" else VECTORS
        for n in range(24):
            dims, clip, vectors = sets[n % len(sets)]
            # One place further than the texts, so that every way of dropping out meets every parameter.
            options = _representation_options(mechanism)[(n + 1) % 3]
            given = of_vectors(dims, clip, vectors, mechanism, options)
            yield _case({"dims": dims, "clip": clip, "vectors": vectors}, given, mechanism, options, n)


def _representations_of_whole_texts(name: str, encoder: Table) -> Iterator[Json]:
    """Texts of many words, of few, of unknown ones and of none."""
    for n, (text, dims) in enumerate(itertools.product(WHOLE_TEXTS, (3, 4, 5, None))):
        options = _representation_options("privunit2")[n % 3]
        given = of_whole_text(encoder, dims, text, "privunit2", options)
        source = {"encoder": name, "dims": dims, "text": text}
        yield _drawn(source, given, "privunit2", options, "whole-text", Dropout())


def _case(source: dict[str, Json], given: Input, mechanism: str, options: Options, n: int) -> Json:
    unit = ("word", "text")[n // 4 % 2]
    dropout = _dropouts(mechanism, len(given.vectors), n + len(mechanism))[n % 4]
    return _drawn(source, given, mechanism, options, unit, dropout)


def _drawn(source: dict[str, Json], given: Input, mechanism: str, options: Options, unit: str, dropout: Dropout) -> Json:
    def draw(seed: bytes) -> tuple[Representation, bool]:
        result = represent(given, mechanism, options, unit, dropout, seed)
        return result, result.robust

    seed, result = _first_robust(draw, "representation", source, mechanism, sorted(options.items()), unit, dropout)
    released = {"bits": result.bits} if mechanism in BITS else {"scale": result.scale, "integers": result.integers}
    return {**source, "mechanism": mechanism, "options": options, "unit": unit, "dropout": _dropout(dropout),
            "calibrated": result.calibrated, "seed": seed.hex(), **released,
            "guarantee": _guarantee(len(given.vectors), result.guarantee)}


def _dropout(dropout: Dropout) -> Json:
    if dropout.kind == "none":
        return None
    return {dropout.kind: list(dropout.mask) if dropout.kind == "mask" else dropout.rate}


# --- choices.json ----------------------------------------------------------------------------------------------------

_LISTS = {2: (0, 1), 5: (0, 2, 4), 64: (0, 37, 63)}
_CHOICE_EPSILONS = (0.1, 1.0, 4.0, 12.5, 30.0)


def choice_vectors() -> Json:
    laws = itertools.product(("sue", "oue"), ({}, {"calibration": "published"}), _LISTS.items())
    plan = ((mechanism, calibration, size, value) for mechanism, calibration, (size, values) in laws for value in values)
    return {"cases": [_choice_case(mechanism, {"epsilon": epsilon, **calibration}, size, value)
                      for (mechanism, calibration, size, value), epsilon in zip(plan, itertools.cycle(_CHOICE_EPSILONS))],
            "refused": [_choice_refusal(*case) for case in _choice_refusals()]}


def _choice_case(mechanism: str, options: Options, size: int, value: int) -> Json:
    choices = Choices(mechanism, size, options)
    seed, bits = _first_robust(lambda seed: choices.report(value, Stream(seed)), "choice", mechanism,
                               sorted(options.items()), size, value)
    return {"mechanism": mechanism, "options": options, "size": size, "value": value, "seed": seed.hex(), "bits": bits,
            "guarantee": _guarantee(1, choices.guarantee), "claim": choices.claim and asdict(choices.claim)}


def _choice_refusals() -> Iterator[tuple[str, Options, int, int, str | None]]:
    good = {"epsilon": 4.0}
    for mechanism, most, too_much in (("sue", 70.0, 80.0), ("oue", 44.0, 45.0)):
        yield from ((mechanism, good, size, 0, "invalid-argument") for size in (0, 1, MOST_VALUES + 1))
        yield from ((mechanism, good, size, size - 1, None) for size in (2, MOST_VALUES))
        yield from ((mechanism, good, size, size + more, "invalid-argument") for size in (2, 64) for more in (0, 1))
        yield mechanism, {}, 5, 0, "invalid-epsilon"
        too_little = math.nextafter(1e-5, 0.0)
        yield from ((mechanism, {"epsilon": epsilon}, 5, 0, "invalid-epsilon") for epsilon in (*_NEVER, too_little, too_much))
        yield from ((mechanism, {"epsilon": epsilon}, 5, 0, None) for epsilon in (1e-5, most))
        yield mechanism, {**good, "calibration": "published"}, 5, 0, None
        others = {"integer_bits": 4, "fraction_bits": 5, "eta": 1.0, "delta": 1e-4, "lambda": 1.0, "tilt": 0.5, "mass": 0.5,
                  "frequency_power": 0.5}
        yield from ((mechanism, {**good, name: value}, 5, 0, "invalid-options") for name, value in others.items())
    yield from ((mechanism, options, 5, 0, "not-offered") for mechanism, options in _GOOD.items()
                if "epsilon" in options and mechanism not in ("sue", "oue"))


def _choice_refusal(mechanism: str, options: Options, size: int, value: int, error: str | None) -> Json:
    found = code_of(lambda: Choices(mechanism, size, options).report(value, Stream(bytes(32))))
    assert found == error, (mechanism, options, size, value, error, found)
    return {"mechanism": mechanism, "options": _spelled_options(options), "size": size, "value": value, "error": error}


# --- refusals.json ---------------------------------------------------------------------------------------------------

_NEVER = (0.0, -0.0, -1.0, math.nan, math.inf, -math.inf)
_GOOD: dict[str, Options] = {
    "certified": {"level": 1}, "plateau": {"level": 1}, "nearest": {"epsilon": 4.0, "mass": 0.3, "frequency_power": 0.5},
    "exponential": {"eta": 1.0}, "truncated-exponential": {"eta": 1.0, "gamma": 2.0},
    "class-exponential": {"epsilon": 4.0},
    "metric-laplace": {"eta": 1.0}, "lattice-laplace": {"eta": 1.0}, "vickrey": {"eta": 1.0, "t": 0.5},
    "mahalanobis": {"eta": 1.0, "lambda": 0.5},
    "laplace": {"epsilon": 4.0}, "truncated-laplace": {"epsilon": 4.0, "delta": 1e-4},
    "gaussian": {"epsilon": 4.0, "delta": 1e-4}, "discrete-gaussian": {"epsilon": 4.0, "delta": 1e-4},
    "dpnr": {"epsilon": 4.0}, "privunit2": {"epsilon": 4.0}, "sue": {"epsilon": 4.0}, "oue": {"epsilon": 4.0},
    "ome": {"epsilon": 4.0, "lambda": 2.0}, "randomized-response": {"epsilon": 4.0, "tilt": 0.5},
}
_WORDS = tuple(name for name in _GOOD if name not in ENCODINGS)
_RANGES = {
    # parameter: (values out of its range, values in it that every mechanism takes)
    "eta": ((*_NEVER, 5e-324, math.nextafter(1e-6, 0), math.nextafter(1e6 / 0.05, math.inf), sys.float_info.max),
            (1e-6, 2e7)),
    "epsilon": (_NEVER, (1.0,)),
    "delta": ((*_NEVER, 1.0, math.nextafter(1.0, 2.0)), (0.5, 1e-6)),
    "gamma": ((*_NEVER, math.nextafter(0.05, 0)), (0.05, 1e300)),
    "t": ((-1.0, -5e-324, math.nextafter(1.0, 2.0), math.nan, math.inf, -math.inf), (0.0, 1.0)),
    "clip": ((*_NEVER, math.nextafter(0.05, 0), 0.01), (0.05, 3.0, 1e100)),
    # `toy.tvt` with the frequencies' square root: the lightest row has four of 38,538 units.
    "mass": ((*_NEVER, 1.0, 21.0, 1e-5, 3.9 / 38538), (4.1 / 38538, 0.5, math.nextafter(1.0, 0.0))),
    "frequency_power": ((-0.1, -5e-324, math.nextafter(1.0, 2.0), 1.1, math.nan, math.inf, -math.inf), (0.0, -0.0, 1.0)),
}
_LAMBDAS = {
    "mahalanobis": ((-1.0, -5e-324, math.nextafter(0.999, 1.0), 1.0, 2.0, math.nan, math.inf, -math.inf), (0.0, 0.999)),
    "ome": ((-1.0, 0.0, math.nextafter(1.0, 0.0), math.nan, math.inf, -math.inf), (1.0, 100.0)),
}


def refusal_vectors(tables: Mapping[str, Table]) -> Json:
    return {
        "words": [_word_refusal(tables, *case) for case in _word_refusals()],
        "texts": [_text_refusal(tables, *case) for case in _text_refusals()],
        "vectors": [_vector_refusal(*case) for case in _vector_refusals()],
        "whole_texts": [_whole_text_refusal("wide.tvt", tables["wide.tvt"], *case) for case in _whole_text_refusals()],
    }


def _whole_text_refusals() -> Iterator[tuple[int | None, str, Options, Dropout, str | None]]:
    yield from ((dims, "privunit2", {"epsilon": 8.0}, Dropout(), error) for dims, error in (
        (None, None), (0, "dimension-mismatch"), (1, "not-offered"), (2, "not-offered"), (3, None), (5, None), (6, "dimension-mismatch"),
        (128, "dimension-mismatch"), (2**32 - 1, "dimension-mismatch")))
    yield from ((5, "privunit2", options, Dropout(), error) for options, error in _parameter_refusals("privunit2"))
    yield from ((5, mechanism, _GOOD[mechanism], Dropout(), "not-offered") for mechanism in _GOOD if mechanism != "privunit2")
    yield from ((5, "privunit2", {"epsilon": 8.0}, Dropout(kind, 0.5), "not-offered") for kind in ("bernoulli", "fixed"))


def _whole_text_refusal(name: str, encoder: Table, dims: int | None, mechanism: str, options: Options, dropout: Dropout,
                        error: str | None) -> Json:
    def attempt() -> None:
        represent(of_whole_text(encoder, dims, "", mechanism, options), mechanism, options, "whole-text", dropout, bytes(32))

    found = code_of(attempt)
    assert found == error, (dims, mechanism, options, found, error)
    return {"encoder": name, "dims": dims, "text": "", "mechanism": mechanism, "options": _spelled_options(options),
            "unit": "whole-text", "dropout": all_spelled(_dropout(dropout)), "error": error}


def _parameter_refusals(mechanism: str) -> Iterator[tuple[Options, str | None]]:
    """Every parameter of a mechanism at and beyond its range, left out, and those of other mechanisms."""
    good = _GOOD[mechanism]
    if mechanism in CERTIFIED:
        yield from _certified_refusals(2 if mechanism == "plateau" else 3)
        return
    metric = mechanism in METRIC
    yield good, None
    taken = [*good, *(["clip"] if mechanism in COORDINATE else [])]
    for name in taken:
        if name == "tilt":
            continue
        bad, fine = _LAMBDAS[mechanism] if name == "lambda" else _RANGES[name]
        yield from (({**good, name: value}, _code(name)) for value in bad)
        yield from (({**good, name: value}, None) for value in fine)
    if metric:
        rest = {name: value for name, value in good.items() if name != "eta"}
        yield from (({**rest, "epsilon": value}, "invalid-epsilon") for value in (*_NEVER, 1e-9, 1e12))
        yield {**rest, "epsilon": 10.0}, None
        yield {**good, "epsilon": 10.0}, "invalid-options"
    else:
        yield {name: value for name, value in good.items() if name != "epsilon"}, "invalid-epsilon"
        yield {**good, "eta": 1.0}, "invalid-options"
    yield from (({key: value for key, value in good.items() if key != name}, _code(name))
                for name in ("delta", "gamma", "lambda", "t", "mass", "frequency_power") if name in good)
    others = {"delta": 1e-4, "gamma": 2.0, "lambda": 1.0, "t": 0.5, "tilt": 0.5, "clip": 3.0, "integer_bits": 4,
              "fraction_bits": 5, "mass": 0.5, "frequency_power": 0.5}
    own = {*taken, *(("integer_bits", "fraction_bits") if mechanism in BITS else ())}
    yield from (({**good, name: value}, "invalid-options") for name, value in others.items() if name not in own)
    if mechanism in BITS:
        yield {**good, "epsilon": 1e6}, "invalid-epsilon"
    if mechanism == "nearest":
        yield from (({**good, "epsilon": value}, "invalid-epsilon") for value in (math.nextafter(20.0, 21.0), 21.0, 1e6))
        yield from (({**good, "epsilon": value}, None) for value in (5e-324, 20.0))
        yield {**good, "level": 1}, "invalid-options"
    if mechanism == "privunit2":
        yield {**good, "epsilon": 1e-12}, "invalid-epsilon"
        yield {**good, "epsilon": 1e6}, None
    options = {**good, "calibration": "published", **({"epsilon": 0.02} if mechanism == "truncated-laplace" else {})}
    yield options, None if mechanism in PUBLISHED else "invalid-calibration"
    yield {**good, "calibration": "sound"}, None


def _code(name: str) -> str:
    return f"invalid-{name.replace('_', '-')}"


def _certified_refusals(levels: int) -> Iterator[tuple[Options, str | None]]:
    """A level, or an η or ε that at least one certificate keeps to."""
    yield from (({"level": level}, None) for level in range(levels))
    yield from (({"level": level}, "invalid-level") for level in (levels, 255, 2**53, 0.5, -1.0, math.nan, math.inf))
    for name in ("eta", "epsilon"):
        yield from (({name: value}, f"invalid-{name}") for value in _NEVER)
        yield from (({name: value}, "invalid-level") for value in (5e-324, 0.2))
        yield from (({name: value}, None) for value in (2.0, sys.float_info.max))
        yield {name: 2.0, "level": 1}, "invalid-options"
    yield {"eta": 2.0, "epsilon": 2.0}, "invalid-options"
    yield from (({"level": 1, name: value}, "invalid-options")
                for name, value in (("delta", 1e-4), ("gamma", 2.0), ("clip", 3.0), ("integer_bits", 4)))
    yield {"level": 1, "calibration": "published"}, "invalid-calibration"


def _word_refusals() -> Iterator[tuple[str, str, Options, str | None]]:
    for mechanism in _WORDS:
        table = "classes.tvt" if mechanism == "class-exponential" else "toy.tvt"
        yield from ((table, mechanism, options, error) for options, error in _parameter_refusals(mechanism))
    yield "odd.tvt", "class-exponential", {"epsilon": 4.0}, "not-offered"
    yield from (("one.tvt", "certified", options, "invalid-level") for options in ({"level": 0}, {"epsilon": 9.0}))
    yield from (("toy.tvt", "nearest", {"level": level}, "invalid-level") for level in (0, 1, 255))
    yield from (("line.tvt", "nearest", {"level": level}, None) for level in range(len(NEAREST_LEVELS)))
    yield from (("line.tvt", "nearest", {"level": level}, "invalid-level")
                for level in (len(NEAREST_LEVELS), 255, 2**53, 0.5, -1.0, math.nan, math.inf))
    yield "line.tvt", "nearest", {"level": 1, "epsilon": 2.0}, "invalid-options"
    for preset, level in NEAREST_PRESETS.items():
        yield from (("line.tvt", "nearest", {"preset": preset, **options}, None) for options in ({}, {"mass": 0.5}))
        yield from (("line.tvt", "nearest", {"preset": preset, **strength}, "invalid-options")
                    for strength in ({"level": level}, {"epsilon": 9.0}))
        yield "toy.tvt", "nearest", {"preset": preset}, "invalid-level"
        yield "toy.tvt", "certified", {"preset": preset}, "invalid-options"
    yield from (("line.tvt", "nearest", options, None) for options in ({}, {"mass": 0.5}, {"frequency_power": 1.0}, {"epsilon": 3.0}))
    yield from (("one.tvt", "nearest", {**_GOOD["nearest"], "mass": mass}, "invalid-mass") for mass in (1e-9, 0.3, 0.999))
    yield "one.tvt", "mahalanobis", {"eta": 1.0, "lambda": 1.0}, "invalid-lambda"
    yield from (("one.tvt", mechanism, {**{k: v for k, v in _GOOD[mechanism].items() if k != "eta"}, "epsilon": 1.0},
                 "invalid-epsilon") for mechanism in ("truncated-exponential", "vickrey", "mahalanobis"))
    yield "toy.tvt", "truncated-laplace", {"epsilon": 4.0, "delta": 1e-4, "calibration": "published"}, "invalid-epsilon"
    yield from (("toy.tvt", mechanism, _GOOD[mechanism], "not-offered") for mechanism in ENCODINGS)


def _word_refusal(tables: Mapping[str, Table], name: str, mechanism: str, options: Options, error: str | None) -> Json:
    found = code_of(lambda: word_mechanism(mechanism, tables[name], options))
    assert found == error, (name, mechanism, options, error, found)
    return {"table": name, "mechanism": mechanism, "options": _spelled_options(options), "error": error}


def _spelled_options(options: Options) -> Json:
    return {name: value if isinstance(value, (int, str)) else all_spelled(value) for name, value in options.items()}


_TEXT = "the dog and cat"


def _text_refusals() -> Iterator[tuple[str, Options, str, Dropout, str | None]]:
    for mechanism in _GOOD:
        if mechanism in _WORDS:
            continue
        yield from ((mechanism, options, "word", Dropout(), error) for options, error in _parameter_refusals(mechanism))
    for mechanism in ("metric-laplace", "mahalanobis", *COORDINATE):
        good = _GOOD[mechanism]
        yield mechanism, good, "text", Dropout(), None
        yield mechanism, {**good, "integer_bits": 4}, "text", Dropout(), "invalid-options"
    for mechanism in WORDS_ALONE:
        yield from ((mechanism, _GOOD[mechanism], unit, Dropout(), "not-offered") for unit in ("word", "text"))
    for mechanism in ("laplace", "dpnr", "sue"):
        for kind in ("bernoulli", "fixed"):
            for rate in (1.0, -5e-324, 1.5, math.nan, math.inf, -math.inf):
                yield mechanism, _GOOD[mechanism], "text", Dropout(kind, rate), "invalid-dropout"
            for rate in (0.0, math.nextafter(1.0, 0.0)):
                yield mechanism, _GOOD[mechanism], "text", Dropout(kind, rate), None
        for words in (0, 3, 5):
            yield mechanism, _GOOD[mechanism], "word", Dropout("mask", mask=(True,) * words), "invalid-mask"
        yield mechanism, _GOOD[mechanism], "word", Dropout("mask", mask=(True,) * 4), None
    for mechanism in ("metric-laplace", "mahalanobis"):
        for kind in ("bernoulli", "fixed"):
            yield mechanism, _GOOD[mechanism], "word", Dropout(kind, 0.5), "not-offered"
            yield mechanism, _GOOD[mechanism], "word", Dropout(kind, 0.0), None
        yield mechanism, _GOOD[mechanism], "text", Dropout("mask", mask=(True, False, True, False)), None


def _text_refusal(tables: Mapping[str, Table], mechanism: str, options: Options, unit: str, dropout: Dropout,
                  error: str | None) -> Json:
    table = _table_of(mechanism)
    found = code_of(lambda: represent(of_text(tables[table], _TEXT, mechanism, options), mechanism, options, unit,
                                      dropout, bytes(32)))
    assert found == error, (mechanism, options, unit, dropout, error, found)
    return {"table": table, "text": _TEXT, "mechanism": mechanism, "options": _spelled_options(options),
            "unit": unit, "dropout": all_spelled(_dropout(dropout)), "error": error}


def _vector_refusals() -> Iterator[tuple[int, float, list[list[float]], str, str | None]]:
    good = [[0.6, 0.8, 0.0], [0.0, 0.0, -1.0]]
    for mechanism in REPRESENTED:
        if mechanism == "mahalanobis":
            continue
        yield 3, 1.0, good, mechanism, None
        yield 3, 1.0, [], mechanism, "invalid-vector"
        yield 3, 1.0, [good[0], []], mechanism, "invalid-vector"
        yield from ((3, 1.0, [good[0], [0.0, x, 0.0]], mechanism, "invalid-vector")
                    for x in (math.nan, math.inf, -math.inf))
        yield from ((3, 1.0, [good[0], [1.0] + [0.0] * n], mechanism, "dimension-mismatch") for n in (1, 3))
    for clip in (*_NEVER, math.nextafter(1e-100, 0), math.nextafter(1e100, math.inf)):
        yield from ((3, clip, good, mechanism, "invalid-clip") for mechanism in ("laplace", "privunit2", "sue"))
    for clip in (1e-100, 1e100):
        yield from ((3, clip, good, mechanism, None) for mechanism in ("laplace", "privunit2", "sue"))
    for vector in ([0.6, 0.0, 0.8 + 1.3e-6], [0.6, 0.0, 0.8 - 1.3e-6], [0.0] * 3, [0.0, 6.0, 8.0], [0.0, 0.3, 0.4]):
        yield 3, 1.0, [vector], "privunit2", "not-normalized"
    for vector in ([0.6, 0.0, 0.8 + 1.2e-6], [0.6, 0.0, 0.8 - 1.2e-6]):
        yield 3, 1.0, [vector], "privunit2", None
    yield 1, 1.0, [[1.0]], "privunit2", "not-offered"
    yield 2, 1.0, [[0.6, 0.8]], "privunit2", "not-offered"
    yield from ((3, 1.0, good, mechanism, "not-offered")
                for mechanism in WORDS_ALONE)


def _vector_refusal(dims: int, clip: float, vectors: list[list[float]], mechanism: str, error: str | None) -> Json:
    options = _GOOD[mechanism]
    found = code_of(lambda: represent(of_vectors(dims, clip, vectors, mechanism, options), mechanism, options, "word",
                                      Dropout(), bytes(32)))
    assert found == error, (dims, clip, vectors, mechanism, error, found)
    return {"dims": dims, "clip": all_spelled(clip), "vectors": all_spelled(vectors), "mechanism": mechanism,
            "options": _spelled_options(options), "unit": "word", "error": error}
