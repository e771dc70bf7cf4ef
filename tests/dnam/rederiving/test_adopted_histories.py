"""Taking a shadow over, over generated histories: what people decided holds afterwards, nothing that was taken back is
back, and nobody reads what they may not. Taken back, it is as before.

DNAM_LAWS says how many histories it is tried on; the ordinary run does a few.
"""

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Collection, Container, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dnam.adoption.adopted import Taken
from dnam.adoption.adopting import Adopting, Chosen, Offer, choosing
from dnam.adoption.unadopting import Unadopting
from dnam.memory import Memory
from dnam.rederiving.rederivation import rederiving
from dnam.shadows.difference import difference_from
from dnam.shadows.manifest import Asked, Manifest, exists, load
from dnam.shadows.report import Wanted
from dnam.shadows.source import Source
from projections.consent import is_out
from projections.context import Request, assemble
from projections.decisions.shelf import rests_on
from projections.events import SummaryWithheld
from projections.events.values import Limits
from projections.fold import AnyProjection
from projections.ids import EventId, Handle, Point
from projections.items import FORGOTTEN, ITEMS, QUIET, item_key
from projections.lookup import people
from projections.people import name_of
from projections.rederiving.roles import role_of
from projections.rows import Rows
from projections.summaries import SUMMARIES, SUMMARY_ATTEMPTS
from replay.builder import silent
from replay.engine import Engine
from replay.reading import Reader
from replay.shadows.shadow import shadow_engine
from tests.dnam.rederiving.decided import Address, Decided, Words, decided_in, words_of
from tests.dnam.rederiving.histories import Step
from tests.dnam.rederiving.moody import CANARY, Moody, moods
from tests.dnam.rederiving.parts import WHOLE, Part, asked_for, parts
from tests.dnam.rederiving.square import ROOM, SQUARE, Square, acts, setting_of, steps
from tests.dnam.rederiving.village import ASKED, SETTINGS
from tests.replay.conftest import SHARED

LAW = settings(
    max_examples=int(os.environ.get("DNAM_LAWS", "16")),
    suppress_health_check=list(HealthCheck),
    deadline=None,
    derandomize="DNAM_LAWS" not in os.environ,
)
LEFT_OUT = frozenset(("event", "at"))
"""What a row that was taken back has of its own."""
TABLES: tuple[AnyProjection, ...] = (ITEMS, SUMMARIES, SUMMARY_ATTEMPTS, FORGOTTEN, QUIET)
State = dict[str, dict[bytes, dict[str, Any]]]


class Story(NamedTuple):
    """What happens before a shadow is made (and an adoption before, perhaps, that may be taken back), between making it
    and taking it over, and between that and taking it back. `behind`: the shadow is not brought up to now. `whose` is
    who it is taken over of, everybody where it is none; `every` says which groups; `cap` is for how many items there is
    room. Of the `dice` come all ids and keys, so that the same story is told the same way again. `part` is what that
    shadow is of.
    """

    before: list[Step]
    since: list[Step]
    between: list[Step]
    then: list[Step]
    live: frozenset[str]
    other: frozenset[str]
    earlier: str
    behind: bool
    whose: frozenset[int]
    every: int
    cap: int = 200
    dice: int = 0
    part: Part = WHOLE


OPENING = [Step("tell", 0, 1), Step("tell", 1, 4), Step("tell", 0, 7), Step("read", 0, 0), Step("sum up", 0, 0)]


def stories(*, before: int = 24, later: int = 5) -> st.SearchStrategy[Story]:
    """Any of them."""
    return st.builds(
        Story,
        steps(before // 2, before).map(lambda some: [*OPENING, *some]),
        steps(0, later),
        acts(later),
        acts(later),
        moods(),
        moods(),
        st.sampled_from(("", "", "adopted", "undone")),
        st.sampled_from((True, True, False)),
        st.one_of(st.just(frozenset()), st.frozensets(st.integers(0, 2), max_size=2)),
        st.integers(1, 3),
        st.sampled_from((200, 200, 200, 5)),
        st.integers(0, 99),
        st.one_of(st.just(WHOLE), parts()),
    )


KEPT_SINCE = Story(
    [Step("note", 0, 2)], [], [Step("hide", 0, 23)], [], frozenset(), frozenset(), "", True, frozenset(), 1
)
"""What they keep for themself after the shadow was made, which does not know it."""

_FORGOTTEN = [*OPENING, Step("forget", 0, 0)]
FORGOTTEN_BEFORE = Story(_FORGOTTEN, [], [], [], frozenset(), frozenset({"enjoys"}), "", True, frozenset(), 1)
"""What a summary tells is forgotten before another one is taken over: the old one does not come back with its words."""

_JOINED = [*OPENING, Step("tell", 1, 0), Step("read", 1, 0)]
DELETED_FROM_TWO = Story(
    _JOINED, [], [Step("delete", 1, 0)], [], frozenset(), frozenset({"joins"}), "", False, frozenset(), 1
)
"""Another model makes one item of two messages, of which one is deleted then: the item does not bring its words."""

_TWICE = [*OPENING, Step("tell", 2, 0), Step("tell", 2, 0)]
_MADE_LORE = frozenset(("joins", "haunts", "enjoys", "fewer", "of others"))
LORE_STANDS = Story(_TWICE, [], [Step("forget", 2, 0)], [], frozenset(), _MADE_LORE, "adopted", True, frozenset(), 1)
"""Lore of what somebody had said, who forgets what is known of them: it stands, and does so again."""

_TOLD = [Step("tell", 0, 1), Step("tell", 1, 4), Step("sum up", 0, 0), Step("tell", 1, 25)]
DELETED_SINCE = Story(_TOLD, [], [Step("delete", 1, 4)], [], frozenset(), frozenset(), "undone", False, frozenset(), 2)
"""A message is deleted after a summary of it was taken over, and had come back."""

_CHANGED = [Step("change", 0, 0), Step("tell", 0, 1)]
BESIDE_WHAT_IS_KEPT = Story(
    [Step("tell", 0, 1), Step("read", 0, 0), Step("hide", 0, 0)], _CHANGED, [], [],
    frozenset(), frozenset({"joins", "more"}), "", False, frozenset(), 1,
)  # fmt: skip
"""What is made of two messages is taken over; nothing is that rests on the one alone which they keep for themself."""

CHANGED_ONCE_OPEN = Story(
    [Step("tell", 0, 0), Step("narrow", 0, 1), Step("tell", 1, 0)], [], [Step("remember", 0, 0), Step("narrow", 0, 0)],
    [Step("change", 1, 0)], frozenset(), frozenset(), "", False, frozenset(), 1,
)  # fmt: skip
"""What was said while the square was closed says something else once it is open: the square stays open."""

_RESTORED = [Step("tell", 1, 1), Step("read", 1, 0), Step("change", 1, 0)]
CLOSED_SINCE = Story(
    _RESTORED, [Step("read", 1, 0), Step("restore", 1, 0)], [Step("narrow", 0, 1), Step("narrow", 0, 0)], [],
    frozenset({"replaces"}), frozenset(), "", True, frozenset(), 1,
)  # fmt: skip
"""What they brought back, whose message says something else by now, moved with the square, which is open again."""

JOINED_SINCE = Story(
    [Step("tell", 0, 1), Step("tell", 0, 2)], [], [Step("change", 0, 2)], [],
    frozenset(), frozenset({"joins"}), "", False, frozenset(), 1,
)  # fmt: skip
"""What stands in the shadow on one of two messages becomes part of what the changed one says."""

SAID_OTHERWISE = Story(
    [Step("tell", 1, 2), Step("read", 1, 0), Step("tell", 1, 0)], [Step("read", 1, 0)], [], [],
    frozenset({"claims ids", "more"}), frozenset({"more"}), "", False, frozenset(), 3,
)  # fmt: skip
"""What an item says until it is changed, another one says then: both are taken over, or neither."""

TWO_THAT_SAY_IT = Story(
    [Step("tell", 2, 3), Step("note", 2, 3), Step("tell", 2, 9), Step("read", 2, 0)], [], [Step("forget", 2, 1)], [],
    frozenset({"claims ids", "more", "of others"}), frozenset(), "", False, frozenset(), 1,
)  # fmt: skip
"""Of two items with the same words one is forgotten before the adoption: its undoing brings the other one back."""

KEPT_AND_REWORDED = Story(
    [Step("tell", 2, 0), Step("remember", 2, 0), Step("note", 2, 0)], [], [Step("redact", 2, 1), Step("note", 2, 0)],
    [], frozenset(), frozenset({"claims ids"}), "", False, frozenset(), 1,
)  # fmt: skip
"""A model puts what they keep in the words of a message that is redacted then: it says again what it said before."""

NO_ROOM = Story(
    [Step("tell", 0, 2), Step("read", 0, 0), Step("tell", 0, 1), Step("tell", 0, 3), *[Step("remember", 0, 0)] * 2],
    [Step("tell", 0, 0)], [], [], frozenset(), frozenset(), "", False, frozenset(), 1, 5,
)  # fmt: skip
"""There is no room for what comes before something has gone."""

SAID_TWICE = Story(
    [Step("tell", 0, 0), Step("tell", 1, 4), Step("read", 1, 0), *[Step("tell", 0, 0)] * 2],
    [Step("for them", 1, 1)], [], [],
    frozenset(), frozenset({"joins", "haunts", "claims ids"}), "", False, frozenset(), 1,
)  # fmt: skip
"""The other model says the same of two messages, as two items."""

OPTED_OUT = Story(
    [*OPENING, Step("opt out", 0, 1), Step("note", 0, 0)], [], [Step("note", 0, 2)], [],
    frozenset(), frozenset({"enjoys"}), "", True, frozenset(), 1,
)  # fmt: skip
"""Who opted out is answered, and nothing is noted down for them."""


def test_what_people_decided_holds_after_any_adoption_and_after_its_undoing() -> None:
    did: Counter[str] = Counter()

    @LAW
    @example(KEPT_SINCE)
    @example(OPTED_OUT)
    @example(DELETED_SINCE)
    @example(FORGOTTEN_BEFORE)
    @example(LORE_STANDS)
    @example(DELETED_FROM_TWO)
    @example(DELETED_FROM_TWO._replace(behind=True))
    @example(BESIDE_WHAT_IS_KEPT)
    @example(CHANGED_ONCE_OPEN)
    @example(CLOSED_SINCE)
    @example(SAID_OTHERWISE)
    @example(TWO_THAT_SAY_IT)
    @example(KEPT_AND_REWORDED)
    @example(NO_ROOM)
    @example(SAID_TWICE)
    @example(JOINED_SINCE)
    @example(JOINED_SINCE._replace(between=[Step("change", 0, 2), Step("narrow", 0, 1)]))
    @given(stories())
    def some(story: Story) -> None:
        with folder() as path:
            telling = asyncio.run(told(path, story))
        did.update(adopted=telling.taken.event is not None, items=telling.taken.items, undone=telling.is_undone)
        did.update(left=telling.left, summaries=telling.taken.summaries, decided=telling.decided)

    some()
    assert min(did[each] for each in ("adopted", "items", "summaries", "left", "decided", "undone")) > 0, did


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="dnam-", dir=SHARED if SHARED.is_dir() else None) as made:
        yield Path(made)


# -- a story ---------------------------------------------------------------------------------------------------------


class Telling:
    """A story while it is told."""

    def __init__(self, path: Path, story: Story) -> None:
        self.path, self.story = path, story
        self.settings = replace(SETTINGS, durable_max_items=story.cap)
        self.square = Square(path, Moody(story.live), self.settings)
        self.taken = Taken()
        self.left, self.decided, self.is_undone = 0, 0, False
        self.forgotten: set[Words] = set()

    async def run(self) -> None:
        story, square = self.story, self.square
        async with square.open():
            await square.all(story.before)
        if story.earlier:
            await self._earlier()
        async with square.open():
            await square.all(story.since)
        await self._derive("next", self._model(await self._forgotten(), "other"))
        async with square.open():
            await square.all(story.between)
        if not story.behind:
            await self._derive("next", self._model(await self._forgotten(), "other"))
        await self._adopt_and_look()
        async with square.open():
            await square.all(story.then)
        await self._undo_and_look()

    async def _earlier(self) -> None:
        await self._derive("earlier", self._model([], "earlier"))
        async with self._adopting("earlier") as (_, adopting):
            await adopting.adopt()
        if self.story.earlier == "undone":
            async with self.square.open():
                await undo(self.square.memory, self.path, "earlier")

    def _model(self, haunting: Iterable[str], name: str) -> Moody:
        habits = self.story.other if name == "other" else self.story.other ^ {"enjoys", "more"}
        return Moody(habits, name, haunting)

    async def _forgotten(self) -> list[str]:
        """What people took back, which the other model says again."""
        async with self.square.open():
            return sorted({item.text for item in decided_in(self.square.memory.engine).took_back.values()})

    async def _derive(self, name: str, model: Moody) -> None:
        asked = Asked(model.name, model.name, ASKED.extraction_prompt, ASKED.summary_prompt, ASKED.merge_policy)
        there = exists(self.path, name)
        part = self.story.part if name == "next" else WHOLE
        of_part = asked if there else asked_for(self.path, asked, part)
        manifest = load(self.path, name) if there else Manifest(name, of_part, self.square.clock.time, "", "")
        async with rederiving(self.path, self.settings, model, manifest, self.square.clock) as derivation:
            await derivation.run(lambda *_: None)
        gone = self.square.oracle.gone | self.square.lost_for_good()
        for ask in model.asks:
            assert not gone & set(CANARY.findall(ask.prompt)), "no model is shown what was taken back"

    @asynccontextmanager
    async def _adopting(self, name: str) -> AsyncIterator[tuple[Memory, Adopting]]:
        async with self.square.open():
            memory, manifest = self.square.memory, load(self.path, name)
            if knows_all(memory.engine, manifest):
                manifest = msgspec.structs.replace(manifest, upto=memory.engine.head().size)
            whose = [person for person in await memory.look(people) if await self._is_chosen(person)]
            with shadow_engine(self.path, name, beside=memory.engine) as shadow:
                yield memory, Adopting(Source(memory, shadow, manifest), frozenset(whose) or None)

    async def _is_chosen(self, person: Handle) -> bool:
        name = await self.square.memory.look(lambda rows: name_of(rows, person))
        return name in {("Kim", "Ada", "Tobi")[each] for each in self.story.whose}

    # -- looking -----------------------------------------------------------------------------------------------------

    async def _adopt_and_look(self) -> None:
        differed = await self._differs()
        async with self._adopting("next") as (memory, adopting):
            self.before, self.said = await memory.look(state), await memory.look(readable)
            decided, size = decided_in(memory.engine), memory.engine.head().size
            self.forgotten = decided.forgotten_words()
            await memory.look(lambda rows: agrees(decided, rows))
            if not self.story.behind:
                self._nothing_gone_in(adopting)
            offer = await adopting.look()
            if not self.story.whose:
                assert differed <= (not offer.is_empty), "what differs is to be taken over"
            self.left, self.decided = sum(len(each.left) for each in offer.people), len(list(decided.written()))
            chosen = self._chosen(offer)
            self.taken = await adopting.adopt(chosen)
            self.size = memory.engine.head().size
            if self.taken.event is None:
                assert self.size == size, "nothing was taken over, and nothing recorded"
            self.adopted = await memory.look(state)
            held(decided, self.before, self.adopted, await memory.look(outs))
            await self._nothing_leaks()
            again = await adopting.adopt(chosen)
            assert again.event is None, "a second time there is nothing to take over"
            assert memory.engine.head().size == self.size
        if chosen is None and not self.story.whose:
            assert not await self._differs(), "what is left is no difference"

    async def _differs(self) -> bool:
        """Whether `dnam diff` says that there is something to adopt."""
        async with self.square.open():
            memory, name = self.square.memory, "next"
            found = await memory.look(lambda rows: difference_from(memory, rows, self.path, name, Wanted(), silent))
            return found.report.differs

    def _nothing_gone_in(self, adopting: Adopting) -> None:
        """A shadow that knows all that happened holds nothing of what was taken back, but where an item stands on other
        messages, as it does in the memory.
        """
        with adopting._source.both() as both:
            assert not self.square.oracle.gone & set(CANARY.findall(readable(both.shadow)))
            standing = decided_in(adopting._source._shadow).standing
            assert not self.square.lost_for_good() & set(CANARY.findall(readable(both.shadow, standing)))

    def _chosen(self, offer: Offer) -> Chosen | None:
        if self.story.every == 1:
            return None
        keys = sorted(part.group.key for each in offer.people for part in each.parts)
        sessions = sorted(each.key for each in offer.sessions if not each.reason)
        return choosing(offer, frozenset(keys[:: self.story.every]), frozenset(sessions[:: self.story.every]))

    async def _undo_and_look(self) -> None:
        async with self.square.open():
            memory = self.square.memory
            decided, before = decided_in(memory.engine), await memory.look(state)
            self.said += await memory.look(readable)
            undone = await undo(memory, self.path, "next")
            left = None if undone is None else undone.left
            self.is_undone, after = left is not None, await memory.look(state)
            opted_out, known = await memory.look(outs), frozenset((*await memory.look(people), bytes(16)))
            held(decided, before, after, opted_out, First(self.before, self.forgotten))
            await self._nothing_leaks()
            if self.taken.event is not None and not self.story.then:
                withheld = {} if undone is None else await memory.look(partial(withheld_of, sessions=undone.withheld))
                assert but(after, withheld) == but(self.before, withheld), "as it was before the adoption"
                assert undone is None or undone.withheld == {*withheld.values()}
                for key in withheld:
                    assert not after[SUMMARIES.name][key]["text"], "what is withheld is made anew"
            acted = {key_of(address) for address, seq in decided.acted.items() if seq > self.size}
            for key in {*before[ITEMS.name], *after[ITEMS.name], *self.before[ITEMS.name]} - acted:
                now, was, then = (each[ITEMS.name].get(key) for each in (after, self.before, before))
                assert now == then or (now == was and self.taken.event is not None)
                assert (
                    now == was
                    or was == self.adopted[ITEMS.name].get(key)  # it was not adopted: there is nothing to take back
                    or left is None
                    or key in left
                    or not self.taken.event
                    or key[:16] not in known - opted_out
                    or await memory.look(partial(is_without_words, was))  # it went with its message, without an event
                )

    async def _nothing_leaks(self) -> None:
        """Nobody is answered with what not every reader of the answer may see; what is gone is in no row."""
        memory, oracle = self.square.memory, self.square.oracle
        words = set(CANARY.findall(await memory.look(readable)))
        standing = decided_in(memory.engine).standing
        others = set(CANARY.findall(await memory.look(partial(readable, but_for=standing))))
        assert not oracle.gone & words, "what was taken back is in no row"
        assert not self.square.lost_for_good() & others, "nor with its message, but where an item stands on others"
        assert not (self.square.edited | self.square.lost) & words - set(CANARY.findall(self.said)), "nor back in one"
        for where in (SQUARE, ROOM, *(f"dm {who}" for who in sorted(oracle.guilds["garden"]))):
            session = self.square.sessions.get(where)
            prompts = await memory.look(partial(prompted, memory, where, session)) if session else {}
            for name in prompts.keys() & oracle.readers(where):
                assert not oracle.leaks(prompts[name], oracle.readers(where)), f"to {name} in {where}"


def prompted(memory: Memory, where: str, session: str, rows: Rows) -> dict[str, str]:
    """What a model would be shown to answer anybody somewhere, by their names."""
    point = Point(memory.now() + 1, EventId(b"\xff" * 16))
    limits = Limits(items=50, item_chars=20_000, history_messages=50, history_chars=20_000, summary_chars=5_000)
    prompts: dict[str, str] = {}
    for person in people(rows):
        asked = "green tea walks maps bees"
        setting = setting_of(rows, person, where)
        request = Request(setting, session, point, "Robin", memory.vocabulary, asked, limits)
        prompts[name_of(rows, person).lower()] = assemble(rows, request).text
    return prompts


async def told(path: Path, story: Story) -> Telling:
    """Tell it, and look at everything."""
    telling = Telling(path, story)
    with patch.object(os, "urandom", Random(story.dice).randbytes):
        await telling.run()
    return telling


# -- what must hold --------------------------------------------------------------------------------------------------


def agrees(decided: Decided, rows: Rows) -> None:
    """The oracle has read the log as it was meant: every item that a person wrote is there as they left it."""
    there = {(row.item.owner, row.item.compartment, row.item.id): row.item for row in map(_row, rows.scan(ITEMS))}
    for address, item in decided.written():
        if address in there:
            assert (there[address].text, there[address].status) == (item.text, item.status)


class First(NamedTuple):
    """What was before a difference was taken over, and the words that were forgotten by then."""

    state: State
    forgotten: set[Words]


def held(
    decided: Decided, before: State, after: State, opted_out: frozenset[Handle], first: First | None = None
) -> None:
    """After a difference was taken over, or back, everything is as people decided. `first` is what was before it was
    taken over: what was said twice then may be so again, what was said in words that another item was forgotten with,
    and what stood then on something that had left recall.
    """
    was, now = before[ITEMS.name], after[ITEMS.name]
    for address, item in decided.written():
        key = key_of(address)
        assert now.get(key) == was.get(key), f"what a person decided of {item.text!r} holds"
    for name in (FORGOTTEN.name, QUIET.name):
        assert before[name] == after[name], "what was taken back stays so"
    words, hidden = decided.forgotten_words(), {words_of(item) for item in decided.hidden.values()}
    for key, row in now.items():
        item = row["item"]
        if row == was.get(key):
            continue
        assert item.owner not in opted_out
        if item.status != "active" or (key in was and was[key]["item"].status == "active" and _says(was[key], item)):
            continue
        assert address_of_row(item) not in decided.took_back, "what was forgotten is not active again"
        is_again = first is not None and words_of(item) in first.forgotten and _said_so(first, key, item)
        assert words_of(item) not in words or is_again, "what was forgotten is not said again"
        if first is None or not _stood(first, key, item):
            assert not decided.left_recall(each.message for each in item.evidence if each.message)
        assert item.kept == (key in was and was[key]["item"].kept), "only a person asks to keep something"
        others = [at for at, each in now.items() if at != key and _says(each, item)]
        twins = [now[at]["item"] for at in others if first is None or first.state[ITEMS.name].get(at) != now[at]]
        assert not [each for each in twins if _lies_with(each, item)], "nothing is said twice"
        assert words_of(item) not in hidden or item.compartment.endswith("/direct"), "what is kept private is"


def _said_so(first: First, key: bytes, item: Any) -> bool:
    """Whether an item was active before, in these words."""
    row = first.state[ITEMS.name].get(key)
    return bool(row and row["item"].status == "active" and _says(row, item))


def _stood(first: First, key: bytes, item: Any) -> bool:
    """Whether it was so when all that it rests on had left recall already: lore does that a model made of what somebody
    forgot of themselves.
    """
    evidence = {each.message for each in item.evidence if each.message}
    return _said_so(first, key, item) and evidence <= first.state[QUIET.name].keys()


def _says(row: dict[str, Any], item: Any) -> bool:
    return bool(words_of(row["item"]) == words_of(item))


def _lies_with(one: Any, other: Any) -> bool:
    return (one.status, one.compartment, one.kind) == ("active", other.compartment, other.kind)


def address_of_row(item: Any) -> Address:
    return Address(item.owner, item.compartment, item.id)


def key_of(address: Address) -> bytes:
    """The key of its row."""
    return item_key(*address)


def _row(found: Any) -> Any:
    return found.row


def state(rows: Rows) -> State:
    """Every row that an adoption may touch, but for its event and when that was recorded."""
    return {
        projection.name: {
            found.key: {name: getattr(found.row, name) for name in found.row.__struct_fields__ if name not in LEFT_OUT}
            for found in rows.scan(projection)
        }
        for projection in TABLES
    }


def readable(rows: Rows, but_for: Collection[Address] = ()) -> str:
    """Every text of every item and summary, of whichever status; but for some items, as those that stand on other
    messages after one was taken back: what a model had made of both, they say still (`redact_items`).
    """
    found = (each.row.item for each in rows.scan(ITEMS))
    told = (item for item in found if address_of_row(item) not in but_for)
    items = [msgspec.json.encode(msgspec.to_builtins(item)).decode() for item in told]
    return "\n".join((*items, *(found.row.text for found in rows.scan(SUMMARIES))))


def is_without_words(row: dict[str, Any] | None, rows: Rows) -> bool:
    """Whether a message that an item rests on was taken back, or says something else by now."""
    return row is not None and any(rows.ids.status(each) != "known" for each in rests_on(row["item"].evidence))


def outs(rows: Rows) -> frozenset[Handle]:
    """Who opted out."""
    return frozenset(each for each in people(rows) if is_out(rows, each))


def knows_all(engine: Engine, manifest: Manifest) -> bool:
    """Whether nothing but what models made was recorded behind a shadow's end."""
    reader = Reader(engine.live)
    records = (reader.at(seq).record for seq in range(manifest.upto + 1, reader.size + 1))
    return all(each is not None and role_of(each.event) in ("derived", "left out") for each in records)


def withheld_of(rows: Rows, sessions: Container[str]) -> dict[bytes, str]:
    """Where the summaries of these sessions lie that are withheld: a session has one for each epoch of its audience."""
    return {
        found.key: found.row.session
        for found in rows.scan(SUMMARIES)
        if found.row.session in sessions and isinstance(rows.event(found.row.event), SummaryWithheld)
    }


def but(state: State, keys: Container[bytes]) -> State:
    """The state without the summaries that lie there: what they said before, a person took back."""
    told = (SUMMARIES.name, SUMMARY_ATTEMPTS.name)
    return state | {name: {key: row for key, row in state[name].items() if key not in keys} for name in told}


class Undone(NamedTuple):
    """The keys of what is left as it is, and the sessions whose summaries are withheld."""

    left: frozenset[bytes]
    withheld: frozenset[str]


async def undo(memory: Memory, path: Path, name: str) -> Undone | None:
    """Take the last adoption back."""
    undoing = Unadopting(memory, path, name)
    offer = await undoing.look()
    if offer is None:
        return None
    await undoing.undo(offer)
    left = frozenset(key_of(Address(*left.address)) for each in offer.people for left in each.left)
    return Undone(left, frozenset(offer.withheld))
