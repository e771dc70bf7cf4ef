"""The loopback Message Batches API: what it takes and refuses, and that the SDK reads it like the real one."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from anthropic import APIConnectionError, AsyncAnthropic, AuthenticationError, BadRequestError, NotFoundError

from tests.loopback.messages import Cuts, Expires, Fails, Reply, Request, Says, Server, serving
from tests.loopback.messages.batch import DAY_SECONDS, KEPT_SECONDS
from tests.loopback.messages.batches import Loses

PARAMS: dict[str, Any] = {
    "model": "claude-haiku-4-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hello"}],
}


class Time:
    """Seconds that pass when they are told to."""

    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(lambda _: Says("Tea.")) as server:
        server.batches.now = Time()
        yield server


@pytest.fixture
def time(server: Server) -> Time:
    assert isinstance(server.batches.now, Time)
    return server.batches.now


@pytest.fixture
async def client(server: Server) -> AsyncIterator[AsyncAnthropic]:
    async with AsyncAnthropic(api_key=server.key, base_url=server.url, max_retries=0) as client:
        yield client


def requests(*ids: str, **more: Any) -> Any:
    return [{"custom_id": each, "params": {**PARAMS, **more}} for each in ids]


async def results(client: AsyncAnthropic, batch: str) -> dict[str, str]:
    return {each.custom_id: each.result.type async for each in await client.messages.batches.results(batch)}


async def test_a_batch_is_under_way_until_its_time_has_come(server: Server, client: AsyncAnthropic, time: Time) -> None:
    server.batches.takes_seconds = 60
    made = await client.messages.batches.create(requests=requests("a", "b"))
    time.now += 59
    under_way = await client.messages.batches.retrieve(made.id)
    assert (under_way.processing_status, under_way.request_counts.processing) == ("in_progress", 2)
    assert (under_way.results_url, under_way.ended_at, server.requests) == (None, None, [])
    assert (under_way.expires_at - under_way.created_at).total_seconds() == DAY_SECONDS
    time.now += 1
    ended = await client.messages.batches.retrieve(made.id)
    assert (ended.processing_status, ended.request_counts.succeeded, ended.request_counts.processing) == ("ended", 2, 0)
    assert len(server.requests) == 2


async def test_results_name_their_requests_and_come_in_another_order(server: Server, client: AsyncAnthropic) -> None:
    made = await client.messages.batches.create(requests=requests("a", "b", "c"))
    found = [each async for each in await client.messages.batches.results(made.id)]
    assert [each.custom_id for each in found] == ["c", "b", "a"]
    result = found[0].result
    assert result.type == "succeeded"
    assert [block.type for block in result.message.content] == ["text"]
    assert result.message.usage.service_tier == "batch"


async def test_every_kind_of_result(server: Server, client: AsyncAnthropic) -> None:
    def script(request: Request) -> Reply:
        replies: dict[str, Reply] = {"a": Says("Tea."), "b": Fails(529, "overloaded_error"), "c": Expires()}
        return replies[request.prompt]

    server.script = script
    asked = [requests(each, messages=[{"role": "user", "content": each}])[0] for each in "abc"]
    wrong = requests("d", temperature=1) + requests("e", stream=True)
    made = await client.messages.batches.create(requests=[*asked, *wrong])
    assert await results(client, made.id) == {
        "a": "succeeded", "b": "errored", "c": "expired", "d": "errored", "e": "errored",
    }  # fmt: skip
    counts = (await client.messages.batches.retrieve(made.id)).request_counts
    assert (counts.succeeded, counts.errored, counts.expired, counts.processing) == (1, 3, 1, 0)
    assert len(server.refused) == 2


async def test_what_a_day_was_too_short_for_expires(server: Server, client: AsyncAnthropic, time: Time) -> None:
    server.batches.takes_seconds = 2 * DAY_SECONDS
    made = await client.messages.batches.create(requests=requests("a", "b"))
    time.now += DAY_SECONDS
    assert await results(client, made.id) == {"a": "succeeded", "b": "expired"}


async def test_a_cancelled_batch_is_canceling_first(server: Server, client: AsyncAnthropic, time: Time) -> None:
    server.batches.takes_seconds = 100
    made = await client.messages.batches.create(requests=requests("a", "b"))
    time.now += 50
    assert (await client.messages.batches.cancel(made.id)).processing_status == "canceling"
    time.now += 1
    assert await results(client, made.id) == {"a": "succeeded", "b": "canceled"}
    with pytest.raises(BadRequestError, match="has ended"):
        await client.messages.batches.cancel(made.id)


async def test_results_are_kept_for_29_days(client: AsyncAnthropic, time: Time) -> None:
    made = await client.messages.batches.create(requests=requests("a"))
    time.now += KEPT_SECONDS
    batch = await client.messages.batches.retrieve(made.id)
    assert batch.archived_at is not None
    assert batch.results_url is None


async def test_the_list_has_pages_and_the_newest_first(client: AsyncAnthropic) -> None:
    made = [(await client.messages.batches.create(requests=requests("a"))).id for _ in range(5)]
    assert [each.id async for each in client.messages.batches.list(limit=2)] == made[::-1]
    first = await client.messages.batches.list(limit=2)
    assert (first.has_more, first.first_id, first.last_id) == (True, made[4], made[3])
    assert [each.id for each in (await client.messages.batches.list(before_id=made[0], limit=2)).data] == made[2:0:-1]
    with pytest.raises(BadRequestError):
        await client.messages.batches.list(limit=1001)


async def test_a_batch_under_way_cannot_be_deleted_and_a_deleted_one_is_gone(
    server: Server, client: AsyncAnthropic, time: Time
) -> None:
    server.batches.takes_seconds = 10
    made = await client.messages.batches.create(requests=requests("a"))
    with pytest.raises(BadRequestError, match="under way"):
        await client.messages.batches.delete(made.id)
    time.now += 10
    await client.messages.batches.delete(made.id)
    for call in (client.messages.batches.retrieve, client.messages.batches.cancel, client.messages.batches.delete):
        with pytest.raises(NotFoundError):
            await call(made.id)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (requests(), "1 to 100000"),
        (requests("a", "a"), "unique"),
        (requests("a b"), "should match pattern"),
        (requests("x" * 65), "should match pattern"),
        ([{"custom_id": "a"}], "are required"),
    ],
)
async def test_what_the_api_would_refuse_is_refused(client: AsyncAnthropic, asked: Any, why: str) -> None:
    with pytest.raises(BadRequestError, match=why):
        await client.messages.batches.create(requests=asked)


async def test_a_wrong_key_is_refused(server: Server) -> None:
    async with AsyncAnthropic(api_key="sk-wrong", base_url=server.url, max_retries=0) as stranger:
        with pytest.raises(AuthenticationError):
            await stranger.messages.batches.create(requests=requests("a"))


async def test_a_lost_connection_is_lost_behind_what_was_done(server: Server, client: AsyncAnthropic) -> None:
    server.batches.faults["create"] = [Loses()]
    with pytest.raises(APIConnectionError):
        await client.messages.batches.create(requests=requests("a"))
    assert server.batches.asked() == ["a"]


async def test_a_reply_that_is_of_streams_is_no_reply_of_a_batch(server: Server) -> None:
    server.script = lambda _: Cuts()
    with pytest.raises(AssertionError, match="Cuts is of streams"):
        server.batches.outcome(PARAMS)
