"""What holds for a person in a place: scopes over dnam.toml, the environment and defaults, key by key."""

import pytest

from dnam.configuration import RETENTION, PlaceConfig, config_for, held, value_for
from dnam.settings import read
from projections.config import GLOBAL, Scope
from projections.events import ConfigSet
from projections.events.values import OPERATOR
from projections.ids import NOBODY, Ref
from projections.policies.configurable import KEYS
from tests.world import NOW, World, handle

KIM = handle("Kim")
GARDEN, GENERAL = Ref("discord", "9"), Ref("discord", "1")
SETTINGS = read({"DNAM_LEARN": "heard"}, {}, {"DNAM_RESPOND_MODE": "owner"})


def put(world: World, scope: Scope, key: str, value: str | None) -> None:
    world.add(ConfigSet(said=NOW, by=OPERATOR, scope=str(scope), key=key, value=value, person=scope.person))


def there(world: World) -> PlaceConfig:
    return config_for(world.rows, SETTINGS, KIM, GENERAL, GARDEN)


def test_with_nothing_set_the_settings_hold() -> None:
    assert config_for(World().rows, read({}, {}), NOBODY, None, None) == PlaceConfig("mention", 20, "addressed", 0)
    origins = {each.key: each.origin for each in held(World().rows, SETTINGS, KIM, GENERAL, GARDEN)}
    assert origins == {
        "respond_mode": "dnam.toml respond_mode",
        "context_history": "default",
        "learn": "environment DNAM_LEARN",
        "retention_days": "default",
        "tools": "default",
    }
    assert list(origins) == [key.name for key in KEYS]


def test_each_key_has_the_narrowest_scope_that_gives_it_a_value() -> None:
    world = World()
    ladder = [GLOBAL, Scope("guild", GARDEN), Scope("channel", GENERAL), Scope("person", person=KIM)]
    for number, scope in enumerate(ladder):
        put(world, scope, "context_history", str(number + 1))
        assert there(world).context_history == number + 1
    put(world, GLOBAL, "learn", "none")
    put(world, Scope("guild", GARDEN), "retention_days", "3")
    assert there(world) == PlaceConfig("owner", 4, "none", 3)
    put(world, ladder.pop(), "context_history", None)
    assert there(world).context_history == 3
    found = {each.key: each.origin for each in held(world.rows, SETTINGS, KIM, GENERAL, GARDEN)}
    assert found["context_history"] == "channel/discord:1"


def test_one_key_alone_has_the_same_value() -> None:
    world = World()
    put(world, Scope("guild", GARDEN), "context_history", "3")
    put(world, Scope("person", person=KIM), "learn", "none")
    every = {each.key: each.value for each in held(world.rows, SETTINGS, KIM, GENERAL, GARDEN)}
    alone = {key: value_for(world.rows, SETTINGS, key, KIM, GENERAL, GARDEN) for key in every if key != RETENTION}
    assert alone == {key: value for key, value in every.items() if key != RETENTION}
    with pytest.raises(AssertionError, match="more than one scope"):
        value_for(world.rows, SETTINGS, RETENTION, KIM, GENERAL, GARDEN)


@pytest.mark.parametrize(
    ("own", "guild", "held_days"), [("3", "30", 3), ("30", "3", 3), ("0", "3", 3), ("3", "0", 3), ("0", "0", 0)]
)
def test_of_how_long_words_are_kept_the_shorter_holds(own: str, guild: str, held_days: int) -> None:
    world = World()
    put(world, Scope("person", person=KIM), "retention_days", own)
    put(world, Scope("guild", GARDEN), "retention_days", guild)
    assert there(world).retention_days == held_days


def test_others_scopes_do_not_hold_here() -> None:
    world = World()
    put(world, Scope("person", person=handle("Ada")), "learn", "none")
    put(world, Scope("guild", Ref("discord", "8")), "learn", "none")
    put(world, Scope("channel", Ref("discord", "2")), "learn", "none")
    assert there(world).learn == "heard"


def test_what_a_newer_program_set_counts_as_not_set() -> None:
    world = World()
    put(world, GLOBAL, "respond_mode", "all")
    put(world, GLOBAL, "context_history", "7")
    put(world, Scope("guild", GARDEN), "respond_mode", "whisper")
    put(world, Scope("guild", GARDEN), "context_history", "lots")
    assert there(world) == PlaceConfig("all", 7, "heard", 0)
