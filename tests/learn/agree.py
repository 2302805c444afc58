"""Holds the classifiers of `textveil-lab learn` against scikit-learn's on the same features: logistic regression and perceptron.

    python agree.py PROGRAM [--sentences DIR] [--json]    exit 1 if they disagree; a line of JSON a comparison

The data sets come with scikit-learn: handwritten digits (10 classes) and breast tumours (2 classes). With a folder
of sentences, also each `NAME_all.tsv` in it (columns label and text), as hashed words. Each example is tested once,
by a model trained on the other four fifths.

Logistic regression is convex: both must come to the same probabilities. Perceptrons begin elsewhere and differ; their
accuracies agree where the 95 % confidence interval of the paired difference holds zero (exact McNemar test).
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from scipy.stats import binomtest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier

PARTS, EPOCHS, HIDDEN, BATCH, RATE, MOMENTUM, L2 = 5, 50, 128, 32, 0.01, 0.9, 0.01
# How far probabilities of the same convex optimum may be apart.
SAME = 1e-4
SIGNIFICANCE = 0.05


def data_sets(sentences: Path | None) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    images, digits = load_digits(return_X_y=True)
    yield "digits", (images - images.mean(axis=0)) / 16, digits
    cells, tumours = load_breast_cancer(return_X_y=True)
    yield "tumours", (cells - cells.mean(axis=0)) / cells.std(axis=0), tumours
    for path in sorted(sentences.glob("*_all.tsv")) if sentences else []:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        texts, labels = [row["text"] for row in rows], [int(row["label"]) for row in rows]
        yield path.stem, HashingVectorizer(n_features=512).transform(texts).toarray(), np.array(labels)


def ours(program: Path, recipe: dict, files: list[Path]) -> list[np.ndarray]:
    command = [program, "learn", "--recipe", json.dumps(recipe), *files]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [np.array(json.loads(line)["probabilities"]) for line in lines]


def recipes() -> dict[str, dict]:
    # All examples at once, until nothing moves.
    convex = {"sgd": {"rate": 0.2, "decay": 0.0, "momentum": 0.95}}
    usual = {"sgd": {"rate": RATE, "decay": 0.0, "momentum": MOMENTUM}}
    return {
        "logistic": {"model": {"logistic": {"l2": L2}}, "optimizer": convex, "epochs": 600, "batch": 1 << 20, "seed": 1},
        "mlp": {
            "model": {"mlp": {"hidden": [HIDDEN], "dropout": 0.0}},
            "optimizer": usual,
            "epochs": EPOCHS,
            "batch": BATCH,
            "seed": 1,
        },
    }


def theirs(model: str, features: np.ndarray, labels: np.ndarray, seed: int):
    if model == "logistic":
        # With two classes, scikit-learn penalizes the difference of our two rows of weights, which are opposite.
        rows = 2 if len(np.unique(labels)) == 2 else 1
        return LogisticRegression(C=rows / (L2 * len(labels)), tol=1e-8, max_iter=10_000).fit(features, labels)
    perceptron = MLPClassifier(
        (HIDDEN,),
        solver="sgd",
        alpha=0,
        batch_size=BATCH,
        learning_rate_init=RATE,
        momentum=MOMENTUM,
        nesterovs_momentum=False,
        max_iter=EPOCHS,
        tol=0,
        n_iter_no_change=EPOCHS,
        random_state=seed,
    )
    return perceptron.fit(features, labels)


def agree(
    program: Path, folder: Path, as_json: bool, name: str, features: np.ndarray, labels: np.ndarray
) -> bool:
    splits = list(StratifiedKFold(PARTS, shuffle=True, random_state=0).split(features, labels))
    files = [folder / f"{name}-{part}.safetensors" for part in range(PARTS)]
    for (seen, unseen), file in zip(splits, files, strict=True):
        sets = {"train": seen, "test": unseen}
        tensors = {f"{kind}.features": features[rows].astype(np.float32) for kind, rows in sets.items()}
        save_file(tensors | {f"{kind}.labels": labels[rows].astype(np.int64) for kind, rows in sets.items()}, file)
    all_agree = True
    for model, recipe in recipes().items():
        right, apart = [], 0.0
        for part, ((seen, unseen), mine) in enumerate(zip(splits, ours(program, recipe, files), strict=True)):
            other = theirs(model, features[seen], labels[seen], part).predict_proba(features[unseen])
            right.append(np.stack([mine.argmax(axis=1) == labels[unseen], other.argmax(axis=1) == labels[unseen]]))
            apart = max(apart, float(np.abs(mine - other).max()))
        mine, other = np.concatenate(right, axis=1)
        only_mine, only_other = int((mine & ~other).sum()), int((other & ~mine).sum())
        chance = binomtest(only_mine, only_mine + only_other).pvalue if only_mine + only_other else 1.0
        agrees = apart <= SAME if model == "logistic" else chance >= SIGNIFICANCE
        if as_json:
            found = {"agrees": bool(agrees), "data": name, "model": model, "textveil": float(mine.mean())}
            print(json.dumps(found | {"scikit-learn": float(other.mean()), "p": float(chance), "apart": apart}))
        else:
            print(
                f"{name:12} {model:8} textveil {mine.mean():.4f}  scikit-learn {other.mean():.4f}  of {len(labels)}, "
                f"right alone {only_mine}:{only_other} (p = {chance:.2f}), probabilities {apart:.1e} apart"
                f"{'' if agrees else '  DISAGREES'}"
            )
        all_agree &= agrees
    return all_agree


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the program textveil-lab")
    parser.add_argument("--sentences", type=Path, metavar="DIR", help="a folder of NAME_all.tsv")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each comparison")
    options = parser.parse_args()
    # Epochs are equal on purpose.
    warnings.simplefilter("ignore", ConvergenceWarning)
    with tempfile.TemporaryDirectory() as folder:
        verdicts = [agree(options.program, Path(folder), options.json, *data) for data in data_sets(options.sentences)]
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
