"""The conversations in a memory, as the history of a Discord channel comes in: by the importer, each in a guild of its
own. What the file notes of the speakers is learned as it would be live: a scripted model is shown what a person said,
ten messages at a time, and replies with the notes that rest on them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec

from dnam.assistant import Assistant
from dnam.importers.locomo import PLATFORM, LoCoMo
from dnam.importers.source import Arrival, Arrived, Options
from dnam.importing.importer import Importer
from dnam.learning.learner import Learner, Progress
from dnam.memory import Memory
from dnam.model import Ask, ExtractionInputs, Hear, Reply, unheard
from dnam.settings import Settings, read
from dnam.whereabouts import asked_in
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.ids import EventId, Handle
from projections.items import ITEMS, REFUSALS
from projections.messages import MESSAGES
from projections.policies.compartments import Setting
from projections.rows import Rows
from tests.evaluation.locomo.encoding import chosen_in
from tests.evaluation.locomo.talks import Fact, Talk

OPTIONS = Options(audience="guild")
MOST_TOKENS = 2_000
"""How many tokens a prompt may have, in all of its blocks."""
LATER_MS = 3_600_000
"""How long after the last turn the questions are asked."""


class Told(NamedTuple):
    """Where a conversation was brought in to, and when its last turn was said, in ms."""

    place: PlaceSeen
    last_said: int


class Context(NamedTuple):
    """Where a question is asked, and when (ms): by one of the speakers, in the conversation's channel. The room are
    both: they take turns, so both are in any window.
    """

    setting: Setting
    session: str
    said: int
    room: tuple[Handle, ...]


class Noted(NamedTuple):
    """What came of the notes: how many there are in the file, how many items are active now, how many rest on nothing
    that their own person said (an extraction is shown nothing else), and why guards held the others.
    """

    facts: int
    items: int
    not_own: int
    refused: Mapping[str, int]


def evaluation_settings(environment: Mapping[str, str]) -> Settings:
    """The defaults, except that everything heard is learned from, and prompts are held to MOST_TOKENS; with the encoder
    that the environment names. No summaries: a scripted one would tell nothing.
    """
    given = {"LEARN": "heard", "SUMMARY_ENABLED": "0", "PROMPT_MAX_TOKENS": str(MOST_TOKENS)}
    return read({f"DNAM_{name}": value for name, value in given.items()} | chosen_in(environment), {})


async def bring_in(memory: Memory, path: Path) -> dict[str, Told]:
    """Import a file; where each conversation is, by its key."""
    told: dict[str, Told] = {}
    tally = await Importer(memory).bring(_noting(LoCoMo(path).read(OPTIONS), told), lambda _: None)
    assert tally.messages + tally.known + tally.skipped.total() == tally.read, tally
    return told


def told_of(path: Path) -> dict[str, Told]:
    """Where each conversation of a file would be brought in to, by its key."""
    told: dict[str, Told] = {}
    for _ in _noting(LoCoMo(path).read(OPTIONS), told):
        pass
    return told


def _noting(arrivals: Iterator[Arrival], told: dict[str, Told]) -> Iterator[Arrival]:
    for each in arrivals:
        if isinstance(each, Arrived):
            told[each.request.place.key] = Told(each.request.place, each.request.said)
        yield each


def context_of(rows: Rows, talk: Talk, told: Told, number: int) -> Context:
    """Where the question of this number is asked. The speakers take turns, so that nobody's own items are preferred."""
    found = [asked_in(rows, _account(talk, name), told.place) for name in talk.speakers]
    setting, session = found[number % len(found)]
    return Context(setting, session, told.last_said + LATER_MS, tuple(each.person for each, _ in found))


def _account(talk: Talk, name: str) -> Account:
    return Account(PLATFORM, f"{talk.key}/{name}", name)


def turn_ids(rows: Rows) -> dict[EventId, tuple[str, str]]:
    """The conversation and the turn that each message is, by the message's id."""
    found = (each.row for each in rows.scan(MESSAGES))
    return {row.heard: _split(row.message.ref.key) for row in found}


def _split(key: str) -> tuple[str, str]:
    talk, _, turn = key.rpartition("/")
    return talk, turn


@dataclass
class NotingModel:
    """A model that replies with the file's notes. A note comes when its last turn that its person said is shown; close
    notes stay apart.
    """

    talks: Sequence[Talk]
    turns: Mapping[EventId, tuple[str, str]]
    name: str = "scripted"
    version: str = "1"
    paid: bool = False
    given: int = 0

    def __post_init__(self) -> None:
        self._facts: dict[tuple[str, str], list[Fact]] = {}
        for talk in self.talks:
            for fact in talk.facts:
                own = [id for id in fact.evidence if talk.turns[id].speaker == fact.speaker]
                if own:
                    self._facts.setdefault((talk.key, own[-1]), []).append(fact)

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        text = self._notes(ask.inputs) if isinstance(ask.inputs, ExtractionInputs) else '{"merged_summary": ""}'
        return Reply(text, self.name, self.version)

    def _notes(self, inputs: ExtractionInputs) -> str:
        shown = {self.turns[EventId(bytes.fromhex(line.id))]: line for line in inputs.lines}
        upserts = []
        for (talk, turn), line in shown.items():
            for fact in self._facts.get((talk, turn), ()):
                self.given += 1
                lines = [shown[talk, id] for id in fact.evidence if (talk, id) in shown]
                quotes = [{"quote": each.text[:500], "message": each.id} for each in lines]
                upserts.append({"kind": "fact", "text": fact.text, "source": line.id, "evidence": quotes})
        return msgspec.json.encode({"upserts": upserts, "deprecations": []}).decode()


async def learn(memory: Memory, talks: Sequence[Talk], progress: Progress) -> Noted:
    """Learn the notes of all conversations."""
    turns = await memory.look(turn_ids)
    model = NotingModel(talks, turns)
    learned = await Learner(Assistant(memory, model)).learn(progress)
    if learned.errors:
        raise RuntimeError(f"learning failed: {learned.errors[0]}")
    facts = sum(len(talk.facts) for talk in talks)
    active = await memory.look(_active)
    refused = await memory.look(lambda rows: Counter(_why(each.row.reason) for each in rows.scan(REFUSALS)))
    return Noted(facts, active, facts - model.given, refused)


def _why(reason: str) -> str:
    """A reason without the words that it quotes."""
    return reason.partition(" (")[0]


def _active(rows: Rows) -> int:
    return sum(each.row.item.status == "active" for each in rows.scan(ITEMS))
