"""What models were asked: summaries, extraction, merging, reflection."""

from collections.abc import Callable
from typing import Any

from projections import events as e
from projections.events.upkeep import EncodedKind
from projections.events.values import OPERATOR, PLATFORM, By, Intent
from projections.ids import NOBODY, Point
from tests.laws.memories import upserted
from tests.laws.teller import CALL, Heard, Teller

REPLIES = (e.ExtractionAnswered, e.ExtractionFailed, e.MergeAnswered)


def _of_session(told: Teller) -> tuple[dict[str, Any], Heard]:
    last = told.hear()
    room, causes = last.room, told.window(last.room)
    person = told.people[room.people[0]] if room.audience.kind == "direct" else NOBODY
    common = {
        "said": told.latest(*causes),
        "by": By("model", name="offline", version="1"),
        "causes": causes,
        "session": room.session,
        "audience": last.message.audience,
        "era": told.any((0, 1)),
        "person": person,
        "policy": told.any(("cadence@1", "on request")),
    }
    return common, last


def refreshed(told: Teller) -> None:
    common, last = _of_session(told)
    previous, count = told.refreshes.get(last.room.session, (None, 0))
    event = e.SummaryRefreshed(
        **common,
        text=told.text(),
        refresh=count + 1,
        after=None,
        upto=Point(last.message.said, last.id),
        covered=3,
        call=CALL,
        previous=previous,
        floor=told.any((None, Point(last.message.said - 1, last.id))),
    )
    told.refreshes[last.room.session] = told.add(event), count + 1


def summary_failed(told: Teller) -> None:
    common, last = _of_session(told)
    upto = Point(last.message.said, last.id)
    told.add(e.SummaryFailed(**common, error="the model is down", after=None, upto=upto, call=CALL))


def summary_reset(told: Teller) -> None:
    common, last = _of_session(told)
    told.add(e.SummaryReset(**common, upto=Point(last.message.said, last.id), intent=Intent("reset")))


def summary_withheld(told: Teller) -> None:
    common, last = _of_session(told)
    upto = Point(last.message.said, last.id)
    floor = told.any((None, Point(last.message.said - 1, last.id)))
    told.add(e.SummaryWithheld(**common, refresh=told.any((1, 7)), upto=upto, floor=floor))


def summary_reverted(told: Teller) -> None:
    common, last = _of_session(told)
    upto = Point(last.message.said, last.id)
    count = told.any((1, 3))
    event = e.SummaryReverted(
        **common,
        text=told.text(),
        refresh=count,
        upto=upto,
        covered=3,
        model="offline",
        made=last.message.said,
        undoes=common["causes"],
        tried=told.any((None, upto)),
        gone=told.any((False, True)),
    )
    told.refreshes[last.room.session] = told.add(event), count


def adopted(told: Teller) -> None:
    undoes = told.any((None, told.told[-1][0])) if told.told else None
    told.add(
        e.RederivationAdopted(
            said=told.later(),
            by=OPERATOR,
            shadow=bytes(16),
            name=bytes(range(16)),
            upto=len(told.told) + 1,
            model="model-x",
            extraction_prompt="x@1",
            undoes=undoes,
            people=2,
            items=5,
            summaries=1,
            calls=7,
            cost_micros=1200,
        )
    )


def reply_withdrawn(told: Teller) -> None:
    """A reply is taken away; mostly its body goes, as the decision has it."""
    kind = told.any((extracted, extraction_failed, merge_answered, summary_answered))
    kind(told)
    reply, event = next(each for each in reversed(told.told) if isinstance(each[1], (*REPLIES, e.SummaryAnswered)))
    if told.any((True, True, False)):
        told.add(e.MessageRedacted(said=told.said, by=PLATFORM, events=(reply,)))
    point = Point(told.said, reply)
    common: dict[str, Any] = {"said": told.said, "by": PLATFORM, "reply": reply, "call": CALL, "at": told.said}
    if isinstance(event, e.SummaryAnswered):
        more: dict[str, Any] = {
            "session": event.session,
            "audience": event.audience,
            "era": event.era,
            "person": event.person,
        }
        told.add(e.ReplyWithdrawn(**common, causes=(reply,), work="summary", **more))
        return
    assert isinstance(event, REPLIES)
    told.add(
        e.ReplyWithdrawn(
            **common,
            causes=(reply, *event.inputs),
            work="merge" if isinstance(event, e.MergeAnswered) else "extraction",
            failed=isinstance(event, e.ExtractionFailed),
            owner=event.owner,
            compartment=event.compartment,
            inputs=event.inputs,
            upto=told.any((None, point)),
            tried=told.any((None, point)),
        )
    )


def summary_answered(told: Teller) -> None:
    common, last = _of_session(told)
    upto = Point(last.message.said, last.id)
    told.add(e.SummaryAnswered(**common, after=None, upto=upto, reply=told.text(), call=CALL))


def _work(told: Teller, kind: Callable[..., e.Event], **more: Any) -> None:
    last = told.hear()
    inputs = told.window(last.room)
    event = kind(
        said=told.latest(*inputs),
        by=By("model", name="offline", version="1"),
        causes=inputs,
        owner=last.message.speaker,
        compartment=last.room.compartment,
        after=None,
        upto=Point(last.message.said, last.id),
        call=CALL,
        inputs=inputs,
        policy=told.any(("cadence@1", "on request")),
        **more,
    )
    told.add(event)


def extracted(told: Teller) -> None:
    _work(told, e.ExtractionAnswered, reply=told.text())
    if told.chance.random() < 0.5:
        upserted(told)


def extraction_replied(told: Teller) -> None:
    _work(told, e.ExtractionReplied, reply=told.text())


def extraction_failed(told: Teller) -> None:
    _work(told, e.ExtractionFailed, error="no JSON", reply=told.text())


def merge_answered(told: Teller) -> None:
    _work(told, e.MergeAnswered, reply=told.text())


def merge_replied(told: Teller) -> None:
    _work(told, e.MergeReplied, reply=told.text())


def merge_failed(told: Teller) -> None:
    _work(told, e.MergeFailed, error="no JSON", reply=told.text())


def resolved(told: Teller) -> None:
    model = told.any(("claude-haiku-9-1", "claude-haiku-9-2"))
    previous = told.any(("", "claude-haiku-9-0"))
    told.add(e.ModelResolved(said=told.later(), by=PLATFORM, alias="haiku", model=model, previous=previous))


def encoded(told: Teller) -> None:
    kinds: tuple[tuple[EncodedKind, int], ...] = (("query", 1), ("document", 128))
    kind, texts = told.any(kinds)
    person = told.any((NOBODY, *told.people))
    failed = told.chance.random() < 0.1
    told.add(
        e.TextsEncoded(said=told.later(), by=PLATFORM, call=CALL, kind=kind, texts=texts, person=person, failed=failed)
    )


def job_failed(told: Teller) -> None:
    room, person = told.any(told.rooms), told.any((NOBODY, *told.people))
    job = told.any(("snapshot", "reading back"))
    told.add(
        e.JobFailed(
            said=told.later(),
            by=PLATFORM,
            job=job,
            error="503 Service Unavailable",
            session=room.session,
            person=person,
        )
    )


def reflected(told: Teller) -> None:
    _work(told, e.ReflectionAnswered, reply=told.text())
