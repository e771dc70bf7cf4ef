"""What was said longer ago than a place keeps it is redacted, in pieces; and a guild, whole."""

from collections.abc import Callable

import msgspec
import pytest

from projections.calls import calls
from projections.config import Scope, config_rows
from projections.decisions import draft as drafting
from projections.decisions import erase_guild as erasing
from projections.decisions import retention
from projections.decisions.configure import ConfigRequest, configure
from projections.decisions.draft import MOST_EVENTS, Draft
from projections.decisions.erase_guild import NOWHERE, EraseGuildRequest, Held, erase_guild, held
from projections.decisions.meet import Account
from projections.decisions.remember import RememberRequest, remember
from projections.decisions.retention import RetentionRequest, expire, until
from projections.decisions.work import WorkRequest
from projections.events import (
    ConfigSet,
    Event,
    ItemForgotten,
    ItemRemembered,
    MessageRedacted,
    NoticeGiven,
    PlaceAudienceChanged,
    PlaceDescribed,
    TurnWithdrawn,
)
from projections.events.values import OPERATOR, PLATFORM, Audience, By, Source
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.items import items_of
from projections.notices import notice_to
from projections.people import person_of
from projections.places import audience_of, find_place
from projections.policies.closing import closing, identity_of
from projections.policies.compartments import everywhere
from projections.rows import Rows
from projections.times import DAY_MS
from projections.turns import turns_after
from tests.projections.items import an_item
from tests.projections.learning import GENERAL, GUILD, HERE, HOME, LATER, SESSION, Town
from tests.projections.reverting import WorldChronicle
from tests.projections.test_redact import ROME, TEA, keep, keeps_anothers, take_back
from tests.world import NOW, World, origin

BEN = Account("discord", "200", "Ben")


@pytest.fixture
def town() -> Town:
    return Town()


def expired(town: Town, limit: int | None, **own: int | None) -> list[list[Event]]:
    """Decide until nothing comes of it."""
    people = {town.ada if name == "ada" else person(town): each for name, each in own.items()}

    def decide(rows: Rows, n: int) -> list[Draft]:
        return expire(rows, RetentionRequest(SESSION, limit, LATER, origin(f"{limit} {n}"), people))

    return _until_nothing(town, decide)


def person(town: Town) -> Handle:
    found = person_of(town.rows, "discord", "200")
    assert found is not None
    return found.row.person


def _until_nothing(town: Town, decide: Callable[[Rows, int], list[Draft]]) -> list[list[Event]]:
    told: list[list[Event]] = []
    while drafts := decide(town.rows, len(told)):
        assert len(drafts) <= MOST_EVENTS
        told.append([town.world.record(each).event for each in drafts])
    return told


def test_what_is_older_goes_with_what_was_learned_from_it_alone(town: Town) -> None:
    old = town.learned("User likes green tea.", TEA)
    town.answers(old, "Tea is good.")
    town.sums_up("One likes green tea.", old)
    new = town.learned("User moved to Rome.", ROME)
    cost = sum(each.cost_micros for each in calls(town.rows))
    (events,) = expired(town, new.said)
    assert not any(isinstance(each, MessageRedacted) for each in events[:-1])
    (withdrawn,) = [each for each in events if isinstance(each, TurnWithdrawn)]
    assert withdrawn.by.kind == "policy"
    assert isinstance(events[-1], MessageRedacted)
    assert events[-1].by == By("policy", name="retention", version="1")
    assert town.message(old) is None
    assert town.message(new) is not None
    assert town.texts() == ["User moved to Rome."]
    assert town.tells("tea") == []
    assert sum(each.cost_micros for each in calls(town.rows)) == cost
    assert expired(town, new.said) == []


def test_what_a_person_asked_to_keep_stands(town: Town) -> None:
    keep(town, "User likes green tea.", town.says("hello there"))
    expired(town, LATER)
    assert town.texts() == ["User likes green tea."]
    assert town.tells("hello there") == []


@pytest.mark.parametrize("days", [0, -1])
def test_no_days_are_for_ever(days: int) -> None:
    assert until(days, NOW) is None


def test_days_are_counted_back() -> None:
    assert until(30, NOW) == NOW - 30 * DAY_MS


def test_nothing_goes_where_everything_is_kept(town: Town) -> None:
    town.says(TEA)
    assert expired(town, None) == []
    assert expired(town, NOW) == []


def test_who_has_set_it_for_themselves_is_kept_shorter(town: Town) -> None:
    mine, his = town.says(TEA), town.says(ROME, BEN)
    town.answers(mine, "Tea!")
    expired(town, None, ada=LATER)
    assert (town.message(mine) is None, town.message(his) is None) == (True, False)
    assert list(turns_after(town.rows, SESSION, 0, None)) == []


@pytest.mark.parametrize(("place", "own"), [(LATER, None), (LATER, NOW), (NOW, LATER), (LATER, LATER)])
def test_the_shorter_holds_whoever_set_it(town: Town, place: int, own: int | None) -> None:
    mine = town.says(TEA)
    town.answers(mine, "Tea!")
    expired(town, place, ada=own)
    assert town.message(mine) is None
    assert list(turns_after(town.rows, SESSION, 0, None)) == []


def test_what_neither_has_go_stays(town: Town) -> None:
    mine = town.says(TEA)
    expired(town, NOW, ada=NOW)
    expired(town, None, ada=None)
    assert town.message(mine) is not None


def test_what_is_many_goes_in_pieces(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "MOST_EXPIRED", 2)
    for n in range(5):
        town.says(f"number {n} of them")
    told = expired(town, LATER)
    redacted = [each for events in told for each in events if isinstance(each, MessageRedacted)]
    assert [len(each.events) for each in redacted] == [2, 2, 1]
    assert town.tells("of them") == []


def test_a_piece_has_room_for_all_that_comes_of_it(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafting, "MOST_EVENTS", 4)
    for n in range(4):
        town.learned(f"User has the lucky number {n}.", f"my lucky number is {n}")
    told = expired(town, LATER)
    assert max(map(len, told)) <= 4
    assert len(told) > 1
    assert town.items() == []


def test_what_was_said_before_its_readers_changed_goes_too(town: Town) -> None:
    old = town.says(TEA)
    few = Audience("channel", HERE.place, 1)
    town.world.add(
        PlaceAudienceChanged(said=LATER, by=PLATFORM, place=HERE.place, audience=few, previous=HERE, session=SESSION)
    )
    expired(town, LATER)
    assert town.message(old) is None
    assert town.tells("green tea") == []


def test_what_another_kept_of_it_is_not_kept_any_longer(town: Town) -> None:
    old = town.says(TEA)
    keeps_anothers(town, "A member said: “I like green tea”", old)
    new = town.says(ROME)
    expired(town, new.said)
    assert town.items() == []
    assert town.tells("tea") == []


# -- a guild -------------------------------------------------------------------------------------------------------


def erased(town: Town, guild: Ref = GUILD, until: int = LATER) -> list[list[Event]]:
    def decide(rows: Rows, n: int) -> list[Draft]:
        request = EraseGuildRequest(guild, until, origin(f"erase {guild} {until} {n}"))
        return erase_guild(rows, WorldChronicle(town.world), request)

    return _until_nothing(town, decide)


def test_everything_that_was_said_and_learned_there_goes(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    town.answers(message, "Kallisto is what I say.")
    town.sums_up("Kallisto and tea.", message)
    keep(town, "User keeps Kallisto.", town.says("keep that of Kallisto"))
    take_back(town, "User keeps Kallisto.")
    refused = town.says("I keep Kallisto, I said")
    town.reads([refused], {"text": "User keeps Kallisto.", "evidence": "I keep Kallisto"})
    lore = town.says("our raid is on Kallisto")
    town.reads([lore], {"text": "Raid is on Kallisto.", "about": "guild", "evidence": "our raid is on Kallisto"})
    town.reads([town.says("nothing new")])
    orphan = WorkRequest(town.extraction([lore])[0].event, origin("orphan")).event
    town.world.add(msgspec.structs.replace(orphan, causes=(), inputs=(), reply="Kallisto, Kallisto"))
    told = erased(town)
    assert max(map(len, told)) <= MOST_EVENTS
    assert {each.by.kind for part in told for each in part} == {"operator", "policy"}
    assert (town.tells("kallisto"), town.tells("tea"), town.tells("nothing new")) == ([], [], [])
    assert town.items() == []
    assert find_place(town.rows, HERE.place) is None
    assert audience_of(town.rows, HERE.place) is None
    assert erased(town) == []
    again = EraseGuildRequest(GUILD, LATER, origin(f"erase discord:9 {LATER} 0"))
    assert erase_guild(town.rows, WorldChronicle(town.world), again) == []
    assert len(list(calls(town.rows))) == 7  # what was spent is spent


def test_what_lore_said_before_it_was_taken_back_goes_too(town: Town) -> None:
    """Ahead of it stands what keeps it out of force, and would hide it."""
    world, lore = town.world, an_item("Raid is on Kallisto.", owner=NOBODY, compartment=HOME)
    world.add(ItemRemembered(said=NOW, by=OPERATOR, item=lore))
    gone = ItemForgotten(said=NOW, by=OPERATOR, item=msgspec.structs.replace(lore, status="forgotten"))
    ahead, taken = closing(gone), EventId(b"it is taken back")
    assert ahead is not None
    world.record(Draft(world.ids.event_id(identity_of(taken, NOW)), ahead))
    world.record(Draft(taken, gone))
    assert erased(town) != []
    assert [found.row for found in items_of(town.rows, NOBODY)] == []
    dropped = {each for part in erased_events(world) for each in part.events}
    assert {record.id for record in world.records if "Kallisto" in repr(record.event)} <= dropped


def test_of_who_was_told_there_stays_that_they_were_and_not_where(town: Town) -> None:
    ben = Handle(b"ben" + bytes(13))
    town.says(TEA)
    for whose, place in ((town.ada, HERE.place), (ben, Ref("discord", "888"))):
        town.world.add(NoticeGiven(said=NOW + 1, by=PLATFORM, person=whose, place=place, message=Ref("discord", "77")))
    erased(town)
    found = [notice_to(town.rows, each) for each in (town.ada, ben)]
    assert [(row.said, row.place) for row in found if row is not None] == [
        (NOW + 1, NOWHERE),
        (NOW + 1, Ref("discord", "888")),
    ]
    dropped = {each for part in erased_events(town.world) for each in part.events}
    told = [record.id for record in town.world.records if isinstance(record.event, NoticeGiven)]
    assert [each in dropped for each in told] == [True, False, False]
    assert erased(town) == []


def erased_events(world: World) -> list[MessageRedacted]:
    return [record.event for record in world.records if isinstance(record.event, MessageRedacted)]


def test_what_is_said_and_learned_later_than_it_was_begun_stays_and_then_the_place_does(town: Town) -> None:
    keep(town, "User has a Kallisto.", town.says("a first one"))
    town.answers(town.says("and now?"), "Kallisto is what I say.")
    begun = held(town.rows, GUILD).said
    town.count += 600
    later = town.says("what came later")
    keep(town, "User has another one.", later)
    told = erased(town, until=begun)
    assert told != []
    assert town.tells("kallisto") == []
    assert town.texts() == ["User has another one."]
    assert town.message(later) is not None
    assert find_place(town.rows, HERE.place) is not None
    assert erased(town, until=begun) == []


def test_what_there_is_of_it_is_counted(town: Town) -> None:
    message = town.learned("User likes green tea.", TEA)
    town.answers(message, "Kallisto is what I say.")
    town.sums_up("Kallisto and tea.", message)
    there = held(town.rows, GUILD)
    assert [len(each) for each in there[:3]] == [1, 1, 1]
    assert len(there.others) == 3  # a raw reply, a summary and its own
    assert there.said > 0
    assert held(town.rows, GUILD, 0) == held(town.rows, Ref("discord", "10")) == Held((), (), (), (), 0)


def test_what_an_item_said_before_goes_layer_by_layer(town: Town) -> None:
    keep(town, "User has a Kallisto.", town.says("a first one"))
    keep(town, "User has a Kallisto.", town.says("a second one"))
    town.world.decide(
        configure, ConfigRequest(Scope("guild", GUILD), "learn", "heard", OPERATOR, origin("config"), LATER)
    )
    erased(town)
    assert town.tells("kallisto") == []
    assert town.tells("heard") == []


def test_settings_by_which_less_is_learned_or_kept_stay(town: Town) -> None:
    town.says("hello there")
    guild, channel = Scope("guild", GUILD), Scope("channel", HERE.place)
    for n, (scope, key, value) in enumerate(
        (
            (guild, "learn", "none"),
            (guild, "retention_days", "0"),
            (guild, "respond_mode", "all"),
            (channel, "learn", "heard"),
            (channel, "retention_days", "30"),
        )
    ):
        request = ConfigRequest(scope, key, value, OPERATOR, origin(f"config {n}"), LATER)
        town.world.decide(configure, request)
    erased(town)
    assert {(row.scope, row.key): row.value for row in config_rows(town.rows)} == {
        (str(guild), "learn"): "none",
        (str(channel), "retention_days"): "30",
    }


def sets(town: Town, scope: Scope, key: str, *values: str | None) -> None:
    for n, value in enumerate(values):
        request = ConfigRequest(scope, key, value, OPERATOR, origin(f"{scope} {key} {n}"), LATER + n)
        town.world.decide(configure, request)


def test_no_setting_comes_into_force_again_which_another_one_had_superseded(town: Town) -> None:
    town.says("hello there")
    guild, channel = Scope("guild", GUILD), Scope("channel", HERE.place)
    for scope in (guild, channel):
        sets(town, scope, "respond_mode", "none", "owner", "mention")
        sets(town, scope, "tools", "off", "on")
        sets(town, scope, "learn", "none", "addressed", "heard")
        sets(town, scope, "retention_days", "30", "0")
    erased(town)
    assert list(config_rows(town.rows)) == []
    assert erased(town) == []


def test_a_setting_that_stays_is_all_that_stays_of_it(town: Town) -> None:
    town.says("hello there")
    channel = Scope("channel", HERE.place)
    sets(town, channel, "learn", "heard", "none", "addressed")
    sets(town, channel, "retention_days", "30", None)
    erased(town)
    assert [(row.key, row.value) for row in config_rows(town.rows)] == [("learn", "addressed")]
    left = [each.event for each in town.readable() if isinstance(each.event, ConfigSet)]
    assert [each.value for each in left] == ["addressed"]


def test_settings_go_the_oldest_first_and_before_the_place_whose_they_are(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However far it came, nothing is in force that was not when it was begun."""
    town.says("hello there")
    sets(town, Scope("channel", HERE.place), "respond_mode", "none", "all", "mention")
    monkeypatch.setattr(erasing, "MOST_BODIES", 2)

    def decide(rows: Rows, n: int) -> list[Draft]:
        assert {row.value for row in config_rows(rows)} <= {"mention"}
        return erase_guild(rows, WorldChronicle(town.world), EraseGuildRequest(GUILD, LATER, origin(f"part {n}")))

    _until_nothing(town, decide)
    assert list(config_rows(town.rows)) == []
    assert find_place(town.rows, HERE.place) is None


def test_nothing_older_is_known_of_who_could_read_a_place_or_of_its_name(town: Town) -> None:
    """A place may have been described before anybody knew to which guild it belongs."""
    alone = PlaceDescribed(
        said=NOW, by=PLATFORM, place=HERE.place, kind="channel", name="Kallisto", audience=HERE, session=SESSION
    )
    town.world.add(alone)
    town.says("hello there")
    few, many = Audience("channel", HERE.place, 1), Audience("guild", HERE.place, 2)
    for n, (audience, previous) in enumerate(((few, HERE), (many, few))):
        changed = PlaceAudienceChanged(
            said=LATER + n, by=PLATFORM, place=HERE.place, audience=audience, previous=previous, session=SESSION
        )
        town.world.add(changed)
    erased(town)
    assert (find_place(town.rows, HERE.place), audience_of(town.rows, HERE.place)) == (None, None)
    assert town.tells("kallisto") == []


def test_another_guild_and_what_a_person_has_everywhere_stays(town: Town) -> None:
    town.says("hello there")
    request = RememberRequest(
        town.ada, everywhere(town.ada), "User likes tea.", By("person", town.ada), LATER, Source("manual"), origin("e")
    )
    town.world.decide(remember, request)
    assert erased(town, Ref("discord", "10")) == []
    erased(town)
    assert [found.row.item.text for found in items_of(town.rows, town.ada)] == ["User likes tea."]
    assert list(items_of(town.rows, NOBODY)) == []


def test_what_lies_in_a_restricted_channel_of_it_goes_too() -> None:
    few = GENERAL._replace(audience="channel")
    town = Town(few)
    town.says("hello there")
    for n, compartment in enumerate((f"person/{town.ada.hex()}/channel/discord:7", "person/x/channel/discord:8", HOME)):
        request = RememberRequest(
            town.ada, compartment, f"Number {n} it is.", By("person", town.ada), LATER, Source("manual"), origin(f"{n}")
        )
        town.world.decide(remember, request)
    erased(town)
    assert town.texts() == ["Number 1 it is."]


def test_pieces_of_it_are_small_enough(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "MOST_SAID", 1)
    monkeypatch.setattr(erasing, "MOST_BODIES", 2)
    keep(town, "User has a Kallisto.", town.says("a first one"))
    keep(town, "User has another Kallisto.", town.says("a second one"))
    assert len(erased(town)) >= 5
    assert town.tells("kallisto") == []
