"""Every context × every compartment: what is rendered where, against a table that was written by hand from design §7.

A row is something that lies in one compartment, under a word that stands nowhere else; a column is somebody who is
answered somewhere. What a cell says is looked for in what is really rendered there.

    .  nowhere                                        w  the prompt's window
    +  prompt, show, search, history                  s  the prompt's summary, and show
    #  the same, and the transparency channel         S  the same, and the transparency channel
    o  prompt, show and search                        t  the transparency channel alone
    r  prompt and search, of somebody in the room     p  the prompt, of past conversations
"""

from collections.abc import Mapping
from typing import NamedTuple

from dnam.model import Ask
from projections.decisions.draft import Draft
from projections.events import ItemRemembered
from projections.events.values import OPERATOR, About, Item, Source
from projections.ids import NOBODY, EventId, Handle
from projections.rows import Rows
from tests.dnam.scripted import ScriptedModel
from tests.privacy.town import CANARY, GARDEN, HARBOUR, Town, ref, town
from tests.world import handle

COLUMNS = (
    ("kim", "general terrace bench stage cellar shelf attic nook fog docks hold club dm dm*"),
    ("ada", "general cellar dm"),
    ("ines", "general docks dm"),
)
"""Who is answered where. `dm*`: their DMs, when they can read no channel any more."""

TABLE = """
                   kim                                        ada       ines
                   ge te be st ce sh at no fo do ho cl dm *   ge ce dm  ge do dm
kim: general       #  #  #  #  #  #  #  #  #  .  .  .  +  +   r  r  .   r  .  .
kim: bench         #  #  #  #  #  #  #  #  #  .  .  .  +  +   r  r  .   r  .  .
kim: stage         #  #  #  #  #  #  #  #  #  .  .  .  +  +   r  r  .   r  .  .
kim: docks         .  .  .  .  .  .  .  .  .  #  #  .  +  +   .  .  .   .  r  .
kim: cellar        .  .  .  .  #  #  .  .  .  .  .  .  +  .   .  r  .   .  .  .
kim: shelf         .  .  .  .  #  #  .  .  .  .  .  .  +  .   .  r  .   .  .  .
kim: attic         .  .  .  .  .  .  #  .  .  .  .  .  +  .   .  .  .   .  .  .
kim: nook          .  .  .  .  .  .  .  #  .  .  .  .  +  .   .  .  .   .  .  .
kim: fog           .  .  .  .  .  .  .  .  #  .  .  .  +  .   .  .  .   .  .  .
kim: hold          .  .  .  .  .  .  .  .  .  .  #  .  +  .   .  .  .   .  .  .
kim: once general  .  .  .  .  .  .  .  .  .  .  .  .  +  .   .  .  .   .  .  .
kim: club          .  .  .  .  .  .  .  .  .  .  .  +  +  .   .  .  .   .  .  .
kim: dm            .  .  .  .  .  .  .  .  .  .  .  .  +  +   .  .  .   .  .  .
kim: everywhere    #  #  #  #  #  #  #  #  #  #  #  +  +  +   .  .  .   .  .  .
ada: general       r  .  .  .  r  .  .  .  .  .  .  .  .  .   #  #  +   r  .  .
ada: cellar        .  .  .  .  r  .  .  .  .  .  .  .  .  .   .  #  +   .  .  .
ada: dm            .  .  .  .  .  .  .  .  .  .  .  .  .  .   .  .  +   .  .  .
ada: everywhere    .  .  .  .  .  .  .  .  .  .  .  .  .  .   #  #  +   .  .  .
ines: docks        .  .  .  .  .  .  .  .  .  r  .  .  .  .   .  .  .   .  #  +
lore: garden       o  o  o  o  o  o  o  o  o  .  .  .  .  .   o  o  .   o  .  .
lore: harbour      .  .  .  .  .  .  .  .  .  o  o  .  .  .   .  .  .   .  o  .
lore: cellar       .  .  .  .  o  o  .  .  .  .  .  .  .  .   .  o  .   .  .  .
lore: once general .  .  .  .  .  .  .  .  .  .  .  .  .  .   .  .  .   .  .  .
self               o  o  o  o  o  o  o  o  o  o  o  o  o  o   o  o  o   o  o  o
owner              .  .  .  .  .  .  .  .  .  .  .  .  .  .   .  .  .   .  .  o
said: general      w  p  p  p  p  p  p  p  p  .  .  .  .  .   w  p  .   w  .  .
said: terrace      p  w  p  p  p  p  p  p  p  .  .  .  .  .   p  p  .   p  .  .
said: bench        p  p  w  p  p  p  p  p  p  .  .  .  .  .   p  p  .   p  .  .
said: stage        p  p  p  w  p  p  p  p  p  .  .  .  .  .   p  p  .   p  .  .
said: cellar       .  .  .  .  w  p  .  .  .  .  .  .  .  .   .  w  .   .  .  .
said: shelf        .  .  .  .  p  w  .  .  .  .  .  .  .  .   .  p  .   .  .  .
said: nook         .  .  .  .  .  .  .  w  .  .  .  .  .  .   .  .  .   .  .  .
said: attic        .  .  .  .  .  .  w  .  .  .  .  .  .  .   .  .  .   .  .  .
said: hold         .  .  .  .  .  .  .  .  .  .  w  .  .  .   .  .  .   .  .  .
said: fog          .  .  .  .  .  .  .  .  w  .  .  .  .  .   .  .  .   .  .  .
said: docks        .  .  .  .  .  .  .  .  .  w  p  .  .  .   .  .  .   .  w  .
said: club         .  .  .  .  .  .  .  .  .  .  .  w  .  .   .  .  .   .  .  .
said: dm kim       .  .  .  .  .  .  .  .  .  .  .  .  w  w   .  .  .   .  .  .
said: dm ada       .  .  .  .  .  .  .  .  .  .  .  .  .  .   .  .  w   .  .  .
summary: general   s  .  .  .  .  .  .  .  .  .  .  .  .  .   S  t  .   s  .  .
summary: cellar    .  .  .  .  S  t  .  .  .  .  .  .  .  .   .  s  .   .  .  .
summary: docks     .  .  .  .  .  .  .  .  .  s  .  .  .  .   .  .  .   .  S  .
summary: dm kim    .  .  .  .  .  .  .  .  .  .  .  .  s  s   .  .  .   .  .  .
"""
"""`once general` was learned while only some could read general: widening opens nothing old.

A transparency channel shows the summary of where its person was last answered: Kim in the cellar, Ada in general,
Ines in the docks.
"""

LEGEND: Mapping[str, frozenset[str]] = {
    ".": frozenset(),
    "+": frozenset({"prompt", "show", "search", "history"}),
    "#": frozenset({"prompt", "show", "search", "history", "snapshot"}),
    "o": frozenset({"prompt", "show", "search"}),
    "w": frozenset({"prompt"}),
    "r": frozenset({"prompt", "search"}),
    "p": frozenset({"prompt"}),
    "s": frozenset({"prompt", "show"}),
    "S": frozenset({"prompt", "show", "snapshot"}),
    "t": frozenset({"snapshot"}),
}
SUMMARISED = ("general", "cellar", "docks", "dm kim")
ROOMY = {
    "durable_inject_max_items": "60", "durable_inject_max_chars": "20000", "room_max_items": "60",
    "room_max_chars": "20000", "passages": "60", "passages_max_chars": "20000", "prompt_max_tokens": "0",
}  # fmt: skip
"""Everything that is open finds room in a prompt."""
ASKED = "and what of the jars and kettles?"
"""It speaks of every item and of everything that was said."""


class Column(NamedTuple):
    """Somebody who is answered somewhere. `reads`: they can read their channels."""

    person: str
    place: str
    reads: bool = True

    @property
    def name(self) -> str:
        return f"{self.person} in {self.place}{'' if self.reads else ', reading nothing'}"


class Cell(NamedTuple):
    """What is rendered of a row in a column, and what should be: by the table, its `mark`."""

    row: str
    column: Column
    mark: str
    expected: frozenset[str]
    found: frozenset[str]


def columns() -> list[Column]:
    """Every context."""
    return [_column(person, place) for person, places in COLUMNS for place in places.split()]


def _column(person: str, place: str) -> Column:
    own = place.startswith("dm")
    return Column(person, f"dm {person}" if own else place, reads=place != "dm*")


def expected() -> dict[str, list[str]]:
    """The marks of each row, one for each column."""
    lines = TABLE.strip("\n").splitlines()[2:]
    return {line[:19].strip(): line[19:].split() for line in lines}


def canary(row: str) -> str:
    """The word that stands for a row."""
    return f"zq{''.join(each for each in row if each.isalpha())}qz"


def _model() -> ScriptedModel:
    """A summary of each session that says which it is."""

    def summary(ask: Ask) -> str:
        place = next(each for each in SUMMARISED if canary(f"said: {each}") in ask.prompt)
        return f"They spoke of {canary(f'summary: {place}')}"

    return ScriptedModel({"summary": summary})


async def cells() -> list[Cell]:
    """Every cell, as it is."""
    model = _model()
    async with town(ROOMY, model) as made:
        await _fill(made)
        ids = await _ids(made)
        found = [await _probe(made, column, ids) for column in columns()]
    return [
        Cell(row, column, mark, LEGEND[mark], found[n].get(canary(row), frozenset()))
        for row, marks in expected().items()
        for n, (column, mark) in enumerate(zip(columns(), marks, strict=True))
    ]


# -- something in every compartment ----------------------------------------------------------------------------------


async def _fill(made: Town) -> None:
    for row in expected():
        kind, _, where = row.partition(": ")
        if kind == "said":
            await _said(made, where)
    await made.hears("ada", "cellar", "good evening", "evening", addressed=False)  # so that she is in the room there
    for row in expected():
        kind, _, where = row.partition(": ")
        if kind in ("kim", "ada", "ines") and where not in ("everywhere", "once general"):
            place = f"dm {kind}" if where == "dm" else where
            reply = await made.command(kind, place, f"remember jars named {canary(row)}")
            assert not reply.failed, reply.text
    await _elsewhere(made)
    for person, place in (("kim", "dm kim"), ("ines", "docks"), ("ada", "general"), ("kim", "cellar")):
        await made.hears(person, place, "and the jars?", f"last {person} {place}")
        heard = await made.here(person, place)
        await made.assistant.summarise(heard.session, heard.setting.audience, heard.person)


async def _said(made: Town, where: str) -> None:
    by = "ada" if where == "dm ada" else "kim"
    await made.hears(by, where, f"kettles of {canary(f'said: {where}')}", f"said {where}", addressed=False)


async def _elsewhere(made: Town) -> None:
    """What no message leads to: it was shared, or is nobody's."""
    kim, ada = await made.handle("kim"), await made.handle("ada")
    await _put(made, "kim: everywhere", kim, f"person/{kim.hex()}/everywhere")
    await _put(made, "ada: everywhere", ada, f"person/{ada.hex()}/everywhere")
    await _put(made, "lore: garden", NOBODY, f"guild/{ref(GARDEN)}", "guild")
    await _put(made, "lore: harbour", NOBODY, f"guild/{ref(HARBOUR)}", "guild")
    await _put(made, "lore: cellar", NOBODY, f"channel/{ref('cellar')}", "guild")
    await _put(made, "kim: once general", kim, f"person/{kim.hex()}/channel/{ref('general')}")
    await _put(made, "lore: once general", NOBODY, f"channel/{ref('general')}", "guild")
    await _put(made, "self", NOBODY, "self", "self")
    await _put(made, "owner", NOBODY, "owner", "owner")


async def _put(made: Town, row: str, owner: Handle, compartment: str, about: About = "person") -> None:
    now = made.memory.now()
    item = Item(
        id=f"durable-{handle(row).hex()[:8]}",
        owner=owner,
        compartment=compartment,
        kind="fact",
        text=f"jars named {canary(row)}",
        created=now,
        updated=now,
        source=Source("manual"),
        about=about,
    )

    def decide(_: Rows) -> list[Draft]:
        return [Draft(EventId(handle(row)), ItemRemembered(said=now, by=OPERATOR, item=item))]

    await made.memory.record(decide)


async def _ids(made: Town) -> dict[str, str]:
    """The id of each person's item, by its canary."""
    every = [item for person in ("kim", "ada", "ines") for item in await made.items(person)]
    return {CANARY.findall(item.text)[0]: item.id for item in every}


# -- what is seen of it ------------------------------------------------------------------------------------------------


async def _probe(made: Town, column: Column, ids: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Which canaries are rendered in a context, and by which surfaces."""
    made.reading = column.reads
    person, place = column.person, column.place
    rendered = [await made.prompt(person, place, ASKED)]
    rendered += [await each(person, place) for each in (made.shown, made.found)]
    if made.oracle.places[place].guild:
        rendered.append(await made.transparent(person, place))
    seen: dict[str, set[str]] = {}
    for each in rendered:
        for word in CANARY.findall(each.text):
            seen.setdefault(word, set()).add(each.surface)
    for word, item_id in ids.items():
        if word in (await made.command(person, place, f"history {item_id}")).text:
            seen.setdefault(word, set()).add("history")
    made.reading = True
    return {word: frozenset(surfaces) for word, surfaces in seen.items()}
