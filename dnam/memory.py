"""The memory, for whoever builds on it: hear, assemble a context, record the answer; remember, forget, show, recall.

    async with Memory.open("data") as memory:
        heard = await memory.heard("ada", "I prefer tea over coffee")
        context = await memory.context(heard)
        await memory.answered(heard, context, "Tea it is.")

Everything that is written is durable when the call returns. Opening a folder that is empty makes a new memory in it.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from dnam import arguments
from dnam.discoclaw.mirror import mirroring
from dnam.erasing.guild import go_on_erasing_guilds
from dnam.erasing.swept import sweep_what_is_left
from dnam.languages import load
from dnam.model import ModelError, OverBudget, Reply
from dnam.opening import Waiting, opened
from dnam.removing import Removing, message_heard, name_of_message
from dnam.settings import Settings, read
from dnam.shadows.followed import shadows_followed
from dnam.standing import standing_in
from dnam.steadiness import give_back
from dnam.taken import call_of
from dnam.whereabouts import LOCAL, Heard, drafted, is_one_person, locate, with_handles
from projections.context import Context
from projections.decisions.answer import (
    AnswerRequest,
    DeliverRequest,
    FailTurnRequest,
    InterruptRequest,
    answer,
    deliver,
    fail_turn,
    interrupt_turn,
)
from projections.decisions.draft import Draft
from projections.decisions.hear import HeardRequest, hear
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events import MessageHeard, TurnAnswered
from projections.events.values import FileDigest, Message, ModelUse
from projections.ids import MINUTE_MS, EventId, Point, Ref
from projections.messages import MessageRow, as_heard, find_message
from projections.models import resolved
from projections.people import person_of
from projections.policies.text import whole
from projections.rows import Found, Rows
from projections.summaries import era_of
from projections.turns import answer_id, find_turn, nonce_of
from replay.clock import Clock
from replay.engine import Engine
from replay.group import Recorded
from replay.log import MINUTE_BYTES
from replay.reading import Reader

log = logging.getLogger("dnam")


Foretold = Callable[[Heard, Found[MessageRow]], None]
"""Hears of a message that is decided and not durable yet: where it lies, and the row that it makes. It is called in the
writer's thread: it must not raise, and not block.
"""
AGAIN_MINUTES = 24 * 60
"""How long a key alone tells that it is the same message: each of these minutes is looked up. Who says when a message
was said needs no such limit.
"""
Judge = Callable[[Rows], bool]
"""Whether a message is said to the assistant. It may be asked more than once, and says the same each time."""


class Turn(NamedTuple):
    """An answer that was recorded. `nonce` goes with the message that is sent."""

    id: EventId
    said: int
    era: int
    nonce: str


class Memory(Removing):
    """An open memory. Made by `Memory.open`, closed by leaving its `async with`."""

    @staticmethod
    @asynccontextmanager
    async def open(
        path: str | Path | None = None,
        *,
        settings: Settings | None = None,
        writable: bool = True,
        clock: Clock | None = None,
    ) -> AsyncIterator["Memory"]:
        """A memory in a folder (default: the setting DNAM_DATA), for as long as the `async with` lasts.

        Settings are their defaults unless they are given: `dnam.settings.read(os.environ, {})` reads the environment.
        """
        if path is not None:
            arguments.path(path)
        arguments.perhaps(Settings, settings=settings)
        arguments.of_kind(bool, writable=writable)
        chosen = settings or read({}, {})
        language = load(chosen.language)
        waiting = Waiting(log.warning)
        opening = partial(
            Engine.open,
            chosen.data if path is None else Path(path),
            writable=writable,
            create=writable,
            clock=clock,
            view_commit_events=chosen.view_commit_events,
            waits=waiting,
        )
        async with opened(opening, waiting) as engine:
            engine.view_commits.lightened = give_back
            memory = Memory(engine, chosen, language)
            await asyncio.to_thread(sweep_what_is_left, memory, log.warning)
            await go_on_erasing_guilds(memory, log.warning)
            async with mirroring(memory), shadows_followed(memory):
                yield memory

    async def heard(
        self,
        user: str,
        text: str,
        *,
        place: PlaceSeen | None = None,
        name: str = "",
        platform: str = LOCAL,
        key: str = "",
        said: int | None = None,
        addressed: bool = True,
    ) -> Heard:
        """Somebody said something: `user` is the platform's id of them, `key` of the message (default: a fresh one).

        Without a `place` it was a direct message; a direct place is that of `user`, by this account or another of
        theirs. `said` is ms since 1970, default now, or when what has this key was said, if it was heard within a day.
        The same key, said at the same time, is heard once; other words for it are `edited`.
        Raises BadRequest for what is no message: an empty `user`, a `key` that is a number, and a time before 1970 or
        more than a day ahead: everything that is said by then would count as summarised.
        """
        arguments.strings(user=user, text=text, name=name)
        arguments.identified(user=whole(user), platform=platform)
        arguments.names(key=key)
        arguments.of_kind(bool, addressed=addressed)
        if place is not None:
            arguments.place(place)
        self._refuse_ahead(said=said)
        account = await self._account(platform, whole(user), whole(name))
        where = place or PlaceSeen(platform, "", "direct", "", "direct", partner=account)
        await self._refuse_anothers(where, account)
        now = self.now()
        request = HeardRequest(
            key=key or os.urandom(16).hex(),
            place=where,
            author="person",
            speaker=account,
            text=whole(text),
            said=said if said is not None else await self._said(where.platform, key, now) if key else now,
            fresh=(),
            addressed=addressed,
        )
        return await self.hear(request)

    async def _refuse_anothers(self, place: PlaceSeen, account: Account) -> None:
        """BadRequest where a place is somebody else's direct conversation: who spoke there was told what they said."""
        partner = place.partner if place.audience == "direct" else None
        if partner is None or (partner.platform, partner.id) == (account.platform, account.id):
            return
        if not await self.look(lambda rows: is_one_person(rows, account, partner)):
            raise BadRequest(
                f"`place.partner` is {partner.platform}:{partner.id} and `user` is {account.platform}:{account.id}: "
                "in a direct conversation nobody else speaks"
            )

    async def _account(self, platform: str, user: str, name: str) -> Account:
        """An account under the name given, else the one it has, else its id."""
        if not name:
            found = await self.look(lambda rows: person_of(rows, platform, user))
            name = user if found is None else found.row.name
        return Account(platform, user, name)

    async def _said(self, platform: str, key: str, now: int) -> int:
        """When a message of this key was said, if it was heard in the last day; else now."""
        return await self.look(lambda rows: self._heard_at(rows, platform, key, now))

    def _heard_at(self, rows: Rows, platform: str, key: str, now: int) -> int:
        name, last = name_of_message(rows, platform, key), now // MINUTE_MS
        minutes = range(last, max(last - AGAIN_MINUTES, -1), -1)
        with self.engine.store.log.glancing() as log:
            found = (
                each for each in minutes if log.find(EventId(each.to_bytes(MINUTE_BYTES, "big") + name)) is not None
            )
            said = next(found, None)
        if said is None:
            return now
        heard = EventId(said.to_bytes(MINUTE_BYTES, "big") + name)
        row = message_heard(rows, Reader(self.engine.live), heard)
        return said * MINUTE_MS if row is None else row.message.said

    async def hear(self, request: HeardRequest) -> Heard:
        """Hear a message as an adapter translated it; fresh handles are added here."""
        arguments.of_kind(HeardRequest, request=request)
        return await self.placed(await self.hear_ready(with_handles(request)))

    async def hear_ready(
        self, ready: HeardRequest, decided: Foretold | None = None, judge: Judge | None = None
    ) -> Heard:
        """The same of a message as it may be recorded (`with_handles`), for whoever has that: secrets are looked for
        once. It is not `placed` yet: that asks the platform, which may take its time, and the log has it by now.
        `decided` hears of it before it is durable, where nothing else has to be recorded with it. `judge` says whether
        it is said to the assistant, by the rows among which it is recorded.
        """
        arguments.of_kind(HeardRequest, ready=ready)
        if decided is not None:
            arguments.functions(decided=decided)
        if judge is not None:
            arguments.functions(judge=judge)
        located: list[Heard] = []

        def decision(rows: Rows) -> Sequence[Draft]:
            drafts = hear(rows, ready if judge is None else ready._replace(addressed=judge(rows)))
            located[:] = [drafted(rows, ready, message, heard) for heard, message in _alone(drafts)]
            return drafts

        def recording() -> Awaitable[Recorded]:
            if decided is None:
                return self.record(decision)
            return self.submit(decision, partial(_foretell, decided, located))

        while (await recording()).records and ready.edited is not None:
            pass  # much that says an edited message's old words again goes in several decisions, the edit in the last
        return located[0] if located else await self.look(lambda rows: _as_recorded(rows, ready))

    async def placed(self, heard: Heard) -> Heard:
        """The same with what its place opens besides, by where the speaker stands now."""
        arguments.of_kind(Heard, heard=heard)
        return heard._replace(setting=await standing_in(heard.setting, self.standing))

    def answer_id(self, question: Point) -> EventId:
        """The id that the answer to this message has, or will have; no row is looked at."""
        arguments.of_kind(Point, question=question)
        return answer_id(self.engine.store.ring, question)

    async def answered(
        self,
        heard: Heard,
        context: Context,
        text: str,
        *,
        call: ModelUse | None = None,
        files: Sequence[FileDigest] = (),
        said: int | None = None,
    ) -> Turn:
        """The assistant's answer, before it is sent. A question is answered once: a second answer is not recorded.

        `said` is when it was finished, in ms, default now.
        """
        arguments.of_kind(Heard, heard=heard)
        arguments.of_kind(Context, context=context)
        arguments.strings(text=text)
        arguments.perhaps(ModelUse, call=call)
        arguments.times(said=said)
        request = AnswerRequest(
            question=heard.point,
            session=heard.session,
            place=heard.place,
            audience=heard.setting.audience,
            guild=heard.setting.guild,
            besides=heard.setting.besides,
            asker=heard.person,
            text=text,
            context=context,
            call=call or ModelUse(model="unknown", version="", prompt_digest=context.digest),
            limits=context.limits,
            said=self.now() if said is None else said,
            assistant=self.settings.assistant_name,
            files=arguments.each(FileDigest, files=files),
        )
        recorded = await self.record(lambda rows: answer(rows, request))
        for record in recorded.records:
            if isinstance(record.event, TurnAnswered):
                return Turn(record.id, record.event.said, record.event.era, record.event.nonce)
        return await self.look(lambda rows: _turn_of(rows, heard))

    async def failed(self, heard: Heard, error: ModelError, *, said: int | None = None) -> None:
        """A message gets no answer, and the person is told `error.words` instead. It is not asked of a model again by
        itself (`projections.turns.failure_of`). `said` is when it was given up, in ms, default now.
        """
        arguments.of_kind(Heard, heard=heard)
        arguments.of_kind(ModelError, error=error)
        arguments.times(said=said)
        request = FailTurnRequest(
            question=heard.point,
            session=heard.session,
            place=heard.place,
            audience=heard.setting.audience,
            asker=heard.person,
            error=str(error),
            call=_call_of(error, self.settings.answer_model),
            said=self.now() if said is None else said,
            told=error.words,
        )
        await self.record(lambda rows: fail_turn(rows, _naming(rows, request)))

    async def interrupted(self, heard: Heard, spent: Reply, *, said: int) -> None:
        """An answer was broken off at `said` (ms), and this is what it took. The question is as open as before."""
        arguments.of_kind(Heard, heard=heard)
        arguments.of_kind(Reply, spent=spent)
        arguments.whole_number(said=said)
        arguments.times(said=said)
        audience = heard.setting.audience
        call = call_of(spent)
        request = InterruptRequest(heard.point, heard.session, audience, heard.person, call, said)
        await self.record(lambda rows: interrupt_turn(rows, request))

    async def delivered(
        self, heard: Heard, turn: Turn, messages: Sequence[Ref] = (), *, said: int | None = None
    ) -> None:
        """The answer arrived, as these messages of the platform; `said` is when, in ms, default now."""
        arguments.of_kind(Heard, heard=heard)
        arguments.of_kind(Turn, turn=turn)
        arguments.times(said=said)
        request = DeliverRequest(
            turn.id,
            heard.session,
            heard.setting.audience,
            turn.era,
            heard.person,
            arguments.each(Ref, messages=messages),
            max(self.now() if said is None else said, turn.said),
        )
        await self.record(lambda rows: deliver(rows, request))


def _foretell(decided: Foretold, located: Sequence[Heard], recorded: Recorded) -> None:
    if located and recorded.records:
        decided(located[0], as_heard(recorded.records[0]))


def _alone(drafts: Sequence[Draft]) -> Iterator[tuple[EventId, Message]]:
    """A message that comes with nothing else: then who said it and where was known before, and no look has to follow to
    say so.
    """
    event = drafts[0].event if len(drafts) == 1 else None
    if isinstance(event, MessageHeard):
        yield drafts[0].id, event.message


def _call_of(error: ModelError, model: str) -> ModelUse:
    """The call that brought no answer: what it took, as far as that is known; of no model where a limit forbade it."""
    if error.spent is not None:
        return call_of(error.spent)
    return ModelUse(model="" if isinstance(error, OverBudget) else model, version="")


def _naming(rows: Rows, request: FailTurnRequest) -> FailTurnRequest:
    """The same with the model's own name, where an alias is all that is known of it."""
    known = resolved(rows, request.call.model)
    if known is None:
        return request
    return request._replace(call=msgspec.structs.replace(request.call, model=known.model))


def _as_recorded(rows: Rows, ready: HeardRequest) -> Heard:
    """A message with the words that it has in the log: whoever heard it before may have heard others."""
    heard = locate(rows, ready)
    found = find_message(rows, heard.session, heard.setting.audience.epoch, heard.point)
    return heard if found is None else heard._replace(text=found.row.message.text)


def _turn_of(rows: Rows, heard: Heard) -> Turn:
    """The answer that there is to a question."""
    turn = answer_id(rows.ids, heard.point)
    known = find_turn(rows, turn)  # what was taken away since says no more when it was
    said = heard.point.said + 1 if known is None else known.said
    return Turn(turn, said, era_of(rows, heard.session, heard.setting.audience.epoch), nonce_of(turn))
