"""The offline model's extraction against a committed table: `python -m tests.evaluation`, or `make eval`."""

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec

from dnam.adapters.offline import OfflineModel
from dnam.languages import load
from dnam.model import Ask, ExtractionInputs, KnownItem, Line

TABLE = Path(__file__).with_name("extraction.toml")
BOT = "BOT: "
MODEL = OfflineModel(load("en"))


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Messages, what was known before them, and what should come of them."""

    why: str
    said: tuple[str, ...]
    want: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cases that rules are tuned on, and those that they are not."""

    tuned: tuple[Case, ...]
    held_out: tuple[Case, ...]


class Score(msgspec.Struct, frozen=True):
    """How often it was right, how often it said something wrong, how often it said nothing where it should."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


class Want(msgspec.Struct, frozen=True):
    """An item that should come; `id` is empty for a new one."""

    id: str
    kinds: frozenset[str]
    words: tuple[str, ...]

    def met_by(self, upsert: dict[str, Any]) -> bool:
        text = upsert["text"].casefold()
        return (
            upsert["kind"] in self.kinds
            and upsert.get("id", "") == self.id
            and all(word.casefold() in text for word in self.words)
        )


def read_table() -> Table:
    return msgspec.toml.decode(TABLE.read_bytes(), type=Table)


def read_want(text: str) -> Want:
    id_, _, rest = text.removeprefix("@").partition(" ") if text.startswith("@") else ("", "", text)
    kinds, _, words = rest.partition(": ")
    return Want(id_, frozenset(kinds.split("|")), tuple(words.split(", ")))


def read_item(text: str) -> KnownItem:
    head, _, body = text.partition(": ")
    id_, _, kind = head.partition(" ")
    return KnownItem(id_, kind, body)


def inputs_of(case: Case) -> ExtractionInputs:
    lines = tuple(
        Line("Kim", text.removeprefix(BOT), 1_700_000_000_000 + index, f"{index:02x}", text.startswith(BOT))
        for index, text in enumerate(case.said)
    )
    return ExtractionInputs("Kim", lines, tuple(map(read_item, case.items)))


def extracted(case: Case) -> dict[str, Any]:
    """What the offline model makes of a case."""
    ask = Ask("extraction", "offline", "extraction@1", "", "", inputs_of(case))
    answer: dict[str, Any] = json.loads(asyncio.run(MODEL.ask(ask)).text)
    return answer


def score(case: Case) -> Score:
    """Every item and deprecation that comes is right or wrong; every one that should and does not is missed."""
    answer = extracted(case)
    open_wants = [read_want(want) for want in case.want if not want.startswith("-")]
    right = wrong = 0
    for upsert in answer["upserts"]:
        met = next((want for want in open_wants if want.met_by(upsert)), None)
        right, wrong = (right + 1, wrong) if met else (right, wrong + 1)
        if met:
            open_wants.remove(met)
    gone = {each["id"] for each in answer["deprecations"]}
    should_go = {want[1:] for want in case.want if want.startswith("-")}
    return Score(right + len(gone & should_go), wrong + len(gone - should_go), len(open_wants) + len(should_go - gone))


def total(cases: tuple[Case, ...]) -> Score:
    return sum(map(score, cases), Score())
