"""What was learned from a message that was edited: it is shown as the message now is, and can be taken back so."""

import json
from pathlib import Path
from typing import Any

import pytest

from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import Ask
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.events import ItemUpserted
from projections.ids import Seq
from replay.reading import Reader
from tests.dnam.cli.beside import beside
from tests.dnam.cli.memories import GARDEN, GENERAL, dnam, garden, make
from tests.dnam.scripted import ScriptedModel, lines_of
from tests.world import NOW

KEY = "123456789012345678"
LINK = f"https://discord.com/channels/{GARDEN.key}/{GENERAL.key}/{KEY}"
KIM = Account("discord", "100", "Kim")
SAID, EDITED = NOW + 900_000, NOW + 4_500_000
FIRST, NOW_SAID = "I keep snails", "I keep goats"
BETWEEN = "2023-11-14T22:40:00Z"
"""After the message was said, and before it was edited."""
SINCE = "edited since, and what it said then is gone"


def message(text: str, edited: int | None = None) -> HeardRequest:
    return HeardRequest(KEY, GENERAL, "person", KIM, text, SAID, (), addressed=True, edited=edited)


async def says(memory: Memory) -> None:
    await memory.hear(message(FIRST))


async def edits(memory: Memory) -> None:
    await memory.hear(message(NOW_SAID, EDITED))


async def edits_again(memory: Memory) -> None:
    await memory.hear(message("I keep bees", EDITED + 60_000))


async def learns(memory: Memory) -> None:
    """A model reads what is unread, word by word."""

    def reply(ask: Ask) -> str:
        text = lines_of(ask)[-1].text
        return json.dumps({"upserts": [{"kind": "fact", "text": f"Kim: {text}", "evidence": [{"quote": text}]}]})

    await Assistant(memory, ScriptedModel({"extraction": reply})).extract(
        await memory.person("100", platform="discord"), {"guild/discord:9"}
    )


async def answers(memory: Memory) -> None:
    heard = await memory.hear(message(FIRST))
    await memory.answered(heard, await memory.context(heard), "Good for you.")


def tags(data: Path) -> dict[str, list[Seq]]:
    """Where the events of each kind lie that were read back whole or without their words."""
    found: dict[str, list[Seq]] = {}

    async def look(memory: Memory) -> None:
        reader = Reader(memory.engine.live)
        for seq in range(1, reader.size + 1):
            found.setdefault(reader.tag_at(seq), []).append(Seq(seq))

    make(data, look)
    return found


def goats(data: Path, text: str = "Kim: I keep") -> dict[str, Any]:
    items = dnam("audit", "Kim", "--json", "--data", data).value["items"]
    return next(each for each in items if each["text"].startswith(text))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    make(folder, garden, says, edits)
    return folder


def test_what_was_learned_from_an_edited_message_leads_to_it_as_it_is(data: Path) -> None:
    make(data, learns)
    item, (edited,) = goats(data), tags(data)["message.edited"]
    (quoted,) = item["steps"][0]["messages"]
    assert (quoted["seq"], quoted["tag"], quoted["state"]) == (edited, "message.edited", "known")
    assert (quoted["text"], quoted["link"], quoted["replaced"]) == (NOW_SAID, LINK, False)
    shown = dnam("audit", "Kim", "--item", item["id"], "--data", data).out
    assert f'(#{edited}): "{NOW_SAID}"  {LINK}' in shown
    assert "redacted" not in shown
    why = dnam("why", item["id"], "--data", data).out.splitlines()
    assert why[-1].strip() == f'Kim, 2023-11-14 22:28+00:00 (#{edited}): "{NOW_SAID}"  {LINK}'
    assert "redacted" not in "".join(why)
    (work,) = dnam("why", item["id"], "--json", "--data", data).value["causes"][0]["causes"]
    assert {edited, quoted["seq"], tags(data)["message.heard"][-1]}.isdisjoint(work["beside"])
    (node,) = work["causes"]
    assert (node["seq"], node["words"], node["replaced"]) == (edited, NOW_SAID, False)


def test_it_was_not_known_before_its_words_were_written(data: Path) -> None:
    make(data, learns)
    (step,) = goats(data)["steps"]
    assert step["said"] == EDITED
    assert "goats" not in dnam("show", "Kim", "--said", BETWEEN, "--data", data).out
    assert "goats" in dnam("show", "Kim", "--said", "2023-11-15T00:00:00Z", "--data", data).out
    ran = dnam("audit", "Kim", "--said", BETWEEN, "--json", "--data", data)
    assert not any("goats" in each["text"] for each in ran.value["items"])


def test_what_rests_on_words_that_were_edited_away_says_so(tmp_path: Path) -> None:
    data = tmp_path / "data"
    make(data, garden, says, learns, edits)
    (edited,) = tags(data)["message.edited"]
    item = goats(data)
    (quoted,) = item["steps"][0]["messages"]
    assert (quoted["seq"], quoted["text"], quoted["quotes"], quoted["replaced"]) == (edited, NOW_SAID, [FIRST], True)
    words = f'Kim, 2023-11-14 22:28+00:00 (#{edited}; {SINCE}): "{NOW_SAID}" ("{FIRST}")  {LINK}'
    assert words in dnam("audit", "Kim", "--data", data).out
    assert words in dnam("why", item["id"], "--data", data).out
    assert SINCE in dnam("audit", "Kim", "--html", "-", "--data", data).out
    assert dnam("why", item["id"], "--json", "--data", data).value["causes"][0]["causes"][0]["replaced"]


def test_twice_edited_it_is_told_as_the_last_edit_has_it(data: Path) -> None:
    make(data, learns, edits_again)
    (quoted,) = goats(data)["steps"][0]["messages"]
    assert (quoted["seq"], quoted["text"]) == (tags(data)["message.edited"][-1], "I keep bees")
    assert (quoted["quotes"], quoted["replaced"]) == ([NOW_SAID], True)


def test_what_was_taken_back_after_an_edit_is_gone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    make(data, garden, says, learns, edits)
    heard = tags(data)["message.heard"][-1]
    assert dnam("redact", KEY, "--yes", "--data", data).code == 0
    ran = dnam("redact", f"#{heard}", "--yes", "--data", data)
    assert (ran.code, f"the words of #{heard} are gone already (redacted)" in ran.err) == (2, True)


@pytest.mark.parametrize("by", ["seq", "id"])
def test_redact_means_the_message_as_it_is_also_where_it_was_first_heard(data: Path, by: str) -> None:
    heard = tags(data)["message.heard"][-1]
    meant = (
        f"#{heard}"
        if by == "seq"
        else next(each["id"] for each in dnam("log", "--json", "--data", data).values if each["seq"] == heard)
    )
    ran = dnam("redact", meant, "--data", data)
    assert "The message of Kim, 2023-11-14 22:28+00:00 would lose its words." in ran.err
    assert dnam("redact", meant, "--yes", "--data", data).code == 0
    assert NOW_SAID not in dnam("log", "--data", data).out


def test_an_answer_was_to_a_message_that_says_something_else_now(tmp_path: Path) -> None:
    data = tmp_path / "data"
    make(data, garden, says, learns, answers, edits)
    item, (edited,) = goats(data), tags(data)["message.edited"]
    (use,) = dnam("used", item["id"], "--json", "--data", data).values
    assert (use["question"]["seq"], use["question"]["text"], use["question"]["replaced"]) == (edited, NOW_SAID, True)
    assert f'question  Kim, 2023-11-14 22:28+00:00 (#{edited}; {SINCE}): "{NOW_SAID}"' in (
        dnam("used", item["id"], "--data", data).out
    )


def test_a_difference_rests_on_the_message_as_it_is(data: Path) -> None:
    make(data, learns)
    beside(data, "next", lambda event: None if isinstance(event, ItemUpserted) else event)
    (edited,) = tags(data)["message.edited"]
    shown = dnam("diff", "--shadow", "next", "--data", data).out
    assert f'(#{edited}): "{NOW_SAID}"  {LINK}' in shown
    assert "redacted" not in shown
