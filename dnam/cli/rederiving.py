"""`rederive`: what another model, prompt or policy would have made of what was said."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from dnam.cli.command import Command, Data, Json, Yes, typed, whole_number
from dnam.cli.half_done import told_so_far
from dnam.cli.rederiving_words import NOT_DONE, estimate_words, waiting_words, whose
from dnam.cli.screen import amount
from dnam.cli.shell import Shell
from dnam.cli.vectors import make_vectors
from projections.counting import counted
from projections.errors import BadRequest
from projections.quoting import one_line

if TYPE_CHECKING:
    from dnam.meaning.encoder import Encoder
    from dnam.rederiving.options import Wanted
    from dnam.rederiving.rederivation import Progress, Rederivation
    from dnam.settings import Settings
    from dnam.shadows.inputs import LessRead
    from dnam.shadows.manifest import Manifest


NO_SHADOW = (
    "only an encoder is named, so only vectors are made, and no shadow {name}. To have one whose items are compared by "
    "it, say too who reads it all again: --model M"
)


def _option(metavar: str, text: str) -> object:
    return typer.Option(metavar=metavar, callback=typed, help=text)


def rederive(
    name: Annotated[str | None, _option("NAME", "What the shadow is called.")] = None,
    model: Annotated[str | None, _option("M", "Who reads it all again; `offline` is the one that comes along.")] = None,
    extraction_prompt: Annotated[str | None, _option("V", "The prompt of extractions, as extraction@4.")] = None,
    summary_prompt: Annotated[str | None, _option("V", "The prompt of summaries, as summary@2.")] = None,
    merge_policy: Annotated[
        str | None, _option("V", "closeness@2: what is close is merged; apart@1: nothing is.")
    ] = None,
    encoder: Annotated[
        str | None,
        _option("E", "voyage, local, or a model's name. As all that is chosen: only vectors, and no shadow."),
    ] = None,
    user: Annotated[
        list[str] | None, typer.Option(metavar="USER", help="Only what is known of them; repeatable.")
    ] = None,
    guild: Annotated[
        list[str] | None, typer.Option(metavar="GUILD", help="Only what was learned in this server; repeatable.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--from", metavar="WHEN", callback=typed, help="What was recorded until then stays as it is."),
    ] = None,
    cadence: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=whole_number(1), help="Read N messages at a time, and not as it was recorded."
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            metavar="USD",
            parser=amount,
            help="Stop before more than this was spent on the shadow; of vectors alone, by this command.",
        ),
    ] = None,
    parallel: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1), help="How many calls are under way at once.")
    ] = 16,
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="Ask by the Message Batches API: half the price, and each batch takes up to a day, mostly less than "
            "an hour. How many go one after another at the least is told first.",
        ),
    ] = False,
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Make the memory anew beside the live one, by another model, prompt or policy: a shadow, to compare and adopt.

    It goes on where it was broken off; without options it uses what is configured now. It says what it may take, and
    asks where that costs. What is asked about one person, or one session, is asked one after the other: so is it in
    batches. `dnam diff --shadow NAME` shows what would change, `dnam adopt NAME` takes it over. As JSON: the shadow, as
    `dnam shadows` has it, with `less_read` as `dnam diff` has it and `why_unusable`, the reasons why replies could not
    be used, counted; of vectors alone the encoder and what they took.
    """
    shell = Shell(data, as_json, yes)
    is_alone = not any((model, extraction_prompt, summary_prompt, merge_policy, user, guild, since, cadence, batch))
    if encoder is not None and is_alone and not _is_there(shell, name):
        if name is not None:
            shell.out.note(NO_SHADOW.format(name=name))
        make_vectors(shell, encoder, max_cost)
        return
    if name is None:
        why = "say what the shadow is to be called: --name, as in --name haiku"
        raise BadRequest(why if encoder is None else f"without --name only vectors are made, by --encoder alone: {why}")
    from dnam.rederiving.options import Wanted

    wanted = Wanted(
        model,
        extraction_prompt,
        summary_prompt,
        merge_policy,
        user or (),
        guild or (),
        cadence=cadence,
        encoder=encoder,
        batch=batch or None,
    )
    manifest = _manifest(shell, name, wanted, since)
    with told_so_far(shell.out, partial(_so_far, shell, manifest)):
        done = _done(shell, manifest, max_cost, parallel)
    if done is None:
        shell.out.nothing_done(NOT_DONE)
    else:
        _tell_done(shell, done)


def _is_there(shell: Shell, name: str | None) -> bool:
    """Whether there is a shadow to go on with."""
    from dnam.shadows.manifest import known

    return name is not None and known(shell.data, name) is not None


def _manifest(shell: Shell, name: str, wanted: "Wanted", since: str | None) -> "Manifest":
    from dnam.rederiving.options import manifest_for
    from dnam.shadows.manifest import known
    from dnam.shadows.opening import refuse_unusable
    from replay.clock import SystemClock

    with shell.opened() as (engine, empty):
        if empty:
            raise BadRequest(f"there is no memory in {shell.data} to make anew")
        manifest = known(shell.data, name)
        if manifest is not None:
            refuse_unusable(engine, shell.data, manifest)
        with engine.reading() as rows:
            if since is not None:
                wanted = wanted._replace(since=shell.moment(engine, rows, since).moment.seq)
            return manifest_for(rows, shell.settings, shell.data, name, wanted, SystemClock().now())


def _done(shell: Shell, manifest: "Manifest", max_cost: float | None, parallel: int) -> "Manifest | None":
    """The shadow as it was made; None where it was not agreed to, and then a new one leaves nothing."""
    import asyncio

    from dnam.errors import CostsTooMuch
    from dnam.shadows.manifest import cost_words, drop

    agreed = False

    def agree(derivation: "Rederivation") -> bool:
        nonlocal agreed
        shell.out.note(whose(derivation, is_new=not manifest.log))
        agreed = is_agreed(shell, derivation, parallel, max_cost)
        return agreed

    try:
        return asyncio.run(run_derivation(shell, manifest, agree, max_cost, parallel))
    except KeyboardInterrupt:
        if agreed:
            shell.out.note(f"broken off: what was made stays, and {_goes_on(shell, manifest)}")
        raise
    except CostsTooMuch:
        made = _made(shell, manifest)
        if made is not None:
            spent = f"it took {cost_words(made)} so far"
            shell.out.note(f"{spent}: what was made stays, and {_goes_on(shell, manifest)}, with a higher --max-cost")
        raise
    finally:
        if not agreed and not manifest.log and _is_begun(shell, manifest):
            drop(shell.data, manifest.name)


def _goes_on(shell: Shell, manifest: "Manifest") -> str:
    return f"`{shell.command(f'rederive --name {manifest.name}')}` goes on"


def _so_far(shell: Shell, manifest: "Manifest") -> dict[str, object]:
    """The shadow as far as it was made, for programs."""
    from dnam.jsonable import jsonable

    return {**jsonable(_made(shell, manifest) or manifest), "behind": None, "less_read": None, "why_unusable": None}


def _is_begun(shell: Shell, manifest: "Manifest") -> bool:
    """Whether the shadow that is there is this one, and was only begun."""
    there = _made(shell, manifest)
    return there is not None and not there.upto


def _made(shell: Shell, manifest: "Manifest") -> "Manifest | None":
    """The shadow as it is there, if it is this one; another process may have made one of that name meanwhile."""
    from dnam.errors import ShadowUnusable
    from dnam.shadows.manifest import known

    try:
        there = known(shell.data, manifest.name)
    except (BadRequest, ShadowUnusable):
        return None
    return there if there is not None and there.made == manifest.made else None


async def run_derivation(
    shell: Shell, manifest: "Manifest", agree: "Callable[[Rederivation], bool]", max_cost: float | None, parallel: int
) -> "Manifest | None":
    """Make the shadow, or go on with it, once it was agreed to; None where it was not."""
    from dnam.prices import MICROS
    from dnam.rederiving.models import asking
    from dnam.rederiving.options import with_encoder
    from dnam.rederiving.rederivation import rederiving
    from dnam.steadiness import with_short_pauses

    settings = with_encoder(shell.settings, manifest.asked.encoder)
    most = None if max_cost is None else round(max_cost * MICROS)
    async with (
        _encoder(shell, settings, is_asked_for=bool(manifest.asked.encoder)) as chosen,
        asking(shell.data, settings, manifest, shell.out.note) as asked,
        _telling(shell, rederiving(shell.data, settings, asked.model, manifest)) as derivation,
    ):
        if not agree(derivation):
            return None
        with _progress(shell) as tell, with_short_pauses():
            return await derivation.run(
                tell,
                encoder=chosen,
                most_micros=most,
                at_once=parallel,
                send=asked.send,
                waits=partial(_tell_waiting, shell, is_paid=asked.model.paid),
            )


def _tell_waiting(shell: Shell, calls: int, *, is_paid: bool) -> None:
    """At once, when it is told to end: it may be a minute until it does."""
    if calls:
        shell.out.note(waiting_words(calls, is_paid=is_paid))


@asynccontextmanager
async def _telling(shell: Shell, opening: "AbstractAsyncContextManager[Rederivation]") -> "AsyncIterator[Rederivation]":
    """A derivation, and once it is closed what went wrong with its shadow."""
    async with opening as derivation:
        engine = derivation.memory.engine
        try:
            yield derivation
        finally:
            await asyncio.to_thread(engine.close)
            shell.tell_what_failed(engine)


@asynccontextmanager
async def _encoder(shell: Shell, settings: "Settings", *, is_asked_for: bool) -> "AsyncIterator[Encoder | None]":
    """The encoder by which items are compared. Where the configured one cannot be had, words decide; one that the
    shadow `is_asked_for` with is asked a word first: EncoderError where that is in vain, or the shadow would be made by
    words without anybody noticing.
    """
    from dnam.meaning.encoder import EncoderMissing
    from dnam.meaning.encoders import opened

    async with AsyncExitStack() as stack:
        chosen = None
        try:
            chosen = (await stack.enter_async_context(opened(settings))).chosen
        except EncoderMissing as error:
            if is_asked_for:
                raise
            shell.out.note(f"{error}. Items are compared by their words")
        if is_asked_for and chosen is not None:
            await chosen.encode(["hello"])
        yield chosen


def is_agreed(shell: Shell, derivation: "Rederivation", parallel: int, max_cost: float | None) -> bool:
    """Say what it may take; where it costs, ask. NoKey where somebody is to be asked and cannot be, PriceUnknown where
    nobody knows whether it costs more than it may.
    """
    from dnam.errors import NoKey, PriceUnknown
    from dnam.rederiving.models import WithoutKey

    guess, is_keyless = derivation.estimate(parallel), isinstance(derivation.model, WithoutKey)
    if is_keyless and guess.calls:
        raise NoKey(derivation.manifest.asked.model)
    if max_cost is not None and guess.cost_micros is None and derivation.unknown:
        raise PriceUnknown(derivation.unknown)
    shell.out.note(estimate_words(guess, is_paid=derivation.model.paid, is_batched=derivation.manifest.asked.batch))
    if is_keyless or not derivation.model.paid or not (guess.calls or guess.merges):
        return True
    return shell.out.confirm("Go on?")


@contextmanager
def _progress(shell: Shell) -> "Iterator[Progress]":
    """Runs that are made, of how many, and the cost so far."""
    from dnam.prices import dollars

    with shell.out.counting("deriving", "runs") as tell:
        yield lambda done, total, micros: tell(done, total, f"{dollars(micros)} so far")


def _tell_done(shell: Shell, done: "Manifest") -> None:
    from dnam.cli.shadow_difference import tell_less_read
    from dnam.jsonable import jsonable
    from dnam.shadows.manifest import cost_words

    runs = _less_read(shell, done)
    if shell.out.as_json:
        more = {"behind": _behind(shell, done), "less_read": runs, "why_unusable": _why_unusable(shell, done)}
        shell.out.emit({**jsonable(done), **more})
        return

    cost = f"{counted(done.calls, 'call')} of {done.by}, {cost_words(done)}"
    shell.out.line(f"The shadow {done.name} knows the log up to #{done.upto}: {cost}.")
    if done.unusable:
        vain = counted(done.unusable, "run")
        shell.out.line(f"{vain} got no reply that could be used: what they had read counts as unread.")
        for reason, count in _why_unusable(shell, done).items():
            shell.out.line(f"    {count:,} of these: {one_line(reason)}")
    if done.useless:
        are = "1 reply is" if done.useless == 1 else f"{done.useless:,} replies are"
        shell.out.line(f"{are} paid for and not used: what they had read was taken back.")
    tell_less_read(shell, runs)
    shell.out.line(f"`{shell.command(f'diff --shadow {done.name}')}` shows what would change.")


def _why_unusable(shell: Shell, done: "Manifest") -> dict[str, int]:
    """Why replies could not be used, counted."""
    from dnam.rederiving.unusable import why_unusable_at

    return why_unusable_at(shell.data, [done]).get(done.name, {})


def _less_read(shell: Shell, done: "Manifest") -> "tuple[LessRead, ...]":
    """The runs that could not read all that they had read when they were recorded."""
    from dnam.shadows.inputs import less_read
    from replay.reading import Reader

    if not done.changed:
        return ()
    with shell.opened() as (engine, _), engine.reading() as rows:
        return less_read(rows, Reader(engine.live), done)


def _behind(shell: Shell, done: "Manifest") -> int:
    """How many events it does not know yet and would read: somebody may have gone on writing."""
    from dnam.shadows.behind import behind

    with shell.opened() as (engine, _):
        return behind(engine, done)


COMMANDS = (Command("rederive", rederive, "rederive --model haiku --name haiku", changes=True),)
