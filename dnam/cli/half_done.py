"""What a program reads of a command that fails on its way: one JSON value with the names that it has when it is done,
for what was done until then, and `error` beside them. What people are told on stderr, and the exit code, stay the same.

    error    message · file and where, of what is brought in, else null · others: the same of what failed besides
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dnam.cli.failures import COULD_NOT, code_of, words_of
from dnam.cli.screen import Screen

Value = Callable[[], Mapping[str, object]]


class SoFar:
    """`value` says what was done so far; what is on its way puts another in its place as it knows more."""

    def __init__(self, value: Value) -> None:
        self.value = value


@contextmanager
def told_so_far(out: Screen, value: Value) -> Iterator[SoFar]:
    """Print what was done so far where what runs here fails, or somebody ends it, and a program reads. Wrong use is
    told in words alone: then nothing was begun.
    """
    so_far = SoFar(value)
    try:
        yield so_far
    except BaseException as error:  # raised again, also Ctrl-C: what was done is told first
        if out.as_json and not out.has_emitted and _is_failure(error):
            out.emit({**so_far.value(), "error": error_value(error)})
        raise


def unknown(form: type[Any]) -> dict[str, object]:
    """The names of what would be told if it were done, each with null."""
    return dict.fromkeys(getattr(form, "_fields", None) or form.__struct_fields__)


def _is_failure(error: BaseException) -> bool:
    if isinstance(error, BrokenPipeError):  # nobody reads
        return False
    return isinstance(error, KeyboardInterrupt) or (isinstance(error, Exception) and code_of(error) == COULD_NOT)


def error_value(error: BaseException) -> dict[str, Any]:
    """What went wrong, and of what is brought in where."""
    from dnam.importers.source import BrokenImport, ImportFailed

    others = error.others if isinstance(error, ImportFailed) else ()
    return {
        "message": words_of(error) if isinstance(error, Exception) else "interrupted",
        "file": error.path if isinstance(error, ImportFailed) else None,
        "where": error.where if isinstance(error, BrokenImport) else None,
        "others": [{name: each for name, each in error_value(other).items() if name != "others"} for other in others],
    }
