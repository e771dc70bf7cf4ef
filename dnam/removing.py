"""What a program takes back: messages that their platform deleted or edited, and people who want nothing recorded of
them any more, or nothing kept.

    deleted     a message, or an answer, is gone from its platform: its words go here, with what was made of them alone
    edited      it says something else there: the words that it had go, as if it had been deleted
    opt_out     nothing of somebody's is recorded from now on; what is there stays. `opt_in` ends that
    erase       every key that seals anything of somebody's is destroyed

A message is found by its platform's name for it alone: that is in the ids of the log, beside the minute in which it was
said, and stays there when the words are gone. So what was taken back already is told from what was never heard.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dnam import arguments
from dnam.consenting import consent
from dnam.erasing.person import Receipt, Taken, erase, go_on
from dnam.erasing.unfinished import unfinished_in
from dnam.errors import Unknown
from dnam.prompting import Prompting
from dnam.whereabouts import LOCAL, handle_of, with_handles
from projections.consent import ERASED
from projections.counting import listed
from projections.decisions.consent import BY_THEMSELF
from projections.decisions.delete import delete_all, find_said
from projections.decisions.draft import Draft, Origin
from projections.decisions.hear import DeletedRequest, HeardRequest, hear, message_identity
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.decisions.withdraw import WithdrawRequest
from projections.errors import BadRequest
from projections.events import MessageEdited, MessageHeard
from projections.events.values import By, Message
from projections.ids import EventId, Handle, Point, Ref
from projections.messages import MessageRow
from projections.people import accounts_of
from projections.places import epoch_of, find_place
from projections.policies.text import whole
from projections.quoting import in_quotes
from projections.rows import Rows
from projections.turns import SENT, TurnRow, find_turn, sent_key
from replay.cited import as_it_is
from replay.log import MINUTE_BYTES
from replay.reading import Reader

ANOTHER = (
    "`by` is another person: what is recorded of it lies in the clear and names nobody. Say OPERATOR, or leave it out "
    "where they asked for it themself"
)


class Named(NamedTuple):
    """What goes by a platform's name: the messages and the answer that stand. `known`: that something went by it, be it
    gone by now.
    """

    key: str
    messages: tuple[MessageRow, ...]
    turn: TurnRow | None
    known: bool

    @property
    def sessions(self) -> Iterator[str]:
        """Where it was said."""
        yield from (each.message.session for each in self.messages)
        if self.turn is not None:
            yield self.turn.session


class Removing(Prompting):
    """What was said, and who said it, taken back. `user` is a platform's id of a person, or their handle. Nothing of it
    comes back by doing it twice, and nothing is recorded the second time.
    """

    async def deleted(self, keys: str | Iterable[str], *, platform: str = LOCAL) -> list[str]:
        """Messages were deleted on their platform, one or many: their words go, and with them what a model made of them
        alone, be it items, summaries or answers. What a person asked to keep stands. `keys` are the platform's ids of
        messages, as `heard` had them, or as `delivered` had those of answers: an answer goes whole with any of its
        messages.

        Those that went now, in the order given; empty where all are gone already. Raises Unknown where none of them
        was ever heard here, as of somebody who opted out; those that were go whatever else is among them.
        """
        wanted = arguments.message_keys(keys)
        arguments.identified(platform=platform)
        found = await self._named(wanted, platform)
        standing = [each for each in found if each.messages or each.turn is not None]
        now, sessions = self.now(), tuple(dict.fromkeys(session for each in standing for session in each.sessions))

        def decide(rows: Rows) -> Sequence[Draft]:
            parts = (_deletion(rows, standing, session, platform, now) for session in sessions)
            return next(filter(None, parts), ())

        while (await self.record(decide)).records:  # very much goes in several decisions
            pass
        return [each.key for each in standing]

    async def edited(self, key: str, text: str, *, platform: str = LOCAL, at: int | None = None) -> bool:
        """A message says something else on its platform, from `at` on (ms since 1970, default now). The words that it
        had go, as by `deleted`; items that a model made of them stay until it has read the new ones. Of somebody who
        opted out since, the old words go and the new ones are not heard.

        Whether anything changed: not where it says so already, was edited later than that, or is gone. Raises Unknown
        for a message that was never heard here, BadRequest for a time before 1970 or more than a day ahead.
        """
        arguments.strings(text=text)
        arguments.message_key(key)
        arguments.identified(platform=platform)
        self._refuse_ahead(at=at)
        (found,) = await self._named([key], platform)
        changed = False
        for row in found.messages:
            changed |= await self._rewrite(row, whole(text), at)
        if not found.messages:
            await self.record(lambda _: ())  # where nothing can be recorded, that is said
        return changed

    async def _rewrite(self, row: MessageRow, text: str, at: int | None) -> bool:
        latest = max(self.now(), (row.message.edited or 0) + 1) if at is None else at
        edited = max(latest, row.message.said)
        ready = with_handles(await self.look(lambda rows: _said_anew(rows, row.message, text, edited)))
        changed = False

        def decide(rows: Rows) -> Sequence[Draft]:
            standing = _standing(rows, row)
            if standing is None or (standing.message.text == ready.text and not standing.message.spans):
                return ()
            return hear(rows, ready)

        while (await self.record(decide)).records:
            changed = True
        return changed

    async def _named(self, keys: Sequence[str], platform: str) -> list[Named]:
        """What goes by these names; Unknown where nothing ever went by any."""
        found = await self.look(lambda rows: self._find(rows, keys, platform))
        if keys and not any(each.known for each in found):
            names = listed([in_quotes(each) for each in keys])
            raise Unknown(
                f"nothing that {platform} calls {names} was heard here, nor was an answer delivered as that: nobody is "
                "heard who opted out, and a platform other than local has to be named (`platform=`)"
            )
        return found

    def _find(self, rows: Rows, keys: Sequence[str], platform: str) -> list[Named]:
        ends = {key: name_of_message(rows, platform, key) for key in keys}
        heard: dict[bytes, list[EventId]] = {end: [] for end in ends.values()}
        for event in self.engine.store.log.named(heard.keys()):
            heard[event[MINUTE_BYTES:]].append(event)
        reader = Reader(self.engine.live)
        return [self._found(rows, reader, Ref(platform, key), heard[end]) for key, end in ends.items()]

    def _found(self, rows: Rows, reader: Reader, ref: Ref, heard: Sequence[EventId]) -> Named:
        sent = rows.get(SENT, sent_key(ref))
        messages = (message_heard(rows, reader, each) for each in heard)
        return Named(
            ref.key,
            tuple(each for each in messages if each is not None),
            None if sent is None else find_turn(rows, sent.turn),
            known=bool(heard) or sent is not None,
        )

    async def opt_out(
        self, user: str | Handle, *, platform: str = LOCAL, by: By | None = None, origin: Origin | None = None
    ) -> bool:
        """Record nothing of somebody's from now on, by whichever account: no message, no item, no answer's words. What
        is there stays until `erase`. An id that nobody has heard of opts out ahead. `by` is the person themself
        (default) or OPERATOR: it lies in the clear, and names nobody.

        Whether that is new. Raises Unknown for a handle that nobody has, BadRequest where `by` is another person.
        """
        return await self._consent(user, platform, by, origin, out=True)

    async def opt_in(
        self, user: str | Handle, *, platform: str = LOCAL, by: By | None = None, origin: Origin | None = None
    ) -> bool:
        """Record what somebody says again, from now on; what was said meanwhile is not heard. Whether that is new.
        Errors are as by `opt_out`.
        """
        return await self._consent(user, platform, by, origin, out=False)

    async def _consent(
        self, user: str | Handle, platform: str, by: By | None, origin: Origin | None, *, out: bool
    ) -> bool:
        arguments.acting(by, None)
        arguments.perhaps(Origin, origin=origin)
        await self._known_actor(by)
        person, accounts = await self._whom(user, platform)
        return await consent(self, person, accounts, _in_the_clear(by, person), out=out, origin=origin)

    async def _whom(self, user: str | Handle, platform: str) -> tuple[Handle, tuple[Account, ...]]:
        """Who is meant, with the account by which they were named; NOBODY where nobody has heard of that."""
        arguments.identified(platform=platform)
        if isinstance(user, bytes):
            return await self.person(user), ()
        arguments.strings(user=user)
        arguments.identified(user=whole(user))
        account = Account(platform, whole(user))
        return await self.look(lambda rows: handle_of(rows, account)), (account,)

    async def erase(self, user: str | Handle, *, platform: str = LOCAL, by: By | None = None) -> Receipt:
        """Erase somebody, for good: every key that seals anything of theirs is destroyed, and whatever drew on them
        goes with it: items, answers, summaries, exports in the data folder. What they say afterwards is heard as from
        somebody new. It returns once the views and shadows are without them too, and takes as long as that takes;
        closing the memory waits for it. `by` is as by `opt_out`.

        The receipt counts what went, and says what stays and what it cannot reach. Its `event` is None where somebody
        with this id was erased before and nothing is there since. Raises Unknown for whom nobody here has met, and for
        a handle that nobody has any more; BadRequest where `by` is another person. LogError where nothing could be
        done (`NothingDone`), or not all of it (`BrokenOff`): called again, or opened again, that is finished.
        """
        arguments.acting(by, None)
        await self._known_actor(by)
        person, accounts = await self._whom(user, platform)
        if not person:
            return await self._erased_before(accounts)
        return await erase(self, person, _in_the_clear(by, person))

    async def _erased_before(self, accounts: Sequence[Account]) -> Receipt:
        """An empty receipt; where an erasure was broken off, that of the rest of it."""
        (account,) = accounts
        if not await self.look(lambda rows: _is_erased(rows, account)):
            if (why := self.stopped) is not None:  # they may be somebody in what cannot be read
                raise why
            raise Unknown(f"nobody here has the id {account.platform}:{account.id}. `dnam people` lists everybody")
        left = await asyncio.to_thread(unfinished_in, self.engine)
        if left.erasures:
            return await go_on(self, left)
        return Receipt(None, Taken(0, 0, {}, ()), is_complete=True)


# -- messages ------------------------------------------------------------------------------------------------------


def name_of_message(rows: Rows, platform: str, key: str) -> bytes:
    """The end of the id of a message that is called so, whenever it was said."""
    return rows.ids.event_id(message_identity(platform, key, "heard", 0))[MINUTE_BYTES:]


def message_heard(rows: Rows, reader: Reader, heard: EventId) -> MessageRow | None:
    """A message that was heard, as it is now; None where it was taken back."""
    reading = reader.find(heard)
    now = None if reading is None else as_it_is(rows, reader, reading).record
    if now is None or not isinstance(now.event, MessageHeard | MessageEdited):
        return None
    message = now.event.message
    found = find_said(rows, message.session, epoch_of(rows, message.session), Point(message.said, heard))
    return None if found is None else found.row


def _standing(rows: Rows, row: MessageRow) -> MessageRow | None:
    """The same message by now."""
    session = row.message.session
    found = find_said(rows, session, epoch_of(rows, session), Point(row.message.said, row.heard))
    return None if found is None else found.row


def _deletion(rows: Rows, named: Iterable[Named], session: str, platform: str, now: int) -> list[Draft]:
    """What is decided of those that were said in one session."""
    here = [each for each in named if session in each.sessions]
    messages = (
        DeletedRequest(platform, each.key, session, row.message.said, now)
        for each in here
        for row in each.messages
        if row.message.session == session
    )
    return delete_all(rows, messages, WithdrawRequest(platform, tuple(each.key for each in here), session, now))


def _said_anew(rows: Rows, message: Message, text: str, edited: int) -> HeardRequest:
    """A message as its platform would tell of it once it says this. Who can read its place is not told anew."""
    place = find_place(rows, message.place)
    seen = PlaceSeen(
        platform=message.place.platform,
        key=message.place.key,
        kind="unknown" if place is None else place.row.kind,
        name="",
        audience=message.audience.kind,
        guild=message.guild,
        partner=None if place is None or not place.row.person else _account(rows, place.row.person, message),
        told=False,
    )
    by_name = Account(message.ref.platform, "", message.author_name)
    return HeardRequest(
        key=message.ref.key,
        place=seen,
        author=message.author,
        speaker=_account(rows, message.speaker, message) if message.speaker else by_name,
        text=text,
        said=message.said,
        fresh=(),
        edited=edited,
        reply_to=message.reply_to,
        attachments=message.attachments,
        addressed=message.addressed,
        medium=message.medium,
        only_known=True,
    )


def _account(rows: Rows, person: Handle, message: Message) -> Account:
    """By which account somebody is known, on the platform of a message if they have one there."""
    accounts = [each.row for each in accounts_of(rows, person)]
    row = min(accounts, key=lambda each: each.platform != message.ref.platform)
    return Account(row.platform, row.platform_id, row.name)


# -- people --------------------------------------------------------------------------------------------------------


def _is_erased(rows: Rows, account: Account) -> bool:
    return rows.get(ERASED, rows.ids.keyed_hash(account.platform, account.id)) is not None


def _in_the_clear(by: By | None, person: Handle) -> By:
    """Who did it, as it may lie in the clear."""
    if by is None or (by.kind == "person" and by.person == person):
        return BY_THEMSELF
    if by.kind == "person":
        raise BadRequest(ANOTHER)
    return By(by.kind)
