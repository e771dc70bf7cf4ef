"""`dnam rederive` is killed at random points, and run again until it ends: the shadow is the one that was never broken
off, and nobody is asked again what was answered and recorded. So is one that waits for a batch, by Ctrl-C.

DNAM_KILLS says how often in all; the ordinary run does a few. The counts are printed with `-s`.
"""

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from pathlib import Path

from projections.registry import FOLD
from replay.folding import Folding
from replay.shadow import ShadowStore
from replay.verify import verify
from tests.dnam.rederiving.crowd import PEOPLE, chat, replies
from tests.dnam.rederiving.village import village
from tests.kills.derivations import Derivations, Doom, Life, derivations
from tests.loopback.messages import Holds, Server, serving

KILLS = int(os.environ.get("DNAM_KILLS", "6"))
ROUNDS = 2 if KILLS <= 6 else 4
"""How much is said."""
MOST_OF_ONE = 8
"""How often one derivation is killed before it may end."""
AT_ONCE = 4


class Tally:
    """What was asked over the lives of derivations. `lost`: asked, and not on the disk when the run died; `waiting`:
    on the disk then, and not yet decided, because it was not its turn.
    """

    def __init__(self) -> None:
        self.kills = Counter[str]()
        self.asked = self.lost = self.waiting = self.most_lost = self.most_at_once = 0

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} by {kind}" for kind, count in sorted(self.kills.items()))
        return (
            f"{self.kills.total()} kills ({kinds}), {self.asked} calls, {self.lost} of them in flight at a kill and "
            f"asked again, {self.waiting} answered that waited for their turn and were not asked again; "
            f"at most {self.most_lost} lost at one kill, with at most {self.most_at_once} under way at once"
        )


def doom_of(dice: random.Random, whole: Life) -> Doom:
    """Some point of a run that is as long as the whole one, or of its first half."""
    most = {"ask": len(whole.asked), "reply": len(whole.asked), "step": whole.steps, "cpu": round(whole.cpu * 1000)}
    kind = dice.choice(list(most))
    return Doom(kind, dice.randint(1, max(1, most[kind] // dice.choice((1, 2, 4)))))


async def killed(there: Derivations, name: str, dooms: list[Doom], tally: Tally) -> list[bytes]:
    """Derive with these deaths, and then to the end. What was asked."""
    asked: list[bytes] = []
    before = there.recorded(name)
    for doom in (*dooms, Doom()):
        life = await there.run(name, doom, "--parallel", str(AT_ONCE))
        after = there.recorded(name)
        assert not before & set(life.asked), "a reply that was recorded was asked for again"
        assert before <= after
        lost = [each for each in life.asked if each not in after]
        assert len(lost) <= AT_ONCE + len(PEOPLE), "more was lost than can be under way"
        tally.lost += len(lost)
        tally.waiting += len(there.waiting(name))
        tally.most_lost = max(tally.most_lost, len(lost))
        tally.most_at_once = max(tally.most_at_once, life.most_at_once)
        asked, before = [*asked, *life.asked], after
        if not life.was_killed:
            assert life.status == 0, life.told
            assert not lost
            assert not there.waiting(name)
            break
        tally.kills[doom.kind] += 1
    tally.asked += len(asked)
    return asked


async def test_killed_and_run_again_it_is_the_same_shadow_and_nothing_is_paid_twice(tmp_path: Path) -> None:
    dice, tally, data = random.Random(20240301), Tally(), tmp_path / "data"
    async with village(data) as there:
        await chat(there, ROUNDS)
    async with serving(replies()) as server, derivations(data, server) as runs:
        server.latency_seconds = 0.005  # so that several calls are under way at once
        whole = await runs.run("whole", Doom(), "--parallel", str(AT_ONCE))
        assert whole.status == 0, whole.told
        expected = runs.memory("whole")
        assert expected != runs.live()
        assert len(set(whole.asked)) == len(whole.asked) > 10
        number = 0
        while tally.kills.total() < KILLS:
            number += 1
            left = min(MOST_OF_ONE, KILLS - tally.kills.total())
            lost = tally.lost
            asked = await killed(runs, f"killed-{number}", [doom_of(dice, whole) for _ in range(left)], tally)
            assert runs.memory(f"killed-{number}") == expected
            others = set(asked) ^ set(whole.asked)
            assert not others, [runs.prompts[each] for each in others]
            assert len(asked) - len(set(asked)) == tally.lost - lost
            sound(data, f"killed-{number}")
        await left_by_ctrl_c(runs, server)
        assert runs.memory("batched") == expected
    sys.stdout.write(f"\n{number} derivations of {len(whole.asked)} calls: {tally}\n")


async def left_by_ctrl_c(there: Derivations, server: Server) -> None:
    """Derive by batches, press Ctrl-C while one is looked at, and pick it up a day later."""
    api, day = server.batches, 24 * 60 * 60.0
    looked, answer = asyncio.Event(), asyncio.Event()
    api.takes_seconds, api.faults = day, {"retrieve": [Holds(looked, answer)]}
    pid = await there.begin("batched", Doom(), "--batch")
    await looked.wait()
    os.kill(pid, signal.SIGINT)
    left = await there.ended()
    answer.set()
    assert (left.status, len(api.made)) == (130, 1)
    assert "nothing is sent, or paid for, twice" in left.told
    began, api.takes_seconds = api.made[0].made, 0
    api.now = lambda: began + day
    ended = await there.run("batched", Doom(), "--batch")
    assert ended.status == 0, ended.told
    assert len(api.asked()) == len(set(api.asked()))


def sound(data: Path, name: str) -> None:
    """Nothing in the log of a shadow is damaged."""
    store = ShadowStore(data, name, FOLD, writable=False)
    try:
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()
    finally:
        store.close()
