"""Items by what anybody would call them."""

from projections.lookup import find_items
from tests.projections.items import ANN, BOB, HOME, WIDE, an_item, there_is
from tests.world import World


def test_an_id_may_be_anybody_s_and_a_compartment_before_it_tells() -> None:
    world = World()
    tea = an_item("likes tea")
    there_is(world, tea, an_item("likes tea", compartment=WIDE), an_item("likes tea", owner=BOB), an_item("x"))
    assert len(find_items(world.rows, f" {tea.id} ")) == 3
    assert len(find_items(world.rows, tea.id, ANN)) == 2
    (found,) = find_items(world.rows, f"{WIDE}/{tea.id}")
    assert (found.item.owner, found.item.compartment) == (ANN, WIDE)
    assert [each.item.owner for each in find_items(world.rows, f"{HOME}/{tea.id}", BOB)] == [BOB]
    assert find_items(world.rows, "durable-00000000") == find_items(world.rows, f"self/{tea.id}") == []


def test_an_id_may_hold_a_slash() -> None:
    world = World()
    there_is(world, an_item("likes tea", id="a/b"))
    assert len(find_items(world.rows, "a/b")) == len(find_items(world.rows, f"{HOME}/a/b")) == 1
    assert find_items(world.rows, "b") == []
