"""A call of a tool by the model that answers: an event, with what it was asked and what came of it.

It lies where the answer does, and rests on all that the model had before it, and on what it was shown; what is noted
down in somebody's own words is theirs (`noting`). So whoever's words the model read take the call with them.
"""

from typing import NamedTuple

from projections.consent import is_out
from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.decisions.overtaken import is_overtaken
from projections.decisions.shelf import causes_of
from projections.events import ToolCalled
from projections.events.turns import ToolOutcome
from projections.events.values import By, ItemUse
from projections.ids import EventId, Point, Ref
from projections.named import nameless, nameless_json
from projections.policies.compartments import Setting
from projections.policies.text import whole
from projections.rows import Rows
from projections.summaries import era_of

MOST_TOOL_CHARS = 200
MOST_INPUT_CHARS = 8_000
"""The most characters of a call's input that are kept; what is longer is wrong in any case."""


class CallRequest(NamedTuple):
    """A call of a tool while the message at `question` is answered in `setting`; `said` is when (ms), `by` the model.
    `tool` and `input` are as the model gave them, without secrets. `before` are the events whose words it had before
    it. `number` is which call of the answer it is. `names` are those of people in whose vaults it may not lie: they are
    "someone" in it.
    """

    tool: str
    input: str
    number: int
    question: Point
    session: str
    place: Ref
    setting: Setting
    by: By
    said: int
    origin: Origin
    before: tuple[EventId, ...]
    names: tuple[str, ...] = ()


class Came(NamedTuple):
    """What came of a call: `reason` is what the model is told where nothing was done; `items` and `found` are what it
    was shown.
    """

    outcome: ToolOutcome
    reason: str = ""
    items: tuple[ItemUse, ...] = ()
    found: tuple[EventId, ...] = ()


def record_call(rows: Rows, request: CallRequest, came: Came) -> list[Draft]:
    """A call that writes nothing, once; nothing of who opted out. Where something was taken back that the model had
    before it, its words are left out: they may say it again.
    """
    if decided_before(rows, request.origin) or is_out(rows, request.setting.person):
        return []
    if is_overtaken(rows, request.before):
        request = request._replace(input="")
    return [Minter(rows, request.origin).draft(called(rows, request, came))]


def called(rows: Rows, request: CallRequest, came: Came) -> ToolCalled:
    """The event."""
    setting, question = request.setting, request.question
    return ToolCalled(
        said=max(request.said, question.said + 1),
        by=request.by,
        causes=causes_of([question.id], request.before, (use.event for use in _shown(came)), came.found),
        session=request.session,
        place=setting.audience.place if setting.audience.kind == "direct" else request.place,
        audience=setting.audience,
        era=era_of(rows, request.session, setting.audience.epoch),
        asker=setting.person,
        answers=question.id,
        tool=whole(request.tool)[:MOST_TOOL_CHARS],
        input=nameless_json(whole(request.input), request.names)[:MOST_INPUT_CHARS],
        outcome=came.outcome,
        number=request.number,
        guild=setting.guild,
        reason=nameless(came.reason, request.names),
        items=came.items,
        found=came.found,
        besides=setting.besides,
    )


def _shown(came: Came) -> tuple[ItemUse, ...]:
    """The items that a call was shown; what it wrote comes of it, and is no cause."""
    return came.items if came.outcome == "found" else ()
