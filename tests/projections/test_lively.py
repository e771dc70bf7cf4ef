"""Where something was said while the assistant was there, and where an import alone knows of it."""

import pytest

from projections.decisions.draft import Draft
from projections.events import Event, ImportBegan, ImportEnded, PlaceDescribed
from projections.events.values import OPERATOR, PLATFORM, Audience
from projections.ids import EventId, Ref
from projections.lively import is_imported, lively_places
from projections.places import find_place, open_places
from tests.projections.learning import GENERAL, GUILD, Town
from tests.world import NOW


@pytest.fixture
def town() -> Town:
    return Town()


def put(town: Town, number: int, event: Event) -> EventId:
    """Something is recorded that no decision of these tests makes."""
    return town.world.record(Draft(EventId(number.to_bytes(16, "big")), event)).id


def lively(town: Town, guild: Ref = GUILD) -> list[str]:
    return [row.place.key for row in lively_places(town.rows, guild)]


def imported(town: Town, key: str = GENERAL.key) -> bool:
    """Whether only an import told of a place."""
    found = find_place(town.rows, Ref("discord", key))
    assert found is not None
    return is_imported(town.rows, found.row)


def test_the_latest_come_first_and_places_of_silence_not_at_all(town: Town) -> None:
    put(
        town,
        1,
        PlaceDescribed(said=NOW, by=PLATFORM, place=Ref("discord", "9"), kind="channel", name="x",
                       audience=Audience("guild", Ref("discord", "9")), session="discord:channel:9", guild=GUILD),
    )  # fmt: skip
    town.says("here")
    town.says("there", place=GENERAL._replace(key="8", name="office"))
    assert lively(town) == ["8", GENERAL.key]
    assert lively(town, Ref("discord", "404")) == []


def test_what_imports_read_does_not_count(town: Town) -> None:
    town.says("here")
    began = put(town, 1, ImportBegan(said=NOW, by=OPERATOR, formats=("discord_export",)))
    assert lively(town) == [GENERAL.key]
    assert not imported(town)
    put(
        town,
        2,
        ImportEnded(
            said=NOW, by=OPERATOR, began=began, formats=("discord_export",),
            first_said=NOW, last_said=NOW + 5000, messages=1, items=0, summaries=0,
        ),
    )  # fmt: skip
    assert lively(town) == []
    assert imported(town)
    put(
        town,
        3,
        PlaceDescribed(said=NOW, by=PLATFORM, place=Ref("discord", "9"), kind="channel", name="x",
                       audience=Audience("guild", Ref("discord", "9")), session="discord:channel:9", guild=GUILD),
    )  # fmt: skip
    assert not imported(town, "9"), "nothing was said there"
    assert sorted(row.place.key for row in open_places(town.rows, GUILD)) == sorted([GENERAL.key, "9"])
    assert open_places(town.rows, Ref("discord", "404")) == []
