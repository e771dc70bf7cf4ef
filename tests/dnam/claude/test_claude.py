"""Claude by the real SDK against a Messages API on loopback: what works, and everything that does not."""

import asyncio
import socket
from typing import Any

import pytest

from dnam.adapters.anthropic.aliases import resolve
from dnam.adapters.anthropic.faults import UNSET
from dnam.adapters.anthropic.service import PAGES_SECONDS
from dnam.adapters.anthropic.stops import DECLINED
from dnam.adapters.circuit import FAILURES, REST_SECONDS
from dnam.model import ModelDown, ModelError, Resting, spent_in
from dnam.prices import Tokens, prices
from dnam.trouble import Trouble
from tests.dnam.claude.stage import always, asked, in_turn, talking
from tests.dnam.scripted import FakeClock
from tests.loopback.messages import Cuts, Declines, Drips, Fails, Garbles, Holds, Reply, Runs, Says
from tests.loopback.messages.replies import Usage

OVERLOADED = Fails(529, "overloaded_error", "Overloaded")
BROKE = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to purchase credits."
NO_JSON = Garbles("event: message_start\ndata: {oops\n\n")
NO_START = Garbles(
    'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, '
    '"delta": {"type": "text_delta", "text": "x"}}\n\n'
)
ONLY_AN_END = Garbles('event: message_stop\ndata: {"type": "message_stop"}\n\n')
BARE = Garbles(
    'event: message_start\ndata: {"type": "message_start", "message": {"content": [], "usage": {}}}\n\n'
    'event: content_block_start\ndata: {"type": "content_block_start", "index": 0, '
    '"content_block": {"type": "text", "text": ""}}\n\n'
    'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, '
    '"delta": {"type": "text_delta", "text": "Tea."}}\n\n'
    'event: message_delta\ndata: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, '
    '"usage": {"output_tokens": 3}}\n\n'
    'event: message_stop\ndata: {"type": "message_stop"}\n\n'
)
"""As little as the SDK makes do with: servers of another make leave the rest out."""
NO_BLOCK = Garbles(
    'event: message_start\ndata: {"type": "message_start", "message": {"content": []}}\n\n'
    'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 3, '
    '"delta": {"type": "text_delta", "text": "x"}}\n\n'
)
NO_TEXT = Garbles(
    'event: message_start\ndata: {"type": "message_start", "message": {"content": []}}\n\n'
    'event: content_block_start\ndata: {"type": "content_block_start", "index": 0, '
    '"content_block": {"type": "text", "text": null}}\n\n'
    'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, '
    '"delta": {"type": "text_delta", "text": "x"}}\n\n'
)
"""Nonsense of which nothing can be billed either."""


class TestAReply:
    async def test_streams_as_it_grows_without_what_was_thought(self) -> None:
        heard: list[str] = []
        async with talking(Says("Tea, as ever.", thinks="hm, tea?", piece=5)) as talk:
            reply = await talk.claude.ask(asked(), heard.append)
            assert heard == ["Tea, ", "Tea, as ev", "Tea, as ever."]
            assert (reply.text, reply.stop) == ("Tea, as ever.", "end_turn")
            assert (reply.model, reply.version) == (resolve("haiku"), talk.claude.version)

    async def test_says_what_it_took(self) -> None:
        async with talking(Says("Tea.", usage=Usage(fresh=100, out=40, written=1000, cached=5000))) as talk:
            reply = await talk.claude.ask(asked(model="claude-sonnet-4-6"), lambda _: setattr(talk, "time", 1.5))
            assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (6100, 40, 5000)
            assert reply.latency_ms == 1500
            assert reply.cost_micros == prices().cost_micros("claude-sonnet-4-6", Tokens(100, 40, 1000, 5000))
            assert reply.cost_micros == 300 + 600 + 3750 + 1500

    async def test_of_a_model_without_a_price_is_free(self) -> None:
        async with talking(Says("Tea.")) as talk:
            reply = await talk.claude.ask(asked(model="my-local-model"))
            assert (reply.model, reply.cost_micros) == ("my-local-model", 0)
            assert reply.tokens_in > 0

    async def test_of_a_server_that_says_little_is_a_reply_all_the_same(self) -> None:
        async with talking(BARE) as talk:
            reply = await talk.claude.ask(asked(model="my-model"))
            assert (reply.text, reply.model, reply.stop) == ("Tea.", "my-model", "end_turn")
            assert (reply.tokens_in, reply.tokens_out) == (0, 3)

    async def test_is_asked_for_in_the_api_s_own_form(self) -> None:
        async with talking(Says("Tea.")) as talk:
            await talk.claude.ask(asked())
            (request,) = talk.server.requests
            assert talk.server.refused == []
            assert request.body["stream"] is True
            assert request.prompt == "User message:\nwhich tea?"
            assert request.model == resolve("haiku")


class TestTheFormOfAReply:
    async def test_is_a_schema_where_the_model_has_it(self) -> None:
        async with talking(Says('{"upserts": []}')) as talk:
            await talk.claude.ask(asked("extraction"))
            schema = talk.server.requests[0].schema
            assert schema is not None
            assert schema["additionalProperties"] is False

    @pytest.mark.parametrize("pages", [True, False])
    async def test_is_left_to_the_prompt_where_it_has_not(self, pages: bool) -> None:
        async with talking(Says('{"upserts": []}'), schemas=False, pages=pages) as talk:
            assert (await talk.claude.ask(asked("extraction"))).text == '{"upserts": []}'
            assert talk.server.requests[0].schema is None
            assert talk.server.refused == []

    @pytest.mark.parametrize("page", [{"object": "model"}, {"id": "x", "capabilities": {"effort": 1}}])
    async def test_is_left_to_the_prompt_where_the_model_s_page_is_of_another_make(self, page: dict[str, Any]) -> None:
        async with talking(Says("{}")) as talk:
            talk.server.page = page
            assert (await talk.claude.ask(asked("extraction"))).text == "{}"
            assert talk.server.requests[0].schema is None

    async def test_is_asked_for_once_by_many_at_a_time(self) -> None:
        async with talking(Says("{}")) as talk:
            await asyncio.gather(*(talk.claude.ask(asked("extraction")) for _ in range(3)))
            assert talk.server.pages_asked == 1
            assert None not in [request.schema for request in talk.server.requests]

    async def test_is_known_once_the_models_page_can_be_had(self) -> None:
        async with talking(Says("{}")) as talk:
            talk.server.pages_fail = Fails(500)
            for _ in range(2):
                await talk.claude.ask(asked("extraction"))
            assert talk.server.pages_asked == 1
            talk.server.pages_fail = None
            talk.time += PAGES_SECONDS
            for _ in range(2):
                await talk.claude.ask(asked("extraction"))
            assert talk.server.pages_asked == 2
            assert [request.schema is None for request in talk.server.requests] == [True, True, False, False]

    async def test_is_left_to_the_prompt_where_the_schema_is_refused(self) -> None:
        refusal = Fails(400, "invalid_request_error", "Schema is too complex.")
        async with talking(in_turn(refusal, Says("{}"))) as talk:
            for _ in range(2):
                assert (await talk.claude.ask(asked("extraction"))).text == "{}"
            assert [request.schema is None for request in talk.server.requests] == [False, True, True]
            assert talk.waits == []

    async def test_is_a_schema_also_after_something_else_was_refused(self) -> None:
        refusal = Fails(400, "invalid_request_error", "prompt is too long")
        async with talking(in_turn(refusal, refusal, Says("{}"))) as talk:
            with pytest.raises(ModelError, match="prompt is too long"):
                await talk.claude.ask(asked("extraction"))
            await talk.claude.ask(asked("extraction"))
            assert [request.schema is None for request in talk.server.requests] == [False, True, False]


class TestTheEndOfAReply:
    async def test_an_answer_that_is_declined_says_so_and_drops_what_was_said(self) -> None:
        async with talking(Declines("First you take")) as talk:
            reply = await talk.claude.ask(asked())
            assert (reply.text, reply.stop) == (DECLINED, "refusal")

    async def test_an_answer_that_is_cut_shows_it(self) -> None:
        async with talking(Runs("Tea and ")) as talk:
            reply = await talk.claude.ask(asked())
            assert (reply.text, reply.stop) == ("Tea and …", "max_tokens")

    @pytest.mark.parametrize("reply", [Runs(""), Says("  "), Says("", thinks="hm")])
    async def test_an_answer_without_a_word_is_none_and_what_it_took_is_known(self, reply: Reply) -> None:
        async with talking(reply) as talk:
            with pytest.raises(ModelError, match="sent no answer") as failed:
                await talk.claude.ask(asked())
            assert failed.value.spent is not None
            assert failed.value.spent.tokens_in > 0

    @pytest.mark.parametrize(("reply", "stop"), [(Runs('{"ups'), "max_tokens"), (Declines(""), "refusal")])
    async def test_a_loop_is_given_what_came(self, reply: Runs | Declines, stop: str) -> None:
        async with talking(reply) as talk:
            got = await talk.claude.ask(asked("extraction"))
            assert (got.text, got.stop) == (reply.text, stop)


class TestTryingAgain:
    @pytest.mark.parametrize(
        "fault",
        [
            OVERLOADED,
            Fails(500),
            Fails(503, "api_error"),
            Fails(429, "rate_limit_error"),
            Fails(408, "timeout_error"),
            Cuts("Tea is"),
            Cuts("Tea is", how="body"),
            Cuts("Tea is", how="error"),
            NO_JSON,
            NO_START,
            ONLY_AN_END,
            NO_BLOCK,
            NO_TEXT,
        ],
    )
    async def test_what_passes_is_tried_again_and_longer_each_time(self, fault: Reply) -> None:
        heard: list[str] = []
        async with talking(in_turn(fault, fault, Says("Tea."))) as talk:
            assert (await talk.claude.ask(asked(), heard.append)).text == "Tea."
            assert talk.waits == [0.5, 1.0]
            assert heard[-1] == "Tea."
            assert not talk.claude.circuit.is_open

    @pytest.mark.parametrize(("header", "waits"), [("7", [7.0]), ("0.25", [0.25]), ("0", [0.0]), ("soon", [0.5])])
    async def test_it_waits_as_long_as_the_api_says(self, header: str, waits: list[float]) -> None:
        fault = Fails(429, "rate_limit_error", retry_after=header)
        async with talking(in_turn(fault, Says("Tea."))) as talk:
            await talk.claude.ask(asked())
            assert talk.waits == waits

    async def test_a_date_is_held_against_the_clock_that_it_was_told_by(self) -> None:
        early, late = "Sun, 06 Nov 1994 08:49:30 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"
        fault = Fails(429, "rate_limit_error", retry_after=late, date=early)
        async with talking(in_turn(fault, Says("Tea."))) as talk:
            await talk.claude.ask(asked())
            assert talk.waits == [7.0]

    async def test_nobody_waits_for_minutes(self) -> None:
        async with talking(Fails(429, "rate_limit_error", "Slow down.", retry_after="600")) as talk:
            with pytest.raises(ModelError, match=r"rate limit is reached \(429: Slow down\.\)") as failed:
                await talk.claude.ask(asked())
            assert talk.waits == []
            assert failed.value.words.endswith("more than I can answer just now. Please ask me again in 10 minutes.")

    async def test_it_gives_up_after_three_tries(self) -> None:
        async with talking(OVERLOADED) as talk:
            with pytest.raises(ModelDown, match=r"overloaded \(529: Overloaded\)"):
                await talk.claude.ask(asked())
            assert len(talk.server.requests) == 3

    @pytest.mark.parametrize(
        ("fault", "advice"),
        [
            (Fails(401, "authentication_error"), "check ANTHROPIC_API_KEY"),
            (Fails(402, "billing_error"), "no credit"),
            (Fails(400, "invalid_request_error", BROKE), "no credit"),
            (Fails(403, "permission_error"), "the key may not do this"),
            (Fails(404, "not_found_error"), "check DNAM_ANSWER_MODEL"),
            (Fails(400, "invalid_request_error"), "the request was refused"),
            (Fails(413, "some_new_error"), "the request was refused"),
        ],
    )
    async def test_what_does_not_pass_is_said_at_once_and_with_what_to_do(self, fault: Fails, advice: str) -> None:
        async with talking(fault) as talk:
            with pytest.raises(ModelError, match=advice) as failed:
                await talk.claude.ask(asked())
            assert not isinstance(failed.value, ModelDown)
            assert (len(talk.server.requests), talk.waits) == (1, [])
            assert failed.value.words

    async def test_a_wrong_key_is_told(self) -> None:
        async with talking(key="sk-wrong") as talk:
            with pytest.raises(ModelError, match=r"not accepted.*401"):
                await talk.claude.ask(asked())
            assert talk.server.requests == []

    async def test_a_server_that_is_not_there_is_down(self) -> None:
        with socket.socket() as bound:  # the port is taken, and nobody listens
            bound.bind(("127.0.0.1", 0))
            async with talking(url=f"http://127.0.0.1:{bound.getsockname()[1]}") as talk:
                with pytest.raises(ModelDown, match="the connection to haiku failed"):
                    await talk.claude.ask(asked())
                assert talk.waits == [0.5, 1.0]


class TestWhatBrokenTriesTook:
    async def test_is_on_the_bill_of_the_reply_that_came(self) -> None:
        async with talking(Says("Tea.")) as talk:
            once = await talk.claude.ask(asked())
            talk.server.script = in_turn(Cuts("Tea"), OVERLOADED, Says("Tea."))
            thrice = await talk.claude.ask(asked())
            assert thrice.text == once.text
            assert thrice.tokens_in == 2 * once.tokens_in
            assert once.cost_micros < thrice.cost_micros < 3 * once.cost_micros

    async def test_is_told_where_nothing_came(self) -> None:
        async with talking(Cuts("Tea")) as talk:
            with pytest.raises(ModelDown) as failed:
                await talk.claude.ask(asked())
            spent = failed.value.spent
            assert spent is not None
            assert (spent.text, spent.model) == ("", resolve("haiku"))
            assert spent.tokens_in > 0
            assert spent.cost_micros > 0

    async def test_is_nothing_where_no_stream_began(self) -> None:
        async with talking(OVERLOADED) as talk:
            with pytest.raises(ModelDown) as failed:
                await talk.claude.ask(asked())
            assert failed.value.spent is None


class TestBugs:
    async def test_one_in_whoever_hears_is_not_the_service_s_fault(self) -> None:
        def broken(text: str) -> None:
            raise ValueError(text)

        async with talking(Says("Tea.")) as talk:
            with pytest.raises(ValueError, match=r"Tea\."):
                await talk.claude.ask(asked(), broken)
            assert (len(talk.server.requests), talk.claude.circuit.is_open) == (1, False)


DRIPS = Drips(Says("Tea. " * 4, piece=1), 0.07)
"""A second and a half long, and never silent for long."""


class TestTime:
    async def test_an_answer_that_comes_too_late_is_none(self) -> None:
        reached, let_go = asyncio.Event(), asyncio.Event()
        async with talking(Holds(reached, let_go), seconds=0.5) as talk:
            asking = asyncio.ensure_future(talk.claude.ask(asked()))
            with pytest.raises(ModelError, match=r"haiku did not answer within 0\.5 seconds"):
                await asking
            let_go.set()
            assert not talk.claude.circuit.is_open

    async def test_a_loop_s_reply_has_its_time_in_all_however_much_still_comes(self) -> None:
        """Nothing else counts the time here: whoever drives a loop has a limit of their own (`test_spent.py`)."""
        async with talking(DRIPS, seconds=1.0) as talk:
            with pytest.raises(ModelError, match=r"haiku did not answer within 1 seconds") as failed:
                await talk.claude.ask(asked("extraction"))
            assert failed.value.spent is not None
            assert failed.value.spent.cost_micros > 0

    async def test_an_answer_is_waited_for_as_long_as_something_comes(self) -> None:
        async with talking(DRIPS, seconds=1.0) as talk:
            assert (await talk.claude.ask(asked())).text == DRIPS.says.text

    async def test_one_that_is_broken_off_leaves_the_circuit_as_it_was(self) -> None:
        reached, let_go = asyncio.Event(), asyncio.Event()
        async with talking(Holds(reached, let_go)) as talk:
            asking = asyncio.ensure_future(talk.claude.ask(asked()))
            await reached.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            let_go.set()
            assert not talk.claude.circuit.is_open

    async def test_one_that_is_broken_off_says_what_it_took(self) -> None:
        async with talking(Cuts("A cup of", "error")) as talk:
            waiting = asyncio.Event()

            async def for_ever(_: float) -> None:
                waiting.set()
                await asyncio.Event().wait()

            talk.claude._nature = talk.nature()._replace(sleep=for_ever)
            asking = asyncio.ensure_future(talk.claude.ask(asked()))
            await waiting.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError) as cancelled:
                await asking
            spent = spent_in(cancelled.value)
            assert spent is not None
            assert spent.cost_micros > 0


class TestTheRest:
    """What the API asks for holds for whoever asks that model next, too; what a loop was told, for loops alone."""

    async def test_nothing_is_sent_until_it_is_over_and_it_is_said_when(self) -> None:
        async with talking(Fails(429, "rate_limit_error", "Slow down.", retry_after="60")) as talk:
            with pytest.raises(ModelError) as failed:
                await talk.claude.ask(asked())
            assert failed.value.words.endswith("Please ask me again in 60 seconds.")
            talk.time += 20
            for each in (asked(), asked("extraction"), asked("summary")):
                with pytest.raises(Resting, match=r"left alone for 40 s more: .*429: Slow down") as resting:
                    await talk.claude.ask(each)
                assert resting.value.words.endswith("Please ask me again in 40 seconds.")
                assert resting.value.seconds == 40
            assert (len(talk.server.requests), talk.waits) == (1, [])
            assert not talk.claude.circuit.is_open
            talk.time += 40
            talk.server.script = always(Says("Tea."))
            assert (await talk.claude.ask(asked())).text == "Tea."

    @pytest.mark.parametrize(
        "fault",
        [
            Fails(429, "rate_limit_error", retry_after="60"),
            Fails(429, "rate_limit_error", retry_after="3600"),
            Fails(529, "overloaded_error", retry_after="45"),
            Fails(429, "rate_limit_error", retry_after="Fri, 31 Dec 9999 23:59:59 GMT"),
        ],
        ids=str,
    )
    async def test_one_that_a_loop_was_asked_for_keeps_no_answer(self, fault: Fails) -> None:
        haiku, opus = resolve("haiku"), resolve("opus")
        async with talking(lambda request: fault if request.model == haiku else Says("Tea.")) as talk:
            with pytest.raises(ModelError):
                await talk.claude.ask(asked("extraction"))
            for each in (asked("extraction"), asked("summary"), asked("merge", model=haiku)):
                with pytest.raises(Resting, match=r"^haiku asked to be left alone for"):
                    await talk.claude.ask(each)
            assert (await talk.claude.ask(asked(model="opus"))).text == "Tea."
            assert (await talk.claude.ask(asked("summary", model="opus"))).text == "Tea."
            assert [each.model for each in talk.server.requests] == [haiku, opus, opus]

    async def test_an_answer_by_the_loops_model_is_tried_all_the_same(self) -> None:
        fault = Fails(429, "rate_limit_error", retry_after="3600")
        async with talking(in_turn(fault, Says("Tea."))) as talk:
            with pytest.raises(ModelError):
                await talk.claude.ask(asked("extraction"))
            for _ in range(2):
                assert (await talk.claude.ask(asked())).text == "Tea."
            with pytest.raises(Resting):
                await talk.claude.ask(asked("extraction"))
            assert len(talk.server.requests) == 3

    async def test_answers_have_the_one_that_they_hear_of_and_loops_the_longer_of_both(self) -> None:
        long, short = (Fails(429, "rate_limit_error", retry_after=seconds) for seconds in ("600", "60"))
        async with talking(in_turn(long, short, Says("Tea."))) as talk:
            for each, told in ((asked("extraction"), "10 minutes"), (asked(), "60 seconds")):
                with pytest.raises(ModelError) as failed:
                    await talk.claude.ask(each)
                assert failed.value.words.endswith(f"again in {told}.")
            for each, left in ((asked(), 60), (asked("summary"), 600)):
                with pytest.raises(Resting) as resting:
                    await talk.claude.ask(each)
                assert resting.value.seconds == left
            talk.time += 60
            assert (await talk.claude.ask(asked())).text == "Tea."
            with pytest.raises(Resting):
                await talk.claude.ask(asked("summary"))
            assert len(talk.server.requests) == 3

    async def test_one_that_an_answer_was_asked_for_keeps_no_loop_of_another_model(self) -> None:
        fault = Fails(429, "rate_limit_error", retry_after="60")
        opus = resolve("opus")
        async with talking(lambda request: fault if request.model == opus else Says("Tea.")) as talk:
            with pytest.raises(ModelError):
                await talk.claude.ask(asked(model="opus"))
            assert (await talk.claude.ask(asked("summary"))).text == "Tea."
            for each in (asked(model=opus), asked("summary", model="opus")):
                with pytest.raises(Resting):
                    await talk.claude.ask(each)

    async def test_what_is_told_once_is_not_told_again_while_it_lasts(self) -> None:
        told: list[str] = []
        trouble = Trouble(FakeClock().now)
        trouble.tell = told.append
        async with talking(Fails(529, "overloaded_error", retry_after="60")) as talk:
            for _ in range(3):
                with pytest.raises(ModelError), trouble.noticed():
                    await talk.claude.ask(asked())
            assert len(talk.server.requests) == len(told) == 1
            assert "left alone for 60 s more" in trouble.reason

    async def test_one_that_is_tried_again_within_the_ask_leaves_nothing_behind(self) -> None:
        fault = Fails(429, "rate_limit_error", retry_after="7")
        async with talking(in_turn(fault, Says("Tea."))) as talk:
            await talk.claude.ask(asked())
            await talk.claude.ask(asked())
            assert len(talk.server.requests) == 3

    async def test_nobody_waits_for_a_try_that_comes_too_late(self) -> None:
        async with talking(Fails(529, "overloaded_error", retry_after="15"), seconds=10) as talk:
            with pytest.raises(ModelDown, match=r"overloaded \(529") as failed:
                await talk.claude.ask(asked())
            assert (len(talk.server.requests), talk.waits) == (1, [])
            assert failed.value.words.endswith("Please ask me again in 15 seconds.")

    async def test_a_wait_that_fits_is_waited_for(self) -> None:
        fault = Fails(529, "overloaded_error", retry_after="9")
        async with talking(in_turn(fault, Says("Tea.")), seconds=10) as talk:
            assert (await talk.claude.ask(asked())).text == "Tea."
            assert talk.waits == [9.0]

    async def test_whoever_is_to_change_something_is_not_told_to_come_back(self) -> None:
        async with talking(Fails(401, "authentication_error", retry_after="30")) as talk:
            with pytest.raises(ModelError) as failed:
                await talk.claude.ask(asked())
            assert failed.value.words == UNSET
            with pytest.raises(Resting) as resting:
                await talk.claude.ask(asked())
            assert resting.value.words == UNSET


class TestTheCircuit:
    async def test_loops_and_answers_have_a_circuit_each(self) -> None:
        held = asyncio.Event()
        async with talking(Holds(asyncio.Event(), held), seconds=0.05) as talk:
            for _ in range(FAILURES):
                with pytest.raises(ModelError):
                    await talk.claude.ask(asked("extraction"))
            held.set()
            with pytest.raises(ModelDown):
                await talk.claude.ask(asked("summary"))
            assert not talk.claude.circuit.is_open
        async with talking(OVERLOADED) as talk:
            for _ in range(FAILURES):
                with pytest.raises(ModelDown):
                    await talk.claude.ask(asked("extraction"))
            talk.server.script = always(Says("Tea."))
            assert (await talk.claude.ask(asked())).text == "Tea."

    async def test_while_the_api_is_down_nobody_is_asked_and_then_it_is_found_out(self) -> None:
        async with talking(OVERLOADED) as talk:
            for _ in range(FAILURES):
                with pytest.raises(ModelDown):
                    await talk.claude.ask(asked())
            asks = len(talk.server.requests)
            with pytest.raises(ModelDown, match="is tried again in") as refused:
                await talk.claude.ask(asked())
            assert len(talk.server.requests) == asks
            assert "I cannot think just now" in refused.value.words
            talk.time += REST_SECONDS
            talk.server.script = always(Says("Tea."))
            assert (await talk.claude.ask(asked())).text == "Tea."
            assert not talk.claude.circuit.is_open

    async def test_a_service_that_refuses_is_there(self) -> None:
        async with talking(Fails(400, "invalid_request_error")) as talk:
            for _ in range(FAILURES * 2):
                with pytest.raises(ModelError):
                    await talk.claude.ask(asked())
            assert not talk.claude.circuit.is_open

    async def test_answers_that_come_too_late_open_it(self) -> None:
        held = asyncio.Event()
        async with talking(Holds(asyncio.Event(), held), seconds=0.05) as talk:
            for _ in range(FAILURES):
                with pytest.raises(ModelError):
                    await talk.claude.ask(asked())
            held.set()
            assert talk.claude.circuit.is_open
