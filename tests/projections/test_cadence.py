"""When loops are due: counted in rows, so that neither a restart nor a failure loses a turn."""

import msgspec

from projections.events import (
    ExtractionAnswered,
    ExtractionFailed,
    MessageHeard,
    SummaryFailed,
    SummaryRefreshed,
    SummaryReset,
)
from projections.events.turns import TurnAnswered
from projections.events.values import OPERATOR, PLATFORM, Audience, Limits, Message, ModelUse
from projections.ids import EventId, Handle, Point, Ref
from projections.items import compartment_key
from projections.messages import unit
from projections.policies.cadence import extraction_due, last_attempt, quiet_since, summary_due
from projections.summaries import SUMMARY_ATTEMPTS, era_of, find_summary
from projections.work import EXTRACTION_ATTEMPTS, EXTRACTIONS, was_read, was_tried
from tests.world import NOW, World, handle

ADA = handle("ada")
SESSION = "discord:channel:7"
PLACE = Ref("discord", "7")
AUDIENCE = Audience("guild", PLACE)
USE = ModelUse(model="offline", version="1")


def turn(said: int, asker: Handle = ADA) -> TurnAnswered:
    """An answer, `said` ms after NOW."""
    return TurnAnswered(
        said=NOW + said, by=PLATFORM, session=SESSION, place=PLACE, audience=AUDIENCE, era=0, asker=asker,
        answers=EventId(bytes(16)), text="yes", call=USE, limits=Limits(),
    )  # fmt: skip


def upto(said: int) -> Point:
    """The end of what was said by then."""
    return Point(NOW + said, EventId(b"\xff" * 16))


def extraction(
    said: int, error: str = "", compartment: str = "guild/discord:9"
) -> ExtractionAnswered | ExtractionFailed:
    """An extraction that reached so far."""
    if error:
        return ExtractionFailed(
            said=NOW + said, by=OPERATOR, owner=ADA, compartment=compartment, after=None, upto=upto(said), call=USE,
            error=error,
        )  # fmt: skip
    return ExtractionAnswered(
        said=NOW + said, by=OPERATOR, owner=ADA, compartment=compartment, after=None, upto=upto(said), call=USE,
        reply="",
    )  # fmt: skip


def test_a_summary_is_due_after_so_many_turns_and_again_after_as_many() -> None:
    world = World()
    world.add(*(turn(n) for n in range(4)))
    assert not summary_due(world.rows, SESSION, 0, 5)
    world.add(turn(4))
    assert summary_due(world.rows, SESSION, 0, 5)
    world.add(
        SummaryRefreshed(
            said=NOW + 4, by=OPERATOR, session=SESSION, audience=AUDIENCE, era=2, text="So far.", refresh=1,
            after=None, upto=upto(4), covered=5, call=USE,
        )
    )  # fmt: skip
    assert not summary_due(world.rows, SESSION, 0, 5)
    assert era_of(world.rows, SESSION, 0) == 2
    assert era_of(world.rows, SESSION, 1) == 0


def test_a_failed_or_reset_summary_counts_as_tried_and_keeps_the_old_text_and_date() -> None:
    world = World()
    world.add(turn(0))
    failed = SummaryFailed(
        said=NOW + 1, by=OPERATOR, session=SESSION, audience=AUDIENCE, era=0, error="no answer",
        after=None, upto=upto(1), call=USE,
    )  # fmt: skip
    world.add(failed)
    assert not summary_due(world.rows, SESSION, 0, 1)
    assert find_summary(world.rows, SESSION, 0) is None
    attempt = world.rows.get(SUMMARY_ATTEMPTS, unit(SESSION, 0))
    assert attempt is not None
    assert attempt.error == "no answer"
    world.add(SummaryReset(said=NOW + 2, by=OPERATOR, session=SESSION, audience=AUDIENCE, era=0, upto=upto(2)))
    found = find_summary(world.rows, SESSION, 0)
    assert found is not None
    assert (found.row.text, found.row.refresh) == ("", 0)


def asked(world: World, said: int, asker: Handle = ADA) -> EventId:
    """A message, and its answer one ms later; the message's id."""
    message = Message(
        ref=Ref("discord", f"m{said}"), place=PLACE, session=SESSION, audience=AUDIENCE, author="person",
        said=NOW + said, text="well?", speaker=asker,
    )  # fmt: skip
    [heard] = world.add(MessageHeard(said=NOW + said, by=PLATFORM, message=message))
    world.add(msgspec.structs.replace(turn(said + 1, asker), answers=heard.id))
    return heard.id


def test_extraction_counts_a_person_s_turns_wherever_they_were() -> None:
    world = World()
    heard = [asked(world, n * 10) for n in range(9)]
    for n in range(200, 220, 2):
        asked(world, n, handle("ben"))
    assert not extraction_due(world.rows, ADA, 10)
    heard.append(asked(world, 90))
    assert extraction_due(world.rows, ADA, 10)
    reached = Point(NOW + 90, heard[-1])
    world.add(
        msgspec.structs.replace(extraction(90), upto=reached),
        msgspec.structs.replace(extraction(30, compartment="elsewhere"), upto=Point(NOW + 30, heard[3])),
    )
    assert last_attempt(world.rows, ADA) == reached


def test_the_answer_to_the_last_message_that_was_read_is_no_new_turn() -> None:
    world = World()
    heard = [asked(world, n * 10) for n in range(10)]
    world.add(msgspec.structs.replace(extraction(90), upto=Point(NOW + 90, heard[-1]), causes=tuple(heard)))
    assert not extraction_due(world.rows, ADA, 1)
    for n in range(10, 19):
        asked(world, n * 10)
    assert not extraction_due(world.rows, ADA, 10)
    asked(world, 190)
    assert extraction_due(world.rows, ADA, 10)


def test_a_failed_extraction_counts_as_tried_and_reads_the_same_again() -> None:
    world = World()
    world.add(extraction(5), extraction(8, "no JSON"))
    key = compartment_key(ADA, "guild/discord:9")
    done, tried = world.rows.get(EXTRACTIONS, key), world.rows.get(EXTRACTION_ATTEMPTS, key)
    assert done is not None
    assert tried is not None
    assert (done.upto, done.error) == (upto(5), "")
    assert (tried.upto, tried.error) == (upto(8), "no JSON")


def test_the_answer_to_a_message_that_came_in_late_is_a_turn_until_it_was_tried() -> None:
    world = World()
    early, late = asked(world, 0), asked(world, 50)
    world.add(msgspec.structs.replace(extraction(90), upto=Point(NOW + 90, early), causes=(early,)))
    assert not extraction_due(world.rows, ADA, 1)
    world.add(msgspec.structs.replace(turn(95), answers=late))
    assert extraction_due(world.rows, ADA, 1)
    assert quiet_since(world.rows, ADA) == NOW + 90
    world.add(msgspec.structs.replace(extraction(90, "no JSON"), upto=Point(NOW + 90, early), causes=(late,)))
    assert not extraction_due(world.rows, ADA, 1)
    assert (was_read(world.rows, early), was_tried(world.rows, early)) == (True, True)
    assert (was_read(world.rows, late), was_tried(world.rows, late)) == (False, True)
