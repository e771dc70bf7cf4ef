"""What was missed in a place: what was read back, held against what the log says of it before any of it is heard."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

import discord

from dnam.adapters.discord.history import LATEST_MS, History, is_discord_s, missing
from dnam.adapters.discord.places import PLATFORM
from dnam.adapters.discord.translate import addressed_words, said_of, translate
from dnam.commands import table
from dnam.commands.command import Invocation
from projections.decisions.delete import find_said
from projections.decisions.hear import HeardRequest, is_kept_out, message_identity, takes_back
from projections.ids import Point, Ref
from projections.messages import find_message
from projections.pending import Undelivered, is_settled, undelivered
from projections.places import epoch_of, find_place
from projections.rows import Rows
from projections.turns import SENT, sent_key


class Arrived(NamedTuple):
    """A message that was read back, and the request that it is. `is_command`: somebody asked something of the memory
    with it. It is heard only as an edit of what was heard before. `is_old`: no prompt reaches it, and it is
    no news, but for what became of it.
    """

    message: discord.Message
    request: HeardRequest
    is_command: bool
    is_old: bool = False


class Missed(NamedTuple):
    """What the log says of a place before it is heard: what was read back, of which that is not old which was missed,
    where its answers wait, what it knows to be there, and what may still be answered (`open`). `is_cut`: more was
    missed than was read back; it shows in all that was read being unknown, and something of it being news, or a command
    that nobody replied to.
    """

    arrived: list[Arrived]
    waiting: list[Undelivered]
    gone: list[int]
    news: frozenset[str]
    open: frozenset[str]
    is_cut: bool


class Since(NamedTuple):
    """From when on what is said in a place is said with the bot there: when it came to the server (ms), and the first
    message that it was told of live, by its id.
    """

    came: int
    live: int | None


def arrivals(messages: Iterable[discord.Message], own_id: int, *, is_old: bool = False) -> Iterator[Arrived]:
    """Messages that were read back, but those that say nothing. `own_id` is the bot's."""
    for message in messages:
        request = translate(message, own_id)
        if request is not None:
            # Also where commands are off now: it may have been said as one.
            asks = request.author == "person" and table.read(addressed_words(message, own_id)) is not None
            yield Arrived(message, request, asks, is_old)


def missed_in(
    rows: Rows,
    where: Invocation,
    channel_id: int,
    history: History,
    arrived: Sequence[Arrived],
    replied: Container[str],
    since: Since,
    began: int,
) -> Missed:
    """What the log says of a channel that was read back; that `began` then (ms), and `where` is who asks there. To what
    is `replied` there is a reply of the bot's.
    """
    judged = [
        each._replace(is_old=each.is_old and not _is_left(rows, each, where, since, history.missed, began))
        for each in arrived
    ]
    waiting = undelivered(rows, where.session, began - LATEST_MS)
    news = frozenset(each.request.key for each in judged if _is_news(rows, each, where.session))
    sent = [each for each in waiting if is_discord_s(each.question.ref)]
    last_own = max((each.message.id for each in judged if each.request.author == "self"), default=0)
    may = frozenset(each.request.key for each in judged if _is_open(rows, each, where, since, last_own))
    is_old_place = history.missed == 0 and not 0 < since.came <= said_of(channel_id)
    is_said = any(_is_missed(each, news, replied) for each in judged if each.request.author != "self")
    reaches_back = is_old_place or any(_is_known(rows, each) for each in judged)
    is_cut = bool(history.since) and is_said and not reaches_back
    return Missed(judged, sent, missing(rows, where.session, history, began), news, may, is_cut)


def is_recent(request: HeardRequest, now: int) -> bool:
    """Whether it is young enough to be answered."""
    return request.said >= now - LATEST_MS


def _is_news(rows: Rows, arrived: Arrived, session: str) -> bool:
    """Whether it was never heard, or may have been edited since. Of what is not heard anyway, it is news that it takes
    back what was heard of it.
    """
    request = arrived.request
    if is_kept_out(rows, request):
        return takes_back(rows, request)
    point = _point(rows, request)
    if arrived.is_old:
        found = find_said(rows, session, epoch_of(rows, session), point)
        return found is not None and (request.edited or 0) > (found.row.message.edited or 0)
    if rows.ids.status(point.id) == "unknown":
        return not (arrived.is_command or request.only_known)
    return request.edited is not None


def _is_missed(arrived: Arrived, news: Container[str], replied: Container[str]) -> bool:
    """Whether something said shows that the bot was away: it was never heard, or it is a command, which never is, and
    nobody replied to it.
    """
    key = arrived.request.key
    return key not in replied if arrived.is_command else key in news


def _is_left(rows: Rows, arrived: Arrived, where: Invocation, since: Since, first: int, began: int) -> bool:
    """Whether something that no prompt reaches is left to do all the same: it was said since the log first heard of the
    place, with the bot there, and never heard; or it was heard as what is to be answered, and nobody did yet.
    """
    message, request = arrived.message, arrived.request
    if not _is_known(rows, arrived):
        return message.id > first and request.said >= since.came
    point = _point(rows, request)
    return is_recent(request, began) and _was_addressed(rows, where, point) and not is_settled(rows, point)


def _is_known(rows: Rows, arrived: Arrived) -> bool:
    """Whether a message was heard, or sent as an answer."""
    sent = sent_key(Ref(PLATFORM, arrived.request.key))
    return rows.ids.status(_point(rows, arrived.request).id) != "unknown" or rows.get(SENT, sent) is not None


def _point(rows: Rows, request: HeardRequest) -> Point:
    """Where a message lies, or will."""
    identity = message_identity(PLATFORM, request.key, "heard", request.said)
    return Point(request.said, rows.ids.event_id(identity))


def _is_open(rows: Rows, arrived: Arrived, where: Invocation, since: Since, last_own: int) -> bool:
    """Whether it may still be answered: it says something, and was heard as what is to be answered, or was not heard,
    and the bot was there when it was said. In a place that the log does not know it may have been let in since, or
    have spoken with another memory: there it shows where it is said to the bot, behind `last_own`, the last that the
    bot said itself. Who opted out is answered live or never; what they command is obeyed.
    """
    request = arrived.request
    if arrived.is_old or request.only_known or (is_kept_out(rows, request) and not arrived.is_command):
        return False
    point = _point(rows, request)
    if rows.ids.status(point.id) != "unknown":
        return _was_addressed(rows, where, point)
    if since.live is not None and arrived.message.id >= since.live:
        return True
    is_known = find_place(rows, where.setting.audience.place) is not None
    return request.said >= since.came and (is_known or (request.addressed and arrived.message.id > last_own))


def _was_addressed(rows: Rows, where: Invocation, point: Point) -> bool:
    """Whether a message was heard as one that is to be answered, whoever could read the place then."""
    epochs = range(where.setting.audience.epoch + 1)
    found = (find_message(rows, where.session, each, point) for each in epochs)
    return any(each is not None and each.row.message.addressed for each in found)
