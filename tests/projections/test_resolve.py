"""Aliases of models: what they stand for is recorded when it changes."""

from projections.decisions.resolve import ResolveRequest, resolve
from projections.events import ModelResolved
from projections.models import resolved
from tests.world import NOW, World, origin


def told(world: World, name: str = "1", **models: str) -> list[tuple[str, str, str]]:
    events = world.decide(resolve, ResolveRequest(models, NOW, origin(name)))
    return [(each.alias, each.model, each.previous) for each in events if isinstance(each, ModelResolved)]


def test_the_first_time_is_recorded_for_every_alias_in_order() -> None:
    world = World()
    assert told(world, sonnet="s-1", haiku="h-1") == [("haiku", "h-1", ""), ("sonnet", "s-1", "")]
    row = resolved(world.rows, "haiku")
    assert row is not None
    assert (row.alias, row.model, row.previous) == ("haiku", "h-1", "")
    assert resolved(world.rows, "opus") is None


def test_what_did_not_change_is_not_recorded_again() -> None:
    world = World()
    told(world, haiku="h-1")
    assert told(world, "2", haiku="h-1") == []
    assert told(world, "3", haiku="h-2", sonnet="s-1") == [("haiku", "h-2", "h-1"), ("sonnet", "s-1", "")]


def test_the_same_request_twice_is_one() -> None:
    world = World()
    told(world, haiku="h-1")
    assert told(world, haiku="h-2") == []
