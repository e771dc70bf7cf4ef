"""`dnam rederive` is killed at random points, and run again until it ends: the shadow is the one that was never broken
off, and nobody is asked again what was answered and recorded. So is one that waits for a batch, by Ctrl-C.

What a kill can cost is what was under way, as many calls as may be under way at once: those that were not answered by
then, and those of which the reply was on its way from the API to the disk. Nothing else is done with a reply before.

DNAM_KILLS says how often in all; the ordinary run does a few, and `make kills` a hundred. The counts are printed with
`-s`.
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
from replay.shadows.shadow import ShadowStore
from replay.verify import verify
from tests.dnam.rederiving.crowd import chat, replies
from tests.dnam.rederiving.village import village
from tests.kills.derivations import Derivations, Doom, Life, derivations
from tests.loopback.messages import Holds, Server, serving

KILLS = int(os.environ.get("DNAM_KILLS", "6"))
ROUNDS = 2 if KILLS <= 6 else 4
"""How much is said."""
MOST_OF_ONE = 8
"""How often one derivation is killed before it may end."""
AT_ONCE = 4
MOST_SECONDS = 5.0
"""How long a reply that was sent to its last byte may take to the disk, where two processes have a machine that has
more to do.
"""


class Tally:
    """What was asked over the lives of derivations. Asked, and not on the disk when the run died, are `unanswered`
    calls and `answered` ones, these by how long before that (seconds) their last byte had been sent; `waiting` ones are
    on the disk then, and not yet decided from.
    """

    def __init__(self) -> None:
        self.kills = Counter[str]()
        self.asked = self.unanswered = self.waiting = self.most_lost = self.most_at_once = 0
        self.answered: list[float] = []

    @property
    def lost(self) -> int:
        """How many were asked in vain."""
        return self.unanswered + len(self.answered)

    def take(self, life: Life, lost: list[bytes]) -> None:
        """A run has ended."""
        answered = [life.answered[each] for each in lost if each in life.answered]
        self.answered += answered
        self.unanswered += len(lost) - len(answered)
        self.most_lost = max(self.most_lost, len(lost))
        self.most_at_once = max(self.most_at_once, life.most_at_once)

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} by {kind}" for kind, count in sorted(self.kills.items()))
        oldest = 1000 * max(self.answered, default=0)
        return (
            f"{self.kills.total()} kills ({kinds}), {self.asked} calls, {self.lost} of them asked again: "
            f"{self.unanswered} that were not answered when the run was killed, and {len(self.answered)} of which the "
            f"reply had been sent and was not on the disk, for {oldest:.0f} ms at the most; "
            f"{self.waiting} on the disk and not decided from were not asked again; "
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
        assert life.most_at_once <= AT_ONCE
        assert len(lost) <= AT_ONCE, "more was lost than may be under way"
        tally.take(life, lost)
        tally.waiting += len(there.waiting(name))
        assert max(tally.answered, default=0) < MOST_SECONDS, "a reply was sent long before, and was not on the disk"
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
