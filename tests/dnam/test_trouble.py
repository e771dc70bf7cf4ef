"""What stands in the way of every answer: told once for each kind of failure, and asked for at any time."""

from pathlib import Path

import pytest

from dnam.adapters.anthropic.faults import fault_of
from dnam.assistant import WITHOUT_RULES
from dnam.budget import Budgeted
from dnam.metrics import Metrics
from dnam.model import Ask, ModelDown, ModelError, OverBudget
from dnam.observing import watch_thinking
from dnam.trouble import LASTS_MS
from tests.dnam.discord.stage import bot_in, garden, idle, shown
from tests.dnam.scripted import FakeClock, ScriptedModel, talking

REFUSED = "the key is not accepted: check ANTHROPIC_API_KEY (401: invalid x-api-key)"


class Ill:
    """A script whose errors are given one by one; without one, it answers."""

    def __init__(self) -> None:
        self.error: ModelError | None = None

    def __call__(self, _: Ask) -> str:
        if self.error is not None:
            raise self.error
        return "yes"


async def test_the_bot_s_log_tells_once_of_each_kind_of_failure_and_that_it_is_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ill, metrics = Ill(), Metrics()
    failures = [
        ModelError(REFUSED, kind="authentication_error"),
        ModelError(REFUSED, kind="authentication_error"),
        ModelDown("the service is overloaded (529: Overloaded)"),
        ModelDown("the model's service is down; it is tried again in 29 s"),
        ModelError("the request was refused (400: no)", kind="invalid_request_error"),
        None,
        None,
        OverBudget("2 of 2 US dollars are spent today (UTC): DNAM_MAX_COST_PER_DAY"),
    ]
    async with garden() as (world, here), bot_in(world, tmp_path, ScriptedModel({"answer": ill})) as bot:
        watch_thinking(metrics, bot.desk.assistant)
        reasons, hinders = [], []
        for ill.error in failures:
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await idle(world, bot)
            report = metrics.health.report()
            reasons.append(report.facts["last_answer"])
            hinders.append("answers" in report.reasons)
        assert len(shown(world, here.general)) == len(failures)
    told = [each.getMessage() for each in caplog.records if each.name.startswith("dnam")]
    assert told == [
        f"an answer failed, and the next ones may too: {REFUSED}",
        "an answer failed, and the next ones may too: the service is overloaded (529: Overloaded)",
        "an answer failed, and the next ones may too: the request was refused (400: no)",
        "answers work again",
        "an answer failed, and the next ones may too: 2 of 2 US dollars are spent today (UTC): DNAM_MAX_COST_PER_DAY",
    ]
    assert hinders == [True, True, True, True, False, False, False, False]
    assert reasons == [f"the last answer failed: {each}" if each else "" for each in failures]


async def test_what_failed_hinders_for_a_while_and_is_told_until_an_answer_works(tmp_path: Path) -> None:
    ill, metrics, clock = Ill(), Metrics(), FakeClock()
    ill.error = ModelDown("the service is overloaded (529: Overloaded)")
    async with talking(tmp_path, ScriptedModel({"answer": ill}), clock) as assistant:
        watch_thinking(metrics, assistant)
        with pytest.raises(ModelDown):
            await assistant.answer(await assistant.memory.heard("100", "hello"))
        clock.time += LASTS_MS - 1_000
        assert "overloaded" in metrics.health.report().reasons["answers"]
        clock.time += 1_000
        report = metrics.health.report()
        assert (report.reasons, report.facts["last_answer"]) == ({}, assistant.trouble.reason)
        ill.error = None
        await assistant.answer(await assistant.memory.heard("100", "hello again"))
        assert metrics.health.report().facts["last_answer"] == ""


async def test_who_asks_too_often_is_no_trouble_of_others(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel(), turns_per_minute="1") as assistant:
        assistant.model = Budgeted(assistant.model, assistant.memory)
        told: list[str] = []
        assistant.trouble.tell = told.append
        await assistant.answer(await assistant.memory.heard("100", "hello"))
        with pytest.raises(OverBudget):
            await assistant.answer(await assistant.memory.heard("100", "hello again"))
        assert (assistant.trouble.reason, told) == ("", [])


async def test_context_files_that_cannot_be_read_are_trouble(tmp_path: Path) -> None:
    rules = tmp_path / "context" / "base"
    rules.mkdir(parents=True)
    (rules / "core.md").write_bytes(b"\xff\xfe\xff")
    async with talking(tmp_path / "data", ScriptedModel(), context_dir=str(tmp_path / "context")) as assistant:
        with pytest.raises(ModelError):
            await assistant.answer(await assistant.memory.heard("100", "hello"))
        assert "the context files in" in assistant.trouble.reason


async def test_context_files_that_cannot_be_read_are_told_once_and_whoever_waits_hears_what_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rules = tmp_path / "context" / "base"
    rules.mkdir(parents=True)
    (rules / "who.md").write_bytes(b"kind\xff")
    (rules / ".#who.md").symlink_to("nowhere")
    folder = str(tmp_path / "context")
    async with garden() as (world, here), bot_in(world, tmp_path / "data", context_dir=folder) as bot:
        for _ in range(2):
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await idle(world, bot)
        (rules / "who.md").write_text("kind", encoding="utf-8")
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        answers = [each for each in shown(world, here.general) if "cannot be read" in each]
        assert answers == [WITHOUT_RULES] * 2
        assert len(shown(world, here.general)) == 3
    told = [each.getMessage() for each in caplog.records if each.name.startswith("dnam")]
    assert told[0].endswith(f"byte 0xff in position 4: invalid start byte: {rules / 'who.md'} is not UTF-8")
    assert told[1:] == ["answers work again"]


def test_refusals_of_the_api_are_of_a_kind_whatever_else_they_say() -> None:
    import httpx2
    from anthropic import APIStatusError

    def refused(message: str) -> ModelError:
        response = httpx2.Response(401, request=httpx2.Request("POST", "https://api.anthropic.com/v1/messages"))
        fault = fault_of(APIStatusError(message, response=response, body=None), "sonnet")
        assert fault is not None
        return fault.error

    assert str(refused("request 1")) != str(refused("request 2"))
    assert refused("request 1").kind == refused("request 2").kind == "authentication_error"
    assert "`dnam log`" in refused("request 1").words
