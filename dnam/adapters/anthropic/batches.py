"""Batches: questions that can wait, at half the price.

ask ─▶ queue ─send─▶ batch ═ the API, up to a day ═▶ results ─▶ replies
         ▲             │                                │
         │           book     what is in it is          │
         │                    never sent again          │
         └───────────(expired, or the service failed)───┘

`ask` waits; nothing goes out before somebody calls `send`, which returns when everything that waited has its reply or
its error. It can be left at any moment: the book knows what was sent, and the next run's questions find their results.
What concerns one question is raised by its `ask`. What concerns all, a key that is refused or a service that is down,
is raised by `send`, and every question goes on waiting.

What replies took is counted as they come, also of those that nobody waits for any more: they are paid for all the same.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dnam.adapters.anthropic.aliases import resolve
from dnam.adapters.anthropic.batch_book import Book, Entry
from dnam.adapters.anthropic.batch_calls import Calls, Unanswered
from dnam.adapters.anthropic.batch_questions import Questions
from dnam.adapters.anthropic.batch_requests import LIMITS, Limits, custom_id, packed
from dnam.adapters.anthropic.batch_results import Result, result_of, without_a_result
from dnam.adapters.anthropic.claude import Access
from dnam.adapters.anthropic.faults import GarbledStream
from dnam.adapters.anthropic.service import Service
from dnam.adapters.anthropic.stops import as_asked
from dnam.adapters.tries import TRIES, Nature, back_off
from dnam.failures import Tell, untold
from dnam.model import Ask, Hear, ModelDown, ModelError, Reply, Resting, Still, anyway, unheard
from dnam.took import Took
from replay.clock import SystemClock

if TYPE_CHECKING:
    from anthropic.types.messages import MessageBatch
    from anthropic.types.messages.batch_create_params import Request

Count = Callable[[Reply], None]
"""Told of a reply that is paid for."""
UNUSED = "What was taken back since may stand in them: of those that would be asked otherwise now, no reply is used"
INTERVAL_SECONDS = 20.0
MOST_LOST = 30
"""How many looks in a row may fail before nobody looks any more."""
SKEW_MS = 60 * 60 * 1000
"""How far the API's clock and this one may lie apart."""


def uncounted(_: Reply) -> None:
    """Nobody counts."""


class Timing(NamedTuple):
    """How often a batch is looked at, and the clock, in ms since 1970."""

    interval_seconds: float = INTERVAL_SECONDS
    now: Callable[[], int] = SystemClock().now


class Batches:
    """A `Model` that asks the Message Batches API. `prepare` it first; `close` it when it will not be asked any more.

    `path` is the book's file. `key` keeps the ids of questions from being guessed: one and the same for all runs that
    share the book. `tell` hears how it goes, in words that quote nobody.
    """

    def __init__(
        self,
        access: Access,
        path: Path,
        nature: Nature | None = None,
        *,
        key: bytes = b"",
        timing: Timing | None = None,
        limits: Limits = LIMITS,
        tell: Tell = untold,
    ) -> None:
        """DamagedBook when the file is no book."""
        self._nature = nature or Nature()
        self._service = Service(access.key, access.base_url, self._nature.seconds)
        self._calls = Calls(self._service, self._nature)
        self._book = Book(path)
        self._key = key
        self._timing = timing or Timing()
        self._limits = limits
        self._tell = tell
        self._questions = Questions()
        self._strangers = set[str]()
        self._brought = set[str]()
        self._unanswered = self._lost = 0
        self._sending = asyncio.Lock()
        self._count: Count = uncounted

    @property
    def name(self) -> str:
        return "claude"

    @property
    def version(self) -> str:
        return f"sdk-{version('anthropic')}"

    @property
    def paid(self) -> bool:
        return True

    @property
    def took(self) -> Took:
        """What all replies took that came so far, in this run and in earlier ones, whoever waited for them."""
        return self._book.took

    @property
    def queued(self) -> int:
        """How many different questions wait for a `send`, be it that they are in a batch already."""
        return len(self._questions)

    async def prepare(self) -> None:
        """Load the SDK, beside the event loop: it takes seconds. A question is then queued as soon as it is asked."""
        await self._service.prepare()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._service.close()

    # -- questions ---------------------------------------------------------------------------------------------------

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        """The reply, at half the price, once a batch has brought it. ModelError for what went wrong with this question.

        Who asks the same shares the request, and each reply says what it took; all but the first one that it is shared.
        """
        model = resolve(ask.model)
        id_ = custom_id(ask, model, self._key)
        is_shared = id_ in self._questions or self._book.of(id_) is not None
        reply = as_asked(ask, await self._questions.wait(id_, ask, model))
        hear(reply.text)
        return msgspec.structs.replace(reply, shared=is_shared)

    def listen(self, count: Count) -> None:
        """Tell `count` of each reply that is paid for, from here on."""
        self._count = count

    async def settle(self, *, is_over: bool = False) -> None:
        """Look once at every batch of which it is not known what it took, whoever waits for it. Where it `is_over`,
        nobody waits for any: what is under way is cancelled. Where the service cannot be asked, that is told, and they
        are looked at another time.
        """
        try:
            for entry in self._book.entries:
                if entry.is_counted or await self._look_at(entry) or not is_over or entry.state != "sent":
                    continue
                await self._calls.cancel(entry.id)
                self._tell(f"{entry.id} is cancelled: nobody waits for it any more. What it took by then counts later")
        except ModelError as error:
            self._tell(f"{error}: what batches that were sent before took counts once they can be looked at")

    # -- sending -----------------------------------------------------------------------------------------------------

    async def send(self, still: Still = anyway) -> None:
        """Send what is in no batch yet, and wait until every question that waits now has its reply or its error.

        ModelError for what concerns all of them: they go on waiting, and `send` can be called again. Cancelled, it
        tells how to have the replies all the same. What `still` raises, before anything is sent and whenever it is
        looked for, ends it too: what was sent by then is told, since nobody can call it back.
        """
        async with self._sending:
            self._unanswered = self._lost = 0
            wanted = self._questions.ids()
            self._brought.clear()
            try:
                while any(each in self._questions for each in wanted):
                    await self._refused(still, wanted)
                    await self._post(partial(self._refused, still, wanted))
                    if not await self._look():
                        await self._nature.sleep(self._timing.interval_seconds)
            except asyncio.CancelledError:
                self._tell(self._left(wanted))
                raise

    async def cancel(self) -> int:
        """Cancel the batches that are under way, and say how many. What they answered until then, `send` brings."""
        canceled = 0
        for entry in self._book.entries:
            if entry.state == "sent" and (await self._calls.retrieve(entry.id)).processing_status == "in_progress":
                await self._calls.cancel(entry.id)
                canceled += 1
        return canceled

    async def _refused(self, still: Still, wanted: Sequence[str]) -> None:
        try:
            await still()
        except Exception:  # raised again: what is there already is told first
            sent = self._sent(wanted)
            if sent:
                self._tell(f"{_questions(sent)} with the Message Batches API, and cannot be called back. {UNUSED}")
            raise

    async def _post(self, still: Still) -> None:
        """Into batches with what is in none."""
        fresh = self._questions.of(each for each in self._questions.ids() if self._book.of(each) is None)
        able = {model: await self._service.capabilities(model) for model in {each.model for each in fresh.values()}}
        requests = (question.request(each, able[question.model]) for each, question in fresh.items())
        for pack in packed(requests, self._limits):
            await still()
            await self._create(pack)

    async def _create(self, pack: "list[Request]") -> None:
        """A batch, which stands in the book before it is sent. What was refused does not stand there any more; what was
        not answered does, and is looked for.
        """
        entry = self._book.begin((each["custom_id"] for each in pack), self._timing.now())
        try:
            batch = await self._calls.create(pack)
        except Unanswered as unanswered:
            self._unanswered += 1
            if self._unanswered == TRIES:
                raise unanswered.error from unanswered
            await self._nature.sleep(back_off(self._unanswered, self._nature.dice))
        except ModelError:
            self._book.strike_out(entry)
            raise
        else:
            self._unanswered = 0
            self._book.sent(entry, batch.id)
            self._questions.sent(entry.ids)
            self._tell(f"{_questions(entry.count)} sent as {batch.id}")

    def _left(self, wanted: Iterable[str]) -> str:
        """For whoever leaves: nobody waits for anything any more, but the book knows."""
        sent = self._sent(wanted)
        if not sent:
            return "nothing was sent that is not answered"
        return (
            f"{_questions(sent)} with the Message Batches API, which answers them meanwhile, within a day. "
            "To have the replies, run the same again: nothing is sent, or paid for, twice"
        )

    def _sent(self, wanted: Iterable[str]) -> int:
        """How many of these are in a batch that has not brought their reply."""
        return sum(self._book.of(each) is not None for each in wanted if each not in self._brought)

    # -- looking -----------------------------------------------------------------------------------------------------

    async def _look(self) -> bool:
        """Look at every batch that somebody waits for, and say whether anything is new. A service that is down for a
        while has the questions all the same.
        """
        holding = {id(entry): entry for each in self._questions.ids() if (entry := self._book.of(each)) is not None}
        try:
            news = [await self._look_at(each) for each in holding.values()]
        except ModelError as error:
            self._lost += 1
            if self._lost == MOST_LOST or not (
                isinstance(error, ModelDown | Resting) or error.kind == "rate_limit_error"
            ):
                raise
            self._tell(f"{error}: looking again in {self._timing.interval_seconds:g} s")
            return False
        self._lost = 0
        return any(news)

    async def _look_at(self, entry: Entry) -> bool:
        if entry.state == "sending":
            return await self._find(entry)
        batch = await self._calls.retrieve(entry.id)
        if batch.processing_status != "ended":
            return False
        self._book.ended(entry)
        if batch.results_url:
            await self._read(entry)
        else:
            self._tell(f"the results of {entry.id} are no longer kept: its questions are asked again")
            self._book.strike_out(entry)
        return True

    async def _find(self, entry: Entry) -> bool:
        """Look for a batch whose acknowledgement was lost. Only results name its questions, so it has to end first."""
        listed = await self._calls.since(entry.when - SKEW_MS)
        candidates = [each for each in listed if self._may_be(each, entry)]
        for batch in candidates:
            if batch.processing_status == "ended":
                if batch.results_url and await self._is(batch.id, entry):
                    self._book.sent(entry, batch.id)
                    return True
                self._strangers.add(batch.id)
        if any(each.processing_status != "ended" for each in candidates):
            return False
        self._book.strike_out(entry)
        return True

    def _may_be(self, batch: "MessageBatch", entry: Entry) -> bool:
        counts = batch.request_counts
        count = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
        return count == entry.count and batch.id not in self._strangers and not self._book.knows(batch.id)

    async def _is(self, batch: str, entry: Entry) -> bool:
        """Whether a batch that ended is the one of an entry."""
        found: set[str] = set()

        def hear(line: bytes) -> None:
            if (result := self._result(line)) is not None:
                found.add(result.id)

        await self._calls.results(batch, hear)
        return bool(found) and found <= entry.ids

    # -- results -----------------------------------------------------------------------------------------------------

    async def _read(self, entry: Entry) -> None:
        """Give everybody who waits their result. Where one is missing the results are read again, and then it is asked
        again.
        """
        useless, paid = dict[str, Result](), dict[str, Reply]()
        for tried in range(1, TRIES + 1):
            await self._calls.results(entry.id, partial(self._heard, entry, useless, paid))
            for reply in self._book.count(entry, paid):
                self._count(reply)
            missing = [each for each in entry.answers if each in self._questions and each not in useless]
            if not missing:
                break
            if tried < TRIES:
                await self._nature.sleep(back_off(tried, self._nature.dice))
            else:
                useless.update({each: without_a_result(each) for each in missing})
        if useless:
            self._book.give_up(entry, useless)
        for result in useless.values():
            if result.error is not None:
                self._questions.failed(result, result.error)

    def _heard(self, entry: Entry, useless: dict[str, Result], paid: dict[str, Reply], line: bytes) -> None:
        result = self._result(line)
        if result is None:
            return
        if result.id not in entry.ids:
            self._tell(f"a result in {entry.id} is of no question that was in it: it is left out")
        elif result.reply is not None:
            paid[result.id] = result.reply
            self._brought.add(result.id)
            self._questions.answered(result.id, result.reply)
        elif result.id in entry.answers:
            useless[result.id] = result

    def _result(self, line: bytes) -> Result | None:
        """What a line says; None for an empty one, and for a damaged one, which is told."""
        if not line.strip():
            return None
        try:
            return result_of(line, self.version)
        except GarbledStream as error:
            self._tell(f"{error}: it is left out")
            return None


def _questions(count: int) -> str:
    return "1 question is" if count == 1 else f"{count:,} questions are"
