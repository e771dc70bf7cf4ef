"""The rolling summary: what a job may write, and what it may not."""

from typing import Any

import pytest

from projections.calls import calls
from projections.decisions.draft import first_id
from projections.decisions.imported import ImportSummaryRequest, import_summary
from projections.decisions.summaries import FailRequest, RefreshRequest, ResetRequest, fail, refresh, reset, settle
from projections.decisions.work import WorkRequest, record_work
from projections.errors import BadRequest
from projections.events import (
    Event,
    MessageHeard,
    PersonErased,
    PersonSeen,
    SummaryAnswered,
    SummaryFailed,
    SummaryRefreshed,
    SummaryReset,
)
from projections.events.values import OPERATOR, Audience, Intent, Message, ModelUse, Saw
from projections.ids import EventId, Point, Ref
from projections.summaries import SUMMARY_ATTEMPTS, SummaryRow, find_summary
from projections.vaults import home
from projections.work import undecided_summary
from tests.projections.items import ANN, MODEL, PERSON, message
from tests.world import NOW, World, handle, origin

AUDIENCE = Audience("channel", Ref("discord", "1"), epoch=3)
CALL = ModelUse("haiku", "7")


def point(said: int) -> Point:
    return Point(said, message(str(said)))


def please_refresh(text: str, upto: int = NOW, previous: EventId | None = None, **fields: Any) -> RefreshRequest:
    return RefreshRequest(
        session="s",
        audience=AUDIENCE,
        era=1,
        text=text,
        after=None,
        upto=point(upto),
        covered=4,
        call=CALL,
        by=MODEL,
        origin=origin(f"refresh {text} {upto}"),
        previous=previous,
        causes=(message("m"),),
    )._replace(**fields)


def please_fail(error: str, previous: EventId | None = None) -> FailRequest:
    return FailRequest(
        "s", AUDIENCE, 1, error, None, point(NOW + 1), CALL, MODEL, origin(f"fail {error!r}"), previous=previous
    )


def please_reset(said: int = NOW + 2) -> ResetRequest:
    return ResetRequest("s", AUDIENCE, 1, PERSON, said, point(said), origin(f"reset {said}"), ANN)


def please_import(text: str, updated: int = NOW) -> ImportSummaryRequest:
    return ImportSummaryRequest("discord:channel:1", "s", AUDIENCE, 1, text, updated)


def say(world: World, key: str, who: str, epoch: int = AUDIENCE.epoch, session: str = "s") -> EventId:
    """Somebody says something in the session."""
    audience = Audience("channel", AUDIENCE.place, epoch)
    ref, said = Ref("discord", key), NOW - 100 + len(world.records)
    words = Message(ref, AUDIENCE.place, session, audience, "person", said, "hi", handle(who))
    (record,) = world.add(MessageHeard(said=said, by=OPERATOR, message=words))
    return record.id


def heard_here() -> World:
    """A world in which Ada spoke in the session, so that it is somebody's."""
    world = World()
    seen(world, "Ada")
    say(world, "1", "Ada")
    return world


def seen(world: World, *names: str) -> None:
    for name in names:
        world.add(
            PersonSeen(said=NOW, by=OPERATOR, person=handle(name), platform="discord", platform_id=name, name=name)
        )


def summary(world: World) -> SummaryRow:
    found = find_summary(world.rows, "s", AUDIENCE.epoch)
    assert found is not None
    return found.row


def test_the_first_summary_says_what_it_covers() -> None:
    world = World()
    (event,) = world.decide(refresh, please_refresh(" They talk\nof tea. ", person=ANN))
    assert event == SummaryRefreshed(
        said=NOW, by=MODEL, causes=(message("m"),), session="s", audience=AUDIENCE, era=1, person=ANN,
        text="They talk\nof tea.", refresh=1, after=None, upto=point(NOW), covered=4, call=CALL,
    )  # fmt: skip


def test_refreshes_are_counted_within_their_era() -> None:
    world = World()
    counts = []
    for n, era in enumerate((1, 1, 1, 2, 2)):
        previous = summary(world).event if n else None
        world.decide(refresh, please_refresh("x", NOW + n, previous, era=era))
        counts.append(summary(world).refresh)
    assert counts == [1, 2, 3, 1, 2]


@pytest.mark.parametrize(("length", "kept", "cut"), [(9, 9, False), (10, 10, False), (11, 10, True)])
def test_a_text_over_its_limit_is_cut_hard(length: int, kept: int, cut: bool) -> None:
    (event,) = World().decide(refresh, please_refresh("x" * length, max_chars=10))
    assert isinstance(event, SummaryRefreshed)
    assert (len(event.text), event.cut) == (kept, cut)


def test_a_text_that_was_cut_before_says_so() -> None:
    (event,) = World().decide(refresh, please_refresh("x", cut=True))
    assert isinstance(event, SummaryRefreshed)
    assert event.cut


@pytest.mark.parametrize("text", ["", " \n "])
def test_an_empty_text_is_a_failure_and_the_old_one_stays(text: str) -> None:
    world = World()
    world.decide(refresh, please_refresh("old"))
    (event,) = world.decide(refresh, please_refresh(text, NOW + 5, summary(world).event))
    assert isinstance(event, SummaryFailed)
    assert "empty" in event.error
    assert (summary(world).text, summary(world).said) == ("old", NOW)


def test_an_older_job_never_overwrites_a_newer_summary() -> None:
    world = World()
    world.decide(refresh, please_refresh("first"))
    began = summary(world).event
    world.decide(refresh, please_refresh("newer", NOW + 5, began))
    assert world.decide(refresh, please_refresh("late", NOW + 3, began)) == []
    assert world.decide(fail, please_fail("late", began)) == []
    assert world.decide(refresh, please_refresh("late first")) == []
    assert summary(world).text == "newer"


def test_a_reset_during_a_job_wins() -> None:
    world = World()
    world.decide(refresh, please_refresh("first"))
    began = summary(world).event
    (event,) = world.decide(reset, please_reset())
    assert event == SummaryReset(
        said=NOW + 2, by=PERSON, causes=(began,), session="s", audience=AUDIENCE, era=1, person=ANN,
        upto=point(NOW + 2),
        policy="on request",
        intent=Intent("reset", saw=Saw("first", "summary", "")),
    )  # fmt: skip
    assert world.decide(refresh, please_refresh("late", NOW + 3, began)) == []
    assert summary(world).text == ""
    (after,) = world.decide(refresh, please_refresh("anew", NOW + 4, summary(world).event))
    assert isinstance(after, SummaryRefreshed)
    assert after.refresh == 1


def test_a_reset_wins_over_the_very_first_job_too() -> None:
    world = World()
    (event,) = world.decide(reset, please_reset()._replace(pending=True))
    assert isinstance(event, SummaryReset)
    assert (event.causes, event.upto, event.intent) == ((), point(NOW + 2), Intent("reset", saw=Saw("", "summary", "")))
    assert world.decide(refresh, please_refresh("late")) == []
    assert world.decide(fail, please_fail("late")) == []
    assert summary(world).text == ""


def test_the_floor_of_a_reset_is_carried_on() -> None:
    world = World()
    world.decide(refresh, please_refresh("first"))
    assert summary(world).floor is None
    world.decide(reset, please_reset())
    for n in (4, 5):
        (event,) = world.decide(refresh, please_refresh("anew", NOW + n, summary(world).event, era=n))
        assert isinstance(event, SummaryRefreshed)
        assert event.floor == summary(world).floor == point(NOW + 2)
    (again,) = world.decide(reset, please_reset(NOW + 6)._replace(upto=None, origin=origin("again")))
    assert isinstance(again, SummaryReset)
    assert again.upto == point(NOW + 2)


def test_a_summary_is_said_as_late_as_what_it_rests_on() -> None:
    world = World()
    (event,) = world.decide(refresh, please_refresh("first", said=NOW + 9, policy="cadence@1"))
    assert isinstance(event, SummaryRefreshed)
    assert (event.said, event.upto.said, event.policy) == (NOW + 9, NOW, "cadence@1")
    (failed,) = world.decide(refresh, please_refresh(" ", NOW + 1, summary(world).event, said=NOW + 10, policy="x"))
    assert isinstance(failed, SummaryFailed)
    assert (failed.said, failed.policy) == (NOW + 10, "x")
    (cleared,) = world.decide(reset, please_reset())
    assert cleared.said == NOW + 9


def test_nothing_to_reset() -> None:
    world = World()
    assert world.decide(reset, please_reset()) == []
    world.decide(refresh, please_refresh("first"))
    world.decide(reset, please_reset())
    assert world.decide(reset, please_reset(NOW + 9)) == []


def test_a_call_that_came_to_nothing_is_told_of_also_when_it_is_overtaken() -> None:
    world = World()
    world.decide(refresh, please_refresh("newer", NOW + 9))
    late = please_fail("the model is down")._replace(call=ModelUse("haiku", "", cost_micros=7))
    (event,) = world.decide(fail, late)
    assert isinstance(event, SummaryFailed)
    assert event.upto == point(NOW + 9)
    assert [(call.cost_micros, call.failed) for call in calls(world.rows)] == [(7, True)]
    assert summary(world).text == "newer"


def test_a_failure_keeps_text_and_date_and_counts_as_tried() -> None:
    world = World()
    world.decide(refresh, please_refresh("old"))
    (event,) = world.decide(fail, please_fail("time \ud800 out", summary(world).event))
    assert isinstance(event, SummaryFailed)
    assert event.error == "time \ufffd out"
    assert (summary(world).text, summary(world).said) == ("old", NOW)
    (attempt,) = world.rows.scan(SUMMARY_ATTEMPTS)
    assert attempt.row.upto == point(NOW + 1)


def test_decided_twice_the_second_time_nothing() -> None:
    world = World()
    assert len(world.decide(fail, please_fail("x"))) == 1
    assert world.decide(fail, please_fail("x")) == []
    first = please_refresh("first")
    assert len(world.decide(refresh, first)) == 1
    assert world.decide(refresh, first) == []
    assert world.decide(refresh, first._replace(previous=summary(world).event)) == []
    assert len(world.decide(reset, please_reset())) == 1
    world.decide(refresh, please_refresh("second", NOW + 4, summary(world).event))
    assert world.decide(reset, please_reset()) == []


# -- with its reply ----------------------------------------------------------------------------------------------------

SHOWN = message("m")


def reply(text: str = "They talk.", upto: int = NOW, *causes: EventId) -> WorkRequest:
    answered = SummaryAnswered(
        said=upto, by=MODEL, causes=causes or (SHOWN,), session="s", audience=AUDIENCE, era=1, after=None,
        upto=point(upto), reply=text, call=CALL,
    )  # fmt: skip
    return WorkRequest(answered, origin(f"reply {text} {upto}"))


def settled(world: World, work: WorkRequest | None, request: RefreshRequest | FailRequest) -> list[Event]:
    return [world.record(draft).event for draft in settle(world.rows, work, request)]


def undecided(world: World) -> EventId | None:
    return undecided_summary(world.rows, SHOWN)


def test_a_reply_and_what_comes_of_it_are_one_decision_the_reply_first() -> None:
    world, work, request = World(), reply(), please_refresh("They talk.")._replace(causes=())
    answered, refreshed = settled(world, work, request)
    assert (answered, refreshed.causes) == (work.event, (first_id(work.origin),))
    assert isinstance(refreshed, SummaryRefreshed)
    assert (settled(world, work, request), undecided(world)) == ([], None)


def test_a_reply_that_stands_already_is_not_recorded_once_more() -> None:
    world, work = World(), reply()
    assert undecided(world) is None
    world.decide(record_work, work)
    assert undecided(world) == first_id(work.origin)
    (refreshed,) = settled(world, work, please_refresh("They talk.")._replace(causes=()))
    assert (refreshed.TAG, refreshed.causes) == (SummaryRefreshed.TAG, (first_id(work.origin),))
    world = World()
    world.decide(record_work, work)
    (refreshed,) = settled(world, None, please_refresh("They talk.")._replace(causes=(first_id(work.origin),)))
    assert (refreshed.TAG, undecided(world)) == (SummaryRefreshed.TAG, None)


def test_a_reply_of_which_nothing_can_come_is_recorded_all_the_same() -> None:
    world = World()
    world.decide(refresh, please_refresh("newer"))
    (answered,) = settled(world, reply(), please_refresh("late")._replace(causes=()))
    assert isinstance(answered, SummaryAnswered)
    world = heard_here()
    gone = say(world, "2", "Ada")
    world.ids.seen[gone] = "redacted"
    (answered,) = settled(world, reply("x", NOW, gone), please_refresh("x")._replace(causes=(), shown=(gone,)))
    assert isinstance(answered, SummaryAnswered)
    assert answered.reply == ""


@pytest.mark.parametrize("text", ["", " "])
def test_a_failure_names_its_reply_and_what_was_shown(text: str) -> None:
    world, work = World(), reply(text)
    answered, failed = settled(world, work, please_fail("it was empty")._replace(causes=(SHOWN,)))
    assert (answered, failed.TAG) == (work.event, SummaryFailed.TAG)
    assert (failed.causes, undecided(world)) == ((SHOWN, first_id(work.origin)), None)


def test_a_shorter_reply_decides_of_the_first_and_the_last_reply_counts() -> None:
    world, first = World(), reply()
    world.decide(record_work, first)
    shorter = reply("Tea.", NOW, first_id(first.origin))
    world.decide(record_work, shorter)
    assert undecided(world) == first_id(first.origin)
    settled(world, shorter, please_refresh("Tea.")._replace(causes=()))
    assert undecided(world) is None
    last = reply("They talk of tea.", NOW + 1)
    world.decide(record_work, last)
    assert undecided(world) == first_id(last.origin)
    failing = please_fail("it was empty", previous=summary(world).event)
    assert settled(world, None, failing._replace(causes=(first_id(last.origin),)))
    assert undecided(world) is None


def test_an_imported_summary_keeps_its_date() -> None:
    world = heard_here()
    (event,) = world.decide(import_summary, please_import(" They talk. "))
    assert isinstance(event, SummaryRefreshed)
    assert (event.text, event.said, event.upto.said, event.by) == ("They talk.", NOW, NOW, OPERATOR)
    assert point(NOW) < event.upto < point(NOW + 1)
    assert world.decide(import_summary, please_import(" They talk. ")) == []


@pytest.mark.parametrize(("updated", "text"), [(NOW - 1, "live"), (NOW, "live"), (NOW + 1, "file")])
def test_a_live_summary_gives_way_to_a_newer_file_only(updated: int, text: str) -> None:
    world = heard_here()
    world.decide(refresh, please_refresh("live"))
    world.decide(import_summary, please_import("file", updated))
    assert summary(world).text == text


def test_an_imported_summary_rests_on_everybody_heard_in_its_session() -> None:
    world = World()
    seen(world, "Ada", "Ben", "Cy", "Di")
    say(world, "1", "Ada")
    last = say(world, "2", "Ada")
    gone = say(world, "3", "Ada")
    early = say(world, "4", "Ben", epoch=1)
    say(world, "5", "Cy", session="another")
    late = say(world, "6", "Di")
    world.ids.seen[gone] = "erased"
    (event,) = world.decide(import_summary, please_import("They talk.", NOW - 100 + len(world.records) - 2))
    assert set(event.causes) == {last, early}
    assert late not in event.causes
    assert home(event).era


def test_an_imported_summary_of_what_only_some_could_read_once_is_not_for_all() -> None:
    everybody = Audience("guild", AUDIENCE.place, epoch=3)
    before = heard_here()
    say(before, "2", "Ada", epoch=1)
    assert before.decide(import_summary, please_import("They talk.")._replace(audience=everybody)) == []
    for epoch in (0, 3):
        world = World()
        seen(world, "Ada")
        say(world, "1", "Ada", epoch=epoch)
        now = everybody if epoch else Audience("guild", AUDIENCE.place)
        assert len(world.decide(import_summary, please_import("They talk.")._replace(audience=now))) == 1


def test_an_imported_summary_of_a_dm_is_its_person_s() -> None:
    direct = Audience("direct", Ref("discord", f"dm:{ANN.hex()}"))
    (event,) = World().decide(import_summary, please_import("They talk.")._replace(audience=direct, person=ANN))
    assert event.causes == ()
    assert home(event).people == {ANN}


def test_an_imported_summary_that_would_be_nobody_s_is_not_taken() -> None:
    world = World()
    seen(world, "Ada")
    say(world, "1", "Ada", session="another")
    assert world.decide(import_summary, please_import("They talk.")) == []
    direct = Audience("direct", Ref("discord", "dm:"))
    assert world.decide(import_summary, please_import("They talk.")._replace(audience=direct)) == []


def test_an_imported_summary_from_before_an_erasure_does_not_come_in() -> None:
    world = heard_here()
    world.decide(import_summary, please_import("They talk.", NOW - 1))
    world.add(PersonErased(said=NOW + 3, by=OPERATOR, vaults=(), hashes=(bytes(32),), until=NOW))
    assert world.decide(import_summary, please_import("They talk.", NOW - 1)) == []  # it is known, as it was
    with pytest.raises(BadRequest, match="from before somebody was erased"):
        world.decide(import_summary, please_import("Cy has bees."))
    direct = Audience("direct", Ref("discord", f"dm:{ANN.hex()}"))
    assert world.decide(import_summary, please_import("They talk.")._replace(audience=direct, person=ANN)) != []
    assert world.decide(import_summary, please_import("They talk.", NOW + 1)) != []


def test_an_empty_file_is_nothing() -> None:
    assert World().decide(import_summary, please_import(" ")) == []
