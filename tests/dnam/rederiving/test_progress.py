"""What whoever watches a derivation is told: what is made, never what was only begun, and what it cost until then."""

import asyncio
from pathlib import Path

import msgspec

from dnam.model import Ask, Hear, Reply, unheard
from dnam.rederiving.rederivation import rederiving
from dnam.shadows.manifest import Manifest, load
from tests.dnam.rederiving.test_rederiving import OTHER, told
from tests.dnam.rederiving.test_taken_back import happens
from tests.dnam.rederiving.village import ASKED, SETTINGS, Village, derive, reader, talk
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.world import NOW

Told = list[tuple[int, int, int]]


class Priced(ScriptedModel):
    """A call costs ten, and takes a moment. `answered` counts them."""

    answered = 0

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        for _ in range(5):
            await asyncio.sleep(0)
        reply = await super().ask(ask, hear)
        self.answered += 1
        return msgspec.structs.replace(reply, cost_micros=10)


def priced() -> Priced:
    return Priced(reader("enjoys").scripts, name="other")


def watched(path: Path, model: ScriptedModel, manifest: Manifest) -> tuple[Told, list[int]]:
    """What is told while it is derived, and how many calls were answered by then."""
    heard: Told = []
    answered: list[int] = []

    async def deriving() -> None:
        async with rederiving(path, SETTINGS, model, manifest, FakeClock()) as derivation:
            derivation.estimate()

            def tell(*each: int) -> None:
                heard.append((each[0], each[1], each[2]))
                answered.append(getattr(model, "answered", 0))

            await derivation.run(tell)

    asyncio.run(deriving())
    return heard, answered


def test_a_run_counts_when_it_was_made_and_its_cost_with_it(tmp_path: Path) -> None:
    told(tmp_path, talk)
    heard, answered = watched(tmp_path, priced(), Manifest("next", OTHER, NOW, "", ""))
    done = load(tmp_path, "next")
    assert [each[0] for each in heard] == list(range(1, done.runs + 1))
    assert {each[1] for each in heard} == {done.runs}
    assert all(count <= calls for (count, *_), calls in zip(heard, answered, strict=True))
    costs = [each[2] for each in heard]
    assert costs == sorted(costs)
    assert (costs[0] < costs[-1], costs[-1]) == (True, done.cost_micros)


def test_what_is_decided_anew_counts_once_it_is_recorded(tmp_path: Path) -> None:
    told(tmp_path, talk)
    heard, _ = watched(tmp_path, reader(), Manifest("next", ASKED, NOW, "", ""))
    runs = load(tmp_path, "next").runs
    assert heard == [(number, runs, 0) for number in range(1, runs + 1)]


async def never_learned(there: Village) -> None:
    for what in ("tea", "rain", "old maps", "bread", "cats"):
        await there.say("zoe", f"I like {what}")


def test_what_was_never_learned_from_is_among_what_there_is_to_do(tmp_path: Path) -> None:
    told(tmp_path, talk, never_learned)
    heard, _ = watched(tmp_path, priced(), Manifest("next", OTHER, NOW, "", ""))
    assert heard[0][1] == heard[-1][0] == heard[-1][1] == load(tmp_path, "next").runs


def test_of_what_came_since_only_that_is_counted(tmp_path: Path) -> None:
    told(tmp_path, talk)
    asyncio.run(derive(tmp_path, priced(), asked=OTHER))

    async def later(there: Village) -> None:
        there.said += 86_400_000
        await there.say("ada", "I like old maps")
        await there.learn("ada")

    told(tmp_path, later)
    heard, _ = watched(tmp_path, priced(), load(tmp_path, "next"))
    assert [each[:2] for each in heard] == [(1, 1)]


async def longer(there: Village) -> None:
    """Kim is learned from three times, Ada twice in front of the last, both by the server."""
    for who in ("kim", "ada", "kim", "ada", "kim"):
        await there.say(who, f"I like {there.said}")
        await there.learn(who)


def test_an_estimate_knows_how_many_calls_wait_for_each_other(tmp_path: Path) -> None:
    told(tmp_path, longer)

    async def estimated() -> tuple[int, float, float]:
        manifest = Manifest("next", OTHER, NOW, "", "")
        async with rederiving(tmp_path, SETTINGS, reader(name="other"), manifest, FakeClock()) as there:
            alone, together = there.estimate(1), there.estimate(100)
            return together.in_a_row, alone.seconds, together.seconds

    in_a_row, alone, together = asyncio.run(estimated())
    assert in_a_row == 3
    assert alone > together >= alone * 3 / 7  # however many are asked at once, three are not


def test_an_estimate_passes_by_who_opted_out(tmp_path: Path) -> None:
    told(tmp_path, longer)
    happens(tmp_path, "opt-out", "discord:ada")

    async def estimated() -> tuple[int, int]:
        model = reader(name="other")
        async with rederiving(tmp_path, SETTINGS, model, Manifest("next", OTHER, NOW, "", ""), FakeClock()) as there:
            guess = there.estimate()
            await there.run(lambda *_: None)
        return guess.calls, len(model.asks)

    calls, asked = asyncio.run(estimated())
    assert calls == asked == 5  # Kim's three, and two of the session
