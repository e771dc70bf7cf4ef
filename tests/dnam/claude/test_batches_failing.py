"""What goes wrong with a question in a batch: it is asked again where that may help, and told where it does not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dnam.adapters.anthropic.batch_questions import MOST_SENT
from dnam.adapters.anthropic.batch_results import CANCELED, EXPIRED, MISSING
from dnam.adapters.tries import TRIES
from dnam.model import ModelError
from tests.dnam.claude.batch_stage import ask, echo, office, question, queued, texts
from tests.loopback.messages import Expires, Fails, Reply, Request, Says
from tests.loopback.messages.batches import Alters, Cuts
from tests.loopback.messages.server import Script

OVERLOADED = Fails(529, "overloaded_error", "Overloaded")


def first(times: int, prompt: str, reply: Reply) -> Script:
    """A script by which a prompt has this reply so many times, and is said back afterwards, as all others are."""
    left = [times]

    def script(request: Request) -> Reply:
        if request.prompt != prompt or not left[0]:
            return echo(request)
        left[0] -= 1
        return reply

    return script


@pytest.mark.parametrize("reply", [Expires(), OVERLOADED, Fails(500), Fails(429, "rate_limit_error")])
async def test_what_expired_or_the_service_failed_at_is_alone_in_the_next_batch(tmp_path: Path, reply: Reply) -> None:
    async with office(tmp_path, first(1, "tea?", reply)) as desk:
        assert await texts(desk.run(), "tea?", "bees?") == ["You said tea?.", "You said bees?."]
        before, after = desk.api.made
        assert after.ids == [each for each in before.ids if each in after.ids] != before.ids
        assert desk.waits == []


async def test_half_of_a_batch_that_takes_two_days_expires_and_is_asked_again(tmp_path: Path) -> None:
    prompts = ["one", "two", "three", "four"]
    async with office(tmp_path) as desk:
        desk.api.takes_seconds = 2 * 24 * 60 * 60

        async def hurry() -> None:
            desk.api.takes_seconds = 60

        desk.meanwhile = hurry
        batches = desk.run(interval_seconds=6 * 60 * 60)
        assert await texts(batches, *prompts) == [f"You said {each}." for each in prompts]
        assert [len(each.requests) for each in desk.api.made] == [4, 2]
        assert len(desk.server.requests) == 4  # each was answered once


async def test_nothing_is_asked_again_for_ever(tmp_path: Path) -> None:
    async with office(tmp_path, Expires()) as desk:
        batches = desk.run()
        (error,) = await ask(batches, question("tea?"))
        assert isinstance(error, ModelError)
        assert (error.kind, len(desk.api.made), batches.queued) == (EXPIRED, MOST_SENT, 0)
        assert str(error) == "the batch expired before this question was asked; it was sent 3 times"
        desk.server.script = echo
        assert await texts(batches, "tea?") == ["You said tea?."]  # who asks once more is not held to that


async def test_a_question_for_which_there_is_no_credit_says_so(tmp_path: Path) -> None:
    broke = Fails(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.")
    async with office(tmp_path, first(9, "tea?", broke)) as desk:
        (refused,) = await ask(desk.run(), question("tea?"))
        assert isinstance(refused, ModelError)
        assert refused.kind == "billing_error"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Fails(400, "invalid_request_error", "prompt is too long"), "the request was refused (prompt is too long)"),
        (Fails(402, "billing_error", "no credit"), "there is no credit: see the account's billing page (no credit)"),
    ],
)
async def test_what_is_refused_fails_alone_and_at_once(tmp_path: Path, reply: Fails, told: str) -> None:
    async with office(tmp_path, first(9, "tea?", reply)) as desk:
        refused, replied = await ask(desk.run(), question("tea?"), question("bees?"))
        assert isinstance(refused, ModelError)
        assert (str(refused), refused.kind) == (told, reply.type)
        assert not isinstance(replied, ModelError)
        assert len(desk.api.made) == 1


async def test_an_error_of_another_name_is_the_service_s(tmp_path: Path) -> None:
    async with office(tmp_path, first(1, "tea?", Fails(500, "surprise_error"))) as desk:
        assert await texts(desk.run(), "tea?") == ["You said tea?."]
        assert len(desk.api.made) == 2


class TestACancelledBatch:
    async def test_answers_what_was_asked_until_then_and_the_next_run_asks_the_rest(self, tmp_path: Path) -> None:
        prompts = ["one", "two", "three", "four"]
        async with office(tmp_path) as desk:
            desk.api.takes_seconds = 80
            batches = desk.run()
            tasks = await queued(batches, *map(question, prompts))

            async def cancel_late() -> None:
                if len(desk.waits) == 3:
                    desk.api.cancel(desk.api.made[0])

            desk.meanwhile = cancel_late
            await batches.send()
            with pytest.raises(ModelError, match="was cancelled before this question") as no:
                await tasks[3]
            assert no.value.kind == CANCELED
            assert [(await each).text for each in tasks[:3]] == [f"You said {each}." for each in prompts[:3]]
            desk.meanwhile = None
            assert await texts(desk.run(), *prompts) == [f"You said {each}." for each in prompts]
            assert [len(each.requests) for each in desk.api.made] == [4, 1]

    async def test_is_cancelled_by_whoever_does_not_want_it_any_more(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.takes_seconds = 60
            batches = desk.run()
            (task,) = await queued(batches, question("tea?"))
            canceled: list[int] = []

            async def cancel() -> None:
                canceled.append(await batches.cancel())

            desk.meanwhile = cancel
            await batches.send()
            with pytest.raises(ModelError, match="To ask it, run the same again"):
                await task
            assert canceled == [1, 0]  # by then it is cancelled
            assert desk.api.made[0].results[0]["result"]["type"] == "canceled"
            assert await batches.cancel() == 0


def damaged(lines: list[bytes]) -> list[bytes]:
    return [b"{oops\n", *lines[1:]]


def other(lines: list[bytes]) -> list[bytes]:
    return [b'{"custom_id": "x", "result": {"type": "postponed"}}\n', *lines[1:]]


def gone(lines: list[bytes]) -> list[bytes]:
    return [b"\n", *lines[1:]]


@pytest.mark.parametrize(
    ("alter", "told"),
    [
        (damaged, "JSONDecodeError in a line of results: it is left out"),
        (other, "ValueError in a line of results: it is left out"),
        (gone, ""),
    ],
)
class TestALineThatIsNotThere:
    async def test_is_read_again(self, tmp_path: Path, alter: Callable[[list[bytes]], list[bytes]], told: str) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["results"] = [Alters(alter)]
            assert await texts(desk.run(), "tea?", "bees?") == ["You said tea?.", "You said bees?."]
            assert len(desk.api.made) == 1
            assert (told in desk.told) is bool(told)

    async def test_is_asked_again(self, tmp_path: Path, alter: Callable[[list[bytes]], list[bytes]], told: str) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["results"] = [Alters(alter)] * TRIES
            assert await texts(desk.run(), "tea?", "bees?") == ["You said tea?.", "You said bees?."]
            assert [len(each.requests) for each in desk.api.made] == [2, 1]


async def test_a_batch_that_never_has_a_result_for_a_question_is_an_error_in_the_end(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        desk.api.faults["results"] = [Alters(gone) for _ in range(TRIES * MOST_SENT)]
        assert await texts(desk.run(), "tea?") == [MISSING]


async def test_a_result_of_a_question_that_was_not_in_it_is_left_out_and_told(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        desk.api.faults["results"] = [
            Alters(lambda lines: [lines[0].replace(b'"custom_id": "', b'"custom_id": "x'), *lines])
        ]
        assert await texts(desk.run(), "tea?") == ["You said tea?."]
        assert "is of no question that was in it: it is left out" in desk.told[-1]


async def test_a_connection_that_is_lost_amid_the_results_is_taken_up_again(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        desk.api.faults["results"] = [Cuts(0), Cuts(1)]
        assert await texts(desk.run(), "tea?", "bees?") == ["You said tea?.", "You said bees?."]
        assert desk.api.calls.count("results") == 3
        assert len(desk.api.made) == 1


async def test_words_with_any_separator_in_them_come_back_as_they_are(tmp_path: Path) -> None:
    text = "one\u2028two\x85three\nfour\r\nfive ♥"
    async with office(tmp_path, Says(text)) as desk:
        assert await texts(desk.run(), "tea?") == [text]
