"""Where a model's quotes really stand: a quote counts when it is found among the messages that the model was shown."""

from collections.abc import Sequence
from typing import NamedTuple

from projections.events.values import Audience, Evidence
from projections.ids import EventId, Ref
from projections.policies.replies import Quote
from projections.policies.text import folded

VERSION = "evidence@1"


class InputMessage(NamedTuple):
    """A message that a model was shown. `place` and `guild` are for the source of what comes of it; `event` made it as
    it was shown, which is the first one or an edit. `audience` could read it when it was said.
    """

    id: EventId
    text: str
    ref: Ref
    said: int
    place: Ref | None = None
    guild: Ref | None = None
    event: EventId = EventId(b"")
    audience: Audience | None = None


def find_named(name: str, inputs: Sequence[InputMessage]) -> InputMessage | None:
    """The input that a model names: by the event's id in hex, by the platform's key, or by both parts of that."""
    return next((each for each in inputs if name and name in (each.id.hex(), each.ref.key, str(each.ref))), None)


def check(quotes: Sequence[Quote], inputs: Sequence[InputMessage]) -> tuple[Evidence, ...]:
    """The quotes that hold, with the messages they stand in. Invented words fall away; an invented name costs nothing
    when the words are found in another message.
    """
    found = (_find(quote, inputs) for quote in quotes)
    return tuple(dict.fromkeys(evidence for evidence in found if evidence is not None))


def _find(quote: Quote, inputs: Sequence[InputMessage]) -> Evidence | None:
    named = find_named(quote.message, inputs)
    words = folded(quote.quote)
    likely = [named, *inputs] if named else inputs
    holding = next((each for each in likely if words and words in folded(each.text)), None)
    if holding is not None:
        return Evidence(quote.quote, holding.id, holding.ref)
    return named and Evidence("", named.id, named.ref)
