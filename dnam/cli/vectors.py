"""Vectors by another encoder, where `rederive` makes nothing else: what they may take, and what they took."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from dnam.cli.ending import told_how_to_go_on
from dnam.cli.half_done import SoFar, told_so_far, unknown
from dnam.cli.rederiving_words import NOT_DONE
from dnam.cli.shell import Shell
from projections.counting import counted
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.rederiving.vectors import Metered, Took

GOES_ON = "vectors that were made stay, and the same command goes on"


def make_vectors(shell: Shell, encoder: str, max_cost: float | None) -> None:
    """Make every vector by an encoder, beside those there are, once it was agreed to."""
    from dnam.rederiving.vectors import Took

    with told_so_far(shell.out, partial(unknown, Took)) as so_far, told_how_to_go_on(GOES_ON):
        took = asyncio.run(_made(shell, encoder, max_cost, so_far))
    if took is None:
        shell.out.nothing_done(NOT_DONE)
    elif shell.out.as_json:
        shell.out.emit(took)
    else:
        shell.out.line(
            f"Everything has a vector by {took.encoder}. That took {_took_words(took)}. Nothing else was changed: "
            "DNAM_ENCODER says which is used."
        )


async def _made(shell: Shell, encoder: str, max_cost: float | None, so_far: SoFar) -> "Took | None":
    """What it took; None where it was not agreed to."""
    from dnam.assistant import Assistant
    from dnam.jsonable import jsonable
    from dnam.meaning.embedding import Embedding
    from dnam.meaning.encoders import opened, sent_to
    from dnam.models import choose
    from dnam.prices import MICROS
    from dnam.rederiving.options import with_encoder
    from dnam.rederiving.vectors import Metered, expected
    from replay.store import DiskStore

    settings, most = with_encoder(shell.settings, encoder), None if max_cost is None else round(max_cost * MICROS)
    async with shell.writing() as memory, opened(settings) as encoders:
        if encoders.chosen is None:
            raise BadRequest("there is no encoder to make vectors with: voyage, local, or the name of a model")
        store, model = memory.engine.store, sent_to(settings)
        assert isinstance(store, DiskStore)
        made = Metered(encoders.chosen, model, most)
        guess = await asyncio.to_thread(expected, memory.engine, store.vectors, made.name, model)
        if not _is_agreed(shell, guess, model, max_cost):
            return None
        so_far.value = lambda: jsonable(made.took)
        assistant = Assistant(memory, choose(settings, memory.language), encoders.chosen)
        with _told(shell, made, guess):
            await Embedding(assistant, store.vectors, made, room=made.room).catch_up()
        return made.took


def _is_agreed(shell: Shell, guess: "Took", model: str, max_cost: float | None) -> bool:
    """Say what it may take; where it costs, ask. PriceUnknown where nobody knows whether it costs more than it may."""
    from dnam.errors import PriceUnknown

    if max_cost is not None and guess.cost_micros is None:
        raise PriceUnknown([model])
    shell.out.note(_expected_words(guess, is_paid=bool(model)))
    return not model or not guess.texts or shell.out.confirm("Go on?")


@contextmanager
def _told(shell: Shell, made: "Metered", guess: "Took") -> "Iterator[None]":
    """How many vectors are made, of how many, and the cost so far; where it is broken off, what it took until then."""
    from dnam.prices import dollars

    with shell.out.counting("making vectors", "texts") as tell:

        def told(took: "Took") -> None:
            tell(min(took.texts, guess.texts), guess.texts, f"{dollars(took.cost_micros or 0)} so far")

        made.tell = told
        try:
            yield
        except BaseException as error:  # raised again: what was paid is told first
            goes_on = f": {GOES_ON}" if isinstance(error, Exception) else ""
            shell.out.note(f"{_took_words(made.took)} until then{goes_on}")
            raise


def _expected_words(guess: "Took", *, is_paid: bool) -> str:
    from dnam.prices import dollars

    texts = f"{counted(guess.texts, 'text')} without a vector by {guess.encoder}"
    if not is_paid or not guess.texts:
        return f"{texts}: it costs nothing."
    cost = "what it costs is not known" if guess.cost_micros is None else f"about {dollars(guess.cost_micros)}"
    return f"{texts}: about {guess.tokens:,} tokens, {cost}."


def _took_words(took: "Took") -> str:
    from dnam.prices import dollars

    cost = "cost not known" if took.cost_micros is None else dollars(took.cost_micros)
    return f"{counted(took.texts, 'text')}, {took.tokens:,} tokens, {cost}"
