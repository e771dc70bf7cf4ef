"""What of a difference belongs together."""

from projections.rederiving.groups import Group, groups
from projections.rederiving.pairs import compare
from tests.projections.items import ANN, BOB, WIDE, a_row, quote


def ids(found: list[Group]) -> list[list[str]]:
    return [[pair.row.item.id for pair in group.pairs] for group in found]


def test_what_is_the_same_is_in_no_group() -> None:
    assert groups(compare([a_row("tea")], [a_row("tea")])) == []
    assert groups([]) == []


def test_what_has_nothing_to_do_with_each_other_is_apart() -> None:
    old, new = a_row("tea", id="durable-1"), a_row("boat", id="durable-2")
    found = groups(compare([old], [new]))
    assert ids(found) == [["durable-1"], ["durable-2"]]
    assert len({group.key for group in found}) == 2
    assert all(len(group.key) == 12 and int(group.key, 16) for group in found)


def test_what_replaces_another_is_with_it() -> None:
    """Also over something that neither side has any more."""
    old = [a_row("tea", id="durable-1"), a_row("milk", id="durable-9", supersedes=("durable-8",))]
    new = [
        a_row("oolong", id="durable-2", supersedes=("durable-1",)),
        a_row("cream", id="durable-7", supersedes=("durable-8",)),
        a_row("boat", id="durable-5"),
    ]
    assert ids(groups(compare(old, new))) == [["durable-1", "durable-2"], ["durable-5"], ["durable-7", "durable-9"]]


def test_what_was_merged_into_one_is_with_it() -> None:
    old = [a_row("tea in the morning", id="durable-1"), a_row("tea at night", id="durable-2")]
    merged = a_row("tea in the morning and at night", id="durable-1", supersedes=("durable-2",))
    absorbed = a_row("tea at night", id="durable-2", status="merged")
    (group,) = groups(compare(old, [merged, absorbed]))
    assert [pair.kind for pair in group.pairs] == ["changed", "only_old"]


def test_what_comes_to_say_what_another_one_says_until_it_is_changed_is_with_it() -> None:
    old = [a_row("Tea", id="durable-1"), a_row("boat", id="durable-4")]
    new = [a_row("oolong", id="durable-1"), a_row("tea", id="durable-3"), a_row("tea", id="durable-5", kind="person")]
    assert ids(groups(compare(old, new))) == [["durable-1", "durable-3"], ["durable-4"], ["durable-5"]]


def test_chains_are_one_group_in_whichever_order_they_come() -> None:
    rows = [a_row(f"tea {n}", id=f"durable-{n}", supersedes=(f"durable-{n + 1}",)) for n in range(6)]
    pairs = compare([], rows)
    assert ids(groups(pairs)) == [[f"durable-{n}" for n in range(6)]]
    assert ids(groups(pairs[::-1])) == [[f"durable-{n}" for n in range(5, -1, -1)]]
    assert groups(pairs)[0].key == groups(pairs[::-1])[0].key


def test_an_item_that_lies_elsewhere_is_one_group_with_itself() -> None:
    assert ids(groups(compare([a_row("tea")], [a_row("tea", compartment=WIDE)]))) == [[a_row("tea").item.id] * 2]


def test_an_id_of_somebody_else_connects_nothing() -> None:
    pairs = [*compare([a_row("tea")], []), *compare([], [a_row("tea", owner=BOB)])]
    assert [group.pairs[0].row.item.owner for group in groups(pairs)] == [ANN, BOB]


def test_a_key_stays_while_the_same_items_are_in_it() -> None:
    said = (quote("tea"),)
    old, new = a_row("tea", id="durable-1", evidence=said), a_row("oolong", id="durable-2", evidence=said)
    (group,) = groups(compare([old], [new]))
    (again,) = groups(compare([old], [a_row("black tea", id="durable-2", evidence=said)]))
    (other,) = groups(compare([old], []))
    assert group.key == again.key != other.key
