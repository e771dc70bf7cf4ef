"""Somebody who never spoke to the assistant is erased: others were told what they said, and that goes with them.

What must be gone, and what the receipt must count, stands here by hand, beside the list of who said what: neither is
asked of the key ring, which is what would be wrong.
"""

from collections import Counter
from concurrent.futures import wait
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from dnam.erasing.person import erase, look
from dnam.whereabouts import with_handles
from projections.decisions.hear import hear
from projections.events import MessageHeard, TurnAnswered
from replay.builder import check
from replay.snapshot import LAST_KEY
from replay.store import DiskStore
from replay.views import tables_of
from tests.privacy.town import CANARY, EVERY_TURN, PEOPLE, Town, town_on_disk

JARS = "I always like the big round jars from the old market named {}"


class Line(NamedTuple):
    """Who says what, and where; what `quotes` names stands in the answer to it. No answer: it is only overheard."""

    who: str
    where: str
    text: str
    quotes: frozenset[str] | None = None


SAID = (
    Line("tobi", "general", JARS.format("zqtobioneqz")),
    Line("tobi", "general", "everybody knows the big round jars named zqtobitwoqz"),
    Line("person 0", "general", JARS.format("zqzeroqz"), frozenset({"zqtobioneqz", "zqtobitwoqz", "zqzeroqz"})),
    Line(
        "person 1", "general", JARS.format("zqoneqz"), frozenset({"zqtobioneqz", "zqtobitwoqz", "zqzeroqz", "zqoneqz"})
    ),
    Line(
        "ada",
        "terrace",
        JARS.format("zqadaqz"),
        frozenset({"zqtobioneqz", "zqtobitwoqz", "zqzeroqz", "zqoneqz", "zqadaqz"}),
    ),
    Line("ada", "dm ada", JARS.format("zqadastooqz"), frozenset({"zqadaqz", "zqadastooqz"})),
    Line("ines", "docks", JARS.format("zqinesqz"), frozenset({"zqinesqz"})),
    Line("kim", "dm kim", "I always like boxes named zqkimqz", frozenset({"zqkimqz"})),
)
"""After what the crowd says. Tobi's lore, and what was said in general, is told in every channel of Garden and in no
DM; Harbour never hears of it.
"""
THEIRS = frozenset({"zqtobioneqz", "zqtobitwoqz"})
RECEIPT = {
    "person.seen": 1,
    "message.heard": 2,
    "extraction.answered": 2,
    "item.upserted": 2,
    "turn.answered": 3,
    "turn.delivered": 3,
    "summary.answered": 3,
    "summary.refreshed": 3,
}
"""Tobi was met once, said two things, and something was learned from each. Three answers were made of that, to persons
0 and 1 and to Ada, all of them askers; each was delivered, and a summary made of it.
"""


@pytest.mark.parametrize("people", [20, 200])
async def test_who_was_only_quoted_is_gone_from_what_others_were_told(tmp_path: Path, people: int) -> None:
    async with town_on_disk(tmp_path / "data", EVERY_TURN) as made:
        await _talk(made, people)
        assert [each.quotes for each in SAID if each.quotes] == _answers(made), "or the story is another"
        before = _canaries(made)
        assert before >= Counter(THEIRS)
        tobi = await made.handle("tobi")
        assert (await look(made.memory, tobi)).events == RECEIPT
        receipt = await erase(made.memory, tobi)
        assert receipt.is_complete
        assert receipt.taken.events == RECEIPT
        assert THEIRS.isdisjoint(_canaries(made)), "no event that can be read holds what they said"
        assert not any(each in row for row in _rows(made) for each in (*THEIRS, PEOPLE["tobi"]))
        assert _answers(made) == [each.quotes for each in SAID if each.quotes and THEIRS.isdisjoint(each.quotes)]
        assert _said(made) == Counter(each.text for each in SAID if each.who != "tobi") + Counter(_crowd(people))
        store = made.memory.engine.store
        assert isinstance(store, DiskStore)
        made.memory.engine.commit_views()
        assert check(store, made.memory.engine.fold).equal, "live = replay"


async def _talk(made: Town, people: int) -> None:
    """A crowd says something, and nobody answers; then what is told above."""
    names = [f"person {n}" for n in range(people)]
    for members in made.oracle.guilds.values():
        members.update(names, {"tobi"})
    engine = made.memory.engine
    said = zip(names, _crowd(people), strict=True)
    requests = [with_handles(made.request(who, "general", text, text)) for who, text in said]
    wait([engine.submit(partial(hear, request=each)) for each in requests])
    for n, line in enumerate(SAID):
        await made.hears(line.who, line.where, line.text, f"line {n}", addressed=line.quotes is not None)


def _crowd(people: int) -> list[str]:
    return [f"message {n} of the day" for n in range(people)]


def _said(made: Town) -> Counter[str]:
    """What people said that can be read still."""
    return Counter(each.message.text for each in made.events() if isinstance(each, MessageHeard))


def _answers(made: Town) -> list[frozenset[str]]:
    """What each answer that can be read repeats, in order."""
    return [frozenset(CANARY.findall(each.text)) for each in made.events() if isinstance(each, TurnAnswered)]


def _canaries(made: Town) -> Counter[str]:
    """In how many events that can be read each of them stands."""
    texts = (msgspec.json.encode(msgspec.to_builtins(each)).decode() for each in made.events())
    return Counter(canary for text in texts for canary in set(CANARY.findall(text)))


def _rows(made: Town) -> list[str]:
    engine = made.memory.engine
    with engine.reading() as rows:
        stored = [each for table in tables_of(engine.fold) for _, each in rows.raw.scan(table, b"", LAST_KEY)]
    return [each.body.decode("utf-8", "replace") for each in stored if each.body]
