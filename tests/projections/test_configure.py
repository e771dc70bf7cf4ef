"""Configuring: what is refused, what is recorded once, which scope holds, and who may."""

import pytest

from projections.config import GLOBAL, Scope, config_rows, configured, scope_set, scopes_for
from projections.decisions.configure import ConfigRequest, configure
from projections.errors import BadRequest
from projections.events import ConfigSet, Event, PlaceDescribed
from projections.events.heard import PlaceKind
from projections.events.values import OPERATOR, PLATFORM, Audience
from projections.ids import NOBODY, Ref
from projections.policies.configurable import KEYS, Key, check
from projections.policies.rights import Asker, objection
from tests.world import NOW, World, handle, origin

KIM, ADA = handle("Kim"), handle("Ada")
GARDEN, HARBOUR = Ref("discord", "9"), Ref("discord", "8")
GENERAL, THREAD = Ref("discord", "1"), Ref("discord", "2")
OF_GARDEN, OF_GENERAL, OF_KIM = Scope("guild", GARDEN), Scope("channel", GENERAL), Scope("person", person=KIM)


def put(world: World, scope: Scope, key: str, value: str | None) -> list[Event]:
    request = ConfigRequest(scope, key, value, OPERATOR, origin(f"{scope} {key} {value} {len(world.records)}"), NOW)
    return world.decide(configure, request)


def describe(world: World, place: Ref, kind: PlaceKind, parent: Ref | None = None) -> None:
    world.add(
        PlaceDescribed(
            said=NOW, by=PLATFORM, place=place, kind=kind, name="", session="", audience=Audience("guild", place),
            guild=GARDEN, parent=parent,
        )
    )  # fmt: skip


def of(world: World, key: str, *scopes: Scope) -> str | None:
    row = configured(world.rows, key, tuple(map(str, scopes)))
    return None if row is None else row.value


def test_the_same_request_is_decided_once_whatever_was_set_since() -> None:
    world = World()
    first = ConfigRequest(GLOBAL, "learn", "none", OPERATOR, origin("asked"), NOW)
    assert len(world.decide(configure, first)) == 1
    put(world, GLOBAL, "learn", "heard")
    assert world.decide(configure, first) == []
    assert of(world, "learn", GLOBAL) == "heard"


class TestConfiguring:
    def test_a_value_is_recorded_for_its_scope(self) -> None:
        world = World()
        (event,) = put(world, OF_KIM, "learn", "none")
        assert isinstance(event, ConfigSet)
        assert (event.scope, event.key, event.value, event.person) == (f"person/{KIM.hex()}", "learn", "none", KIM)
        assert of(world, "learn", OF_KIM) == "none"
        assert [(row.scope, row.value) for row in config_rows(world.rows)] == [(f"person/{KIM.hex()}", "none")]

    def test_twice_is_once_and_unsetting_what_is_not_set_is_nothing(self) -> None:
        world = World()
        assert put(world, GLOBAL, "respond_mode", None) == []
        assert len(put(world, GLOBAL, "respond_mode", "all")) == 1
        assert put(world, GLOBAL, "respond_mode", "all") == []
        assert len(put(world, GLOBAL, "respond_mode", None)) == 1
        assert put(world, GLOBAL, "respond_mode", None) == []
        assert of(world, "respond_mode", GLOBAL) is None

    @pytest.mark.parametrize("scope", [GLOBAL, OF_GARDEN, OF_GENERAL, OF_KIM, Scope("channel", Ref("local", "dm:00"))])
    def test_the_scope_that_was_set_is_read_again(self, scope: Scope) -> None:
        (event,) = put(World(), scope, "learn", "none")
        assert isinstance(event, ConfigSet)
        assert scope_set(event) == scope

    def test_what_takes_another_back_names_it(self) -> None:
        world = World()
        put(world, GLOBAL, "learn", "none")
        undone = world.records[-1].id
        (event,) = world.decide(configure, ConfigRequest(GLOBAL, "learn", None, OPERATOR, origin("undo"), NOW, undone))
        assert event.causes == (undone,)

    @pytest.mark.parametrize(
        ("key", "value", "why"),
        [
            ("respond_mode", "loud", "`respond_mode`: 'loud' is not allowed; allowed: one of mention, all, owner,"),
            ("respond_mode", "Mention", "is not allowed"),
            ("context_history", "1001", "a whole number from 0 to 1000"),
            ("context_history", "-1", "is not allowed"),
            ("context_history", "٥", "is not allowed"),
            ("retention_days", "9" * 5000, "is not allowed"),
            ("learn", "", "is not allowed"),
            ("lern", "none", "there is no key 'lern'; did you mean learn"),
            ("colour", "red", "there are respond_mode, context_history, learn, retention_days"),
        ],
    )
    def test_what_there_is_not_is_refused_by_name(self, key: str, value: str, why: str) -> None:
        world = World()
        with pytest.raises(BadRequest, match=why.split(";")[0].replace("(", r"\(")) as refused:
            put(world, GLOBAL, key, value)
        assert why in str(refused.value)
        assert world.records == []

    def test_a_key_that_there_is_not_cannot_be_unset(self) -> None:
        with pytest.raises(BadRequest, match="there is no key"):
            put(World(), GLOBAL, "respond", None)

    @pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
    def test_every_key_says_what_it_may_be(self, key: Key) -> None:
        values = key.values or ("0", str(key.most))
        for value in values:
            check(key.name, value)
            assert value in key.words
        assert key.help


class TestScopes:
    def test_the_narrowest_first(self) -> None:
        world = World()
        describe(world, GENERAL, "channel")
        describe(world, THREAD, "thread", parent=GENERAL)
        assert scopes_for(world.rows, KIM, THREAD, GARDEN) == (
            OF_KIM, Scope("channel", THREAD), OF_GENERAL, OF_GARDEN, GLOBAL,
        )  # fmt: skip
        assert scopes_for(world.rows, NOBODY, GENERAL, None) == (OF_GENERAL, GLOBAL)
        assert scopes_for(world.rows, NOBODY, None, None) == (GLOBAL,)

    def test_a_place_nobody_described_is_its_own_scope(self) -> None:
        assert scopes_for(World().rows, KIM, GENERAL, GARDEN) == (OF_KIM, OF_GENERAL, OF_GARDEN, GLOBAL)

    def test_a_thread_nobody_described_has_the_channel_that_it_is_seen_in(self) -> None:
        world = World()
        scopes = (Scope("channel", THREAD), OF_GENERAL, OF_GARDEN, GLOBAL)
        assert scopes_for(world.rows, NOBODY, THREAD, GARDEN, GENERAL) == scopes
        describe(world, THREAD, "thread", parent=GENERAL)
        assert scopes_for(world.rows, NOBODY, THREAD, GARDEN) == scopes

    def test_in_words(self) -> None:
        assert list(map(str, (GLOBAL, OF_GARDEN, OF_GENERAL))) == ["global", "guild/discord:9", "channel/discord:1"]


UNHEARD = Ref("discord", "77")
ALLOWED = [
    (Asker(is_owner=True), GLOBAL, "respond_mode"),
    (Asker(is_owner=True), OF_KIM, "respond_mode"),
    (Asker(is_owner=True), Scope("channel", THREAD), "learn"),
    (Asker(ADA, manages=GARDEN), OF_GARDEN, "respond_mode"),
    (Asker(ADA, manages=GARDEN), OF_GENERAL, "retention_days"),
    (Asker(ADA, manages=GARDEN), OF_GENERAL, ""),
    (Asker(ADA, manages=GARDEN, listed=frozenset({UNHEARD})), Scope("channel", UNHEARD), "respond_mode"),
    (Asker(KIM), OF_KIM, "learn"),
    (Asker(KIM), OF_KIM, "retention_days"),
    (Asker(KIM), OF_KIM, ""),
]
REFUSED = [
    (Asker(KIM), GLOBAL, "learn"),
    (Asker(KIM), OF_GARDEN, "learn"),
    (Asker(KIM), OF_GENERAL, ""),
    (Asker(KIM), OF_KIM, "respond_mode"),
    (Asker(KIM), OF_KIM, "context_history"),
    (Asker(ADA), OF_KIM, "learn"),
    (Asker(), Scope("person"), "learn"),
    (Asker(ADA, manages=GARDEN), GLOBAL, "respond_mode"),
    (Asker(ADA, manages=GARDEN), OF_KIM, "learn"),
    (Asker(ADA, manages=GARDEN), Scope("guild", HARBOUR), "respond_mode"),
    (Asker(ADA, manages=GARDEN), Scope("channel", UNHEARD), "respond_mode"),
    (Asker(ADA, manages=GARDEN, listed=frozenset({GENERAL})), Scope("channel", UNHEARD), "respond_mode"),
    (Asker(ADA, listed=frozenset({UNHEARD})), Scope("channel", UNHEARD), "respond_mode"),
    (Asker(ADA), Scope("guild"), "respond_mode"),
    (Asker(ADA, manages=GARDEN), Scope("channel"), "respond_mode"),
]


class TestRights:
    @pytest.fixture
    def world(self) -> World:
        world = World()
        describe(world, GENERAL, "channel")
        return world

    @pytest.mark.parametrize(("asker", "scope", "key"), ALLOWED)
    def test_who_may(self, world: World, asker: Asker, scope: Scope, key: str) -> None:
        assert objection(world.rows, asker, scope, key) == ""

    @pytest.mark.parametrize(("asker", "scope", "key"), REFUSED)
    def test_who_may_not_is_told_who_may(self, world: World, asker: Asker, scope: Scope, key: str) -> None:
        assert "owner" in objection(world.rows, asker, scope, key)
