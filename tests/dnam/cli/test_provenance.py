"""audit, why, used: where memories come from, in a terminal, as JSON, as a page; nothing on disk changes."""

import json
import os
import pty
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from freezegun import freeze_time

from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import Ask
from projections.decisions.place import PlaceSeen
from projections.events import ItemMerged, ItemMoved, ItemRefused, MessageRedacted
from projections.events.values import OPERATOR, By, Intent
from projections.ids import EventId
from projections.items import items_of
from projections.policies.compartments import Setting
from replay.folding import Folding
from replay.log import StoredEvent
from tests.dnam.cli.memories import GARDEN, GENERAL, bytes_of, dnam, garden, make, process
from tests.dnam.scripted import ScriptedModel
from tests.hanging import HANGS
from tests.replay.stage import drafts
from tests.world import NOW

LATER = "2023-11-15 12:00:00"
RAIN = "durable-04b7e47d"
TEA = "durable-704a7957"
HOSTILE = "I drink oolong </script><img src=x onerror=alert(1)> \x1b[31m & \u202ereversed"
LINK = "https://discord.com/channels/9/1/123456789012345678"
LIFE_FIELDS = "id owner compartment where kind text status steps"
STEP_FIELDS = (
    "seq event tag at at_iso said said_iso happened who by model policy reason why text words changed messages quotes "
    "gone intent"
)
QUOTED_FIELDS = "seq event tag state author said said_iso text quotes link replaced"
USE_FIELDS = "seq event at at_iso said said_iso session asker question answer as_of link"
ITEM_NODE = "id owner compartment where kind text status cut causes"
EVENT_NODE = "seq event tag state at at_iso said said_iso who words quotes replaced link beside cut causes"


async def learned(memory: Memory) -> None:
    """Kim says something hostile in a channel, a model learns it twice, Kim edits it, and it is asked about."""
    said = NOW + 900_000
    key = "123456789012345678"
    heard = await memory.heard("100", HOSTILE, platform="discord", place=GENERAL, key=key, said=said)
    text = "Kim drinks <b>oolong</b>."
    quotes = iter(["I drink oolong", "Oolong again"])

    def reply(_: Ask) -> str:
        return json.dumps({"upserts": [{"kind": "fact", "text": text, "evidence": [{"quote": next(quotes)}]}]})

    assistant = Assistant(memory, ScriptedModel({"extraction": reply}))
    place = {"guild/discord:9"}
    await assistant.extract(heard.person, place)
    await memory.heard("100", "Oolong again", platform="discord", place=GENERAL, key="m10", said=said + 60_000)
    await assistant.extract(heard.person, place)
    item = await item_named(memory, "Kim drinks")
    await memory.edit(heard.person, item, "Kim drinks green <b>oolong</b>!")
    asked = await memory.heard(
        "100", "what do I drink?", platform="discord", place=GENERAL, key="m11", said=said + 99_000
    )
    turn = await memory.answered(asked, await memory.context(asked), "Oolong, Kim.")
    await memory.delivered(asked, turn, [])


async def item_named(memory: Memory, start: str) -> str:
    kim = await memory.person("100", platform="discord")
    found = await memory.look(lambda rows: [each.row.item for each in items_of(rows, kim)])
    return next(each.id for each in found if each.text.startswith(start))


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("provenance") / "data"
    make(folder, garden, learned)
    return folder


@pytest.fixture
def data(told: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(told, tmp_path / "data"))


def oolong(data: Path) -> dict[str, Any]:
    """The item that the model learned, as `audit` tells of it."""
    items: list[dict[str, Any]] = dnam("audit", "Kim", "--json", "--data", data).value["items"]
    return next(each for each in items if "oolong" in each["text"])


# -- audit ---------------------------------------------------------------------------------------------------------


def test_every_item_s_life_in_order(data: Path) -> None:
    before = bytes_of(data)
    value = dnam("audit", "Kim", "--json", "--data", data).value
    assert list(value) == ["person", "name", "as_of", "items"]
    assert all(" ".join(each) == LIFE_FIELDS for each in value["items"])
    steps = [step for each in value["items"] for step in each["steps"]]
    assert all(" ".join(step) == STEP_FIELDS for step in steps)
    assert all(" ".join(each) == QUOTED_FIELDS for step in steps for each in step["messages"])
    assert [(each["id"], each["status"]) for each in value["items"][:3]] == [
        (TEA, "active"), ("durable-4aea4faa", "active"), (RAIN, "forgotten")
    ]  # fmt: skip
    assert [step["happened"] for step in oolong(data)["steps"]] == ["added", "confirmed", "changed"]
    assert bytes_of(data) == before


def test_who_did_it_with_which_model_prompt_and_policy(data: Path) -> None:
    added, _, changed = oolong(data)["steps"]
    assert added["model"] == {"name": "scripted", "version": "1", "prompt": "extraction@4"}
    assert added["who"] == "model scripted 1, prompt extraction@4"
    assert added["policy"].startswith("extraction@1 ")
    assert (changed["who"], changed["model"], changed["by"]["kind"]) == ("Kim", None, "person")
    assert changed["why"] == "asked by the person"


def test_what_changed_word_by_word(data: Path) -> None:
    assert "".join(piece["text"] for piece in oolong(data)["steps"][2]["words"]) == "Kim drinks green <b>oolong</b>.!"
    ran = dnam("audit", "Kim", "--item", oolong(data)["id"], "--data", data)
    assert "text        Kim drinks {+green+} <b>oolong</b>[-.-]{+!+}\n" in ran.out


def test_the_messages_are_quoted_with_author_date_and_link(data: Path) -> None:
    added, confirmed, _ = oolong(data)["steps"]
    (message,) = added["messages"]
    assert (message["author"], message["text"], message["quotes"]) == ("Kim", HOSTILE, ["I drink oolong"])
    assert (message["said_iso"], message["link"]) == ("2023-11-14T22:28:20.000Z", LINK)
    assert [(each["text"], each["link"]) for each in confirmed["messages"]] == [("Oolong again", None)]
    ran = dnam("audit", "Kim", "--item", oolong(data)["id"], "--data", data)
    assert f'Kim, 2023-11-14 22:28+00:00 (#{message["seq"]}): "I drink oolong </script>' in ran.out
    assert LINK in ran.out
    assert "\x1b" not in ran.out


def test_one_item_by_its_id(data: Path) -> None:
    ran = dnam("audit", "Kim", "--item", RAIN, "--data", data)
    lines = ran.out.splitlines()
    assert lines[:2] == [f"{RAIN} [fact] hates rain", "forgotten, in direct messages"]
    assert [line.split("  ")[-1] for line in lines if line.startswith("  #")] == [
        "remembered by Kim",
        "forgotten by Kim",
    ]
    assert "      status      active -> forgotten" in lines
    assert "      why         asked by the person; with the words 'hates rain'" in lines


@freeze_time(LATER)
def test_at_a_moment_of_either_clock(data: Path) -> None:
    ran = dnam("audit", "Kim", "--at", "22", "--json", "--data", data)
    assert (ran.value["as_of"]["seq"], len(ran.value["items"])) == (22, 3)
    assert [each["status"] for each in ran.value["items"]] == ["active"] * 3
    assert "as recorded up to #22" in ran.err
    ran = dnam("audit", "Kim", "--said", "2023-11-14 22:13:19", "--data", data)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.splitlines()[-1] == "dnam: nothing was remembered of Kim by then"
    assert [step["seq"] for step in items_said(data)[RAIN]["steps"]] == [22, 23]


def items_said(data: Path) -> dict[str, Any]:
    value = dnam("audit", "Kim", "--said", "now", "--json", "--data", data).value
    assert value["as_of"]["clock"] == "said"
    return {each["id"]: each for each in value["items"]}


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("audit", "Kim", "--item", "durable-00000000"), "Kim had no item 'durable-00000000' yet"),
        (("audit", "Kim", "--item", RAIN, "--at", "3"), f"Kim had no item '{RAIN}' by then"),
        (("audit", "Zoe"), "nobody here goes by 'Zoe'"),
        (("why", "durable-00000000"), "there is no item 'durable-00000000'; `dnam show USER --all` lists the ids"),
        (("why", RAIN, "--user", "Ada"), f"there is no item '{RAIN}' of Ada"),
        (("used", "durable-00000000"), "there is no item"),
    ],
    ids=str,
)
def test_what_is_unknown_is_said(data: Path, arguments: tuple[str, ...], what: str) -> None:
    ran = dnam(*arguments, "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert what in ran.err


def test_somebody_of_whom_nothing_is_remembered(data: Path) -> None:
    ran = dnam("audit", "Ada", "--data", data)
    assert (ran.code, ran.out, ran.err) == (0, "", "dnam: nothing was remembered of Ada yet\n")


async def everything_else(memory: Memory) -> None:
    """A refusal, a move, a merge; a message and an item's event are redacted."""
    kim = await memory.person("100", platform="discord")
    items = {each.row.item.id: each.row for each in await memory.look(lambda rows: list(items_of(rows, kim)))}
    tea, rain = items[TEA], items[RAIN]
    direct = tea.item.compartment
    wide = f"person/{kim.hex()}/everywhere"
    import msgspec

    refused = ItemRefused(
        said=NOW, by=By("policy", name="refusals", version="1"), owner=kim, compartment=direct, kind="fact",
        text="Kim hates all rain", reason="a person forgot this", policy="refusals@1", against=RAIN,
    )  # fmt: skip
    alone = msgspec.structs.replace(refused, text="Kim hates snow", against="")
    there = msgspec.structs.replace(tea.item, compartment=wide)
    moved = ItemMoved(
        said=NOW + 60_000, by=OPERATOR, causes=(tea.event,), item=there, from_compartment=direct, from_id=TEA,
        reason="shared", intent=Intent("share"),
    )  # fmt: skip
    absorbed = msgspec.structs.replace(rain.item, status="merged")
    for name, event in (("refused", refused), ("alone", alone), ("moved", moved)):
        memory.engine.record(drafts(event, name=name))
    merged = ItemMerged(
        said=NOW + 60_000, by=OPERATOR, causes=(rain.event,), item=there, absorbed=(absorbed,), reason="the same"
    )
    heard = await memory.look(lambda rows: message_id(memory, "123456789012345678"))
    memory.engine.record(drafts(MessageRedacted(said=NOW, by=OPERATOR, events=(heard, rain.event)), name="redacted"))
    memory.engine.record(drafts(merged, name="merged"))


def message_id(memory: Memory, key: str) -> EventId:
    from projections.events import MessageHeard

    for stored in memory.engine.store.log.read(0):
        record = memory.engine.live.folding.record(stored)
        if record is not None and isinstance(record.event, MessageHeard) and record.event.message.ref.key == key:
            return record.id
    raise AssertionError(key)


def test_moved_merged_and_refused_ones_and_what_was_redacted(data: Path) -> None:
    make(data, everything_else)
    ran = dnam("audit", "Kim", "--data", data)
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "why it was in direct messages before" not in lines
    assert "why shared; it was in direct messages before" in lines
    assert f"why the same; with {RAIN}" in lines
    assert f"why the same; it became part of {TEA}" in lines
    assert f"why a person forgot this; held against {RAIN}" in lines
    assert "text Kim hates all rain" in lines
    assert "refused, in direct messages" in lines
    assert any(line.startswith("from a message that was redacted (#") for line in lines)
    assert any(line.startswith("from an earlier state that was redacted (#23)") for line in lines)
    (message,) = oolong(data)["steps"][0]["messages"]
    assert (message["state"], message["text"], message["author"]) == ("redacted", None, "")
    tea = next(each for each in dnam("audit", "Kim", "--json", "--data", data).value["items"] if each["id"] == TEA)
    assert [step["happened"] for step in tea["steps"]] == ["remembered", "moved", "merged"]
    assert tea["steps"][1]["changed"]["compartment"][1] == tea["compartment"]
    assert tea["steps"][1]["changed"]["where"] == ["in direct messages", "everywhere"]
    assert "where in direct messages -> everywhere" in lines
    assert f"person/{tea['owner']}" not in ran.out


def test_only_what_was_asked_for_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def more(memory: Memory) -> None:
        for number in range(100):
            await memory.heard("200", f"message {number}", platform="discord", key=f"x{number}")
            await memory.remember("200", f"Ada's fact {number}", platform="discord")

    make(tmp_path / "d", garden, learned, more)
    opened: list[int] = []
    whole = Folding.record

    def counting(self: Folding, stored: StoredEvent) -> Any:
        opened.append(stored.seq)
        return whole(self, stored)

    assert dnam("replay", "--data", tmp_path / "d").code == 0
    monkeypatch.setattr(Folding, "record", counting)
    assert dnam("audit", "Kim", "--item", RAIN, "--data", tmp_path / "d").code == 0
    assert opened == [22, 23]
    opened.clear()
    assert dnam("audit", "Kim", "--data", tmp_path / "d").code == 0
    assert len(opened) == len(set(opened)) < 12


# -- the page ------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What a browser would make of a page: its elements, their attributes, and the text in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.pieces: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def test_a_page_and_a_value_are_not_both_printed(data: Path) -> None:
    ran = dnam("--json", "audit", "Kim", "--html", "-", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert "--html - prints the page where --json prints its value: give the page a file" in ran.err


TAGS = "html head meta title style body h1 h2 p article ol li time br dl dt dd span ins del blockquote a code"


def test_the_page_stands_alone_and_what_people_wrote_is_text(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "kim.html"
    assert dnam("audit", "Kim", "--html", file, "--data", data).code == 0  # an older one
    before = bytes_of(data)
    ran = dnam("audit", "Kim", "--html", file, "--data", data)
    assert (ran.code, ran.out) == (0, f"the audit of 4 items of Kim is written to {file}\n")
    assert dnam("audit", "Kim", "--html", "-", "--data", data).out == file.read_text(encoding="utf-8")
    assert bytes_of(data) == before
    assert [each.name for each in tmp_path.glob("*.html*")] == ["kim.html"]
    page = Page(file.read_text(encoding="utf-8"))
    assert page.open == []
    assert set(page.tags) <= set(TAGS.split())
    assert not any(name.startswith("on") or name in ("src", "style") for name, _ in page.attributes)
    assert [value for name, value in page.attributes if name == "href"] == [LINK]
    assert "Kim drinks <b>oolong</b>." in page.text
    assert "I drink oolong </script><img src=x onerror=alert(1)> \ufffd[31m & \ufffdreversed" in page.text
    assert "prefers-color-scheme: dark" in page.text
    assert "forgotten by Kim" in page.text
    assert "url(" not in page.text
    assert "@import" not in page.text


@freeze_time(LATER)
def test_the_page_of_a_moment_with_all_there_can_be(data: Path, tmp_path: Path) -> None:
    make(data, everything_else)
    ran = dnam("audit", "Kim", "--at", "now", "--html", tmp_path / "a.html", "--json", "--data", data)
    assert len(ran.value["items"]) == 5
    page = Page((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert set(page.tags) <= set(TAGS.split())
    assert "What is remembered of Kim, as recorded up to 2023-11-15T12:00:00.000Z" in page.text
    assert "a message that was redacted" in page.text
    assert "an earlier state that was redacted (#23)" in page.text


def test_a_page_that_cannot_be_written_is_3(data: Path, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "where.html"):
        ran = dnam("audit", "Kim", "--html", path, "--data", data)
        assert (ran.code, ran.out) == (3, "")
        assert str(path) in ran.err


# -- why -----------------------------------------------------------------------------------------------------------


def test_the_chain_back_to_messages(data: Path) -> None:
    before = bytes_of(data)
    item = oolong(data)["id"]
    lines = dnam("why", item, "--data", data).out.splitlines()
    assert [len(line) - len(line.lstrip()) for line in lines] == [0, 2, 2, 4, 6, 2, 4, 6]
    assert lines[0] == f"{item} [fact] Kim drinks green <b>oolong</b>! (active, in guild Garden)"
    assert "changed by Kim: asked by the person" in lines[1]
    assert "added by model scripted 1, prompt extraction@4: " in lines[5]
    assert "extraction.answered by model scripted 1, prompt extraction@4" in lines[6]
    assert lines[7].endswith(LINK)
    assert bytes_of(data) == before


def test_the_chain_as_json(data: Path) -> None:
    root = dnam("why", oolong(data)["id"], "--json", "--data", data).value
    assert " ".join(root) == ITEM_NODE
    first = root["causes"][-1]
    assert " ".join(first) == EVENT_NODE
    (work,) = first["causes"]
    assert (work["tag"], work["who"]) == ("extraction.answered", "model scripted 1, prompt extraction@4")
    assert len(work["beside"]) == 3  # what Kim had said there before, and what was known by then
    (message,) = work["causes"]
    assert (message["words"].startswith("I drink"), message["link"], message["causes"]) == (True, LINK, [])
    confirmed = root["causes"][1]["causes"][0]
    assert first["seq"] in confirmed["beside"]  # the model was shown the item


def test_a_merge_leads_to_the_other_item_and_what_is_gone_is_said(data: Path) -> None:
    make(data, everything_else)
    lines = dnam("why", TEA, "--data", data).out.splitlines()
    assert any(line.startswith(f"    {RAIN} [fact] hates rain (merged") for line in lines)
    assert any("an earlier state that was redacted (#23)" in line for line in lines)
    tree = dnam("why", TEA, "--json", "--data", data).value
    assert RAIN in [each.get("id") for each in tree["causes"][0]["causes"]]
    gone = [each for each in tree["causes"][0]["causes"] if each.get("state") == "redacted"]
    assert [(each["words"], each["who"], each["said"]) for each in gone] == [(None, "", None)]


async def twins(memory: Memory) -> None:
    kim = await memory.person("100", platform="discord")
    await memory.remember("200", "hates rain", platform="discord")
    await memory.remember(kim, "hates rain", setting=Setting(kim, (await memory.heard(
        "100", "hi", platform="discord", place=PlaceSeen("discord", "1", "channel", "general", "guild", guild=GARDEN),
        key="m99", said=NOW + 990_000,
    )).setting.audience, GARDEN))  # fmt: skip


def test_an_id_of_several_lists_them(data: Path) -> None:
    make(data, twins)
    for command in ("why", "used"):
        ran = dnam(command, RAIN, "--data", data)
        assert (ran.code, ran.out) == (2, "")
        assert len(ran.err.splitlines()) == 4
        assert f"guild/discord:9/{RAIN}  of Kim, in guild Garden: hates rain" in ran.err
    assert dnam("why", RAIN, "--user", "Kim", "--data", data).code == 2
    assert dnam("why", RAIN, "--user", "Ada", "--data", data).code == 0
    assert dnam("why", f"guild/discord:9/{RAIN}", "--data", data).out.startswith(f"{RAIN} [fact] hates rain (active")


# -- used ----------------------------------------------------------------------------------------------------------


def test_the_answers_it_was_used_for(data: Path) -> None:
    before = bytes_of(data)
    item = oolong(data)
    (use,) = dnam("used", item["id"], "--json", "--data", data).values
    assert " ".join(use) == USE_FIELDS
    assert (use["asker"], use["as_of"]) == ("Kim", item["steps"][-1]["seq"])
    assert (use["question"]["text"], use["answer"]["text"]) == ("what do I drink?", "Oolong, Kim.")
    lines = dnam("used", item["id"], "--data", data).out.splitlines()
    assert lines[0].endswith("to Kim in discord:channel:1")
    assert lines[1].startswith("  question  Kim, ")
    assert lines[1].endswith(': "what do I drink?"')
    assert lines[2].endswith(': "Oolong, Kim."')
    assert lines[3] == f"  it was as #{use['as_of']} had left it"
    assert bytes_of(data) == before


def test_an_item_that_was_never_used(data: Path) -> None:
    ran = dnam("used", RAIN, "--data", data)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"dnam: {RAIN} has not stood in the prompt of an answer yet\n"
    assert dnam("used", RAIN, "--json", "--data", data).values == []


# -- in a terminal -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "sign"), [("audit Kim", "\x1b[32mgreen"), ("why {item}", "└── ")])
def test_in_a_terminal_it_is_drawn(data: Path, command: str, sign: str) -> None:
    import subprocess
    import sys

    ours, theirs = pty.openpty()
    arguments = [*command.format(item=oolong(data)["id"]).split(), "--data", str(data)]
    environment = {"PYTHONPATH": str(Path(__file__).parents[3]), "PATH": "/usr/bin:/bin", "DNAM_TIMEZONE": "UTC"}
    started = subprocess.Popen(
        [sys.executable, "-c", "from dnam.__main__ import main; main()", *arguments],
        env={**environment, "TERM": "xterm-256color", "COLUMNS": "160"}, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:
            break
        if not more:
            break
        shown += more
    assert started.wait(60) == 0
    os.close(ours)
    text = shown.decode()
    assert sign in text
    assert "\x1b[31m &" not in text


def test_a_reader_that_is_gone_is_no_failure(data: Path) -> None:
    started = process("audit", "Kim", "--data", data)
    assert started.stdout is not None
    started.stdout.close()
    started.stdout = None
    assert ended_quietly(started) == (0, "")


def ended_quietly(started: Any) -> tuple[int, str]:
    _, err = started.communicate(timeout=HANGS)
    return started.returncode, err.decode()
