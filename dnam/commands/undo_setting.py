"""Undoing what somebody set or unset with `!memory config`: the key gets the value again that it had before.

As with items, a change of theirs can be taken back once none of their later changes of that key is left to take back,
and as long as nobody else changed it since. What they may not change any more stays, and who may is told; what would
take words away is not undone but for a `yes` behind it, which is an undo all the same: the next goes further back. A
place shows what holds in it, and what is set for the channels of its server;
the owner's own direct messages show whatever they set.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Invocation, Reply
from dnam.commands.config import asked_at, asker_of, holds_now, takes_words
from dnam.overdue import taken_by
from dnam.scopes import listed_as, set_config
from projections.config import CONFIG_GIVEN, CONFIG_KEY_BYTES, Scope, scope_set, scopes_for
from projections.events import ConfigSet
from projections.events.values import By
from projections.fold import Record
from projections.ids import EventId, Seq
from projections.places import find_place
from projections.policies.rights import objection
from projections.quoting import one_line
from projections.rows import Rows
from replay.reading import Reader

NOT_YOURS = "`config {what}`: {why}. Who may takes it back with `{prefix} config {how}`."


class LastSetting(NamedTuple):
    """What somebody set last and has not taken back: by which event, of which scope, what it had been, and what it is
    now; when (ms), and at which place of the log.
    """

    event: EventId
    scope: Scope
    key: str
    before: str | None
    now: str | None
    said: int
    seq: int

    @property
    def when(self) -> tuple[int, int]:
        """Which of two was later."""
        return self.said, self.seq


def last_settings(rows: Rows, reader: Reader, asked: Invocation) -> tuple[list[LastSetting], tuple[int, int]]:
    """What whoever asks set of what the place shows, and has not taken back, of each key the last, the newest first;
    and when they last set anything else.
    """
    found = sorted(_left_by(rows, reader, asked.by), key=lambda each: each.when, reverse=True)
    here = [each for each in found if _is_shown(rows, asked, each.scope)]
    elsewhere = next((each.when for each in found if each not in here), (0, 0))
    return here, elsewhere


async def not_theirs(assistant: Assistant, asked: Invocation, last: LastSetting) -> str:
    """Why whoever asks may not take it back, and who may; empty where they may."""
    scope, key = last.scope, last.key
    listed = () if scope.ref is None else listed_as(asked.channels, f"{scope.kind}/{scope.ref.key}")
    why = await assistant.memory.look(lambda rows: objection(rows, asker_of(asked, listed), scope, key))
    if not why:
        return ""
    what, how = (one_line(_typed(asked, scope, key, value)) for value in (last.now, last.before))
    return NOT_YOURS.format(what=what, why=why, how=how, prefix=PREFIX)


def _left_by(rows: Rows, reader: Reader, by: By) -> Iterator[LastSetting]:
    """Of each key of each scope that somebody left as it is: their last change that they did not take back."""
    given: dict[bytes, list[Seq]] = {}
    for each in rows.scan(CONFIG_GIVEN):
        given.setdefault(each.key[:CONFIG_KEY_BYTES], []).append(each.seq)
    for seqs in given.values():
        last = reader.at(max(seqs)).record
        if last is not None and last.event.by == by:
            yield from _standing((reader.at(seq).record for seq in sorted(seqs)), by)[-1:]


def _standing(records: Iterable[Record | None], by: By) -> list[LastSetting]:
    """What is left of one key's past: what took an event back names that as its cause."""
    left: list[LastSetting] = []
    before: str | None = None
    for record in records:
        event = None if record is None else record.event
        if record is None or not isinstance(event, ConfigSet) or event.by != by:
            left = []
        elif left and left[-1].event in event.causes:
            left = left[:-1]
        else:
            scope = scope_set(event)
            left = [*left, LastSetting(record.id, scope, event.key, before, event.value, event.said, record.seq)]
        before = event.value if isinstance(event, ConfigSet) else None
    return left


def _is_shown(rows: Rows, asked: Invocation, scope: Scope) -> bool:
    if asked.is_owner and asked.setting.audience.kind == "direct":
        return True
    here = asked_at(rows, asked)
    if scope in scopes_for(rows, here.person, here.place, here.guild):
        return True
    found = None if scope.kind != "channel" or scope.ref is None else find_place(rows, scope.ref)
    return found is not None and found.row.guild is not None and found.row.guild == here.guild


async def undo_setting(assistant: Assistant, asked: Invocation, last: LastSetting, *, sure: bool = False) -> Reply:
    """Give the key the value again that it had. They may. `sure`: also where that takes words away."""
    memory, scope, key, value = assistant.memory, last.scope, last.key, last.before
    taken = await taken_by(memory, scope, key, value)
    if any(taken) and not sure:
        what = one_line(_typed(asked, scope, key, value))
        return takes_words(taken, scope, asked, f"Not undone, which would be `config {what}`", "undo")
    changed = await set_config(memory, scope, key, value, asked.by, undoes=last.event, origin=asked.origin)
    done = "config unset" if last.now is None else "config set"
    return Reply(f"Undone `{done}`: {await holds_now(assistant, scope, key, value, changed=changed)}")


def _typed(asked: Invocation, scope: Scope, key: str, value: str | None) -> str:
    """What whoever asks may type behind `config` so that the key has this value."""
    name = "me" if scope.kind == "person" and scope.person == asked.person else str(scope)
    return f"unset {name} {key}" if value is None else f"set {name} {key}={value}"
