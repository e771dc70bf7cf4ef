"""Making the vectors that are missing, in the background: of all that is there, then of what comes.

    rows ─ texts without a vector ─ batches ─ encoder ─▶ vectors
                                                │
                                                └ wrong: told once, tried again after a while; nothing else waits for it

Where it is in the rows is not recorded: it looks at all of them when it starts, and skips what has a vector; what it
has looked at lies opened in memory then, as far as there is room, so that the first question does not wait. A new
encoder's vectors are made beside the old ones, and put in force when none is missing.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import islice

from dnam.alongside import alongside
from dnam.budget import budget_of
from dnam.jobs import Job
from dnam.learning.idle import Sleep
from dnam.learning.tending import Tending
from dnam.meaning.encoder import Encoder, EncoderError
from dnam.meaning.encoding import encoded
from dnam.meaning.texts_held import FIRST, LOOKED_AT, Stretch, every_text, stretch_of
from dnam.model import OverBudget
from projections.calls import spent_on
from projections.policies.budget import over_cost
from projections.vectors import quantised
from projections.vectors_texts import Held, RowKey, touched
from replay.folder import Stamp
from replay.group import Recorded
from replay.vectors.vectors import Vectors

BATCH = 128
"""How many texts are encoded at once."""
GATHER_SECONDS = 30.0
"""How long what comes is gathered: it stands in the recent conversation until then."""
SWEEP_EVERY_MS = 24 * 3_600_000
"""How often the vectors are removed of what no row holds any more, as of a message that was edited."""
HARMLESS = "hello"
"""By this it is told whether an encoder refuses some text, or everything: a wrong name of a model."""
FIRST_PAUSE_SECONDS = 60.0
LONGEST_PAUSE_SECONDS = 3600.0
"""How long nothing is tried after something went wrong: twice as long each time, up to this."""
JOB = Job("vectors", "everything")
Room = Callable[[Sequence[str]], int]
"""How many of these texts, from the first one on, may be encoded at once; raises where none may."""


def at_a_time(texts: Sequence[Held]) -> Iterator[Sequence[Held]]:
    """The texts in the pieces in which they are encoded."""
    for start in range(0, len(texts), BATCH):
        yield texts[start : start + BATCH]


class Embedding:
    """The vectors of one memory, kept up by one encoder, as far as there is `room`."""

    def __init__(
        self, tending: Tending, vectors: Vectors, encoder: Encoder, sleep: Sleep = asyncio.sleep, room: Room = len
    ) -> None:
        self._tending = tending
        self._memory = tending.memory
        self._vectors = vectors
        self._encoder = encoder
        self._sleep = sleep
        self._room = room
        self._news: dict[RowKey, None] = {}
        self._woken = asyncio.Event()
        self._walk: RowKey | None = FIRST
        self._stamp: Stamp | None = None
        self._swept: int | None = None
        self._refused: set[str] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Make what is missing, as long as the `async with` lasts."""
        self._memory.watchers.append(self._recorded)
        try:
            async with alongside(self._run(), "making vectors"):
                yield
        finally:
            self._memory.watchers.remove(self._recorded)

    def _recorded(self, recorded: Recorded) -> None:
        news = [place for record in recorded.records for place in touched(record)]
        self._news.update(dict.fromkeys(news))
        if news:
            self._woken.set()

    async def _run(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            self._woken.clear()
            try:
                await self.catch_up()
            except Exception as error:  # noqa: BLE001 - it goes on for as long as the program does; it is told
                if pause == FIRST_PAUSE_SECONDS:
                    await self._tending.went_wrong(JOB, error)
                await self._sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            else:
                pause = FIRST_PAUSE_SECONDS
                await self._woken.wait()
                await self._sleep(GATHER_SECONDS)

    async def catch_up(self) -> None:
        """Make everything that is missing now. It raises what the encoder does; the next time goes on from there."""
        if self._vectors.stamp() != self._stamp:
            self._walk = FIRST  # somebody removed some, or all of it
        while self._news or self._walk is not None:
            await self._make_next()
        name, stamp = self._encoder.name, self._vectors.stamp()
        if await asyncio.to_thread(self._vectors.in_force) != name:
            await asyncio.to_thread(self._vectors.swap, name)
        if self._swept is None or self._memory.now() - self._swept >= SWEEP_EVERY_MS:
            await asyncio.to_thread(self._vectors.keep_only, every_text(self._memory.engine), [name])
            self._swept = self._memory.now()
        self._stamp = self._vectors.stamp()
        if self._stamp != stamp:
            await self._open_all()

    # -- which texts -------------------------------------------------------------------------------------------------

    async def _make_next(self) -> None:
        """Go on with what came, else with the walk. What came and could not be made is still to be made."""
        news, walk = list(islice(self._news, LOOKED_AT)), self._walk
        for place in news:
            del self._news[place]
        try:
            mark, stretch = await self._look(news, walk)
            await self._take(stretch)
            await asyncio.to_thread(self._vectors.warm, self._encoder.name, stretch.texts, mark)
            self._walk = stretch.after
        except Exception:
            self._news = {**dict.fromkeys(news), **self._news}
            raise

    async def _open_all(self) -> None:
        """Open in memory what lies in another folder now, as far as there is room."""
        walk: RowKey | None = FIRST
        while walk is not None:
            mark, stretch = await self._look((), walk)
            await asyncio.to_thread(self._vectors.warm, self._encoder.name, stretch.texts, mark)
            walk = stretch.after

    async def _look(self, news: Sequence[RowKey], walk: RowKey | None) -> tuple[int, Stretch]:
        """The vectors' mark, and the texts as they are then."""
        await self._tending.precedence.give_way()
        mark = self._vectors.mark()
        return mark, await self._memory.look(partial(stretch_of, news=news, walk=walk))

    async def _take(self, stretch: Stretch) -> None:
        """Make what is missing of a stretch."""
        name = self._encoder.name
        missing = await asyncio.to_thread(self._vectors.missing, name, stretch.texts)
        wanted = [each for each in missing if each.text not in self._refused]
        for some in map(list, at_a_time(wanted)):
            while some:
                fits = self._room([each.text for each in some])
                await self._make(some[:fits])
                del some[:fits]
        untold = await asyncio.to_thread(self._vectors.untold, stretch.texts)
        if untold:
            await asyncio.to_thread(self._vectors.put, name, untold, {})

    # -- their vectors -----------------------------------------------------------------------------------------------

    async def _make(self, texts: list[Held]) -> None:
        """Encode and keep. What is refused is halved until the text is found that the encoder does not take; that is
        left out until the program starts again.
        """
        waiting, tried = [texts], False
        while waiting:
            some = waiting.pop()
            try:
                await self._encode(some)
            except EncoderError as error:
                if not error.is_refusal:
                    raise
                if not tried:
                    await encoded(self._memory, self._encoder, [HARMLESS])  # it raises where nothing at all is taken
                    tried = True
                if len(some) == 1:
                    self._refused.add(some[0].text)
                else:
                    waiting += [some[len(some) // 2 :], some[: len(some) // 2]]

    async def _encode(self, texts: list[Held]) -> None:
        await self._stay_within_cost()
        words = list(dict.fromkeys(each.text for each in texts))
        vectors = (await encoded(self._memory, self._encoder, words)).vectors
        made = {text: quantised(vector) for text, vector in zip(words, vectors, strict=True)}
        await asyncio.to_thread(self._vectors.put, self._encoder.name, texts, made)

    async def _stay_within_cost(self) -> None:
        """OverBudget where learning has to wait, too."""
        budget = budget_of(self._memory.settings)
        if budget.micros_per_day:
            now = self._memory.now()
            spent = await self._memory.look(lambda rows: spent_on(rows, now))
            waiting = self._memory.unbilled.on_day_of(now)
            over = over_cost(spent._replace(micros=spent.micros + waiting), "encoding", budget)
            if over is not None:
                raise OverBudget(over.reason, words=over.words)
