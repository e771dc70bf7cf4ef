"""What the answering model finds when it looks for something: by the same recall as its prompt, in what is open to it.

`Searching` is what its tools stand on. Whoever searches is given the request of the prompt, and reads what that context
opens and nothing else.
"""

from typing import NamedTuple, Protocol

import msgspec

from projections.caller import Caller
from projections.context import Request
from projections.durable import Ranked, Sought, answers, ranked
from projections.gathering import Passage
from projections.ids import EventId, Handle
from projections.passages import Wished, past
from projections.policies.compartments import opened
from projections.policies.low_signal import is_low_signal
from projections.policies.told_of_others import is_told_to, opened_there
from projections.room import others_in, people_told_of
from projections.rows import Rows
from projections.window import Window

MOST_PASSAGE_CHARS = 6_000
"""How many characters of passages one search shows at most."""


class Passages(NamedTuple):
    """What was said earlier, best first. `mentioned` are those whom it names without a word of theirs, by the names
    that it gives them.
    """

    found: tuple[Passage, ...] = ()
    mentioned: tuple[tuple[Handle, str], ...] = ()

    @property
    def events(self) -> tuple[EventId, ...]:
        """The events whose words stand in it. An edited message is two: the one that names it, and the edit."""
        lines = (line for each in self.found for line in each.lines)
        return tuple(dict.fromkeys(event for line in lines for event in (line.id, line.event)))


class Searching(Protocol):
    """What finds things in the rows that a request's context opens."""

    def items(self, rows: Rows, request: Request, window: Window, text: str, most: int) -> tuple[Ranked, ...]:
        """The active items that answer to a text, best first, of the others in a window too."""
        ...

    def said(self, rows: Rows, request: Request, window: Window, text: str, most: int) -> Passages:
        """What was said that answers to a text, best first: nothing that stands in the window, nor the message. Nothing
        where no word of the text says anything: unlike a message, it goes on with nothing.
        """
        ...


class Recall:
    """Searching as the prompt does."""

    def items(self, rows: Rows, request: Request, window: Window, text: str, most: int) -> tuple[Ranked, ...]:
        setting = request.setting
        sought = Sought(text, "", request.point.said, request.vocabulary, request.nearness)
        people = people_told_of(rows, window, setting.person, request.limits)
        openings = (*opened(rows, setting), *opened_there(setting, people))
        found = ranked(rows, openings, sought, request.limits.scoring)
        return tuple(hit for hit in found if answers(hit) and is_told_to(hit.item, setting.person))[:most]

    def said(self, rows: Rows, request: Request, window: Window, text: str, most: int) -> Passages:
        if is_low_signal(text, request.vocabulary):
            return Passages()
        caller = Caller(rows, request.assistant)
        asker = request.setting.person
        caller.person(asker)  # who asks keeps the bare name
        others = others_in(window, asker)
        wished = Wished(
            text, request.setting, request.session, request.point, request.point.id, window, others,
            request.vocabulary, request.nearness,
        )  # fmt: skip
        limits = msgspec.structs.replace(request.limits, passages=most, passage_chars=MOST_PASSAGE_CHARS)
        found = past(rows, wished, limits, caller).passages
        known = {*caller.authors, asker}
        return Passages(found, tuple((who, name) for who, name in caller.mentioned.items() if who not in known))
