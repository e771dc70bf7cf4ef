"""What an import was asked for, held against what is there before anything is made or written.

Nothing that was recorded can be given to another account afterwards, and people that were joined cannot be parted.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple

from dnam.cli.screen import in_quotes
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.importers.census import Census, Writers
    from dnam.importers.source import Options, Source
    from dnam.importing.rehearsal import Rehearsal
    from projections.rows import Rows

    Rehearsing = Callable[[], AbstractContextManager[Rehearsal]]

Pair = tuple[str, str]
MOST_NAMED = 12
"""How many of those who wrote are listed."""


class Asked(NamedTuple):
    """From where, how, and which of whom are the same."""

    sources: "Sequence[Source]"
    options: "Options"
    same: list[Pair]


def checked(asked: Asked, rehearsing: "Rehearsing", *, must_exist: bool) -> "Options":
    """The options, with the assistant's ids for names. BadRequest where they do not fit; with `must_exist` also for a
    name in `same` that is nobody's. Where a source breaks off, that is the reason: whoever is meant may be in the rest.
    """
    from dnam.importers.census import census, refuse_misfits

    options = _with_assistants(asked)
    refuse_misfits(asked.sources, options)
    if asked.same:
        found = census(asked.sources, options)
        with rehearsing() as memory:
            memory.look_here(lambda rows: _check_same(rows, found, asked.same, must_exist=must_exist))
    return options


def _with_assistants(asked: Asked) -> "Options":
    """The options with the ids of those who were the assistant."""
    from dnam.importers.census import writers

    if not asked.options.assistants:
        return asked.options
    found = writers(asked.sources)
    ids = (_assistant(asked, found, each) for each in asked.options.assistants)
    return asked.options._replace(assistants=tuple(dict.fromkeys(ids)))


def _assistant(asked: Asked, found: "Writers", name: str) -> str:
    """The id of whoever is meant. Where nobody wrote anything, there is none to be named."""
    from dnam.importers.census import census

    meant = found.meant(name)
    if len(meant) == 1:
        return meant[0].id
    if meant:
        ids = ", ".join(each.id for each in meant)
        which = f"give one of {ids}; where it had several, each with an --assistant of its own"
        raise BadRequest(f"--assistant: {in_quotes(name)} fits {len(meant)} accounts: {which}")
    if lent := found.lent(name):
        which = "give its id where all that it wrote is the assistant's"
        raise BadRequest(f"--assistant: {in_quotes(name)} is one of several names of the webhook {lent[0]}: {which}")
    if found.broken is not None:  # a reading of all of it says better where
        raise census(asked.sources, asked.options._replace(audience=None, audiences={})).broken or found.broken
    if found.all:
        listed = found.described()
        more = ", …" if len(listed) > MOST_NAMED else ""
        wrote = f"{', '.join(listed[:MOST_NAMED])}{more}"
        raise BadRequest(f"--assistant: nobody called {in_quotes(name)} wrote anything here. Those who did: {wrote}")
    return name


def _check_same(rows: "Rows", found: "Census", same: list[Pair], *, must_exist: bool) -> None:
    from dnam.importing.importer import candidates, stay_apart

    for name in dict.fromkeys(each for pair in same for each in pair):
        fitting = candidates(rows, found, name)
        if must_exist and not fitting:
            raise found.broken or BadRequest(
                f"--same-person: {in_quotes(name)} is nobody, neither here nor in what is brought in"
            )
        _refuse_unclear(name, fitting)
    for one, other in same:
        if stay_apart(rows, found, one, other):
            raise BadRequest(
                f"--same-person: {in_quotes(one)} and {in_quotes(other)} are two people here already: accounts are "
                "joined when they are first seen. Import into a new folder to join them"
            )


def _refuse_unclear(name: str, fitting: list[str]) -> None:
    """People that were joined cannot be parted again. An id with its platform is as clear as it can be."""
    if len(fitting) > 1 and name not in fitting:
        raise BadRequest(
            f"--same-person: {in_quotes(name)} fits {len(fitting)} people: give one of {', '.join(fitting)}"
        )
