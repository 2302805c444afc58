"""The one error of the package."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from . import _native

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class TextVeilError(Exception):
    """Every refusal of this package. Never holds the user's text.

    What a program should look at is ``code``: stable, and the same in every language.

    - ``bad-table``: the table file is damaged or not a table.
    - ``bad-statements``: the file of a list is damaged, or the list breaks a rule.
    - ``other-encoder``: the list of statements was made with another encoder, or there is no encoder.
    - ``bad-request``, ``other-table``: the request for new words breaks a rule, or is about another table.
    - ``already-contributed``, ``already-released``: a request is answered once, and a sum released once.
    - ``norm-exceeded``, ``noise-elsewhere``, ``too-many``: what ``Sum`` does not add up.
    - ``invalid-options``: an option contradicts another, or the mechanism does not take it.
    - ``invalid-mechanism``, ``invalid-calibration``: nothing here has that name.
    - ``invalid-eta``, ``invalid-epsilon``, …: that parameter is missing or out of its range.
    - ``invalid-scale``, ``invalid-argument``: a number is beyond what can be drawn, or computed, exactly.
    - ``invalid-dropout``, ``invalid-mask``: the rate is out of its range; the mask has not one entry for each word.
    - ``invalid-vector``, ``dimension-mismatch``, ``not-normalized``: the vectors are not what is asked for.
    - ``not-offered``: the mechanism cannot put out this from that.
    - ``invalid-span``: a detector's span does not lie in the text, or overlaps another one.
    - ``invalid-keep-words``, ``invalid-never-say``: a list has what is no word, or words that exclude each other.
    - ``text-too-long``: more than 1 MiB of UTF-8 after NFKC, or more than 2^20 UTF-16 units before.
    - ``other-language``: the text is mostly not of the language of the table or encoder, and ``any_language`` was not asked for.
    - ``entropy-unavailable``: the platform gives no secure random numbers.
    - ``bad-guarantee``, ``bad-release``: what ``textveil.estimate`` does not count: a guarantee that is not what textveil states,
      or a release that is not what its guarantee is about.
    - ``invalid-budget``, ``budget-exhausted``, ``bad-ledger``: what the ledger refuses.
    - ``internal``: a fault of textveil itself; nothing was released.

    The message begins with the code, because it is all that Polars and Spark keep of an error.
    """

    row: int | None = None
    """The row that a column was refused for, if it was one. For this machine only."""

    @property
    def code(self) -> str:
        return str(self).partition(":")[0]


def call(method: Callable[Given, Answer], *arguments: Given.args, **options: Given.kwargs) -> Answer:
    """Calls the library, and turns what it refuses into :class:`TextVeilError`. An error in the making of an argument stays
    itself. The message of a crash might quote the text, and is left out.
    """
    try:
        return method(*arguments, **options)
    except _native.TextVeilError as error:
        # The case is the code in camel case.
        code = re.sub(r"(?<!^)(?=[A-Z])", "-", type(error).__name__).lower()
        message = f"{code}: {error}"
    except _native.InternalError:
        message = "internal: textveil has failed; nothing was released"
    except ValueError:
        message = "invalid-argument: a number is out of its range"
    # Raised here, the error has no context: what the library raised might hold the text.
    raise TextVeilError(message)
