"""Every public method of a memory: whatever it is handed that it cannot take is refused by the argument's name, and
nothing is recorded; once the memory is closed, each says so.
"""

import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dnam import Memory
from dnam.errors import Unknown
from dnam.model import ModelError, Reply
from dnam.placing import Opposite
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events.values import OPERATOR, By
from projections.ids import Handle, Ref
from projections.policies.compartments import SELF, direct
from replay.errors import LogError
from replay.travel import Moment
from tests.dnam.scripted import FakeClock
from tests.world import NOW

SHED = PlaceSeen("local", "7", "channel", "shed", "guild", guild=Ref("local", "9"), guild_name="Garden")
REQUEST = HeardRequest("m9", SHED, "person", Account("local", "420", "Ada"), "hello", NOW, ())
OPTIONAL: dict[str, Any] = {"platform": "local", "by": None, "setting": None, "origin": None}
OF_NOTHING = {"now", "origin", "limits"}
"""They take nothing, and ask the log nothing."""
ROWLESS = {"request", "answer_id", "placed", "assembled", "limits_in"}
"""They ask the log nothing: of a message in a guild, or of rows that somebody hands in."""
WRONG: Any = 5
ODD: Any = "persom"
Table = dict[str, dict[str, Any]]
"""What each method may be handed, by its arguments' names."""


def nothing(*_: object) -> list[Any]:
    return []


@asynccontextmanager
async def filled(path: Path) -> AsyncIterator[tuple[Memory, Table]]:
    """A memory with a bit of everything."""
    async with Memory.open(path, clock=FakeClock()) as memory:
        heard = await memory.heard("420", "I prefer tea", name="Ada", key="m1", place=SHED)
        context = await memory.context(heard)
        turn = await memory.answered(heard, context, "Tea it is.")
        item = await memory.remember("420", "grows tomatoes")
        note = await memory.remember_nobodys(SELF, "be kind to all", by=OPERATOR)
        by_id = {"user": "420", "id": item.id, **OPTIONAL}
        by_account = {"user": "420", "platform": "local", "by": None, "origin": None}
        of_heard = {"heard": heard, "files": (), "actions": ""}
        by_text = {"user": "420", "text": "tea", "platform": "local", "setting": None}
        rows = await memory.look(lambda rows: rows)
        table: Table = {
            "answer_id": {"question": heard.point},
            "answered": {"heard": heard, "context": context, "text": "Yes.", "call": None, "files": (), "said": None},
            "assembled": of_heard | {"rows": rows, "recall": True, "nearness": None, "message": None},
            "context": of_heard,
            "deleted": {"keys": ["m1"], "platform": "local"},
            "delivered": {"heard": heard, "turn": turn, "messages": (), "said": None},
            "edit": by_id | {"text": "grows plums"},
            "edited": {"key": "m1", "text": "I prefer coffee", "platform": "local", "at": None},
            "edit_this": {"item": item, "text": "grows pears", "by": OPERATOR, "origin": None},
            "erase": {"user": "420", "platform": "local", "by": None},
            "failed": {"heard": heard, "error": ModelError("x"), "said": None},
            "forget": by_id | {"needle": ""},
            "forget_all": {"items": [item], "by": OPERATOR, "undoes": False, "origin": None},
            "forget_nobodys": {"compartment": SELF, "what": "be kind to all", "by": OPERATOR, "origin": None},
            "hear": {"request": REQUEST},
            "hear_ready": {"ready": REQUEST, "decided": None, "judge": None},
            "heard": {
                "user": "420",
                "text": "hello",
                "place": None,
                "name": "",
                "platform": "local",
                "key": "",
                "said": None,
                "addressed": True,
            },
            "interrupted": {"heard": heard, "spent": Reply("", "parrot", "1"), "said": NOW},
            "keep_private": by_id,
            "limits_in": {"rows": rows, "heard": heard},
            "look": {"question": nothing},
            "look_back": {"moment": Moment(seq=1), "question": nothing},
            "look_here": {"question": nothing},
            "meet": {"account": Account("local", "421")},
            "moment": {"at": 1},
            "move_back": {
                "item": item,
                "compartment": direct(item.owner),
                "by": OPERATOR,
                "undoes": True,
                "origin": None,
            },
            "nobodys": {"compartment": SELF},
            "opt_in": by_account,
            "opt_out": by_account,
            "person": {"user": "420", "platform": "local", "make": True},
            "placed": {"heard": heard},
            "recall": by_text,
            "record": {"decision": nothing},
            "remember": {"user": "420", "text": "grows leek", **OPTIONAL, "source": None, "evidence": ()},
            "remember_nobodys": {
                "compartment": SELF,
                "text": "be patient",
                "by": OPERATOR,
                "source": None,
                "evidence": (),
                "where": None,
                "speakers": (),
                "origin": None,
            },
            "request": of_heard,
            "restore": by_id,
            "restore_all": {"items": [item], "by": OPERATOR, "undoes": False, "origin": None},
            "restore_this": {"item": item, "by": OPERATOR, "origin": None},
            "restore_nobodys": {"compartment": SELF, "id": note.id, "by": OPERATOR, "origin": None},
            "reword": {
                "item": item,
                "text": "grows beans",
                "by": OPERATOR,
                "undoes": True,
                "source": None,
                "origin": None,
            },
            "search": by_text,
            "share": by_id,
            "show": {"user": "420", "platform": "local", "at": None, "setting": None},
            "submit": {"decision": nothing, "decided": None},
            "take_back": {
                "changes": [Opposite(item, "forgotten")],
                "by": OPERATOR,
                "undoes": True,
                "origin": None,
            },
        }
        yield memory, table


async def called(method: Callable[..., Any], given: dict[str, Any]) -> None:
    made = method(**given)
    if inspect.isawaitable(made):
        await made


async def test_every_method_is_looked_at(tmp_path: Path) -> None:
    async with filled(tmp_path) as (_, table):
        public = {name for name in dir(Memory) if not name.startswith("_") and inspect.isfunction(vars_of(name))}
        assert public == table.keys() | OF_NOTHING
        for name, given in table.items():
            assert set(inspect.signature(vars_of(name)).parameters) - {"self"} == given.keys(), name


def vars_of(name: str) -> Any:
    return None if name == "open" else getattr(Memory, name)


@pytest.mark.parametrize("wrong", [None, object(), 1.5, [None]], ids=["none", "object", "float", "list"])
async def test_what_cannot_be_taken_is_refused_by_its_name(tmp_path: Path, wrong: object) -> None:
    async with filled(tmp_path) as (memory, table):
        size = memory.engine.head().size
        for name, given in table.items():
            for argument, right in given.items():
                if wrong is None and right is None:
                    continue
                with pytest.raises(BadRequest, match=f"`{argument}`"):
                    await called(getattr(memory, name), given | {argument: wrong})
                assert memory.engine.head().size == size, (name, argument)


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("meet", {"account": Account("local", WRONG)}, "`account.id` is a string, not int"),
        ("heard", {"place": SHED._replace(key=WRONG)}, "`place.key` is a string, not int"),
        ("heard", {"place": SHED._replace(name=WRONG)}, "`place.name` is a string, not int"),
        ("delivered", {"messages": "m2"}, "each of `messages` is a Ref, not str"),
        ("delivered", {"messages": 5}, "`messages` is a list in which each is a Ref, not int"),
        ("forget_all", {"items": ["durable-00000000"]}, "each of `items` is an Item, not str"),
        ("delivered", {"said": -1}, "`said` is ms since 1970, and -1 lies before that"),
        (
            "remember_nobodys",
            {"compartment": "lore"},
            "`compartment` is 'self', 'owner', or `guild/PLATFORM:ID` of a server",
        ),
        (
            "remember_nobodys",
            {"compartment": "guild/garden"},
            "`compartment` is 'self', 'owner', or `guild/PLATFORM:ID`",
        ),
        ("move_back", {"compartment": "person/ada/direct"}, "`compartment` is one that the item came from"),
        ("answered", {"said": 1_700_000_000_000_000}, "`said` is ms since 1970, and 17[0]* lies behind the year 9999"),
    ],
)
async def test_it_is_said_what_it_should_be(tmp_path: Path, name: str, given: dict[str, Any], why: str) -> None:
    async with filled(tmp_path) as (memory, table):
        size = memory.engine.head().size
        with pytest.raises(BadRequest, match=why):
            await called(getattr(memory, name), table[name] | given)
        assert memory.engine.head().size == size


@pytest.mark.parametrize(
    ("by", "why"),
    [
        (
            By("person", Handle(bytes(range(16)))),
            "`by` is a person whom nobody here has met: take it from `heard.person`",
        ),
        (By("person"), "`by` is a person without a handle of 16 bytes: take it from `heard.person`"),
        (By("person", Handle(b"ada")), "`by` is a person without a handle of 16 bytes"),
        (By("person", ODD), "`by.person` is a bytes, not str"),
        (By(ODD), "`by` is of a kind that there is not: one of person, operator, platform, model, policy"),
    ],
    ids=["stranger", "none", "short", "string", "kind"],
)
async def test_nobody_who_is_not_known_is_recorded_as_having_done_it(tmp_path: Path, by: By, why: str) -> None:
    async with filled(tmp_path) as (memory, table):
        size = memory.engine.head().size
        names = [name for name, given in table.items() if "by" in given]
        assert len(names) == 19
        for name in names:
            with pytest.raises((BadRequest, Unknown), match=why):
                await called(getattr(memory, name), table[name] | {"by": by})
            assert memory.engine.head().size == size, name


@pytest.mark.parametrize("given", [{"path": 5}, {"settings": {}}, {"writable": None}], ids=repr)
async def test_what_cannot_be_opened_is_refused_by_its_name(tmp_path: Path, given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(BadRequest, match=f"`{name}` is "):
        async with Memory.open(**({"path": tmp_path / "new"} | given)):
            pytest.fail("it was opened")
    assert not (tmp_path / "new").exists()


async def test_once_closed_every_method_says_so(tmp_path: Path) -> None:
    async with filled(tmp_path) as (memory, table):
        pass
    for name in table.keys() - ROWLESS:
        with pytest.raises(LogError, match="this memory is closed"):
            await called(getattr(memory, name), table[name])
