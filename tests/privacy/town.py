"""A town: two guilds, their channels and threads, a group, DMs, and a real memory with an assistant that hears it all.

The platform is what the oracle says it is; the memory is told of it as an adapter would tell it. The model is the worst
that there could be: it repeats every canary that it is shown.
"""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from dnam.assistant import Assistant, Thought
from dnam.commands import table
from dnam.commands.command import Invocation, Reply
from dnam.commands.pointing import Pointed
from dnam.discoclaw.files import all_files, only_guild
from dnam.erasing.person import erase
from dnam.exports.belongings import belongings
from dnam.exports.belongings_json import as_json
from dnam.languages import load
from dnam.memory import Memory
from dnam.model import Ask, ExtractionInputs, MergeInputs
from dnam.snapshot import Channel, snapshot
from dnam.whereabouts import Heard, locate
from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.delete import DeletedRequest, delete
from projections.decisions.hear import HeardRequest, Mention
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen, place_ref
from projections.events import Event
from projections.events.heard import PlaceKind
from projections.events.values import Item
from projections.ids import Handle, Ref, Seq
from projections.items import items_of
from projections.places import audience_of
from replay.engine import Engine
from replay.errors import LogError
from tests.dnam.scripted import FakeClock, Script, ScriptedModel, settings
from tests.privacy.oracle import Oracle, Place

PLATFORM = "discord"
CANARY = re.compile(r"zq[a-z]+qz")
GARDEN, HARBOUR = "garden", "harbour"
NUMBERS = {
    name: f"{20_000 + n}"
    for n, name in enumerate(
        (GARDEN, HARBOUR, "general", "terrace", "stage", "docks", "cellar", "attic", "nook", "fog", "hold", "club",
         "bench", "shelf")
    )
}  # fmt: skip
"""What the platform calls them."""
OWNER = "ines"
PEOPLE = {
    "kim": "618033988749894848",
    "ada": "271828182845904523",
    "tobi": "141421356237309504",
    OWNER: "314159265358979323",
}
KINDS: Mapping[str, PlaceKind] = {
    "bench": "thread", "shelf": "thread", "nook": "thread", "stage": "stage", "lounge": "voice", "club": "group",
    "fog": "unknown",
}  # fmt: skip
EVERY_TURN = {"summary_every_n_turns": "1", "durable_every_n_turns": "1", "learn": "heard"}


def new_town() -> Oracle:
    """The platform at the beginning.

    Garden: general, terrace and stage (open, all of it), cellar, attic and fog (some), bench (a public thread of
    general), shelf (one of cellar), nook (a private thread). Harbour: docks (open), hold (some). A group and four DMs.
    """
    oracle = Oracle({GARDEN: {"kim", "ada", "ines"}, HARBOUR: {"kim", "ines"}})
    for key in ("general", "terrace", "stage"):
        oracle.add(Place(key, GARDEN, {"kim", "ada"}))
    oracle.add(Place("docks", HARBOUR, {"kim"}))
    for key, guild, members in (
        ("cellar", GARDEN, {"kim", "ada"}), ("attic", GARDEN, {"kim"}), ("nook", GARDEN, {"kim", "ada"}),
        ("fog", GARDEN, {"kim"}), ("hold", HARBOUR, {"kim"}), ("club", "", {"kim", "ada"}),
    ):  # fmt: skip
        oracle.add(Place(key, guild, set(members), is_restricted=True))
    oracle.add(Place("bench", GARDEN, parent="general"))
    oracle.add(Place("shelf", GARDEN, parent="cellar"))
    for person in PEOPLE:
        oracle.add(Place(f"dm {person}", partner=person))
    return oracle


def ref(name: str) -> Ref:
    """A guild or a place, as the platform names it."""
    return Ref(PLATFORM, NUMBERS[name])


class Rendered(NamedTuple):
    """Something that somebody gets to see: of which kind, where, for whom, and who can read it."""

    surface: str
    place: str
    person: str
    text: str
    readers: frozenset[str]


class Message(NamedTuple):
    """A message as it stands on the platform: as it was first heard, who wrote it where, and every version of it."""

    request: HeardRequest
    person: str
    place: str
    texts: tuple[str, ...]

    @property
    def canaries(self) -> set[str]:
        """The canaries in any of its versions."""
        return {each for text in self.texts for each in CANARY.findall(text)}


class Parrot(ScriptedModel):
    """A model that leaks whatever it can: it repeats the canaries that it is shown, and calls everything shareable."""

    def __init__(self) -> None:
        scripts: dict[str, Script] = {
            "answer": self._echo,
            "summary": self._echo,
            "extraction": extraction,
            "merge": self._merge,
        }
        super().__init__(scripts)
        self.merged: list[set[str]] = []

    def _echo(self, ask: Ask) -> str:
        return " ".join(["I heard of", *dict.fromkeys(CANARY.findall(ask.prompt))])

    def _merge(self, ask: Ask) -> str:
        assert isinstance(ask.inputs, MergeInputs)
        both = f"{ask.inputs.existing.summary} {ask.inputs.new.summary}"
        self.merged.append(set(CANARY.findall(both)))
        words = " and ".join(dict.fromkeys(CANARY.findall(both)))
        return msgspec.json.encode({"merged_summary": f"keeps jars named {words}", "confidence": 1.0}).decode()


def extraction(ask: Ask, wanted: re.Pattern[str] = CANARY) -> str:
    """An item for each message with a canary, or with what is `wanted`, resting on that message; every third is about
    the guild.
    """
    assert isinstance(ask.inputs, ExtractionInputs)
    upserts = [
        {
            "kind": "preference",
            "text": line.text,
            "about": "guild" if "everybody knows" in line.text else "person",
            "confidence": 1.0,
            "shareable": True,
            "evidence": [{"quote": line.text, "message": line.id}],
        }
        for line in ask.inputs.lines
        if wanted.search(line.text)
    ]
    return msgspec.json.encode({"upserts": upserts}).decode()


class Town:
    """What people do, and what they get to see."""

    def __init__(self, memory: Memory, model: ScriptedModel, oracle: Oracle) -> None:
        self.oracle = oracle
        self.model = model
        self.memory = memory
        self.assistant = Assistant(memory, model)
        self.names: dict[str, str] = {}
        """What people call themselves, if not by their name here."""
        self.is_online = True
        self.reading = True
        """Whether the platform says of people in their DMs which channels they can read."""
        self.problems: list[str] = []
        self.messages: list[Message] = []
        """All that were heard, and stand on the platform still."""
        self._waiting: list[tuple[str, str, str, str]] = []
        self._epochs: dict[str, int] = {}
        self._count = 0

    # -- places, as an adapter tells of them ------------------------------------------------------------------------

    def account(self, person: str) -> Account:
        """Somebody's account."""
        return Account(PLATFORM, PEOPLE.get(person, person), self.names.get(person, person.title()))

    def seen(self, key: str) -> PlaceSeen:
        """A place as it is now."""
        place = self.oracle.places[key]
        if place.partner:
            return PlaceSeen(PLATFORM, "", "direct", "", "direct", partner=self.account(place.partner))
        parent = ref(place.parent) if place.parent else None
        return PlaceSeen(
            platform=PLATFORM,
            key=NUMBERS[key],
            kind=KINDS.get(key, "channel"),
            name=key,
            audience="guild" if self.oracle.is_open(key) else "channel",
            guild=ref(place.guild) if place.guild else None,
            guild_name=place.guild,
            parent=parent,
            readers=parent,
        )

    def request(self, person: str, key: str, text: str, number: str, *mentioned: str) -> HeardRequest:
        """A message as an adapter would hand it in."""
        mentions = tuple(Mention(0, self.account(each)) for each in mentioned)
        account, now = self.account(person), self.memory.now()
        return HeardRequest(number, self.seen(key), "person", account, text, now, (), mentions=mentions, addressed=True)

    async def handle(self, person: str) -> Handle:
        """Whose account it is."""
        return await self.memory.meet(self.account(person))

    async def here(self, person: str, key: str, text: str = "") -> Heard:
        """Somebody in a place, who says nothing."""
        await self.handle(person)
        request = self.request(person, key, text, "nothing")
        return self._with_what_they_read(await self.memory.look(lambda rows: locate(rows, request)))

    def _with_what_they_read(self, heard: Heard) -> Heard:
        """What the platform alone knows: in their own DMs, the channels that they can read now; whether they own it."""
        if heard.setting.audience.kind != "direct":
            return heard
        place = next(each for each in self.oracle.places.values() if each.partner and self._is_of(each, heard))
        whose = heard.person.hex()
        read = [each for each in NUMBERS if each in self.oracle.places and place.partner in self.oracle.readers(each)]
        besides = [f"person/{whose}/channel/{ref(each)}" for each in read if self.reading]
        owners = ["owner"] if place.partner == OWNER else []
        return heard._replace(setting=heard.setting._replace(besides=(*besides, *owners)))

    def _is_of(self, place: Place, heard: Heard) -> bool:
        return heard.name == self.account(place.partner).name

    # -- what people do -------------------------------------------------------------------------------------------

    async def says(self, person: str, key: str, text: str, *mentioned: str, addressed: bool = True) -> None:
        """They say something, and are answered; while the bot is away, it is heard when it comes back."""
        self._count += 1
        number = f"m{self._count}"
        if not self.is_online:
            self._waiting.append((person, key, text, number))
            return
        await self.hears(person, key, text, number, *mentioned, addressed=addressed)

    async def hears(
        self, person: str, key: str, text: str, number: str, *mentioned: str, addressed: bool = True
    ) -> Heard:
        """A message arrives."""
        for canary in CANARY.findall(text):
            self.oracle.says(canary, person, key)
        request = self.request(person, key, text, number, *mentioned)
        self.messages.append(Message(request, person, key, (text,)))
        heard = self._with_what_they_read(await self.memory.hear(request))
        if addressed:
            await self.answers(heard, person, key)
        else:
            self.assistant.after_heard(heard)
            await self.settle()
        return heard

    async def answers(self, heard: Heard, person: str, key: str) -> None:
        """The assistant answers a message: what it was shown, and its answer, are read by all there."""
        thought = await self.replies(heard)
        self.check(self._rendered("prompt", key, person, f"{thought.context.text}\n{thought.text}"))
        for canary in CANARY.findall(thought.text):
            self.oracle.tells(canary, key)

    async def replies(self, heard: Heard) -> Thought:
        """A message is answered, and what is due then is done."""
        thought = await self.assistant.think(heard)
        turn = await self.memory.answered(heard, thought.context, thought.text, call=thought.use)
        await self.memory.delivered(heard, turn, [Ref(PLATFORM, f"a {turn.id.hex()}")])
        self.assistant.after_turn(heard)
        await self.settle()
        return thought

    async def settle(self) -> None:
        """Everything that is due is done."""
        await self.assistant.settle()
        if isinstance(self.model, Parrot):
            for canaries in self.model.merged:
                self.oracle.joins(canaries)
            self.model.merged.clear()

    async def learns(self, person: str) -> None:
        """What they said is learned from now. What cannot be is a problem, and nobody sees more by it."""
        try:
            await self.assistant.extract(await self.handle(person))
        except LogError as error:
            self.problems.append(str(error))
        await self.settle()

    async def command(self, person: str, key: str, text: str) -> Reply:
        """`!memory …`, in a place."""
        call = table.read(f"!memory {text}")
        assert call is not None
        heard = await self.here(person, key)
        manages = self.oracle.places[key].guild != "" and person == OWNER
        asked = Invocation(heard.setting, heard.session, is_owner=person == OWNER, manages_guild=manages)
        return await table.run(self.assistant, asked, call)

    async def remembers(self, person: str, key: str, text: str) -> Reply:
        """They have something kept."""
        for canary in CANARY.findall(text):
            self.oracle.says(canary, person, key)
        return await self.command(person, key, f"remember {text}")

    async def tells_lore(self, key: str, text: str) -> Reply:
        """The owner, who manages every guild, tells what everybody of this one may know."""
        for canary in CANARY.findall(text):
            self.oracle.lore(canary, OWNER, self.oracle.places[key].guild)
        return await self.command(OWNER, key, f"lore {text}")

    async def points(self, person: str, message: Message) -> Reply:
        """*Remember this*, on their own message or on somebody else's. It may be told to no more than those who could
        read the message: so the oracle is told nothing.
        """
        (remember,) = (each for each in table.MENUS if each.changes)
        number, heard = message.request.key, await self.here(person, message.place)
        by_asker = message.person == person
        pointed = Pointed(Ref(PLATFORM, number), message.request.said, message.texts[-1], by_asker)
        return await table.point(self.assistant, Invocation(heard.setting, heard.session), remember, pointed)

    async def edits(self, message: Message, text: str) -> None:
        """Its author changes what it says: who can read it there now may see that."""
        for canary in CANARY.findall(text):
            self.oracle.says(canary, message.person, message.place)
        now = self.seen(message.place)
        edited = message.request._replace(text=text, place=now, edited=self.memory.now())
        self.messages[self.messages.index(message)] = message._replace(texts=(*message.texts, text))
        self.assistant.after_heard(await self.memory.hear(edited))
        await self.settle()

    async def deletes(self, message: Message) -> None:
        """Its author deletes it."""
        session, request = (await self.here(message.person, message.place)).session, message.request
        deleted = DeletedRequest(PLATFORM, request.key, session, request.said, self.memory.now())
        self.messages.remove(message)
        while (await self.memory.record(lambda rows: delete(rows, deleted))).records:
            pass
        await self.settle()

    async def erases(self, person: str) -> None:
        """Everything of theirs goes; whoever speaks under that name afterwards is somebody new."""
        self.oracle.erases(person)
        self.messages = [each for each in self.messages if each.person != person]
        assert (await erase(self.memory, await self.handle(person))).is_complete
        await self.settle()

    async def items(self, person: str, *statuses: str) -> list[Item]:
        """All of a person's items of these statuses, else the active ones, wherever they lie."""
        whose = await self.handle(person)
        found = await self.memory.look(lambda rows: [each.row.item for each in items_of(rows, whose)])
        return [each for each in found if each.status in (statuses or ("active",))]

    def events(self) -> list[Event]:
        """Everything that is recorded and can be read."""
        engine = self.memory.engine
        found = (engine.live.folding.record_at(Seq(seq)) for seq in range(1, engine.head().size + 1))
        return [each.event for each in found if each is not None]

    # -- who can read what ----------------------------------------------------------------------------------------

    def leaves(self) -> None:
        """The bot goes away."""
        if self.is_online:
            self.is_online = False
            self._epochs = self.oracle.epochs()

    async def reconnects(self) -> None:
        """The bot comes back: audiences are compared first, then it reads what it missed."""
        if self.is_online:
            return
        self.is_online = True
        self.oracle.overlook(self._epochs)
        await self.compares()
        waiting, self._waiting = self._waiting, []
        for person, key, text, number in waiting:
            await self.hears(person, key, text, number, addressed=False)

    async def compares(self) -> None:
        """What changed is recorded, for every place."""
        if not self.is_online:
            return
        for key in self.oracle.places:
            while await self._compare(self.seen(key)):
                pass

    async def _compare(self, seen: PlaceSeen) -> bool:
        request = AudienceRequest(seen, self.memory.now(), self.memory.origin())
        return bool((await self.memory.record(lambda rows: change_audience(rows, request))).records)

    # -- what they get to see -------------------------------------------------------------------------------------

    def _rendered(self, surface: str, key: str, person: str, text: str) -> Rendered:
        return Rendered(surface, key, person, text, self.oracle.readers(key))

    def check(self, *rendered: Rendered) -> None:
        """No reader sees a canary that they may not."""
        for each in rendered:
            if each.surface == "export":
                leaks = self.oracle.leaks_from_export(each.text, each.person)
            else:
                leaks = self.oracle.leaks(each.text, each.readers)
            assert not leaks, (each.surface, each.place, each.person, sorted(each.readers), leaks)

    async def prompt(self, person: str, key: str, text: str = "and what of the jars?") -> Rendered:
        """What the model would be shown, were this said there now."""
        context = await self.memory.context(await self.here(person, key, text))
        return self._rendered("prompt", key, person, context.text)

    async def shown(self, person: str, key: str) -> Rendered:
        """`!memory show`."""
        return self._rendered("show", key, person, (await self.command(person, key, "show")).text)

    async def found(self, person: str, key: str, words: str = "jars") -> Rendered:
        """`!memory search`."""
        return self._rendered("search", key, person, (await self.command(person, key, f"search {words}")).text)

    async def transparent(self, person: str, key: str) -> Rendered:
        """What a transparency channel at this place would say of a person."""
        whose, seen = await self.handle(person), self.seen(key)
        memory = self.memory

        def text() -> str:
            with memory.engine.reading() as rows:
                audience = audience_of(rows, place_ref(seen))
                channel = None if audience is None else Channel(audience, seen.guild)
                found = None
                if channel is not None:
                    found = snapshot(rows, whose, channel, memory.engine.head(), memory.vocabulary)
                return "" if found is None else found.text

        return self._rendered("snapshot", key, person, text())

    async def exported(self, person: str) -> Rendered:
        """Everything of one person's, which goes to them."""
        whose = await self.handle(person)
        engine, assistant = self.memory.engine, self.memory.settings.assistant_name
        with engine.reading() as rows:
            everything = belongings(rows, engine.live.folding, whose, assistant, self.memory.now())
        text = as_json(everything).decode()
        return Rendered("export", "", person, text, frozenset({person}))

    async def mirrored(self) -> list[Rendered]:
        """DiscoClaw's files: a durable one is read wherever its person is answered, a rolling one in its session."""
        with self.memory.engine.reading() as rows:
            guild = only_guild(rows)
            files = all_files(rows, guild).files
        return [self._mirrored(name, (data or b"").decode(), guild) for name, data in files.items()]

    def _mirrored(self, name: str, text: str, guild: Ref | None) -> Rendered:
        kind, _, rest = name.removesuffix(".json").partition("/")
        if kind == "durable":
            readers = frozenset() if guild is None else frozenset(self.oracle.guilds[_name(guild)])
            return Rendered("mirror", name, rest, text, readers)
        place = next(each for each in self.oracle.places if rest.endswith(f"-{PEOPLE.get(each[3:]) or NUMBERS[each]}"))
        return Rendered("mirror", name, "", text, self.oracle.readers(place))

    async def everything(self, people: list[str], places: list[str]) -> list[Rendered]:
        """Every surface of these people in these places."""
        found = [each for key in places for person in people for each in await self._at(person, key)]
        return [*found, *[await self.exported(each) for each in people], *await self.mirrored()]

    async def _at(self, person: str, key: str) -> list[Rendered]:
        if person not in self.oracle.readers(key):
            return []
        shown = [await each(person, key) for each in (self.prompt, self.shown, self.found)]
        return [*shown, *([await self.transparent(person, key)] if self.oracle.places[key].guild else [])]


def _name(guild: Ref) -> str:
    return next(name for name, number in NUMBERS.items() if number == guild.key)


@asynccontextmanager
async def town(values: Mapping[str, str], model: ScriptedModel | None = None) -> AsyncIterator[Town]:
    """A town whose memory is gone with the test, under these settings."""
    chosen = settings(**values)
    with Engine.in_memory(FakeClock()) as engine:
        made = Town(Memory(engine, chosen, load(chosen.language)), model or Parrot(), new_town())
        yield made
        await made.settle()


@asynccontextmanager
async def town_on_disk(
    path: Path, values: Mapping[str, str], model: ScriptedModel | None = None, clock: FakeClock | None = None
) -> AsyncIterator[Town]:
    """A town whose memory lies in a folder."""
    async with Memory.open(path, settings=settings(**values), clock=clock or FakeClock()) as memory:
        made = Town(memory, model or Parrot(), new_town())
        yield made
        await made.settle()
