"""Where a reply comes from while a memory is derived anew, the first that there is:

the shadow    it was recorded before the derivation was broken off, with what came of it or before that
the live log  the model and the prompt are those that replied then: its reply is decided from anew
the model     it is asked, within what the derivation may cost

What a model replied goes to the disk before anything else is done with it, and until it is there nobody else is asked
in its place. So whatever ends the program, no more is paid for twice than may be under way at once. Where its disk is
full, nobody is asked.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from dnam.model import STILL, Ask, Hear, Model, ModelError, Reply, unheard
from dnam.prompts import digest
from dnam.rederiving.spending import Spending, paid_before
from dnam.rederiving.traffic import Traffic
from dnam.rederiving.watch import Refuse, TakenBack, unwatched
from dnam.taken import reply_of
from projections.events import (
    Event,
    ExtractionAnswered,
    ExtractionFailed,
    ExtractionReplied,
    MergeAnswered,
    MergeFailed,
    MergeReplied,
    SummaryAnswered,
)
from projections.events.values import ModelUse
from projections.ids import EventId
from projections.rederiving.schedule import Recorded, Run
from replay.errors import Refused
from replay.group import Recorded as Done

FindEvent = Callable[[EventId], Event | None]
Again = Callable[[ModelUse], bool]
"""Whether the model that replied is asked again, with the same prompt."""
KEPT = (ExtractionAnswered, ExtractionFailed, MergeAnswered, MergeFailed, SummaryAnswered)
"""The events that hold a reply."""


class NoReply(ModelError):
    """The recorded run brought no reply, and is not tried again."""


def anytime() -> None:
    """Nothing keeps from asking."""


class Replies(NamedTuple):
    """Everything that replies. `again` says of a recorded call whether the same model is asked with the same prompt.
    `refuse` raises TakenBack where what is shown, or was replied then, may have been taken back by now; `refuse_full`
    what keeps a reply from being recorded, as far as that is known before it is paid for.
    """

    model: Model
    recorded: Recorded
    find: FindEvent
    again: Again
    spending: Spending
    traffic: Traffic
    refuse: Refuse = unwatched
    refuse_full: Callable[[], None] = anytime


class Early(NamedTuple):
    """Where a reply lies before it is decided from: in one of these events, the second one where the first holds what
    was replied to another question. `keep` records it in that which is free, and returns what is done once it is there;
    Refused where it may not lie there: what is decided from it finds that too.
    """

    events: Callable[[Ask], tuple[EventId, EventId]]
    keep: Callable[[Ask, Reply], Awaitable[asyncio.Future[Done]]]


class RunReplies:
    """The replies of one run of a loop. `is_decided_anew`: what was replied then is all there is; nobody is asked.
    Where there is no `early`, whoever has the reply says when it is `kept`.
    """

    def __init__(
        self, replies: Replies, run: Run | None, early: Early | None = None, *, is_decided_anew: bool = False
    ) -> None:
        self._replies = replies
        self._run = run
        self._early = early
        self._count = 0
        self._leave: Callable[[], None] | None = None
        self.is_decided_anew = is_decided_anew

    def refuse(self) -> None:
        """TakenBack where what is shown may have been taken back by now."""
        self._replies.refuse()

    @property
    def name(self) -> str:
        """The model's that is asked."""
        return self._replies.model.name

    async def reply(self, ask: Ask, event: EventId, hear: Hear = unheard) -> Reply:
        """The reply to the next ask of the run, which will be recorded under this id."""
        known = self.known(ask, event)
        if known is not None:
            self.refuse()
            return known
        found = None if self._early is None else self._found(self._early, ask)
        return found or await self._asked(ask, hear)

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

    def _found(self, early: Early, ask: Ask) -> Reply | None:
        """What was replied to this very prompt, and not decided from yet."""
        for event in map(self._replies.find, early.events(ask)):
            if not isinstance(event, ExtractionReplied | MergeReplied):
                continue
            if event.call.prompt_digest == digest(ask.system, ask.prompt):
                return reply_of(event.reply, event.call)
        return None

    async def _asked(self, ask: Ask, hear: Hear) -> Reply:
        reply, self._leave = await asked(self._replies, ask, hear)
        if self._early is not None:
            leave, self._leave = self._leave, None
            try:
                (await self._early.keep(ask, reply)).add_done_callback(partial(self._on_the_disk, leave))
                self._replies.refuse()
            except TakenBack:
                raise  # it is on its way to the disk, where it is found if the question stays the same
            except BaseException as error:
                self._replies.traffic.fail(error)
                leave()
                raise
        return reply

    def _on_the_disk(self, leave: Callable[[], None], recorded: "asyncio.Future[Done]") -> None:
        error = None if recorded.cancelled() else recorded.exception()
        if error is not None and not isinstance(error, Refused):
            self._replies.traffic.fail(error)
        leave()

    def kept(self) -> None:
        """What was replied is on the disk: another question may be asked."""
        if self._leave is not None:
            self._leave()
            self._leave = None

    def given_up(self, error: BaseException) -> None:
        """The run ends by an error: where what was replied is not on the disk, nobody else is asked."""
        if self._leave is not None:
            self._replies.traffic.fail(error)
            self.kept()

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


async def asked(replies: Replies, ask: Ask, hear: Hear = unheard) -> tuple[Reply, Callable[[], None]]:
    """Ask the model, within what may be spent, and nothing of which something was taken back. With the reply comes what
    is called once it is on the disk. What a batch replied is not taken where something was taken back meanwhile: it can
    be fetched again.
    """
    spending, traffic = replies.spending, replies.traffic
    async with traffic.asking() as place:
        await spending.room(ask)
        traffic.refuse_more()
        with spending.asking(ask):
            if traffic.gathers:
                reply = await replies.model.ask(ask, hear)
                replies.refuse()
            else:
                reply = await _asked_at_once(replies, ask, hear)
            reply = spending.took(ask, reply)
        return reply, place.keep()


async def _asked_at_once(replies: Replies, ask: Ask, hear: Hear) -> Reply:
    """The reply, where nothing was taken back before it is asked; nor, where it is tried again, before that."""

    async def still() -> None:
        replies.refuse()

    await still()
    replies.traffic.refuse_more()
    replies.refuse_full()
    token = STILL.set(still)
    try:
        return await replies.model.ask(ask, hear)
    finally:
        STILL.reset(token)


def is_known(replies: Replies, run: Run) -> bool:
    """Whether nobody is asked at the beginning of a run: what was replied then holds, or that nothing was."""
    return replies.again(run.call) and (run.reply is not None or bool(run.error))


def recorded_reply(event: Event | None) -> Reply | None:
    """The reply that an event holds; None where it holds none."""
    if not isinstance(event, KEPT):
        return None
    return reply_of(event.reply, event.call)


def free_reply(text: str, call: ModelUse) -> Reply:
    """A reply that was paid for already."""
    return paid_before(reply_of(text, call))
