"""Differential privacy for text, on the machine that holds the text.

>>> from textveil import TextVeil
>>> release = TextVeil().privatize("The doctor was kind to my mother.")
>>> print(release.text, release.guarantee.statement, sep="\\n")  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from . import _generated  # noqa: F401 first, because it replaces classes that the others name
from ._columns import Released
from ._contributions import Contributor, Sum
from ._errors import TextVeilError
from ._native import (
    Alternative,
    Alternatives,
    Budget,
    Calibration,
    Certificate,
    ChoiceReport,
    Claim,
    Contribution,
    ContributionGuarantee,
    ContributionNoise,
    Deniability,
    Entry,
    Found,
    Guarantee,
    InTheClear,
    Level,
    Loss,
    Mechanism,
    MechanismInfo,
    Metric,
    Notion,
    Parameter,
    Preset,
    Snapshot,
    Spent,
    Statement,
    StatementRelease,
    TokenDeniability,
    TokenKind,
    Unit,
    WordList,
)
from ._options import MechanismName, Options, RepresentationOptions, Terms, guarantee_as_dict
from ._release import Release
from ._statements import Statements
from ._text_vectors import TextVectors
from ._veil import BitRepresentation, Ledger, TextVeil, VectorRepresentation, unpacked

if TYPE_CHECKING:
    __version__: str
    """The version of the package."""
else:

    def __getattr__(name: str) -> str:
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib.metadata import version

        return version(__name__)


__all__ = [
    "Alternative",
    "Alternatives",
    "BitRepresentation",
    "Budget",
    "Calibration",
    "Certificate",
    "ChoiceReport",
    "Claim",
    "Contribution",
    "ContributionGuarantee",
    "ContributionNoise",
    "Contributor",
    "Deniability",
    "Entry",
    "Found",
    "Guarantee",
    "InTheClear",
    "Ledger",
    "Level",
    "Loss",
    "Mechanism",
    "MechanismInfo",
    "MechanismName",
    "Metric",
    "Notion",
    "Options",
    "Parameter",
    "Preset",
    "Release",
    "Released",
    "RepresentationOptions",
    "Snapshot",
    "Spent",
    "Statement",
    "StatementRelease",
    "Statements",
    "Sum",
    "Terms",
    "TextVectors",
    "TextVeil",
    "TextVeilError",
    "TokenDeniability",
    "TokenKind",
    "Unit",
    "VectorRepresentation",
    "WordList",
    "guarantee_as_dict",
    "unpacked",
]
