"""Writes `tests/oracles/other/`: reference values of the schemas of `tests/oracles/`, at other parameters than theirs.

    python other_oracles.py            write them
    python other_oracles.py --check    exit 1 if a committed file differs

Tests have to take any value of a schema: scales between two steps of a sampler, and outcomes too rare to be drawn among
them. Everything is computed with 40 digits by mpmath, from the definitions.
"""

import json
import sys
from pathlib import Path

from mpmath import betainc, exp, findroot, gamma, gammainc, inf, mp, mpf, nsum, pi, quad, sinh, sqrt

HERE = Path(__file__).resolve().parent.parent / "oracles" / "other"
Cases = list[dict[str, object]]

mp.dps = 40


def discrete_noise() -> Cases:
    cases: Cases = []
    for t in ("0.7", "0.05", "30", "0.3333", "2.3456"):
        b, a = mpf(t), exp(-1 / mpf(t))
        for k in (0, 1, 2, 40):
            cases.append({"kind": "discrete_laplace_pmf", "t": b, "k": k, "pmf": (1 - a) / (1 + a) * a ** k,
                          "cdf": 1 - a ** (k + 1) / (1 + a)})
        cases.append({"kind": "discrete_laplace_moments", "t": b, "var": 2 * a / (1 - a) ** 2, "eps_sens1": 1 / b})
    for squared in ("0.7", "0.05", "30", "77.77"):
        s2 = mpf(squared)
        total = nsum(lambda k, s2=s2: exp(-k * k / (2 * s2)), [-inf, inf])
        for k in (0, 1, 2, 40):
            cases.append({"kind": "discrete_gaussian_pmf", "sigma2": s2, "k": k, "pmf": exp(-mpf(k) ** 2 / (2 * s2)) / total})
        variance = nsum(lambda k, s2=s2: k * k * exp(-k * k / (2 * s2)), [-inf, inf]) / total
        cases.append({"kind": "discrete_gaussian_moments", "sigma2": s2, "var": variance, "zcdp_rho_sens1": 1 / (2 * s2),
                      "Z": total})
    cases += [{"kind": "bernoulli_exp", "gamma": mpf(g), "p": exp(-mpf(g))} for g in ("0.35", "0.142857", "3.0001", "50")]
    return cases


def gamma_radius() -> Cases:
    cases: Cases = []
    for d, eta in ((3, mpf("0.7")), (7, mpf("12.34"))):
        for p in (mpf("0.123"), mpf("0.5"), mpf("0.987")):
            r = findroot(lambda r, d=d, eta=eta, p=p: gammainc(d, 0, eta * r, regularized=True) - p, d / eta)
            cases.append({"kind": "radius_quantile", "d": d, "eta": eta, "p": p, "r": r})
        cases.append({
            "kind": "moments", "d": d, "eta": eta, "mean_r": d / eta, "var_r": d / eta ** 2, "mean_r2": d * (d + 1) / eta ** 2,
            "coord_var": (d + 1) / eta ** 2, "coord_kurtosis": mpf(3 * (d + 3)) / (d + 1),
            "coord_abs_mean": d / eta * gamma(mpf(d) / 2) / (sqrt(pi) * gamma(mpf(d + 1) / 2))})
        for steps in (mpf("0.01"), 1, 60):
            cases.append({"kind": "projection_tail", "d": d, "eta": eta, "t": steps / eta,
                          "P_T_greater_t": _tail(d, eta, steps / eta)})
    return cases


def _tail(d: int, eta: mpf, t: mpf) -> mpf:
    """P(a coordinate > t): the radius is Gamma(d, eta), and a share of the sphere lies beyond t/r."""
    def beyond(r: mpf) -> mpf:
        share = betainc(mpf(d - 1) / 2, mpf(1) / 2, 0, 1 - (t / r) ** 2, regularized=True) / 2
        return eta ** d * r ** (d - 1) * exp(-eta * r) / gamma(d) * share
    return quad(beyond, [t, t + 1 / eta, t + 4 / eta, t + 16 / eta, t + 64 / eta, t + 200 / eta])


def lattice_noise() -> Cases:
    cases: Cases = []
    # The last one is wider than any table, and 1,000 steps are too rare to be drawn.
    for eta, s, places in ((mpf("0.7"), mpf("0.9"), (0, 1, 50)), (mpf("0.013"), mpf(1), (0, 59, 60, 130, 1000))):
        for k in places:
            pmf = 1 - exp(-eta * s / 2) if k == 0 else sinh(eta * s / 2) * exp(-eta * s * k)
            cases.append({"kind": "rounded_1d", "eta": eta, "s": s, "k": k, "pmf": pmf})
    eta, s = mpf("0.7"), mpf("0.9")
    mp.dps = 20
    for place in ([1, 0], [3, -2]):
        cells = [[s * (k - mpf(1) / 2), s * (k + mpf(1) / 2)] for k in place]
        pmf = quad(lambda x, y: eta ** 2 / (2 * pi) * exp(-eta * sqrt(x * x + y * y)), *cells)
        cases.append({"kind": "rounded_2d", "eta": eta, "s": s, "k": place, "pmf": pmf})
    mp.dps = 40
    return cases


def rendered(name: str, cases: Cases) -> bytes:
    lines = ",\n  ".join(json.dumps(case, default=float) for case in cases)
    return f'{{"name": {json.dumps(name)}, "generator": "other_oracles.py", "cases": [\n  {lines}\n]}}\n'.encode()


def main() -> int:
    files = {HERE / f"{made.__name__}.json": rendered(made.__name__, made())
             for made in (discrete_noise, gamma_radius, lattice_noise)}
    if sys.argv[1:] == ["--check"]:
        wrong = [path.name for path, file in files.items() if not path.exists() or path.read_bytes() != file]
        print("; ".join(f"{name} differs" for name in wrong) or f"{len(files)} files are as they should be")
        return 1 if wrong else 0
    HERE.mkdir(exist_ok=True)
    for path, file in files.items():
        path.write_bytes(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
