"""`dnam costs`: what models took, by day, user and model."""

import re
from pathlib import Path

import msgspec
import pytest

from dnam.assistant import Assistant
from dnam.costs import words
from dnam.memory import Memory
from dnam.model import Ask, Hear, ModelDown, Reply, ToolCall, unheard
from dnam.shadows.manifest import FILE, Asked, Manifest, save
from projections.decisions.adopted import Adoption
from projections.decisions.adopted_all import CountRequest, Rederived, count
from projections.ids import EventId
from projections.times import DAY_MS
from replay.engine import Engine
from tests.dnam.cli.memories import bytes_of, dnam, make
from tests.world import NOW

NAMES = {"haiku": "claude-haiku-5-5", "sonnet": "claude-sonnet-5-5"}


class Billed:
    """A model that takes tokens: 2,000 micros an answer, 100 a summary. A question with `!` in it fails."""

    name, version, paid = "claude", "sdk-1", True

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        if ask.prompt.endswith("!"):
            raise ModelDown("overloaded")
        cost = 2_000 if ask.purpose == "answer" else 100
        model = NAMES.get(ask.model, ask.model)
        return Reply("yes", model, "sdk-1", 100, 10, 50, cost_micros=cost if model != ask.model else 0)


async def spent(memory: Memory) -> None:
    """Two answers to Kim, one of them a failure, one to Ada, and a summary of a channel."""
    assistant = Assistant(memory, Billed())
    await assistant.answer(await memory.heard("kim", "hello"))
    heard = await memory.heard("kim", "oh!")
    try:
        await assistant.answer(heard)
    except ModelDown as error:
        await memory.failed(heard, error)
    heard = await memory.heard("ada", "hello")
    await assistant.answer(heard)
    await assistant.summarise(heard.session, heard.setting.audience, heard.person)


@pytest.fixture
def billed(tmp_path: Path) -> Path:
    make(tmp_path / "billed", spent)
    return tmp_path / "billed"


def test_by_day_is_what_is_shown(billed: Path) -> None:
    ran = dnam("costs", "--data", billed)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "day         calls  failed  tokens in  of them cached  tokens out  cost (USD)",
        "2023-11-14  4      1       300        150             30          $0.0041",
        "total       4      1       300        150             30          $0.0041",
    ]


@pytest.mark.parametrize(
    ("by", "lines"),
    [
        ("day", [("2023-11-14", 4, 4100)]),
        ("user", [("ada", 2, 2100), ("kim", 2, 2000)]),
        ("model", [("claude-sonnet-5-5", 3, 4000), ("claude-haiku-5-5", 1, 100)]),
    ],
)
def test_every_sum_is_of_the_same_calls(billed: Path, by: str, lines: list[tuple[str, int, int]]) -> None:
    value = dnam("costs", "--by", by, "--data", billed, "--json").value
    assert [(each["name"], each["calls"], each["cost_micros"]) for each in value["lines"]] == lines
    assert (value["by"], value["total"]["cost_micros"], value["total"]["cost_usd"]) == (by, 4100, "0.0041")
    assert value["unpriced"] == []


def test_a_model_without_a_price_is_named(tmp_path: Path, billed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_ANSWER_MODEL", "my-model")

    async def more(memory: Memory) -> None:
        from dnam.settings import read

        memory.settings = read({"DNAM_ANSWER_MODEL": "my-model"}, {})
        await Assistant(memory, Billed()).answer(await memory.heard("kim", "more"))

    make(billed, more)
    ran = dnam("costs", "--data", billed)
    assert ran.err == "dnam: counted as free, because the prices of 2026-10-24 do not have them: my-model\n"


def test_before_any_call_it_says_so(tmp_path: Path) -> None:
    async def heard(memory: Memory) -> None:
        await memory.heard("kim", "hello")

    make(tmp_path / "new", heard)
    ran = dnam("costs", "--data", tmp_path / "new")
    assert (ran.code, ran.out, ran.err) == (0, "", "dnam: no model was asked yet\n")
    ran = dnam("costs", "--data", tmp_path / "none")
    assert (ran.code, ran.out) == (0, "")
    assert "nothing remembered here yet" in ran.err
    assert dnam("costs", "--data", tmp_path / "none", "--json").value["lines"] == []


def test_another_sum_is_wrong_use(billed: Path) -> None:
    ran = dnam("costs", "--by", "moon", "--data", billed)
    assert ran.code == 2
    assert "'moon' is none of day, user, model" in ran.err


def test_looking_changes_nothing(billed: Path) -> None:
    before = bytes_of(billed)
    dnam("costs", "--data", billed)
    assert bytes_of(billed) == before


def test_a_call_is_an_answer_however_many_requests_it_took(tmp_path: Path) -> None:
    class Looking(Billed):
        """It looks something up twice before it answers."""

        async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
            reply = await super().ask(ask, hear)
            if ask.purpose != "answer" or len(ask.rounds) == 2:
                return reply
            return msgspec.structs.replace(reply, calls=(ToolCall("1", "memory_search", '{"query": "tea"}'),))

    async def asked(memory: Memory) -> None:
        await Assistant(memory, Looking()).answer(await memory.heard("kim", "hello"))

    make(tmp_path / "looked", asked)
    (line,) = dnam("costs", "--data", tmp_path / "looked", "--json").value["lines"]
    counted = line["calls"], line["failed"], line["tokens_in"], line["tokens_cached"], line["tokens_out"]
    assert (*counted, line["cost_micros"]) == (1, 0, 300, 150, 30, 6000)
    assert "however many requests" in " ".join(re.sub("[│╭╮╰╯]", " ", dnam("costs", "--help").out).split())


def test_a_chat_is_told_in_a_few_lines(billed: Path) -> None:
    with Engine.open(billed, writable=False) as engine, engine.reading() as rows:
        assert words(rows, NOW).splitlines() == [
            "Today (UTC): $0.0041",
            "Last 7 days: $0.0041",
            "claude-sonnet-5-5: $0.0040 for 3 calls",
            "claude-haiku-5-5: $0.0001 for 1 call",
        ]
        assert words(rows, NOW + 3 * DAY_MS).startswith("Today (UTC): $0.0000\nLast 7 days: $0.0041")
        assert words(rows, NOW + 8 * DAY_MS) == "No model was asked in the last 7 days."


def test_what_rederiving_took_is_told_beside_them_also_of_a_shadow_that_is_gone(billed: Path) -> None:
    one, gone = ("a" * 32, 20_000), ("b" * 32, 4_400)
    assert "rederiv" not in dnam("costs", "--data", billed).err
    (billed / "shadows" / "careful").mkdir(parents=True)
    save(billed, Manifest("careful", Asked("", "", "", "", ""), NOW, one[0], "", cost_micros=one[1]))
    assert "what re-deriving took: $0.0200; `dnam shadows`" in dnam("costs", "--data", billed).err
    with Engine.open(billed) as engine:
        for shadow, micros in (one, gone):
            adoption = Adoption(EventId(bytes.fromhex(shadow)), NOW)
            made = Rederived(bytes.fromhex(shadow), "careful", NOW, 1, cost_micros=micros)
            engine.record(lambda rows: count(rows, CountRequest(adoption, made, NOW, 1, 1, 0)))  # noqa: B023 - now
    ran = dnam("costs", "--json", "--data", billed)
    assert ran.value["rederived_micros"] == 24_400, "of one that is there and was taken over once"
    assert ran.value["total"]["cost_micros"] == 4_100
    (billed / "shadows" / "careful" / FILE).write_text("{", encoding="utf-8")
    assert dnam("costs", "--json", "--data", billed).value["rederived_micros"] == 24_400


def test_what_a_shadow_took_is_counted_also_once_it_is_dropped(billed: Path) -> None:
    for name, log, micros in (("careful", "a" * 32, 20_000), ("quick", "b" * 32, 4_400), ("free", "c" * 32, 0)):
        (billed / "shadows" / name).mkdir(parents=True)
        save(billed, Manifest(name, Asked("", "", "", "", ""), NOW, log, "", cost_micros=micros))
    for name in ("careful", "quick", "free"):
        assert dnam("shadows", "drop", name, "--yes", "--data", billed).code == 0
        assert dnam("costs", "--json", "--data", billed).value["rederived_micros"] == 24_400
    assert dnam("shadows", "--json", "--data", billed).values == []
    (billed / "shadows" / "dropped.json").write_text("{", encoding="utf-8")
    ran = dnam("costs", "--data", billed)
    assert (ran.code, "dropped.json is damaged, and says what re-deriving cost" in ran.err) == (2, True)
