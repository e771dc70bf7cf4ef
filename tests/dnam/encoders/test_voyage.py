"""Voyage's encoders by the real SDK against its API on loopback: what works, and everything that does not."""

import asyncio
import socket
import sys

import pytest

from dnam.adapters.circuit import FAILURES, REST_SECONDS
from dnam.adapters.tries import LONGEST_WAIT_SECONDS
from dnam.adapters.voyage.batches import MOST_CHARACTERS, MOST_TEXTS, batches
from dnam.adapters.voyage.encoder import Access, Voyage
from dnam.meaning.encoder import EncoderDown, EncoderError, EncoderMissing
from dnam.prices import Tokens, prices
from projections.events.upkeep import EncodedKind
from projections.policies.closeness import cosine
from tests.dnam.encoders.stage import talking
from tests.loopback.voyage import Aborts, Breaks, Encodes, Fails, Garbles, Holds, Reply, Says
from tests.loopback.voyage.server import of_words

TEA, GREEN, BEES = "I like tea", "I like green tea", "bees swarm in June"


class TestBatches:
    def test_are_as_long_as_the_api_takes_and_keep_the_order(self) -> None:
        texts = [str(n) for n in range(2 * MOST_TEXTS + 1)]
        made = list(batches(texts))
        assert [len(batch) for batch in made] == [MOST_TEXTS, MOST_TEXTS, 1]
        assert [text for batch in made for text in batch] == texts

    def test_end_before_they_have_too_many_tokens_and_what_is_longer_goes_alone(self) -> None:
        half, long = "a" * (MOST_CHARACTERS // 2), "b" * (MOST_CHARACTERS + 1)
        assert [len(batch) for batch in batches([half, half, "c", long, "d"])] == [2, 1, 1, 1]

    def test_of_nothing_are_none(self) -> None:
        assert list(batches([])) == []


def test_without_its_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "voyageai", None)
    with pytest.raises(EncoderMissing, match=r"pip install 'dnam\[voyage\]'"):
        asyncio.run(Voyage(Access("key")).encode(["tea"]))


def test_its_name_changes_with_whatever_makes_vectors_incomparable() -> None:
    names = {Voyage(Access("key", model, length)).name for model in ("voyage-3.5", "voyage-4") for length in (256, 512)}
    assert len(names) == 4
    assert Voyage(Access("key")).name == "voyage-3.5-lite/1024"


class TestVectors:
    async def test_say_how_alike_texts_are(self) -> None:
        async with talking() as talk:
            (tea, green, bees), _ = await talk.encoder.encode([TEA, GREEN, BEES])
            assert len(tea) == 256
            assert cosine(tea, green) > 0.8 > cosine(tea, bees)

    @pytest.mark.parametrize("kind", ["query", "document"])
    async def test_are_asked_for_in_the_api_s_own_form(self, kind: EncodedKind) -> None:
        async with talking() as talk:
            await talk.encoder.encode([TEA], kind)
            (request,) = talk.server.requests
            assert talk.server.refused == []
            assert request.texts == [TEA]
            asked = {name: request.body[name] for name in ("model", "input_type", "output_dimension", "truncation")}
            assert asked == {
                "model": "voyage-3.5-lite",
                "input_type": kind,
                "output_dimension": 256,
                "truncation": True,
            }

    async def test_are_made_once_of_what_stands_there_twice_and_never_of_nothing(self) -> None:
        async with talking() as talk:
            vectors, use = await talk.encoder.encode(["", TEA, " \n", TEA])
            assert [request.texts for request in talk.server.requests] == [[TEA]]
            assert [any(vector) for vector in vectors] == [False, True, False, True]
            assert {len(vector) for vector in vectors} == {256}
            assert use is not None
            assert await talk.encoder.encode(["", "  "]) == ([(0.0,) * 256] * 2, None)
            assert len(talk.server.requests) == 1

    async def test_of_many_texts_come_batch_by_batch_over_one_connection_and_what_they_took_is_one_sum(self) -> None:
        texts = [f"text number {n}" for n in range(MOST_TEXTS + 2)]
        async with talking() as talk:
            vectors, use = await talk.encoder.encode(texts)
            assert [len(request.texts) for request in talk.server.requests] == [MOST_TEXTS, 2]
            assert len(vectors) == len(texts)
            assert all(cosine(made, of_words(text, 256)) > 0.999 for made, text in zip(vectors, texts, strict=True))
            tokens = sum(request.tokens for request in talk.server.requests)
            assert use is not None
            assert (use.model, use.version, use.tokens_in) == ("voyage-3.5-lite", "256", tokens)
            assert len(talk.server.connections) == 1

    async def test_cost_what_the_table_of_prices_says(self) -> None:
        async with talking(Encodes(tokens=2_000_000)) as talk:
            use = (await talk.encoder.encode([TEA])).use
            assert use is not None
            assert use.cost_micros == prices().cost_micros("voyage-3.5-lite", Tokens(2_000_000, 0)) == 40_000


class TestWhatIsOfNoUse:
    @pytest.mark.parametrize(
        ("reply", "why"),
        [
            (Encodes(lost=1), "it sent 1 vectors for 2 texts"),
            (Encodes(lost=2), "it sent 0 vectors for 2 texts"),
            (Encodes(dimensions=128), "it sent vectors of 128 numbers, and 256 were asked for"),
            (Encodes(number=float("nan")), "something in them that is no number"),
            (Encodes(number=float("inf")), "something in them that is no number"),
        ],
    )
    async def test_is_refused_and_not_paid_for_twice(self, reply: Encodes, why: str) -> None:
        async with talking(reply) as talk:
            for _ in range(FAILURES + 1):
                with pytest.raises(EncoderError, match=why) as failed:
                    await talk.encoder.encode([TEA, BEES])
                assert failed.value.use is not None
                assert failed.value.use.tokens_in > 0
            assert (len(talk.server.requests), talk.waits) == (FAILURES + 1, [])
            assert not talk.encoder.circuit.is_open

    async def test_takes_nothing_from_what_was_paid_for_the_batches_before(self) -> None:
        async with talking(Encodes(tokens=10), Encodes(tokens=5, lost=1)) as talk:
            with pytest.raises(EncoderError) as failed:
                await talk.encoder.encode([str(n) for n in range(MOST_TEXTS + 1)])
            assert failed.value.use is not None
            assert failed.value.use.tokens_in == 15


class TestTryingAgain:
    @pytest.mark.filterwarnings("ignore:The 'warn' method is deprecated:DeprecationWarning")  # the SDK's own
    @pytest.mark.parametrize(
        "fault",
        [
            Fails(429),
            Fails(408),
            *map(Fails, (500, 502, 503, 504, 529)),
            Garbles(),
            Garbles(b"\xff\xfe", "text/plain"),
            Says({"object": "list"}),
            Says([1]),
            Breaks(),
            Aborts(),
        ],
        ids=str,
    )
    async def test_helps_against_what_passes(self, fault: Reply) -> None:
        async with talking(fault, fault, Encodes()) as talk:
            assert len((await talk.encoder.encode([TEA])).vectors) == 1
            assert talk.waits == [0.5, 1.0]

    async def test_waits_as_long_as_it_is_asked_to(self) -> None:
        async with talking(Fails(429, retry_after="7"), Fails(503, retry_after="0.25"), Encodes()) as talk:
            await talk.encoder.encode([TEA])
            assert talk.waits == [7.0, 0.25]

    async def test_waits_until_the_date_that_it_is_asked_to(self) -> None:
        late = "Sun, 06 Nov 1994 08:49:37 GMT"
        async with talking(Fails(429, retry_after=late, date="Sun, 06 Nov 1994 08:49:30 GMT"), Encodes()) as talk:
            await talk.encoder.encode([TEA])
            assert talk.waits == [7.0]

    @pytest.mark.parametrize("asked", ["soon", "-1", "inf", "Sun, 06 Nov 1994 08:49:37 GMT"])
    async def test_waits_as_ever_where_nobody_can_tell_how_long(self, asked: str) -> None:
        async with talking(Fails(429, retry_after=asked), Encodes()) as talk:
            await talk.encoder.encode([TEA])
            assert talk.waits == [0.5]

    async def test_is_given_up_where_it_would_come_too_late_for_whoever_asks(self) -> None:
        async with talking(Fails(429, retry_after="2"), Encodes(), query_seconds=1.5) as talk:
            with pytest.raises(EncoderError, match="the rate limit is reached"):
                await talk.encoder.encode([TEA], "query")
            assert (len(talk.server.requests), talk.waits) == (1, [])

    async def test_holds_for_whoever_asks_next_too(self) -> None:
        async with talking(Fails(429, retry_after="60"), Encodes()) as talk:
            with pytest.raises(EncoderError, match="the rate limit is reached"):
                await talk.encoder.encode([TEA])
            talk.time += 20
            with pytest.raises(EncoderDown, match="asked to be left alone for 40 s more: the rate limit is reached"):
                await talk.encoder.encode([TEA], "query")
            assert (len(talk.server.requests), talk.encoder.circuit.is_open) == (1, False)
            talk.time += 40
            assert (await talk.encoder.encode([TEA])).vectors

    async def test_is_given_up_where_the_wait_would_be_too_long(self) -> None:
        async with talking(Fails(429, retry_after=str(LONGEST_WAIT_SECONDS + 1))) as talk:
            with pytest.raises(EncoderError, match="the rate limit is reached"):
                await talk.encoder.encode([TEA])
            assert (len(talk.server.requests), talk.waits) == (1, [])

    async def test_ends(self) -> None:
        async with talking(Fails(500)) as talk:
            with pytest.raises(EncoderDown, match=r"the service failed \(500\)"):
                await talk.encoder.encode([TEA])
            assert len(talk.server.requests) == 3

    @pytest.mark.parametrize(
        ("status", "advice", "is_refusal"),
        [
            (400, "check DNAM_ENCODER_MODEL", True),
            (401, "check VOYAGE_API_KEY", False),
            (403, "may not be used from here", False),
            (404, "check VOYAGE_BASE_URL", False),
            (413, "too large", True),
            (418, "the request was refused", True),
            (422, "was not understood", True),
        ],
    )
    async def test_is_no_use_against_what_stays(self, status: int, advice: str, is_refusal: bool) -> None:
        async with talking(Fails(status, "because so")) as talk:
            for _ in range(FAILURES + 1):
                with pytest.raises(EncoderError, match=advice) as failed:
                    await talk.encoder.encode([TEA])
                assert (failed.value.is_refusal, failed.value.use) == (is_refusal, None)
                assert "because so" in str(failed.value)
            assert (len(talk.server.requests), talk.waits) == (FAILURES + 1, [])


class TestWhatIsTold:
    async def test_is_what_the_api_says_of_a_model_that_it_does_not_have(self) -> None:
        async with talking(model="voyage-9") as talk:
            with pytest.raises(EncoderError, match=r"\(400: Model voyage-9 is not supported\. Supported models are"):
                await talk.encoder.encode([TEA])

    async def test_of_a_key_that_is_not_accepted(self) -> None:
        async with talking(key="pa-wrong") as talk:
            with pytest.raises(EncoderError, match="check VOYAGE_API_KEY"):
                await talk.encoder.encode([TEA])

    @pytest.mark.parametrize(
        "detail", [f"cannot read {BEES!r}", "cannot read 'bees swarm in'", [{"input": BEES}], None, {"why": BEES}]
    )
    async def test_is_never_what_somebody_said(self, detail: object) -> None:
        async with talking(Fails(400, detail)) as talk:
            with pytest.raises(EncoderError, match=r"\(400\)$") as failed:
                await talk.encoder.encode([BEES])
            assert "bees" not in str(failed.value)


class TestAServiceThatIsDown:
    async def test_is_left_alone_after_a_few_failures_and_one_ask_finds_out(self) -> None:
        async with talking(*[Fails(503)] * 3 * (FAILURES + 1), Encodes()) as talk:
            for _ in range(FAILURES):
                with pytest.raises(EncoderDown):
                    await talk.encoder.encode([TEA])
            asked = len(talk.server.requests)
            with pytest.raises(EncoderDown, match=r"Voyage's service is down \(the service failed \(503.*in 30 s"):
                await talk.encoder.encode([TEA])
            assert len(talk.server.requests) == asked
            talk.time += REST_SECONDS
            with pytest.raises(EncoderDown):
                await talk.encoder.encode([TEA])
            talk.time += REST_SECONDS
            assert (await talk.encoder.encode([TEA])).vectors
            assert not talk.encoder.circuit.is_open

    async def test_is_one_that_nobody_listens_at(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            async with talking(url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1") as talk:
                with pytest.raises(EncoderDown, match=r"the connection to voyage-3\.5-lite failed"):
                    await talk.encoder.encode([TEA])

    async def test_is_one_that_says_nothing_for_too_long(self) -> None:
        holds = Holds(asyncio.Event(), asyncio.Event())
        async with talking(holds, seconds=0.05) as talk:
            with pytest.raises(EncoderDown, match="sent nothing for too long"):
                await talk.encoder.encode([TEA])
            holds.let_go.set()

    async def test_is_known_before_the_next_question_waits_for_it(self) -> None:
        holds = Holds(asyncio.Event(), asyncio.Event())
        async with talking(holds, query_seconds=0.2) as talk:
            for _ in range(FAILURES):
                with pytest.raises(EncoderDown, match=r"sent nothing within 0\.2 seconds"):
                    await talk.encoder.encode([TEA], "query")
            with pytest.raises(EncoderDown, match="Voyage's service is down"):
                await talk.encoder.encode([TEA], "query")
            assert len(talk.server.requests) == FAILURES
            holds.let_go.set()

    async def test_is_not_blamed_for_a_bug_of_ours(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(_: object) -> None:
            raise ZeroDivisionError

        async with talking() as talk:
            monkeypatch.setattr("dnam.adapters.voyage.encoder.complaint", lambda *_: broken(_))
            with pytest.raises(ZeroDivisionError):
                await talk.encoder.encode([TEA])

    async def test_does_not_keep_who_gives_up(self) -> None:
        holds = Holds(asyncio.Event(), asyncio.Event())
        async with talking(holds, Encodes()) as talk:
            asking = asyncio.create_task(talk.encoder.encode([TEA]))
            await holds.reached.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            holds.let_go.set()
            assert (await talk.encoder.encode([TEA])).vectors
