"""Where a reply comes from while a memory is derived anew, the first that there is:

the shadow    it was recorded before the derivation was broken off, with what came of it or before its turn
the live log  the model and the prompt are those that replied then: its reply is decided from anew
the model     it is asked, within what the derivation may cost
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import msgspec

from dnam.model import Ask, Hear, Model, ModelError, Reply, unheard
from dnam.prompts import digest
from dnam.rederiving.spending import Spending
from dnam.rederiving.traffic import Traffic
from projections.events import (
    Event,
    ExtractionAnswered,
    ExtractionFailed,
    ExtractionReplied,
    MergeAnswered,
    MergeFailed,
    SummaryAnswered,
)
from projections.events.values import ModelUse
from projections.ids import EventId
from projections.rederiving.schedule import Recorded, Run

FindEvent = Callable[[EventId], Event | None]
Again = Callable[[ModelUse], bool]
"""Whether the model that replied is asked again, with the same prompt."""
KEPT = (ExtractionAnswered, ExtractionFailed, MergeAnswered, MergeFailed, SummaryAnswered)
"""The events that hold a reply."""


class NoReply(ModelError):
    """The recorded run brought no reply, and is not tried again."""


class Replies(NamedTuple):
    """Everything that replies. `again` says of a recorded call whether the same model is asked with the same prompt."""

    model: Model
    recorded: Recorded
    find: FindEvent
    again: Again
    spending: Spending
    traffic: Traffic


class Early(NamedTuple):
    """Where a reply lies that waits for its turn to be decided: its event. `keep` records it there."""

    event: EventId
    keep: Callable[[Ask, Reply], Awaitable[None]]


class RunReplies:
    """The replies of one run of a loop. `is_decided_anew`: what was replied then is all there is; nobody is asked."""

    def __init__(
        self, replies: Replies, run: Run | None, early: Early | None = None, *, is_decided_anew: bool = False
    ) -> None:
        self._replies = replies
        self._run = run
        self._early = early
        self._count = 0
        self.is_decided_anew = is_decided_anew

    @property
    def name(self) -> str:
        """The model's that is asked."""
        return self._replies.model.name

    async def reply(self, ask: Ask, event: EventId, hear: Hear = unheard) -> Reply:
        """The reply to the next ask of the run, which will be recorded under this id."""
        known = self.known(ask, event)
        if known is not None:
            return known
        if self._early is None:
            return await asked(self._replies, ask, hear)
        return self._kept(self._early, ask) or await self._asked(self._early, ask, hear)

    def known(self, ask: Ask, event: EventId) -> Reply | None:
        """The same, where it was replied before; None where the model is to be asked."""
        self._count += 1
        known = recorded_reply(self._replies.find(event))
        if known is not None:
            return known
        again = self._again(ask)
        if again is not None:
            self.is_decided_anew = True
            return again
        if self.is_decided_anew:
            raise NoReply("nobody was asked about this then, and what was replied then is decided anew")
        return None

    def _kept(self, early: Early, ask: Ask) -> Reply | None:
        """What was replied to this very prompt before its turn."""
        event = self._replies.find(early.event)
        if not isinstance(event, ExtractionReplied) or event.call.prompt_digest != digest(ask.system, ask.prompt):
            return None
        return _reply(event.reply, event.call)

    async def _asked(self, early: Early, ask: Ask, hear: Hear) -> Reply:
        reply = await asked(self._replies, ask, hear)
        await early.keep(ask, reply)
        return reply

    def _again(self, ask: Ask) -> Reply | None:
        if ask.purpose == "merge":
            text, call = self._replies.recorded.merges.get(digest(ask.system, ask.prompt), (None, None))
            return None if text is None or call is None or not self._replies.again(call) else free_reply(text, call)
        run = self._run
        if run is None or not self._replies.again(run.call):
            return None
        if run.error and run.reply is None:
            raise NoReply(run.error)
        if self._count > 1:
            text, call = self._replies.recorded.shorter.get(run.event, (None, run.call))
            return None if text is None else free_reply(text, call)
        return None if run.reply is None else free_reply(run.reply, run.call)


async def asked(replies: Replies, ask: Ask, hear: Hear = unheard) -> Reply:
    """Ask the model, within what may be spent."""
    spending, traffic = replies.spending, replies.traffic
    async with traffic.asking():
        await spending.room(ask)
        traffic.refuse_more()
        with spending.asking(ask):
            reply = await replies.model.ask(ask, hear)
            spending.add(reply)
    return reply


def is_known(replies: Replies, run: Run) -> bool:
    """Whether nobody is asked at the beginning of a run: what was replied then holds, or that nothing was."""
    return replies.again(run.call) and (run.reply is not None or bool(run.error))


def recorded_reply(event: Event | None) -> Reply | None:
    """The reply that an event holds; None where it holds none."""
    if not isinstance(event, KEPT):
        return None
    return _reply(event.reply, event.call)


def free_reply(text: str, call: ModelUse) -> Reply:
    """A reply that was paid for already."""
    return msgspec.structs.replace(_reply(text, call), tokens_in=0, tokens_out=0, tokens_cached=0, cost_micros=0)


def _reply(text: str, call: ModelUse) -> Reply:
    return Reply(
        text,
        call.model,
        call.version,
        call.tokens_in,
        call.tokens_out,
        call.tokens_cached,
        call.latency_ms,
        call.cost_micros,
        call.stop,
    )
