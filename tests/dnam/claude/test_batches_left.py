"""Batches that are left and picked up: nothing is sent twice, whatever was lost on the way."""

import asyncio
from pathlib import Path

import pytest

from dnam.adapters.anthropic.batch_book import DamagedBook
from dnam.adapters.anthropic.batches import MOST_LOST
from dnam.model import ModelDown, ModelError
from dnam.model import Reply as Replied
from tests.dnam.claude.batch_stage import Desk, echo, leave, office, question, queued, queued_and_sent, stop, texts
from tests.loopback.messages import Expires, Fails, Holds, Reply, Request
from tests.loopback.messages.batch import KEPT_SECONDS, Batch
from tests.loopback.messages.batches import Fault, Loses, Speaks

OVERLOADED = Fails(529, "overloaded_error", "Overloaded")
PARAMS = {"model": "claude-haiku-4-5", "max_tokens": 5, "messages": [{"role": "user", "content": "hello"}]}


def strange(desk: Desk, number: int, ago_seconds: float = 0.0, takes_seconds: float = 0.0) -> None:
    """A batch that somebody else made, with one request."""
    requests = [{"custom_id": f"theirs-{number}", "params": PARAMS}]
    desk.api.made.append(Batch(f"msgbatch_theirs_{number}", requests, desk.time - ago_seconds, takes_seconds))


async def leave_while_it_is_sent(desk: Desk, *prompts: str) -> None:
    """Ask, send, and be killed before the API's acknowledgement is there."""
    await leave_at(desk, "create", 0, *prompts)


async def leave_at(desk: Desk, call: str, before: int, *prompts: str) -> None:
    """The same before the answer to any call is there: the one of that name before which there were so many."""
    reached, let_go = asyncio.Event(), asyncio.Event()
    desk.api.faults[call] = [*[None] * before, Holds(reached, let_go)]
    batches = desk.run()
    tasks = await queued_and_sent(batches, *prompts)
    await reached.wait()
    await stop(*tasks)
    let_go.set()


class TestARunThatIsLeft:
    async def test_says_how_to_have_the_replies(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.takes_seconds = 600
            await leave(desk, desk.run(), "one", "two")
            assert desk.told[-1] == (
                "2 questions are with the Message Batches API, which answers them meanwhile, within a day. "
                "To have the replies, run the same again: nothing is sent, or paid for, twice"
            )

    async def test_is_picked_up_by_the_next_one_which_sends_nothing(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.takes_seconds = 600
            await leave(desk, desk.run(), "one", "two")
            assert await texts(desk.run(), "two", "one") == ["You said two.", "You said one."]
            assert desk.api.calls.count("create") == 1
            assert len(desk.server.requests) == 2

    async def test_has_its_replies_ready_when_the_batch_ended_meanwhile(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.takes_seconds = 600
            await leave(desk, desk.run(), "one", "two")
            desk.waits.clear()
            desk.time += 3600
            assert await texts(desk.run(), "one") == ["You said one."]
            assert await texts(desk.run(), "two", "one", "three") == [
                "You said two.",
                "You said one.",
                "You said three.",
            ]
            assert [len(each.requests) for each in desk.api.made] == [2, 1]
            assert [each.state for each in desk.book.entries] == ["ended", "ended"]

    async def test_before_anything_was_sent_has_nothing_to_pick_up(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            batches = desk.run()
            tasks = await queued_and_sent(batches, "one")
            await asyncio.sleep(0)  # what the model can do is being asked
            await stop(*tasks)
            assert desk.told == ["nothing was sent that is not answered"]
            assert desk.book.entries == ()

    async def test_between_two_tries_is_sent_once(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["create"] = [OVERLOADED]
            await leave(desk, desk.run(), "one")
            assert [each.state for each in desk.book.entries] == ["sending"]
            assert await texts(desk.run(), "one") == ["You said one."]
            assert len(desk.api.made) == 1

    async def test_counts_only_what_has_no_reply_yet(self, tmp_path: Path) -> None:
        async with office(tmp_path, lambda request: Expires() if request.prompt == "two" else echo(request)) as desk:

            async def slow() -> None:
                desk.api.takes_seconds = 600
                desk.stays = len(desk.api.made) == 2

            desk.meanwhile, desk.api.takes_seconds = slow, 10
            batches = desk.run()
            first, second = await queued(batches, question("one"), question("two"))
            sending = asyncio.create_task(batches.send())
            assert (await first).text == "You said one."
            desk.waited.clear()
            await desk.waited.wait()
            await stop(second, sending)
            assert desk.told[-1].startswith("1 question is with the Message Batches API")

    async def test_leaves_what_expired_to_be_asked_again(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.takes_seconds = 2 * 24 * 60 * 60
            await leave(desk, desk.run(), "one", "two")
            desk.time += 24 * 60 * 60
            desk.api.takes_seconds = 0
            assert await texts(desk.run(), "one", "two") == ["You said one.", "You said two."]
            assert [len(each.requests) for each in desk.api.made] == [2, 1]

    async def test_a_month_ago_asks_again_and_says_so(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.takes_seconds = 600
            await leave(desk, desk.run(), "one")
            desk.time += KEPT_SECONDS
            assert await texts(desk.run(), "one") == ["You said one."]
            assert any("are no longer kept: its questions are asked again" in each for each in desk.told)
            assert len(desk.api.made) == 2


class TestKilledWhileItIsSent:
    async def test_the_batch_is_found_and_taken(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            await leave_while_it_is_sent(desk, "one", "two")
            assert [each.state for each in desk.book.entries] == ["sending"]
            assert await texts(desk.run(), "one", "two") == ["You said one.", "You said two."]
            assert desk.api.calls.count("create") == 1
            assert [each.id for each in desk.book.entries] == [desk.api.made[0].id]

    async def test_it_is_waited_for_where_it_has_not_ended(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.takes_seconds = 50
            await leave_while_it_is_sent(desk, "one", "two")
            assert await texts(desk.run(), "one", "two") == ["You said one.", "You said two."]
            assert (desk.waits, desk.api.calls.count("create")) == ([20.0] * 3, 1)

    async def test_nobody_else_s_batch_is_taken_for_it(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            strange(desk, 1)
            await leave_while_it_is_sent(desk, "one")
            strange(desk, 2)
            strange(desk, 3, takes_seconds=30)
            assert await texts(desk.run(), "one") == ["You said one."]
            assert desk.api.calls.count("create") == 1

    async def test_it_is_sent_where_it_never_arrived(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            await leave_while_it_is_sent(desk, "one")
            desk.api.made.clear()
            strange(desk, 1, ago_seconds=2 * 60 * 60, takes_seconds=100_000)
            strange(desk, 2)
            assert await texts(desk.run(), "one") == ["You said one."]
            assert desk.waits == []  # nobody waits for a batch from before
            assert desk.api.calls.count("create") == 2
            assert len(desk.book.entries) == 1

    async def test_somebody_s_batch_that_goes_on_for_long_holds_it_up_until_it_is_known_whose_it_is(
        self, tmp_path: Path
    ) -> None:
        async with office(tmp_path) as desk:
            await leave_while_it_is_sent(desk, "one")
            desk.api.made.clear()
            strange(desk, 1, takes_seconds=50)
            assert await texts(desk.run(), "one") == ["You said one."]
            assert desk.waits == [20.0] * 3

    async def test_it_is_found_among_many(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            await leave_while_it_is_sent(desk, "one", "two")
            for number in range(120):
                strange(desk, number)
            assert await texts(desk.run(), "one", "two") == ["You said one.", "You said two."]
            assert desk.api.calls.count("list") == 2
            assert desk.api.calls.count("create") == 1


async def test_killed_at_any_call_the_next_run_has_all_replies_and_nothing_was_asked_twice(tmp_path: Path) -> None:
    calls = [("create", 0), ("create", 1), *(("retrieve", each) for each in range(6)), ("results", 0), ("results", 1)]
    left: dict[str, int] = {}

    def expires_once(request: Request) -> Reply:
        """Of each pair the second: so that there are two batches."""
        left[request.prompt] = left.get(request.prompt, 0) + 1
        return Expires() if request.prompt.endswith("b") and left[request.prompt] == 1 else echo(request)

    async with office(tmp_path, expires_once) as desk:
        desk.api.takes_seconds = 30
        for call, before in calls:
            prompts = [f"{call} {before} {each}" for each in "ab"]
            made = len(desk.api.made)
            await leave_at(desk, call, before, *prompts)
            assert await texts(desk.run(), *prompts) == [f"You said {each}." for each in prompts]
            assert [len(each.requests) for each in desk.api.made[made:]] == [2, 1]
            assert all(len(each.answers) == 1 and each.state == "ended" for each in desk.book.entries)


class TestAnAcknowledgementThatIsLost:
    async def test_is_looked_for_before_anything_is_sent_again(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["create"] = [Loses()]
            assert await texts(desk.run(), "one", "two") == ["You said one.", "You said two."]
            assert len(desk.api.made) == 1

    @pytest.mark.parametrize(
        "fault", [Fails(500), Fails(504, "timeout_error"), Speaks("<html>"), Speaks("{", "application/json")]
    )
    async def test_of_a_batch_that_was_not_made_is_no_loss(self, tmp_path: Path, fault: Fault) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["create"] = [fault]
            assert await texts(desk.run(), "one") == ["You said one."]
            assert len(desk.api.made) == 1
            assert desk.waits == [0.5]

    async def test_again_and_again_ends_the_run_and_the_next_one_goes_on(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["create"] = [Fails(500)] * 3
            batches = desk.run()
            tasks = await queued(batches, question("one"))
            with pytest.raises(ModelDown, match="the service failed"):
                await batches.send()
            assert batches.queued == 1
            await stop(*tasks)
            assert await texts(desk.run(), "one") == ["You said one."]
            assert len(desk.api.made) == 1


class TestTheService:
    async def test_that_asks_to_wait_is_asked_again(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["create"] = [Fails(429, "rate_limit_error", "too many", retry_after="7")]
            assert await texts(desk.run(), "one") == ["You said one."]
            assert desk.waits == [7.0]

    @pytest.mark.parametrize(
        ("fault", "words"),
        [
            (Fails(429, "rate_limit_error", "the queue is full"), "rate limit is reached"),
            (Fails(413, "request_too_large", "too large"), "the request was refused"),
            (Fails(404, "not_found_error"), "the Message Batches API is not there"),
            (OVERLOADED, "the service is overloaded"),
        ],
    )
    async def test_that_refuses_a_batch_leaves_nothing_in_the_book(
        self, tmp_path: Path, fault: Fails, words: str
    ) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["create"] = [fault for _ in range(3)]
            batches = desk.run()
            tasks = await queued(batches, question("one"))
            with pytest.raises(ModelError, match=words):
                await batches.send()
            assert (batches.queued, desk.book.entries) == (1, ())
            desk.api.faults.clear()
            await batches.send()
            assert [(await each).text for each in tasks] == ["You said one."]

    async def test_that_does_not_know_the_key_says_so(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            batches = desk.run(key="sk-wrong")
            tasks = await queued(batches, question("one"))
            with pytest.raises(ModelError, match="check ANTHROPIC_API_KEY"):
                await batches.send()
            await stop(*tasks)

    async def test_that_is_down_for_a_while_has_the_questions_all_the_same(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["retrieve"] = [OVERLOADED] * 7
            assert await texts(desk.run(), "one") == ["You said one."]
            assert desk.told[1] == "the service is overloaded (529: Overloaded): looking again in 20 s"
            assert len(desk.api.made) == 1

    async def test_that_asks_for_a_rest_is_not_looked_at_until_it_is_over(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["retrieve"] = [Fails(429, "rate_limit_error", "too many", retry_after="50")]
            assert await texts(desk.run(), "one") == ["You said one."]
            first, *resting = desk.told[1:4]
            assert first == "the rate limit is reached (429: too many): looking again in 20 s"
            assert [each.split(":")[0] for each in resting] == [
                f"the Message Batches API asked to be left alone for {seconds} s more" for seconds in (30, 10)
            ]
            assert len(desk.api.made) == 1

    async def test_that_is_down_for_good_ends_the_run_and_the_next_one_goes_on(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.faults["retrieve"] = [OVERLOADED for _ in range(3 * MOST_LOST)]
            batches = desk.run()
            tasks = await queued(batches, question("one"))
            with pytest.raises(ModelDown):
                await batches.send()
            await stop(*tasks)
            desk.api.faults.clear()
            assert await texts(desk.run(), "one") == ["You said one."]
            assert len(desk.api.made) == 1

    async def test_that_does_not_know_the_batch_is_not_sent_it_again(self, tmp_path: Path) -> None:
        async with office(tmp_path) as desk:
            desk.api.takes_seconds = 600
            await leave(desk, desk.run(), "one")
            desk.api.made.clear()
            batches = desk.run()
            tasks = await queued(batches, question("one"))
            with pytest.raises(ModelError, match="does not know the batch: check ANTHROPIC_API_KEY"):
                await batches.send()
            await stop(*tasks)
            assert desk.api.made == []


async def test_a_damaged_book_is_told_with_what_to_do(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        desk.path.parent.mkdir()
        desk.path.write_text('{"version": 2}', encoding="utf-8")
        with pytest.raises(DamagedBook, match="to have that, remove it"):
            desk.run()


async def test_what_nobody_waits_for_any_more_is_counted_all_the_same(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        desk.api.takes_seconds = 600
        await leave(desk, desk.run(), "one", "two")
        desk.time += 600
        later, counted = desk.run(), list[Replied]()
        await later.prepare()
        later.listen(counted.append)
        await later.settle()
        assert [each.state for each in desk.book.entries] == ["ended"]
        assert later.took.calls == len(counted) == 2
        assert later.took.tokens_in == sum(each.tokens_in for each in counted) > 0
        assert await texts(later, "one", "two") == ["You said one.", "You said two."]
        assert (later.took.calls, len(counted), desk.book.took.calls) == (2, 2, 2)


async def test_what_nobody_waits_for_in_the_end_is_cancelled(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        desk.api.takes_seconds = 600
        await leave(desk, desk.run(), "one", "two")
        later = desk.run()
        await later.prepare()
        await later.settle()
        assert desk.api.made[0].status == "in_progress"
        await later.settle(is_over=True)
        assert desk.api.made[0].status == "canceling"
        assert desk.told[-1].startswith(f"{desk.api.made[0].id} is cancelled: nobody waits for it any more.")


async def test_where_it_cannot_be_looked_at_it_is_another_time(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        desk.api.takes_seconds = 600
        await leave(desk, desk.run(), "one")
        desk.time += 600
        desk.api.faults["retrieve"] = [Fails(401, "authentication_error")]
        later = desk.run()
        await later.prepare()
        await later.settle()
        assert desk.told[-1].endswith("what batches that were sent before took counts once they can be looked at")
        await later.settle()
        assert later.took.calls == 1
