"""What still stands of a row's past: what was undone is passed over."""

import pytest

from projections.decisions.standing import State, put_back, standing
from projections.events import ItemDeprecated, ItemEvent, ItemReverted
from projections.events.values import OPERATOR, By, RowWas
from projections.fold import Record
from projections.ids import EventId, Seq
from tests.projections.adoption import an_item
from tests.world import NOW, handle

ITEM = an_item(handle("ada"), "User likes tea.")
WAS = RowWas("item.upserted", NOW, By("model"), "", "", None)


def event(name: str) -> EventId:
    return EventId(handle(name))


def state(step: str, seq: int) -> State[str]:
    """`A`: it says that. `C=A>B+X`: it says what A did, and undoes B and X. `M-` and `C=->B` leave nothing there."""
    name, _, undoes = step.partition(">")
    name, _, row = name.partition("=")
    row, gone = row or name.removesuffix("-"), name.endswith("-") or row == "-"
    made: ItemEvent = ItemDeprecated(said=NOW, by=OPERATOR, item=ITEM, reason="")
    if undoes:
        undone = tuple(map(event, undoes.split("+")))
        made = ItemReverted(said=NOW, by=OPERATOR, item=ITEM, reason="", was=WAS, undoes=undone, gone=gone)
    return State(Record(Seq(seq), event(name.removesuffix("-")), NOW, made), None if gone else row)


def same(one: str | None, other: str | None) -> bool:
    return one == other


@pytest.mark.parametrize(
    ("recorded", "stands"),
    [
        ("", ""),
        ("A B", "A B"),
        ("A B C=A>B", "A"),
        ("A B C=A>B D=B>C", "A B"),
        ("A B C=A>B D=B>C E=A>D", "A"),
        ("A X C=A>X B", "A B"),
        ("A X Y C=A>Y", "A"),
        ("A B C=A>B X D=A>X", "A"),
        ("A B X D=B>X C=A>B+D", "A"),
        ("X C=->X", ""),
        ("X C=->X B", "B"),
        ("X C=->X D=X>C", "X"),
        ("A M- X C=->X", "A M"),
        ("A M- C=A>M D=->C", "A M"),
        ("A B A2=A C=A>B", "A"),
        ("B C=A>B", "C"),
        ("B X C=A>X", "B C"),
        ("A B C=A>Z", "A"),
        ("B C=A>Z", "B C"),
    ],
)
def test_what_was_undone_is_passed_over(recorded: str, stands: str) -> None:
    past = [state(step, seq) for seq, step in enumerate(recorded.split(), 1)]
    assert [each.record.id for each in standing(past, same)] == [event(name) for name in stands.split()]


def test_what_is_kept_stands_though_it_undoes_another() -> None:
    past = [state(step, seq) for seq, step in enumerate(["A", "B", "C=A>B", "X", "D=A>X"], 1)]
    found = standing(past, same, {event("C")})
    assert [each.record.seq for each in found] == [1, 2, 3]


@pytest.mark.parametrize(
    ("recorded", "made"),
    [
        ("", ""),
        ("A B", "B"),
        ("A B C=A>B", "C A"),
        ("A B C=A>B D=B>C", "D B"),
        ("A B C=A>B X D=A>X", "D C A"),
        ("A B C=A>B H", "H"),
        ("X C=->X", "C"),
        ("A M- X C=->X", "C M"),
        ("B C=A>B", "C"),
    ],
)
def test_what_was_put_back_was_made_before(recorded: str, made: str) -> None:
    past = [state(step, seq) for seq, step in enumerate(recorded.split(), 1)]
    assert [each.id for each in put_back(past, same)] == [event(name) for name in made.split()]
