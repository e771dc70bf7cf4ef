"""Who opens what of what was said: by audience and epoch, in threads, after narrowing and widening."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.events.values import Audience
from projections.ids import NOBODY, Handle
from projections.messages import MESSAGES, MessageRow, unit
from projections.places import PLACES
from projections.policies.compartments import Setting
from projections.recall.documents import zone_of
from projections.recall.opened import Said as Where
from projections.recall.opened import is_open, parts, together, zones
from projections.recall.search import Said, Wanted, said
from projections.rows import Found, Rows, Stored
from tests.projections.recall.house import ADA, GUILD, KIM, OTHER_GUILD, House, own_place, ref, session
from tests.projections.recall.stage import FakeZones, documents_of, kept
from tests.world import NOW

NAMES = ("general", "garden", "thread", "staff", "staff-thread", "vault", "elsewhere", "group")
DMS = (own_place(ADA), own_place(KIM))


def a_house() -> House:
    """Three open places and three closed ones of a guild, another guild, a group and the direct messages of two."""
    house = House()
    house.describe("general")
    house.describe("garden")
    house.describe("thread", readers="garden", parent="garden")
    house.describe("staff", "channel")
    house.describe("staff-thread", "channel", readers="staff", parent="staff")
    house.describe("vault", "channel")
    house.describe("elsewhere", guild=OTHER_GUILD)
    house.describe("group", "channel", guild=None)
    house.describe_direct(ADA)
    house.describe_direct(KIM)
    return house


def talk(house: House, *places: str) -> None:
    for place in places or (*NAMES, *DMS):
        house.say(place, f"tea in {place}")


def opens(rows: Rows, setting: Setting, place: str) -> set[str]:
    """The places of which something is found in a context."""
    found = said(rows, Wanted("tea", setting, session(place), NOW), 100)
    return {each.row.message.place.key for each in found if isinstance(each.row, MessageRow)}


def texts(found: tuple[Said, ...]) -> list[str]:
    return [each.row.message.text if isinstance(each.row, MessageRow) else each.row.text for each in found]


OPEN = {"general", "garden", "thread"}


@pytest.mark.parametrize(
    ("place", "opened"),
    [
        ("general", OPEN),
        ("thread", OPEN),
        ("staff", OPEN | {"staff", "staff-thread"}),
        ("staff-thread", OPEN | {"staff", "staff-thread"}),
        ("vault", OPEN | {"vault"}),
        ("elsewhere", {"elsewhere"}),
        ("group", {"group"}),
        (own_place(ADA), {own_place(ADA)}),
        (own_place(KIM), set()),
    ],
)
def test_an_answer_to_ada_opens(place: str, opened: set[str]) -> None:
    house = a_house()
    talk(house)
    setting = house.setting(place, ADA)
    assert opens(house.rows, setting, place) == opened
    assert opens(kept(house.world), setting, place) == opened


def test_nobody_opens_what_everybody_may_read_and_no_direct_messages() -> None:
    house = a_house()
    talk(house)
    assert opens(house.rows, house.setting("general", NOBODY), "general") == OPEN
    assert opens(house.rows, house.setting(own_place(ADA), NOBODY), own_place(ADA)) == set()


def test_narrowing_closes_at_once_what_was_said_before() -> None:
    house = a_house()
    talk(house)
    house.change("garden", "channel")
    house.say("garden", "tea among few")
    for rows in (house.rows, kept(house.world)):
        assert opens(rows, house.setting("general"), "general") == {"general", "thread"}
        found = said(rows, Wanted("tea", house.setting("garden"), session("garden"), NOW), 100)
        assert {"tea among few", "tea in garden"} & set(texts(found)) == {"tea among few"}


def test_widening_opens_nothing_old() -> None:
    house = a_house()
    talk(house)
    house.change("staff", "guild")
    house.say("staff", "tea for all")
    for rows in (house.rows, kept(house.world)):
        for place in ("general", "staff"):
            found = said(rows, Wanted("tea", house.setting(place), session(place), NOW), 100)
            assert {"tea for all", "tea in staff"} & set(texts(found)) == {"tea for all"}


def test_what_is_asked_in_an_epoch_that_is_over_does_not_open_the_next_one() -> None:
    """A question that was asked before its place was closed is answered as it was asked."""
    house = a_house()
    talk(house)
    before = house.setting("garden")
    house.change("garden", "channel")
    house.say("garden", "tea among few")
    for rows in (house.rows, kept(house.world)):
        assert opens(rows, before, "garden") == {"general", "garden", "thread"}
        found = said(rows, Wanted("few", before, session("garden"), NOW), 100)
        assert "tea among few" not in set(texts(found))


def test_an_answer_opens_its_unit_where_no_message_is_left() -> None:
    house = a_house()
    house.answer("general", "green tea it is")
    for rows in (house.rows, kept(house.world)):
        (hit,) = said(rows, Wanted("tea", house.setting("garden"), session("garden"), NOW), 100)
        assert texts((hit,)) == ["green tea it is"]


def test_a_unit_of_which_everything_is_gone_is_open_to_nobody() -> None:
    house = a_house()
    heard = house.say("general", "green tea")
    documents = documents_of(house.world.raw)
    house.delete("general", heard, house.said)
    zones_of_then = FakeZones(documents)
    rows = Rows(house.world.raw, house.world.ids, corpora=lambda: zones_of_then)
    (part,) = parts(rows, house.setting("garden"), session("garden"))
    assert part.open is not None
    assert not part.open.any()


def test_what_was_said_to_others_in_the_same_session_lies_apart() -> None:
    """An import may not know of which guild a channel is: what is heard there later is found all the same."""
    house = a_house()
    house.guilds["general"] = None
    house.say("general", "tea before")
    house.guilds["general"] = GUILD
    house.say("general", "tea after")
    for rows in (house.rows, kept(house.world)):
        for place in ("general", "garden"):
            found = said(rows, Wanted("tea", house.setting(place), session(place), NOW), 100)
            assert texts(found) == ["tea after"]


def test_what_is_gone_from_the_rows_is_found_no_more() -> None:
    """Also if what is kept ready has not heard of it yet."""
    house = a_house()
    house.say("general", "green tea")
    heard = house.say("general", "black tea")
    zones_of_then = FakeZones(documents_of(house.world.raw))
    house.delete("general", heard, house.said)
    rows = Rows(house.world.raw, house.world.ids, corpora=lambda: zones_of_then)
    found = said(rows, Wanted("tea", house.setting("garden"), session("garden"), NOW), 5)
    assert texts(found) == ["green tea"]


def test_a_place_that_nobody_described_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    house = a_house()
    house.guilds["lost"] = GUILD
    monkeypatch.setattr(house, "audience", lambda place: Audience("guild", ref(place)))
    house.say("lost", "green tea")
    for rows in (house.rows, kept(house.world)):
        assert opens(rows, Setting(ADA, Audience("guild", ref("general")), GUILD), "general") == set()


def test_the_zones_of_a_context() -> None:
    everyone = zone_of(Audience("guild", ref("x")), GUILD)
    staff = Audience("channel", ref("staff"), 3)
    assert zones(Setting(ADA, Audience("guild", ref("x")), GUILD)) == (everyone,)
    assert zones(Setting(ADA, staff, GUILD)) == (everyone, zone_of(staff, GUILD))
    assert zones(Setting(ADA, staff)) == (zone_of(staff, None),)
    assert zones(Setting(ADA, Audience("direct", ref(own_place(KIM))))) == ()


def test_what_lies_in_another_zone_is_not_open_in_this_one() -> None:
    house = a_house()
    staff, here = house.audience("staff"), house.setting("staff")
    where = Where(session("staff"), staff, GUILD)
    assert is_open(house.rows, here, session("staff"), zone_of(staff, GUILD), where)
    assert not is_open(house.rows, here, session("staff"), zone_of(Audience("guild", ref("x")), GUILD), where)


def test_which_units_are_open_is_looked_up_again_when_that_may_have_changed() -> None:
    house = a_house()
    talk(house, "general", "garden")
    zones_kept = FakeZones(documents_of(house.world.raw))
    rows = Rows(house.world.raw, house.world.ids, corpora=lambda: zones_kept)
    general = house.setting("general")
    assert opens(rows, general, "general") == {"general", "garden"}
    house.change("garden", "channel")
    zones_kept.turn += 1
    assert opens(rows, general, "general") == {"general"}
    assert opens(rows, house.setting("staff"), "staff") == {"general"}


def test_a_unit_is_looked_up_once_for_all_sessions_that_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a guild of two hundred channels each message would otherwise read two hundred rows before it is answered."""
    house = a_house()
    talk(house, "general", "garden", "thread")
    zones_kept = FakeZones(documents_of(house.world.raw))
    rows = Rows(house.world.raw, house.world.ids, corpora=lambda: zones_kept)
    scan, scanned = rows.scan, list[str]()

    def counted(projection: Any, *rest: Any, **more: Any) -> Iterator[Found[Any]]:
        scanned.append(projection.table)
        return scan(projection, *rest, **more)

    monkeypatch.setattr(rows, "scan", counted)

    def looks_of(place: str) -> int:
        scanned.clear()
        parts(rows, house.setting(place), session(place))
        return scanned.count(MESSAGES.table)

    assert looks_of("general") == 3
    assert [looks_of(place) for place in ("garden", "general", "thread")] == [0, 0, 0]
    house.describe("late")
    house.say("late", "tea in late")
    (corpus,) = zones_kept.made.values()
    corpus.add(max(documents_of(house.world.raw), key=lambda each: each.seq))
    assert [looks_of(place) for place in ("garden", "late")] == [1, 0]
    house.change("late", "channel")
    zones_kept.turn += 1
    assert looks_of("garden") == 0
    (part,) = parts(rows, house.setting("garden"), session("garden"))
    assert part.open is not None
    assert part.open.tolist() == [True, True, True, False, False]


def test_a_zone_that_several_contexts_read_is_gathered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `dnam search --at` looks from every closed place, each of which reads the whole guild besides."""
    house = a_house()
    talk(house)
    places = ("general", "garden", "staff", "vault", "group", own_place(ADA))
    contexts = [(house.setting(place), session(place)) for place in places]
    scan, read = house.world.raw.scan, list[tuple[str, bytes]]()

    def counted(table: str, start: bytes, *rest: Any, **more: Any) -> Iterator[tuple[bytes, Stored]]:
        read.append((table, start))
        return scan(table, start, *rest, **more)

    monkeypatch.setattr(house.world.raw, "scan", counted)
    found = together(house.rows, contexts)
    units = [start for table, start in read if table == MESSAGES.table]
    assert len(units) == len(set(units)) == 8
    assert [table for table, _ in read].count(PLACES.table) == 1
    assert [each.corpus.size for each in found] == [3, 2, 1, 1, 1]
    assert [each.open for each in found] == [None] * 5


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from((*NAMES, *DMS)), st.sampled_from(("tea", "cake and tea", "rain?"))),
        st.tuples(st.just("answer"), st.sampled_from(NAMES), st.sampled_from(("tea", "cake"))),
        st.tuples(
            st.just("change"), st.sampled_from(("general", "garden", "thread", "staff", "vault")),
            st.sampled_from(("guild", "channel")),
        ),
    ),
    max_size=14,
)  # fmt: skip


@settings(max_examples=25)
@given(STEPS, st.sampled_from((*NAMES, *DMS)), st.sampled_from((ADA, KIM, NOBODY)))
def test_what_is_kept_ready_opens_what_the_rows_open(
    steps: list[tuple[str, str, str]], place: str, person: Handle
) -> None:
    house = a_house()
    for what, where, how in steps:
        getattr(house, what)(where, how)
    wanted = Wanted("tea and cake", house.setting(place, person), session(place), NOW)
    plain, ready = said(house.rows, wanted, 100), said(kept(house.world), wanted, 100)
    assert plain == ready
    may = {
        unit(session(each), house.audience(each).epoch)
        for each in (*NAMES, *DMS)
        if zone_of(house.audience(each), house.guilds[each]) in zones(wanted.setting)
    }
    assert {each.key[:16] for each in plain} <= may
