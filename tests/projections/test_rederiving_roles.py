"""What becomes of each event when a memory is derived anew."""

from typing import Any

import msgspec
import pytest

from projections import events as e
from projections.events.values import OPERATOR, Audience, By, Intent, Item, Message, ModelUse, RowWas, Source
from projections.ids import EventId, Point, Ref
from projections.rederiving.roles import PLAIN, ROLES, TOLD, is_by_tool, role_of
from projections.rederiving.schedule import Merging, Run, recorded, run_of, withdrawn_run
from tests.world import NOW, handle

P = handle("ada")
ROOM = Audience("guild", Ref("discord", "1"))
MODEL = By("model", name="m", version="1")
CALL = ModelUse("m", "1", prompt_digest=b"d" * 32)
DOWN = ModelUse("m", "")
ITEM = Item("durable-1", P, "guild/discord:9", "fact", "likes tea", NOW, NOW, Source("discord"))
WAS = RowWas("item.upserted", NOW, MODEL)
HELLO = Message(Ref("discord", "m"), Ref("discord", "1"), "s", ROOM, "person", NOW, "hello")
IDS = [EventId(bytes([n]) * 16) for n in range(1, 9)]


def item(kind: Any, by: By = MODEL, **more: Any) -> Any:
    return kind(said=NOW, by=by, item=more.pop("item", ITEM), **more)


def work(kind: Any, call: ModelUse = CALL, **more: Any) -> Any:
    point = Point(NOW, IDS[0])
    common = {"said": NOW, "by": MODEL, "owner": P, "compartment": "guild/discord:9", "after": None, "upto": point}
    return kind(**common, call=call, inputs=(IDS[0],), **more)


def summary(kind: Any, call: ModelUse = CALL, causes: tuple[EventId, ...] = (IDS[0],), **more: Any) -> Any:
    point = Point(NOW, IDS[0])
    common = {"said": NOW, "by": MODEL, "causes": causes, "session": "s", "audience": ROOM, "era": 0}
    return kind(**common, after=None, upto=point, call=call, **more)


def withdrawn(reply: EventId, kind: Any, **more: Any) -> e.ReplyWithdrawn:
    return e.ReplyWithdrawn(said=NOW, by=MODEL, reply=reply, work=kind, call=CALL, at=NOW, **more)


def test_every_event_has_a_role() -> None:
    assert set(ROLES) == set(e.EVENTS)
    assert e.MessageHeard.TAG in TOLD
    assert e.ItemUpserted.TAG not in TOLD
    assert {ROLES[each] for each in PLAIN} == {"kept"}


@pytest.mark.parametrize(
    ("event", "role"),
    [
        (item(e.ItemUpserted), "derived"),
        (item(e.ItemUpserted, OPERATOR, intent=Intent("edit")), "decided"),
        (item(e.ItemRemembered, OPERATOR), "decided"),
        (item(e.ItemRedacted), "derived"),
        (item(e.ItemReverted, OPERATOR, was=WAS, policy="revert@1"), "decided"),
        (item(e.ItemReverted, OPERATOR, was=WAS, policy="revert-undone@1"), "decided"),
        (item(e.ItemReverted, OPERATOR, was=WAS, policy="unadopt@1"), "derived"),
        (item(e.ItemRedacted, item=msgspec.structs.replace(ITEM, kept=True)), "decided"),
        (summary(e.SummaryRefreshed, text="t", refresh=1, covered=1), "derived"),
        (work(e.ExtractionAnswered, reply="{}"), "scheduled"),
        (e.ErasureCompleted(said=NOW, by=OPERATOR, erased=IDS[0]), "left out"),
    ],
)
def test_who_did_it_decides(event: e.Event, role: str) -> None:
    assert role_of(event) == role


def test_what_another_program_summed_up_is_kept() -> None:
    event = summary(e.SummaryRefreshed, text="t", refresh=1, covered=1)
    assert role_of(msgspec.structs.replace(event, by=OPERATOR)) == "kept"


def test_what_a_tool_did_is_told_by_its_call() -> None:
    assert not is_by_tool([item(e.ItemUpserted)])
    place = Ref("discord", "1")
    common: dict[str, Any] = {"session": "s", "place": place, "audience": ROOM, "era": 0, "asker": P}
    call = e.ToolCalled(said=NOW, by=MODEL, answers=IDS[0], tool="remember", input="{}", outcome="written", **common)
    assert is_by_tool([call, item(e.ItemUpserted)])


# -- runs ----------------------------------------------------------------------------------------------------------


def told(event: e.Event) -> Run:
    run = run_of(IDS[7], event)
    assert run is not None
    return run


def test_an_extraction_tells_of_its_run() -> None:
    run = told(work(e.ExtractionAnswered, reply="{}", policy="quiet@1"))
    assert (run.loop, run.reads, run.reply, run.error, run.policy) == ("extraction", (IDS[0],), "{}", "", "quiet@1")
    assert (run.owner, run.compartment) == (P, "guild/discord:9")


def test_a_failed_one_has_a_reply_only_where_there_was_one() -> None:
    assert told(work(e.ExtractionFailed, error="what?", reply="huh")).reply == "huh"
    down = told(work(e.ExtractionFailed, DOWN, error="down"))
    assert (down.reply, down.error, down.policy) == (None, "down", "cadence@1")


def test_a_summary_tells_of_its_run_once() -> None:
    run = told(summary(e.SummaryAnswered, reply="They talked."))
    assert (run.loop, run.reads, run.reply, run.session) == ("summary", (IDS[0],), "They talked.", "s")
    assert run_of(IDS[7], summary(e.SummaryFailed, error="empty")) is None
    assert told(summary(e.SummaryFailed, DOWN, error="down")).error == "down"
    assert run_of(IDS[7], item(e.ItemUpserted)) is None


def test_of_a_withdrawn_reply_is_told_what_is_left() -> None:
    run = withdrawn_run(withdrawn(IDS[1], "extraction", owner=P, compartment="c", inputs=(IDS[0],)))
    assert run is not None
    assert (run.event, run.reads, run.reply, run.error) == (IDS[1], (IDS[0],), None, "")
    failed = withdrawn_run(withdrawn(IDS[1], "extraction", failed=True))
    assert failed is not None
    assert failed.error
    of_summary = withdrawn_run(withdrawn(IDS[1], "summary", session="s", audience=ROOM))
    assert of_summary is not None
    assert (of_summary.reads, of_summary.session) == (None, "s")
    assert withdrawn_run(withdrawn(IDS[1], "merge")) is None


def test_a_whole_log_tells_of_all_of_them() -> None:
    found = recorded(
        [
            (IDS[5], work(e.MergeAnswered, reply="behind what is gone")),
            (IDS[0], work(e.ExtractionAnswered, reply="{}")),
            (IDS[1], summary(e.SummaryAnswered, reply="long", causes=(IDS[0],))),
            (IDS[2], summary(e.SummaryAnswered, reply="short", causes=(IDS[1],))),
            (IDS[3], work(e.MergeAnswered, reply="one")),
            (IDS[4], withdrawn(IDS[5], "summary", session="t", audience=ROOM)),
            (IDS[6], withdrawn(IDS[7], "merge")),
            (IDS[7], e.MessageEdited(said=NOW, by=OPERATOR, heard=IDS[0], message=HELLO)),
        ]
    )
    assert [run.event for run in found.every] == [IDS[0], IDS[1], IDS[5]]
    assert found.shorter[IDS[1]][0] == "short"
    assert found.part_of == {IDS[2]}
    assert found.merges[b"d" * 32][0] == "one"
    assert found.merged == (Merging(P, (), CALL), Merging(P, (IDS[0],), CALL))
    assert found.edited == {("s", 0): [Point(NOW, IDS[0])]}
