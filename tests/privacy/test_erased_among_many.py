"""One of 20 and one of 200 in a channel is erased: what is left is what it was, and the receipt counts what is gone."""

from collections import Counter
from concurrent.futures import wait
from functools import partial
from pathlib import Path

import pytest

from dnam.erasing.person import erase
from dnam.whereabouts import with_handles
from projections.decisions.hear import HeardRequest, hear
from projections.ids import Handle
from projections.registry import FOLD
from replay import codec
from replay.builder import check
from replay.folding import Folding
from replay.snapshot import LAST_KEY
from replay.store import DiskStore
from replay.verify import verify
from tests.privacy.town import EVERY_TURN, Town, town_on_disk
from tests.replay.stage import TABLES

WORDS = "I always like the big round jars from the old market named {}"
ANSWERED = 6
"""How many are answered, and learned from; every answer draws on those before it."""


@pytest.mark.parametrize("people", [20, 200])
async def test_one_of_many_is_erased_and_nothing_else_changes(tmp_path: Path, people: int) -> None:
    async with town_on_disk(tmp_path / "data", EVERY_TURN) as made:
        await _crowd(made, people)
        store = made.memory.engine.store
        assert isinstance(store, DiskStore)
        gone = await made.handle("person 3")
        theirs = set(store.ring.listing(gone))
        before, counted = _rows(made), _counted(made, gone)
        size = made.memory.engine.head().size
        receipt = await erase(made.memory, gone)
        assert receipt.is_complete
        assert receipt.taken.events == dict(counted)
        assert receipt.taken.keys == len(theirs) > receipt.taken.shared > 0
        assert counted["message.heard"] >= 2
        assert counted["turn.answered"] >= ANSWERED - 3, "their words stood in the prompts of others"
        after = _rows(made)
        kept = {place: row for place, row in before.items() if row[1] not in theirs}
        assert {place: after.get(place) for place in kept} == kept
        assert not any(vault in theirs for _, vault in after.values())
        assert len(kept) < len(before)
        assert store.ring.listing(gone) == []
        assert made.memory.engine.head().size == size + 2, "person.erased and erasure.completed"
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()
        made.memory.engine.commit_views()
        assert check(store, FOLD).equal, "live = replay"


async def _crowd(made: Town, people: int) -> None:
    """Everybody says two things; the first few are answered."""
    names = [f"person {n}" for n in range(people)]
    for place in made.oracle.guilds.values():
        place.update(names)
    requests = [with_handles(_request(made, who, n)) for n, who in enumerate((*names, *names))]
    engine = made.memory.engine
    wait([engine.submit(partial(hear, request=each)) for each in requests])
    for who in names[:ANSWERED]:
        await made.says(who, "general", WORDS.format(f"zq{'abcdefghij'[names.index(who)]}qz"))


def _request(made: Town, who: str, n: int) -> HeardRequest:
    return made.request(who, "general", f"message {n} of the day", f"first {n}")


Row = tuple[tuple[int, bytes], bytes]


def _rows(made: Town) -> dict[tuple[str, bytes], Row]:
    """Every row there is, with the vault of the event that made it."""
    with made.memory.engine.reading() as rows:
        return {
            (table, key): ((stored.seq, bytes(stored.body)), stored.vault)
            for table in TABLES
            for key, stored in rows.raw.scan(table, b"", LAST_KEY)
        }


def _counted(made: Town, person: Handle) -> Counter[str]:
    """How many events lie in a vault that lists the person, by tag; counted from headers and ring alone."""
    store = made.memory.engine.store
    headers = [codec.decode_header(each.header) for each in store.log.read(0)]
    sealed = [each for each in headers if any(each.vault) and person in store.ring.people(each.vault)]
    return Counter(each.tag for each in sealed)
