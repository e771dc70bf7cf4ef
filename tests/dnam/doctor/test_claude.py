"""The doctor and Claude: the key, the models, the service, the budget; the real SDK against the loopback API."""

from functools import partial
from pathlib import Path

import pytest

from dnam.doctor import claude
from dnam.doctor.check import Patient
from dnam.memory import Memory
from projections.events.values import ModelUse
from projections.times import DAY_MS
from tests.dnam.doctor.patients import looked, patient
from tests.dnam.scripted import FakeClock
from tests.loopback.messages import Fails, Server, serving


def with_key(server: Server, data: Path, **environment: str) -> Patient:
    return patient(data, {"ANTHROPIC_API_KEY": server.key, "ANTHROPIC_BASE_URL": server.url, **environment})


async def test_without_a_key_there_is_nothing_to_ask(tmp_path: Path) -> None:
    found = await looked(claude.key, patient(tmp_path))
    assert (found.state, found.what) == (
        "skipped",
        "ANTHROPIC_API_KEY is not set: the offline model answers and learns",
    )


async def test_a_server_without_a_key_is_not_asked_and_that_is_said(tmp_path: Path) -> None:
    async with serving() as server:
        found = await looked(claude.key, with_key(server, tmp_path, ANTHROPIC_API_KEY=""))
        assert (found.state, server.pages_asked) == ("doubt", 0)
    assert found.what.startswith("ANTHROPIC_BASE_URL is set and ANTHROPIC_API_KEY is not: nobody is asked there")
    assert "ANTHROPIC_API_KEY" in found.do


async def test_a_good_key(tmp_path: Path) -> None:
    async with serving() as server:
        found = await looked(claude.key, with_key(server, tmp_path, DNAM_DURABLE_MODEL="claude-x-1"))
    assert found.state == "well"
    assert "sonnet is claude-sonnet" in found.what
    assert "claude-x-1" in found.what
    assert server.requests == []  # nobody was asked to think


async def test_a_key_that_is_not_accepted(tmp_path: Path) -> None:
    async with serving() as server:
        found = await looked(claude.key, with_key(server, tmp_path, ANTHROPIC_API_KEY="sk-ant-wrong"))
    assert (found.state, found.what) == ("wrong", "Claude does not accept the key")
    assert "ANTHROPIC_API_KEY" in found.do
    assert "sk-ant-wrong" not in str(found)


async def test_a_server_that_lists_no_models(tmp_path: Path) -> None:
    async with serving(pages=False) as server:
        found = await claude.key(with_key(server, tmp_path))
    assert {each.state for each in found} == {"doubt"}
    assert "knows nothing of the model" in found[0].what


@pytest.mark.parametrize(
    ("fails", "what", "do"),
    [
        (Fails(403, "permission_error"), "the key may not use claude-x-1", "another model"),
        (Fails(500), "Claude's API is not in order (status 500)", "Try again later."),
        (Fails(529, "overloaded_error"), "Claude's API is not in order (status 529)", "Try again later."),
    ],
)
async def test_a_model_that_cannot_be_looked_at(tmp_path: Path, fails: Fails, what: str, do: str) -> None:
    models = {f"DNAM_{name}_MODEL": "claude-x-1" for name in ("ANSWER", "SUMMARY", "DURABLE")}
    async with serving() as server:
        server.pages_fail = fails
        found = await looked(claude.key, with_key(server, tmp_path, **models))
    assert (found.state, found.what) == ("wrong", what)
    assert do in found.do


async def test_one_bad_model_among_good_ones_is_what_is_found(tmp_path: Path) -> None:
    async with serving() as server:
        server.pages_fail = Fails(403, "permission_error")
        found = await claude.key(with_key(server, tmp_path))
    assert {each.state for each in found} == {"wrong"}
    assert len(found) == len({each.what for each in found}) == 2  # haiku and sonnet


async def test_nobody_there(tmp_path: Path) -> None:
    async with serving() as server:
        pass
    found = await looked(claude.key, with_key(server, tmp_path))
    assert found.state == "wrong"
    assert found.what == "Claude's API cannot be reached: Connection error."
    assert "ANTHROPIC_BASE_URL" in found.do


async def spend(data: Path, micros: int) -> None:
    async with Memory.open(data, clock=FakeClock()) as memory:
        heard = await memory.heard("100", "hello")
        context = await memory.context(heard)
        await memory.answered(heard, context, "hi", call=ModelUse("claude-x-1", "1", cost_micros=micros))


@pytest.mark.parametrize(
    ("micros", "state", "words"),
    [
        (10_000, "well", "0.0100 of 1 US dollars"),
        (950_000, "doubt", "learning waits"),
        (2_000_000, "wrong", "nobody is answered"),
    ],
)
async def test_what_the_day_has_cost(tmp_path: Path, micros: int, state: str, words: str) -> None:
    await spend(tmp_path, micros)
    found = await looked(claude.budget, patient(tmp_path, DNAM_MAX_COST_PER_DAY="1"))
    assert found.state == state
    assert words in found.what


async def test_a_limit_that_does_not_count_a_model(tmp_path: Path) -> None:
    await spend(tmp_path, 10_000)
    limited = partial(patient, tmp_path, DNAM_MAX_COST_PER_DAY="1", DNAM_ANSWER_MODEL="llama-3")
    found = await looked(claude.budget, limited(ANTHROPIC_API_KEY="sk-ant-1"))
    assert (found.state, "the price of llama-3 is not in the table" in found.what) == ("doubt", True)
    assert "DNAM_MAX_COST_PER_DAY does not count its calls" in found.what
    assert found.do
    assert (await looked(claude.budget, limited())).state == "well", "the offline model is free"


async def test_another_day_or_no_limit_or_no_log(tmp_path: Path) -> None:
    await spend(tmp_path, 2_000_000)
    who = patient(tmp_path, DNAM_MAX_COST_PER_DAY="1")
    tomorrow = who._replace(now=lambda: who.now() + DAY_MS)
    assert (await looked(claude.budget, tomorrow)).state == "well"
    assert (await looked(claude.budget, patient(tmp_path))).state == "skipped"
    assert (await looked(claude.budget, who._replace(data=tmp_path / "none"))).state == "skipped"
