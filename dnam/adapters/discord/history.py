"""What a place's history is read back for: what is new in it, and what the log knows that is not there any more.

    the latest           as many as a prompt may hold: what was missed is heard and answered
    those before them    as far back as the log knows messages, and MOST_READ at most: the same, and what was edited or
                         deleted there is edited or deleted here too
    what is older        where the history ended before that, it is gone; else it is left alone

Where more was said than that since the log last heard of the place, it is left out, and told of.

So a place costs up to MOST_READ / PAGE requests in each connection; and one more where nothing is there: a history that
may not be read is empty too, and looks like one in which everything was deleted.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import discord

from dnam.adapters.discord.appearing import may_read_back
from dnam.adapters.discord.places import PLATFORM
from dnam.adapters.discord.translate import said_of
from projections.ids import Ref
from projections.places import epoch_of
from projections.rows import Rows
from projections.said import latest_said, said_between, sent_between

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

PAGE = 100
"""How many messages Discord gives at most for one request."""
MOST_READ = 5 * PAGE
"""How many messages of a place are read back for what became of them; more only where a prompt may hold more."""
LATEST_MS = 24 * 3_600_000
"""How old a question or an undelivered answer may be to be answered or sent after all."""
log = logging.getLogger(__name__)


class History(NamedTuple):
    """What was read back of a place, oldest first; before the first `old` of it no prompt reaches. From the id `since`
    on nothing that is there was left out; None where nothing could be read. What is not known from the id `missed` on
    was said since the log first heard of the place: 0 where it knows of nothing there.
    """

    messages: Sequence[discord.Message] = ()
    old: int = 0
    since: int | None = None
    missed: int = 0


UNREAD = History()


async def read_back(channel: "MessageableChannel", count: int, known: Sequence[int]) -> History:
    """The last `count` messages of a place, and those before them as far as the log knows any: `known` are the ids of
    its latest. Nothing where reading is not allowed.
    """
    if not may_read_back(channel):
        return UNREAD
    try:
        messages, is_whole = await _read(channel, count, max(count, MOST_READ) if known else count, known)
        if not messages and not (known and await _is_gone(channel, known[0])):
            return UNREAD
    except discord.Forbidden:
        log.info("not allowed to read what was said in channel %s before", channel.id)
        return UNREAD
    return History(
        messages[::-1],
        max(len(messages) - count, 0),
        0 if is_whole else messages[-1].id,
        min(known, default=0),
    )


async def _read(
    channel: "MessageableChannel", count: int, most: int, known: Sequence[int]
) -> tuple[list[discord.Message], bool]:
    """The last messages, newest first: at least `count`, until one is as old as all that are `known`, or there are
    `most`; and whether they are all that there are.
    """
    messages: list[discord.Message] = []
    while len(messages) < most:
        size = min(PAGE, most - len(messages))
        page = [each async for each in channel.history(limit=size, before=messages[-1] if messages else None)]
        messages += page
        if len(page) < size:
            return messages, True
        if known and messages[-1].id <= min(known) and len(messages) >= count:
            break
    return messages, False


async def _is_gone(channel: "MessageableChannel", message_id: int) -> bool:
    """Whether a message is there no more, for sure: where it may only not be read, Discord says so."""
    try:
        await channel.fetch_message(message_id)
    except discord.NotFound:
        return True
    return False


# -- against what the log knows --------------------------------------------------------------------------------------


def known_ids(rows: Rows, session: str) -> list[int]:
    """The latest messages that the log knows in a session, as far as they are read back; the latest first."""
    found = (latest_said(rows, session, epoch, MOST_READ) for epoch in _epochs(rows, session))
    return list(islice(_ids(each.ref for part in found for each in part), MOST_READ))


def missing(rows: Rows, session: str, history: History, now: int) -> list[int]:
    """What the log knows to have been posted until `now` (ms), and Discord does not: messages, and those as which
    answers arrived.
    """
    if history.since is None:
        return []
    since, here = history.since, {each.id for each in history.messages}
    known = (_posted(rows, session, epoch, said_of(since), now) for epoch in _epochs(rows, session))
    return [each for part in known for each in _ids(part) if each >= since and each not in here]


def _posted(rows: Rows, session: str, epoch: int, first: int, last: int) -> list[Ref]:
    """What was posted in a span of time (ms). An answer may have been sent long after it was given."""
    heard = said_between(rows, session, epoch, first, last)
    return [*(each.ref for each in heard), *sent_between(rows, session, epoch, first - LATEST_MS, last)]


def _epochs(rows: Rows, session: str) -> range:
    """Of who could read a session, the latest first."""
    return range(epoch_of(rows, session), -1, -1)


def _ids(refs: Iterable[Ref]) -> Iterator[int]:
    return (int(each.key) for each in refs if is_discord_s(each))


def is_discord_s(ref: Ref) -> bool:
    """Whether it is an id of Discord's: what came by an import may have another."""
    return ref.platform == PLATFORM and ref.key.isdecimal()
