"""An evaluation from the file to what was found, in a memory in a scratch folder."""

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from types import MappingProxyType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from dnam.meaning.encoder import EncoderError
from dnam.memory import Memory
from projections.nearness import Nearness
from tests.evaluation.locomo.encoding import nearnesses
from tests.evaluation.locomo.held_out import FINDERS, HeldOut, held_out, talks_of
from tests.evaluation.locomo.pools import Pool, pools
from tests.evaluation.locomo.prompts import Held, held_in_prompts
from tests.evaluation.locomo.rankings import Named, Ranker, Ranking, Recall, bm25s, for_encoder, plain_bm25, rank
from tests.evaluation.locomo.remembering import NotingModel, bring_in, evaluation_settings, learn, turn_ids
from tests.evaluation.locomo.report import ENCODED, ENCODED_WITHOUT, WITH, WITHOUT, Found
from tests.evaluation.locomo.talks import Talk, read_talks

PEERS: dict[str, Callable[[Talk], Ranker]] = {"plain BM25": plain_bm25, "bm25s": bm25s}
Told = Callable[[int, int], None]


def evaluate(path: Path) -> Found:
    """Evaluate a file, with a progress bar on stderr where that is a terminal. Raises BadRequest for another file."""
    start = perf_counter()
    talks = read_talks(path)
    with _bars() as bars, tempfile.TemporaryDirectory(prefix="dnam-eval-") as folder:
        rankings, missing = _peers(talks, bars)
        found, pooled = asyncio.run(_through_dnam(talks, path, Path(folder), bars))
        left_out, alone = _left_out(pooled, bars)
        return found._replace(
            rankings={**rankings, **found.rankings},
            held_out=left_out,
            missing={**missing, **found.missing, **alone},
            seconds=perf_counter() - start,
        )


def _peers(talks: Sequence[Talk], bars: Progress) -> tuple[dict[str, Ranking], dict[str, str]]:
    """Those who could be asked, and why the others could not."""
    rankings: dict[str, Ranking] = {}
    missing: dict[str, str] = {}
    for name, ranker_for in PEERS.items():
        try:
            rankings[name] = rank(talks, ranker_for, _of_questions(bars, name, talks))
        except ImportError as error:
            missing[name] = f"{error.name} is not installed"
    return rankings, missing


def _left_out(pooled: Mapping[str, Sequence[Pool]], bars: Progress) -> tuple[dict[str, HeldOut], dict[str, str]]:
    """Each conversation left out in turn, in every setting; or why that cannot be."""
    talks = len(talks_of(next(iter(pooled.values()))))
    if talks < 2:
        return {}, {"weights tuned without a conversation": "only one is asked about"}
    task = bars.add_task("tuning", total=len(pooled) * len(FINDERS) * talks)
    return {name: held_out(each, lambda: bars.advance(task)) for name, each in pooled.items()}, {}


async def _through_dnam(
    talks: Sequence[Talk], path: Path, folder: Path, bars: Progress
) -> tuple[Found, dict[str, list[Pool]]]:
    """What is found; and what may be ranked under other weights, by setting."""
    async with Memory.open(folder, settings=evaluation_settings(os.environ)) as memory:
        told = await bring_in(memory, path)
        turns = await memory.look(turn_ids)

        async def ranked(name: str, near: Mapping[Named, Nearness] = MappingProxyType({})) -> Ranking:
            tell = _of_questions(bars, name, talks)
            return await memory.look(lambda rows: rank(talks, Recall(rows, told, turns, near).ranker, tell))

        async def pool(name: str, near: Mapping[Named, Nearness] = MappingProxyType({})) -> None:
            tell = _of_questions(bars, f"{name}, deeper", talks)
            pooled[name] = await memory.look(lambda rows: pools(Recall(rows, told, turns, near), talks, tell))

        async def encoded(name: str) -> Mapping[Named, Nearness]:
            asked = await memory.look(lambda rows: for_encoder(rows, talks, told))
            try:
                near = await nearnesses(memory, NotingModel(talks, turns), asked)
                rankings[name] = await ranked(name, near)
                await pool(name, near)
            except EncoderError as error:
                missing[name] = str(error)
                return {}
            return near

        async def held(what: str, near: Mapping[Named, Nearness] = MappingProxyType({})) -> list[Held]:
            tell = _of_questions(bars, what, talks)
            return await memory.look(lambda rows: held_in_prompts(rows, memory, talks, told, tell, near))

        rankings, missing, pooled = {WITHOUT: await ranked(WITHOUT)}, dict[str, str](), dict[str, list[Pool]]()
        await pool(WITHOUT)
        await encoded(ENCODED_WITHOUT)
        noted = await learn(memory, talks, _bar(bars, "learning the facts"))
        rankings[WITH] = await ranked(WITH)
        await pool(WITH)
        near = await encoded(ENCODED)
        by_words = await held("prompts")
        by_meaning = await held("prompts, with an encoder", near) if near else []
        return Found(talks, rankings, noted, by_words, {}, missing, 0.0, by_meaning), pooled


def _bars() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(file=sys.stderr)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _bar(bars: Progress, what: str) -> Told:
    """A bar that is told how much is done, and of how much."""
    task = bars.add_task(what, total=None)
    return lambda done, total: bars.update(task, completed=done, total=total)


def _of_questions(bars: Progress, what: str, talks: Sequence[Talk]) -> Callable[[int], None]:
    task = bars.add_task(what, total=sum(len(talk.questions) for talk in talks))
    return lambda done: bars.update(task, completed=done)
