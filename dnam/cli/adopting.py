"""`adopt`: take over what was made anew in a shadow, and `adopt --undo`: take that back."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from dnam.cli.adopting_ready import ready
from dnam.cli.adopting_words import NOT_DONE, in_words, names_of, show_left, told_broken_off
from dnam.cli.command import Command, Data, Json, Yes
from dnam.cli.half_done import SoFar, told_so_far
from dnam.cli.screen import amount
from dnam.cli.shadows import Name
from dnam.cli.shell import Shell
from dnam.cli.unadopting import undo as take_back
from projections.counting import counted
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.adoption.adopted import Taken
    from dnam.adoption.adopting import Adopting, Chosen, Missed, Offer, OfOwner
    from dnam.cli.adopting_picks import GroundsOf
    from dnam.loops.loop import Comparing
    from dnam.memory import Memory
    from projections.rows import Rows

LABELS = {"only_new": "new", "changed": "changed", "only_old": "gone"}
"""What becomes of an item, for people and in JSON."""


def adopt(
    name: Name,
    user: Annotated[
        list[str] | None, typer.Option(metavar="USER", help="Only what is known of them; repeatable.")
    ] = None,
    pick: Annotated[
        bool, typer.Option("--pick", help="Ask of each group of items that belong together, and of each summary.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last adoption of this shadow back.")] = False,
    behind: Annotated[
        bool, typer.Option("--behind", help="Do not bring the shadow up to now first: what changed since stays.")
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option(
            metavar="USD",
            parser=amount,
            help="Spend no more on the shadow, to bring it up to now, or on comparing.",
        ),
    ] = None,
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Take over from a shadow what differs, as ordinary events: what is new, what changed, and what it does not have.

    What a person wrote, corrected, keeps or forgot stays as it is, and so does whatever something stands against, which
    is told. It says what would change, asks, and goes on where it was broken off. --undo is the same in reverse: what
    is still as the adoption left it is again as it was. As JSON: `shadow`, `goes_on`, `people`, each with `new`,
    `changed`, `gone` and what is `left` with the reason, `summaries`, `missed`, which is what could not be adopted any
    more once that was agreed to, with the reason, and `adopted` with its `seq`. Of --undo: `people`, each with how many
    `items` are as before and what is `left`, `summaries`, `summaries_withheld`, `summaries_left`, `undone` with its
    `seq`, and `below`: of which shadows an adoption lay under it that can be taken back now, whether that was `begun`,
    and of how much.
    """
    shell = Shell(data, as_json, yes)
    if undo:
        if user or pick or behind or max_cost is not None:
            raise BadRequest(
                "--undo takes back all of the last adoption: leave --user, --pick, --behind and --max-cost out"
            )
        take_back(shell, name)
        return
    if pick and as_json:
        raise BadRequest("--pick asks in words: leave --json out")
    manifest = ready(shell, name, max_cost, behind=behind)

    async def action(memory: "Memory") -> None:
        from dnam.adoption.adopting import Adopting
        from dnam.adoption.alone import adopting_alone
        from dnam.finding import the_person
        from dnam.shadows.grounds import Grounding
        from dnam.shadows.manifest import alone_with
        from dnam.shadows.opening import open_shadow
        from dnam.shadows.source import Source

        people = [await memory.look(partial(the_person, user=each)) for each in user or ()]
        async with _comparing(shell, memory) as comparing:
            with (
                alone_with(shell.data, name),
                adopting_alone(shell.data, "adoption", name),
                open_shadow(memory.engine, shell.data, manifest) as shadow,
            ):
                source = Source(memory, shadow, manifest)
                adopting = Adopting(source, frozenset(people) if user else None, comparing.compare)
                costs = partial(_tell_cost, shell, comparing.model, max_cost)
                grounds = Grounding(source, shadow).of if pick else None
                await _adopt(shell, memory, adopting, manifest.name, costs, so_far, grounds)

    with told_so_far(shell.out, lambda: {**dict.fromkeys(NAMES), "shadow": name}) as so_far:
        shell.run(action)


# -- comparing ------------------------------------------------------------------------------------------------------


class Comparer(NamedTuple):
    """What tells how near texts are, and the paid model to which they are sent for it; empty where they are not."""

    compare: "Comparing"
    model: str = ""


@asynccontextmanager
async def _comparing(shell: Shell, memory: "Memory") -> "AsyncIterator[Comparer]":
    """What tells how near two texts are: the encoder; where it cannot be had, words decide."""
    from dnam.learning.tending import Tending
    from dnam.loops.loop import by_words_alone
    from dnam.meaning.encoder import EncoderMissing
    from dnam.meaning.encoders import opened, sent_to
    from dnam.models import choose

    try:
        async with opened(shell.settings) as encoders:
            tending = Tending(memory, choose(shell.settings, memory.language), encoders.chosen)
            yield Comparer(tending.compare, sent_to(shell.settings))
    except EncoderMissing as error:
        shell.out.note(f"{error}. Items are compared by their words")
        yield Comparer(by_words_alone)


# -- adopting --------------------------------------------------------------------------------------------------------


async def _adopt(
    shell: Shell,
    memory: "Memory",
    adopting: "Adopting",
    name: str,
    tell_cost: "Callable[[Offer], None]",
    so_far: SoFar,
    grounds: "GroundsOf | None",
) -> None:
    """All of it, once that is agreed to; or what is picked, where there are `grounds` to tell."""
    from dnam.cli.adopting_picks import picked

    with shell.out.progress("comparing", "people") as progress:
        offer = await adopting.look(progress)
    if offer.goes_on:
        shell.out.note("part of it is recorded already, by one that was broken off: this goes on with it")
    if not shell.out.as_json:
        await memory.look(lambda rows: _show(shell, rows, offer))
    if offer.is_empty and not offer.goes_on:
        await memory.look(lambda rows: _tell(shell, rows, name, offer, None))
        return
    tell_cost(offer)
    names = await memory.look(lambda rows: names_of(rows, (each.owner for each in offer.people)))
    chosen = _agreed(shell, offer, name) if grounds is None else picked(shell, names, offer, grounds)
    if chosen is None or (chosen.is_empty and not offer.goes_on):
        shell.out.note(NOT_DONE)
        if shell.out.as_json:
            await memory.look(lambda rows: _tell(shell, rows, name, offer, None))
        return
    value = await memory.look(lambda rows: _value(rows, name, offer, None, ()))
    so_far.value = lambda: value
    with told_broken_off(shell), shell.out.progress("adopting", "decisions") as progress:
        taken = await adopting.adopt(chosen, progress)
    missed = await adopting.missed(offer, chosen, taken)
    await memory.look(lambda rows: _tell(shell, rows, name, offer, taken, missed))


def _tell_cost(shell: Shell, model: str, most: float | None, offer: "Offer") -> None:
    """What comparing may cost, before anything is sent. BadRequest where it is more than there is to be spent, or where
    nobody knows.
    """
    from dnam.errors import PriceUnknown
    from dnam.prices import MICROS, Tokens, dollars, prices
    from projections.tokens import CHARS_A_TOKEN

    tokens = offer.encoded // CHARS_A_TOKEN
    if not model or not tokens:
        return
    micros = prices().cost_micros(model, Tokens(tokens, 0))
    cost = "what it costs is not known" if micros is None else f"about {dollars(micros)}"
    words = f"what comes is compared with what was taken back by {model}: about {tokens:,} tokens, {cost}"
    if most is not None and micros is None:
        raise PriceUnknown([model])
    if most is not None and micros is not None and micros > most * MICROS:
        raise BadRequest(f"{words}, more than --max-cost: nothing was adopted. DNAM_ENCODER=none compares by words")
    shell.out.note(words)


def _agreed(shell: Shell, offer: "Offer", name: str) -> "Chosen | None":
    """All of it, where that is agreed to. What is only gone on with was agreed to before."""
    from dnam.adoption.adopting import Chosen

    return Chosen() if offer.is_empty or shell.out.confirm(f"Adopt this from {name}?") else None


def _show(shell: Shell, rows: "Rows", offer: "Offer") -> None:
    names = names_of(rows, (each.owner for each in offer.people))
    for each in sorted(offer.people, key=lambda each: names[each.owner].casefold()):
        kinds = _kinds(each)
        counts = ", ".join(f"{kinds[label]} {label}" for label in LABELS.values() if kinds[label])
        shell.out.line(f"{names[each.owner]}: {counts or 'nothing to take over'}")
        show_left(shell, (left.reason for left in each.left))
    taken = sum(not each.reason for each in offer.sessions)
    if offer.sessions:
        shell.out.line(f"{counted(taken, 'summary')} of sessions")
        show_left(shell, (each.reason for each in offer.sessions if each.reason))


def _kinds(person: "OfOwner") -> Counter[str]:
    return Counter(LABELS[pair.kind] for part in person.parts for pair in part.pairs)


def _tell(
    shell: Shell, rows: "Rows", name: str, offer: "Offer", taken: "Taken | None", missed: "Sequence[Missed]" = ()
) -> None:
    if shell.out.as_json:
        shell.out.emit(_value(rows, name, offer, taken, missed))
        return
    if missed:
        shell.out.line(f"Since it was offered, {len(missed)} cannot be adopted any more:")
        show_left(shell, (each.reason for each in missed))
    if taken is None or taken.event is None:
        shell.out.line(f"Nothing differs from {name} that can be adopted.")
    else:
        shell.out.line(f"Adopted {in_words(taken)}, as #{taken.seq}.")
        shell.out.line(f"`{shell.command(f'adopt --undo {name}')}` takes it back.")


NAMES = ("shadow", "goes_on", "people", "summaries", "missed", "adopted")
"""What a program reads of an adoption."""


def _value(
    rows: "Rows", name: str, offer: "Offer", taken: "Taken | None", missed: "Sequence[Missed]"
) -> dict[str, Any]:
    """As a program reads it."""
    names = names_of(rows, (each.owner for each in offer.people))
    return {
        "shadow": name,
        "goes_on": offer.goes_on,
        "people": [_person(each, names[each.owner]) for each in offer.people],
        "summaries": [
            {"session": each.request.made.session, "taken": not each.reason, "reason": each.reason}
            for each in offer.sessions
        ],
        "missed": [{"person": each.owner or None, "name": each.name, "reason": each.reason} for each in missed],
        "adopted": None if taken is None or taken.event is None else taken,
    }


def _person(person: "OfOwner", name: str) -> dict[str, Any]:
    kinds = _kinds(person)
    left = [(each.pair.row.item, each.reason) for each in person.left]
    return {
        "person": person.owner or None,
        "name": name,
        **{label: kinds[label] for label in LABELS.values()},
        "left": [{"id": item.id, "text": item.text, "reason": reason} for item, reason in left],
    }


COMMANDS = (Command("adopt", adopt, "adopt haiku --pick", changes=True),)
