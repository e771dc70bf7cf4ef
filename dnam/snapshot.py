"""The text of a person's snapshot for a transparency channel, from the rows: what seed 000 calls optional transparency.

    **Memory of Kim**
    **Durable memory (active):**
    - [preference] I like tea `durable-1a2b3c4d`
    (3 more items on disk)

    **Rolling summary (general):**
    Kim plans a garden …

    Updated: durable 2026-03-06 18:00 UTC, summary 2026-03-06 17:58 UTC
    Log: 1,042 events, root 99e5…

It shows only what every reader of that channel may see: the person's own items that the channel's audience opens
(design §7), and the summary of the session where they were last answered only if all of them could read that session.
It is one message, never split: the summary has SUMMARY_CHARS at most, and of the items the lowest-scored go first.
"""

import hashlib
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from datetime import UTC
from typing import NamedTuple

from dnam.commands.picking import shown_id
from dnam.markdown import escaped, tamed
from dnam.times import shown
from dnam.whereabouts import openings_for
from projections.counting import counted
from projections.decisions.meet import Account, is_opted_out
from projections.events.values import Audience, Item
from projections.ids import NOBODY, Handle, Point, Ref
from projections.items import compartments_of, items_in
from projections.messages import key_point, units_of
from projections.people import ACCOUNTS, account_words, accounts_of, name_of
from projections.places import place_of
from projections.policies.compartments import Setting, everywhere
from projections.policies.quotable import may_quote_answer
from projections.quoting import alike, indented, label, line_name, marked, one_line
from projections.retrieval import Vocabulary, candidate, query, rank
from projections.rows import Rows
from projections.summaries import SummaryRow, find_summary
from projections.turns import ASKED
from replay.log import Head

MOST_CHARS = 2000
"""What a message of Discord's holds. Counted in UTF-16 units, which are never fewer than what it counts."""
SUMMARY_CHARS = 700
ROOT_CHARS = 16
NONE = "(none)"
BEGINNING = "**Memory of "
LAST = "\nLog: "


class Channel(NamedTuple):
    """The transparency channel: its audience as it is now, and its guild."""

    audience: Audience
    guild: Ref | None


class Snapshot(NamedTuple):
    """The text to show. `content` is the same without the log's checkpoint, which every event changes. `is_empty`:
    there is neither an item nor a summary in it.
    """

    text: str
    content: str
    is_empty: bool

    @property
    def digest(self) -> bytes:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).digest()

    @property
    def content_digest(self) -> bytes:
        """SHA-256 of the content."""
        return hashlib.sha256(self.content.encode()).digest()


class Latest(NamedTuple):
    """The session where a person was last answered."""

    session: str
    audience: Audience
    point: Point


class Told(NamedTuple):
    """A summary that may be shown, and the name of its place."""

    row: SummaryRow
    place: str


def shared_names(rows: Rows) -> frozenset[str]:
    """The names that more than one goes by, as they look."""
    bearers = {(alike(line_name(found.row.name)), found.row.person) for found in rows.scan(ACCOUNTS)}
    counts = Counter(name for name, _ in bearers)
    return frozenset(name for name, count in counts.items() if count > 1)


def look_of_name(rows: Rows, person: Handle) -> str:
    """What a person's name has in common with all that look the same."""
    return alike(line_name(name_of(rows, person)))


def snapshot(
    rows: Rows,
    person: Handle,
    channel: Channel,
    head: Head,
    vocabulary: Vocabulary,
    shared: Container[str] = frozenset(),
) -> Snapshot | None:
    """A person's memory as all readers of the channel may see it; None for who is no part of that guild, as far as
    anybody knows, for who opted out, and for nobody. Whose name is `shared` has their account behind it.
    """
    if person == NOBODY or not _belongs(rows, person, channel) or _opted_out(rows, person):
        return None
    setting = Setting(person, channel.audience, channel.guild)
    told = _summary(rows, person, setting)
    items = _items(rows, setting, told, vocabulary)
    top = f"{BEGINNING}{_name(rows, person, channel, shared)}**\n**Durable memory (active):**"
    below = "\n\n".join(_below(items, told))
    last = f"{LAST}{head.size:,} events, root {head.root().hex()[:ROOT_CHARS]}…"
    room = MOST_CHARS - units(top) - units(below) - units(last) - len("\n\n\n")
    content = f"{top}\n{_listed(items, room)}\n\n{below}"
    return Snapshot(content + last, content, not items and told is None)


def _name(rows: Rows, person: Handle, channel: Channel, shared: Container[str]) -> str:
    name = escaped(line_name(name_of(rows, person)))
    if look_of_name(rows, person) not in shared:
        return name
    return marked(name, escaped(account_words(rows, person, channel.audience.place.platform)))


def is_snapshot(text: str) -> bool:
    """Whether a text reads as a snapshot."""
    return text.startswith(BEGINNING) and LAST in text


def shown_digest(text: str) -> bytes:
    """The content digest of the snapshot whose text this is, as a channel shows it."""
    return hashlib.sha256(text.rpartition(LAST)[0].encode()).digest()


def units(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def cut(text: str, most: int) -> str:
    """The text, at most so many UTF-16 units of it."""
    if units(text) <= most:
        return text
    return text.encode("utf-16-le")[: 2 * (most - 1)].decode("utf-16-le", "ignore") + "…"


def latest_turn(rows: Rows, person: Handle) -> Latest | None:
    """Where a person was last answered."""
    found = next(rows.scan(ASKED, person, reverse=True), None)
    return None if found is None else Latest(found.row.session, found.row.audience, key_point(found.key))


def _belongs(rows: Rows, person: Handle, channel: Channel) -> bool:
    """Whether they ever spoke where the channel is, or taught something there by a command: what they share everywhere
    is for those who meet them.
    """
    if any(where.guild == channel.guild for where in units_of(rows, person)):
        return True
    setting = Setting(person, channel.audience, channel.guild)
    here = {each.compartment for each in openings_for(rows, person, setting)} - {everywhere(person)}
    return not here.isdisjoint(compartments_of(rows, person))


def _opted_out(rows: Rows, person: Handle) -> bool:
    accounts = (found.row for found in accounts_of(rows, person))
    return any(is_opted_out(rows, Account(each.platform, each.platform_id, each.name)) for each in accounts)


def _summary(rows: Rows, person: Handle, setting: Setting) -> Told | None:
    latest = latest_turn(rows, person)
    place = None if latest is None else place_of(rows, latest.session)
    if latest is None or place is None:
        return None
    found = find_summary(rows, latest.session, latest.audience.epoch)
    if found is None or not found.row.text.strip():
        return None
    if not may_quote_answer(rows, setting, latest.audience, place.row.guild, found.row.event):
        return None
    return Told(found.row, place.row.name)


def _items(rows: Rows, setting: Setting, told: Told | None, vocabulary: Vocabulary) -> list[Item]:
    """The active items that the channel opens, best first: by DNAM's scoring against the summary that is shown."""
    openings = openings_for(rows, setting.person, setting)
    found = [each for opening in openings for each in items_in(rows, *opening) if each.row.item.status == "active"]
    newest = max((each.row.item.updated for each in found), default=0)
    wanted = query(told.row.text if told else "", "", newest, vocabulary)
    return [hit.item for hit in rank(map(candidate, found), wanted)]


def _below(items: Sequence[Item], told: Told | None) -> Iterator[str]:
    """What stands under the items."""
    where = f" ({escaped(one_line(told.place))})" if told and told.place else ""
    yield f"**Rolling summary{where}:**\n{cut(tamed(indented(told.row.text)), SUMMARY_CHARS) if told else NONE}"
    durable = max((item.updated for item in items), default=None)
    yield f"Updated: durable {_time(durable)}, summary {_time(told.row.said if told else None)}"


def _time(milliseconds: int | None) -> str:
    return "never" if milliseconds is None else f"{shown(milliseconds, UTC)[:16]} UTC"


def _listed(items: Sequence[Item], room: int) -> str:
    """As many items as there is room for, best first, and how many more there are."""
    lines = [_line(item) for item in items]
    if not lines:
        return NONE
    if units("\n".join(lines)) <= room:
        return "\n".join(lines)
    kept = list(_fitting(lines, room - units(_more(len(lines))) - 1))
    return "\n".join([*kept, _more(len(lines) - len(kept))])


def _fitting(lines: Sequence[str], room: int) -> Iterator[str]:
    """Lines from the first, while they fit; what stands behind the first that does not is scored lower."""
    for line in lines:
        room -= units(line) + 1
        if room < -1:
            return
        yield line


def _more(count: int) -> str:
    return f"({counted(count, 'more item')} on disk)"


def _line(item: Item) -> str:
    return f"- [{escaped(label(item.kind)) or 'fact'}] {escaped(one_line(item.text))} {shown_id(item)}"
