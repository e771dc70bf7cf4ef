"""A village with a square, a back room and direct messages, in which every other thing said has a word of its own: what
people and models do there, over several openings of one memory. An oracle knows who may see which of these words.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from dnam.assistant import Assistant
from dnam.consenting import consent
from dnam.errors import OptedOut, Unknown
from dnam.memory import Memory
from dnam.redacting import redact
from dnam.reverting import Plan, carry_out, caused_by, plan, the_revert
from dnam.settings import Settings
from dnam.whereabouts import Heard
from projections.decisions.audience import AudienceRequest
from projections.decisions.delete import DeletedRequest, delete, message_identity
from projections.decisions.hear import HeardRequest, is_kept_out
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events import ExtractionAnswered, ItemReverted
from projections.events.values import OPERATOR, Audience, Item
from projections.ids import EventId, Handle, Ref
from projections.people import person_of
from projections.places import audience_of
from projections.policies.compartments import Setting, everywhere
from projections.rows import Rows
from replay.chronicle import LogChronicle
from replay.erasure import erase
from replay.errors import ErasedMeanwhile
from replay.reading import Reader
from tests.dnam.rederiving.histories import LIKED, PEOPLE, Step, Told, _narrowed
from tests.dnam.rederiving.moody import CANARY, Moody
from tests.dnam.rederiving.village import GARDEN, GENERAL, SETTINGS, STAFF
from tests.dnam.scripted import Calling, FakeClock, calling
from tests.privacy.oracle import Oracle, Place
from tests.world import NOW

GUILD, SQUARE, ROOM = "garden", "general", "staff"
INSIDERS = frozenset(("kim", "ada"))
"""Who can read the back room; and the square, while it is closed."""
MINUTE = 60_000


class Message(NamedTuple):
    """Something somebody said: where by the oracle's name, and how the memory knows it."""

    who: str
    where: str
    seen: PlaceSeen
    key: str
    said: int
    event: EventId
    session: str
    canaries: frozenset[str]


class Square(Told):
    """The village, with the model that learns there; `open` lets it go on in a memory that is opened again."""

    def __init__(self, path: Path, model: Moody, settings: Settings = SETTINGS) -> None:
        self.path, self.model, self.clock, self.settings = path, model, FakeClock(), settings
        self.said, self.number = NOW, 0
        self.messages: list[Message] = []
        self.sessions: dict[str, str] = {}
        self.seen = GENERAL
        self.lost: set[str] = set()
        """The words of messages that were taken back, or never taken in."""
        self.edited: set[str] = set()
        """The words of messages that say something else now: what was made of them stands until they are read again."""
        self.held: set[str] = set()
        """What people keep, or took back, as an item: it stands without its message."""
        self.oracle = Oracle(guilds={GUILD: set(PEOPLE)})
        self.oracle.add(Place(SQUARE, guild=GUILD, members=set(INSIDERS)))
        self.oracle.add(Place(ROOM, guild=GUILD, members=set(INSIDERS), is_restricted=True))
        for who in PEOPLE:
            self.oracle.add(Place(f"dm {who}", partner=who))

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Square"]:
        """The memory, open for what happens next."""
        async with Memory.open(self.path, settings=self.settings, clock=self.clock) as memory:
            self.memory, self.assistant = memory, Assistant(memory, self.model)
            yield self

    async def take(self, step: Step) -> None:
        """One step; nothing, where there is nothing to do it to."""
        self.number += 1
        with suppress(BadRequest, OptedOut, Unknown, ErasedMeanwhile):
            await STEPS[step.what](self, PEOPLE[step.who], step.number)

    async def _item(self, who: str, number: int, *statuses: str) -> Item:
        item = await super()._item(who, number, *statuses)
        self.held |= set(CANARY.findall(item.text))
        return item

    async def all(self, steps: list[Step]) -> None:
        """These steps."""
        for each in steps:
            await self.take(each)

    async def handle(self, who: str) -> Handle:
        """Who somebody is. Unknown before they said anything, and once they are erased."""
        found = await self.memory.look(lambda rows: person_of(rows, "discord", who))
        if found is None:
            raise Unknown(who)
        return found.row.person

    # -- what is said -----------------------------------------------------------------------------------------------

    def later(self) -> int:
        """A minute later, in ms."""
        self.said += MINUTE
        self.clock.time = max(self.clock.time, self.said)
        return self.said

    def place(self, who: str, number: int) -> tuple[str, PlaceSeen]:
        """Where somebody says something: in a place that they can read."""
        where = (SQUARE, SQUARE, ROOM, f"dm {who}")[number % 4]
        if who not in self.oracle.readers(where):
            where = f"dm {who}"
        direct = PlaceSeen("discord", "", "direct", "", "direct", partner=Account("discord", who, who.title()))
        return where, {SQUARE: self.seen, ROOM: STAFF}.get(where, direct)

    def canary(self, who: str, where: str) -> str:
        """A word that nobody else has said."""
        made = f"zq{len(self.oracle.canaries)}qz"
        self.oracle.says(made, who, where)
        return made

    async def says(self, who: str, text: str, where: str, seen: PlaceSeen) -> Heard:
        """Somebody says something."""
        said = self.later()
        key, name = f"m{said}", who.title()
        heard = await self.memory.heard(who, text, name=name, platform="discord", place=seen, key=key, said=said)
        self.sessions[where] = heard.session
        event = self.memory.engine.store.ring.event_id(message_identity("discord", key, "heard", said))
        found = frozenset(CANARY.findall(text))
        message = Message(who, where, seen, key, said, event, heard.session, found)
        if await self.memory.look(lambda rows: rows.ids.status(event)) == "known":
            self.messages.append(message)
        else:
            self.lost |= found
        return heard

    async def tell(self, who: str, number: int) -> None:
        where, seen = self.place(who, number // 3)
        word = f" {self.canary(who, where)}" if number % 3 else ""
        await self.says(who, f"I like {LIKED[number % len(LIKED)]}{word}", where, seen)

    async def note(self, who: str, number: int) -> None:
        """They ask for it, and the answering model takes it down; of who opted out it is given no tool to do so."""
        where, seen = self.place(who, number)
        text = f"I like {LIKED[number % len(LIKED)]} {self.canary(who, where)}"
        given = {"namespace": "me", "text": text, "quote": text, "kind": "preference"}
        noting = calling(Calling((("memory_write", given),)), "Noted.")
        self.model.scripts["answer"] = lambda ask: noting(ask) if ask.tools else "As you like."
        await self.assistant.answer(await self.says(who, text, where, seen))

    async def change(self, who: str, number: int) -> None:
        message = self._one_of(who, number)
        word = self.canary(who, message.where)
        said = self.later()
        account = Account("discord", who, who.title())
        text = f"I like {LIKED[number % len(LIKED)]} after all {word}"
        seen = self.seen if message.where == SQUARE else message.seen  # it is changed in the place as it is by now
        request = HeardRequest(
            message.key, seen, "person", account, text, message.said, (), addressed=True, edited=said
        )
        is_unheard = await self.memory.look(lambda rows: is_kept_out(rows, request))  # they opted out
        await self.memory.hear(request)
        self.edited |= frozenset() if is_unheard else message.canaries
        self.messages.append(message._replace(canaries=frozenset({word})))

    async def delete(self, who: str, number: int) -> None:
        message = self._one_of(who, number)
        request = DeletedRequest("discord", message.key, message.session, message.said, self.later())
        while (await self.memory.record(lambda rows: delete(rows, request))).records:
            pass
        self.lost |= message.canaries

    async def redact(self, who: str, number: int) -> None:
        message = self._one_of(who, number)
        if await redact(self.memory, message.event):
            self.lost |= message.canaries

    def _one_of(self, who: str, number: int) -> Message:
        own = [each for each in self.messages if each.who == who]
        if not own:
            raise BadRequest("nothing was said")
        message = own[number % len(own)]
        self.messages.remove(message)
        return message

    def lost_for_good(self) -> set[str]:
        """What was taken back with its message, and nobody asked to keep."""
        return self.lost - self.held

    # -- loops ------------------------------------------------------------------------------------------------------

    async def wait(self, who: str, number: int) -> None:
        """Nothing happens."""

    async def sum_up(self, who: str, number: int) -> None:
        where = (SQUARE, ROOM, f"dm {who}")[number % 3]
        if where not in self.sessions:
            raise BadRequest("nothing was said there")
        setting = await self.setting(who, where)
        await self.assistant.summarise(self.sessions[where], setting.audience, setting.person)

    async def setting(self, who: str, where: str) -> Setting:
        """Somebody is answered somewhere."""
        person = await self.handle(who)
        return await self.memory.look(lambda rows: setting_of(rows, person, where))

    # -- what people decide -----------------------------------------------------------------------------------------

    async def remember(self, who: str, number: int) -> None:
        where, _ = self.place(who, number)
        setting = await self.setting(who, where)
        await self.memory.remember(
            setting.person, f"keeps {number % 5} bees {self.canary(who, where)}", setting=setting
        )

    async def forget_words(self, who: str, number: int) -> None:
        for item in await self.memory.forget(await self.handle(who), f"likes {LIKED[number % len(LIKED)]}"):
            self.held |= set(CANARY.findall(item.text))

    async def say_again(self, who: str, number: int) -> None:
        """They ask to keep what a model may say too."""
        await self.memory.remember(await self.handle(who), f"likes {LIKED[number % len(LIKED)]}")

    async def for_them(self, who: str, number: int) -> None:
        """The operator changes an item, or takes it back."""
        item = await self._item(who, number, "active")
        if number % 2:
            await self.memory.forget(item.owner, id=item.id, by=OPERATOR)
        else:
            await self.memory.edit(item.owner, item.id, f"collects {number} coins", by=OPERATOR)

    async def share(self, who: str, number: int) -> None:
        item = await self._item(who, number, "active")
        for moved in await self.memory.share(item.owner, item.id):
            if moved.compartment == everywhere(item.owner):
                for word in CANARY.findall(moved.text):
                    self.oracle.shares(word)

    async def hide(self, who: str, number: int) -> None:
        item = await self._item(who, number, "active")
        for moved in await self.memory.keep_private(item.owner, item.id):
            for word in CANARY.findall(moved.text):
                self.oracle.hides(word, who)

    # -- who may know -----------------------------------------------------------------------------------------------

    async def narrow(self, who: str, number: int) -> None:
        """The square closes, or opens."""
        closes = bool(number % 2)
        self.seen = GENERAL._replace(audience="channel" if closes else "guild")
        said = self.later()
        while True:
            request = AudienceRequest(self.seen, said, self.memory.origin())
            if not (await self.memory.record(partial(_narrowed, request))).records:
                break
        if closes == self.oracle.is_open(SQUARE) and SQUARE in self.sessions:
            (self.oracle.close if closes else self.oracle.open)(SQUARE)
        if SQUARE not in self.sessions:
            self.seen = GENERAL

    async def opt_out(self, who: str, number: int) -> None:
        await consent(self.memory, await self.handle(who), out=bool(number % 3))

    async def erase(self, who: str, number: int) -> None:
        if number % 3:
            return
        self.later()
        erase(self.memory.engine, await self.handle(who))
        self.oracle.erases(who)
        self.messages = [each for each in self.messages if each.who != who]

    # -- repair -----------------------------------------------------------------------------------------------------

    async def revert(self, who: str, number: int) -> None:
        """The operator undoes a bad extraction, or the undoing of one."""
        kind = ItemReverted if number % 3 == 0 else ExtractionAnswered
        reader = Reader(self.memory.engine.live)
        records = (reader.at(seq).record for seq in range(1, reader.size + 1))
        found = [each.seq for each in records if each is not None and isinstance(each.event, kind)]
        if not found:
            raise BadRequest("nothing was learned")
        made = await self.memory.look(lambda rows: self._reverting(rows, kind, found[number % len(found)]))
        await carry_out(self.memory, made)

    def _reverting(self, rows: Rows, kind: type, seq: int) -> Plan:
        reader, chronicle = Reader(self.memory.engine.live), LogChronicle(self.memory.engine.live)
        asked = (the_revert if kind is ItemReverted else caused_by)(rows, reader, chronicle, seq)
        return plan(self.memory, rows, asked)


def setting_of(rows: Rows, person: Handle, where: str) -> Setting:
    """Somebody is answered in a place, by the oracle's name of it."""
    if where.startswith("dm "):
        return Setting(person, Audience("direct", Ref("discord", f"dm:{person.hex()}")))
    place = Ref("discord", {SQUARE: "1", ROOM: "2"}[where])
    audience = audience_of(rows, place) or Audience("guild" if where == SQUARE else "channel", place)
    return Setting(person, audience, GARDEN)


Act = Callable[[Square, str, int], Awaitable[None]]
STEPS: Mapping[str, Act] = {
    "wait": Square.wait,
    "tell": Square.tell,
    "note": Square.note,
    "read": Square.read,
    "read badly": Square.read_badly,
    "sum up": Square.sum_up,
    "remember": Square.remember,
    "say again": Square.say_again,
    "forget": Square.forget,
    "forget words": Square.forget_words,
    "restore": Square.restore,
    "reword": Square.reword,
    "for them": Square.for_them,
    "share": Square.share,
    "hide": Square.hide,
    "change": Square.change,
    "delete": Square.delete,
    "redact": Square.redact,
    "narrow": Square.narrow,
    "opt out": Square.opt_out,
    "erase": Square.erase,
    "revert": Square.revert,
}
OFTEN = ("tell",) * 14 + ("read",) * 9 + ("sum up",) * 2 + ("remember", "forget", "forget", "reword", "restore")
MEANWHILE = ("forget", "hide", "reword", "restore", "delete", "change", "narrow", "for them", "share")
RARE = frozenset(("opt out", "erase", "narrow", "redact"))
"""After these there is less left to differ."""


def steps(least: int, most: int) -> st.SearchStrategy[list[Step]]:
    """So many steps, of which some are none."""
    kinds = st.sampled_from(["wait", *OFTEN, *(each for each in STEPS if each not in RARE), *STEPS])
    step = st.builds(Step, kinds, st.integers(0, len(PEOPLE) - 1), st.integers(0, 40))
    return st.lists(step, min_size=least, max_size=most)


def acts(most: int) -> st.SearchStrategy[list[Step]]:
    """Up to so many steps, mostly those that change what is there already."""
    kinds = st.sampled_from(["wait", *MEANWHILE, *MEANWHILE, *STEPS])
    return st.lists(st.builds(Step, kinds, st.integers(0, len(PEOPLE) - 1), st.integers(0, 40)), max_size=most)
