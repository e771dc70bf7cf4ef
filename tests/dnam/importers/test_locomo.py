"""LoCoMo's conversations, with invented ones of the same shape."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dnam.importers.detect import detect
from dnam.importers.locomo import SAME_ID, session_ms
from dnam.importers.source import BrokenImport, Channel, Options, Skipped
from projections.decisions.meet import Account
from projections.errors import BadRequest
from projections.events.values import Attachment
from projections.ids import Ref
from tests.dnam.importers.files import heard, reasons, requests, sample, source, turn, until_error

MAY, JUNE = "1:56 pm on 8 May, 2023", "12:09 am on 13 June, 2023"
MAY_MS, JUNE_MS = 1_683_554_160_000, 1_686_614_940_000
TWO = sample("c-1", "Ada", "Bo", (MAY, [turn(1, 1, "Ada", "hi"), turn(1, 2, "Bo", "ho")]), (JUNE, [turn(2, 1, "Bo")]))


def test_turns_are_said_at_their_session_s_date(tmp_path: Path) -> None:
    found = heard(tmp_path, [TWO])
    assert [(each.key, each.said) for each in found] == [
        ("c-1/D1:1", MAY_MS + 1),
        ("c-1/D1:2", MAY_MS + 2),
        ("c-1/D2:1", JUNE_MS + 1),
    ]
    assert found[0].speaker == Account("locomo", "c-1/Ada", "Ada")
    assert (found[0].text, found[0].author, found[0].fresh, found[0].addressed) == ("hi", "person", (), False)
    place = found[0].place
    assert (place.platform, place.key, place.kind, place.name) == ("locomo", "c-1", "channel", "c-1")
    assert (place.audience, place.guild, place.partner) == ("channel", None, None)


def test_the_conversations_are_listed(tmp_path: Path) -> None:
    found = source(tmp_path, [TWO, sample(None, "Ada", "Cy")]).channels
    assert found[0] == Channel("c-1", "Ada & Bo", "channel", messages=3)
    assert (found[1].key[:13], found[1].name, found[1].messages) == ("conversation-", "Ada & Cy", 0)


def test_conversations_without_ids_are_known_by_how_they_begin(tmp_path: Path) -> None:
    first = MAY, [turn(1, 1, "Ada", "hi")]
    one, other = sample(None, "Ada", "Bo", first), sample(None, "Ada", "Bo", (MAY, [turn(1, 1, "Ada", "ho")]))
    longer = sample(None, "Ada", "Bo", first, (JUNE, [turn(2, 1, "Bo", "hello again")]))
    keys = [source(tmp_path, [each]).channels[0].key for each in (one, other, one, longer)]
    assert keys[0] == keys[2] == keys[3] != keys[1]


@pytest.mark.parametrize(
    ("date", "milliseconds"),
    [
        (MAY, MAY_MS),
        (JUNE, JUNE_MS),
        ("12:00 pm on 29 February, 2024", 1_709_208_000_000),
        (" 1:56 PM on 8 may 2023 ", MAY_MS),
        ("1:00 am on 1 January, 1900", 0),
        ("1:56 pm on 30 February, 2023", None),
        ("1:56 pm on 8 Mai, 2023", None),
        ("1:60 pm on 8 May, 2023", None),
        ("13:56 on 8 May, 2023", None),
        ("", None),
        (7, None),
        (None, None),
    ],
)
def test_dates(date: object, milliseconds: int | None) -> None:
    assert session_ms(date) == milliseconds


def test_people_of_different_conversations_are_different_people(tmp_path: Path) -> None:
    found = heard(tmp_path, [sample(key, "Ada", "Bo", (MAY, [turn(1, 1, "Ada")])) for key in ("a", "b")])
    assert [each.speaker.id for each in found] == ["a/Ada", "b/Ada"]
    assert {each.speaker.name for each in found} == {"Ada"}


def test_all_conversations_come_in_the_order_of_what_was_said(tmp_path: Path) -> None:
    late = sample("late", "Ada", "Bo", (JUNE, [turn(1, 1, "Ada")]))
    assert [each.place.key for each in heard(tmp_path, [late, TWO])] == ["c-1", "c-1", "late", "c-1"]


def test_said_is_strictly_increasing_whatever_the_dates(tmp_path: Path) -> None:
    long = [turn(1, n, "Ada") for n in range(1, 100)]
    again = [turn(2, n, "Bo") for n in range(1, 50)]
    earlier = [turn(3, 1, "Bo", "first")]
    found = heard(tmp_path, [sample("c", "Ada", "Bo", (JUNE, long), (JUNE, again), (MAY, earlier))])
    assert found[0].text == "first"
    assert len(found) == 149
    assert all(one.said < two.said for one, two in pairwise(found))


def test_sessions_are_counted_not_spelled(tmp_path: Path) -> None:
    value = sample("c", "Ada", "Bo", *((MAY, [turn(n, 1, "Ada", str(n))]) for n in range(1, 13)))
    assert [each.text for each in heard(tmp_path, [value])] == [str(n) for n in range(1, 13)]


@pytest.mark.parametrize(
    ("more", "attachments"),
    [
        ({"blip_caption": "a kite"}, [Attachment("image", 0, "a kite")]),
        (
            {"blip_caption": "a kite", "img_url": ["https://x.test/p/kite.jpg?s=1"]},
            [Attachment("kite.jpg", 0, "a kite")],
        ),
        ({"img_url": "https://x.test/"}, [Attachment("image")]),
        ({"img_url": ["https://[x/a.jpg"]}, [Attachment("image")]),
        (
            {"img_url": ["/a.jpg", "/b.jpg"], "blip_caption": "two"},
            [Attachment("a.jpg", 0, "two"), Attachment("b.jpg")],
        ),
        ({"img_url": []}, []),
    ],
)
def test_images_come_with_their_captions(tmp_path: Path, more: dict[str, Any], attachments: list[Attachment]) -> None:
    (request,) = heard(tmp_path, [sample("c", "Ada", "Bo", (MAY, [turn(1, 1, "Ada", **more)]))])
    assert list(request.attachments) == attachments


def test_one_of_the_two_may_be_the_assistant(tmp_path: Path) -> None:
    found = heard(tmp_path, [TWO], Options(assistants=("bo",)))
    assert [(each.author, each.addressed) for each in found] == [("person", True), ("self", False), ("self", False)]


def test_a_guild_can_have_read_it(tmp_path: Path) -> None:
    place = heard(tmp_path, [TWO], Options(audience="guild"))[0].place
    assert (place.audience, place.guild, place.guild_name) == ("guild", Ref("locomo", "c-1/guild"), "c-1")


def test_an_audience_counts_as_told_only_when_it_was(tmp_path: Path) -> None:
    assert not heard(tmp_path, [TWO])[0].place.told
    assert heard(tmp_path, [TWO], Options(audience="channel"))[0].place.told


def test_it_is_a_dm_only_with_the_assistant(tmp_path: Path) -> None:
    place = heard(tmp_path, [TWO], Options(audience="dm", assistants=("Bo",)))[0].place
    assert (place.audience, place.kind, place.partner) == ("direct", "direct", Account("locomo", "c-1/Ada", "Ada"))
    with pytest.raises(BadRequest, match="Ada & Bo are people"):
        heard(tmp_path, [TWO], Options(audience="dm"))


def test_what_is_not_taken_is_counted_by_its_reason(tmp_path: Path) -> None:
    turns = [turn(1, 1, "Ada"), {"text": "whose?"}, turn(1, 3, "Bo", " "), turn(1, 4, "Bo", "good")]
    value = [sample("c", "Ada", "Bo", (MAY, turns), (None, [turn(2, 1, "Ada")])), TWO, TWO, {"qa": []}, 7]
    arrivals = list(source(tmp_path, value).read(Options()))
    assert len(requests(arrivals)) == 5
    assert reasons(arrivals) == {
        "not in the form of a turn": 1,
        "empty": 1,
        "in a session without a date": 1,
        "conversation with a sample_id that was there before": 1,
        "not in the form of a conversation": 2,
    }


@pytest.mark.parametrize("turns", [{"1": turn(3, 1, "Ada")}, "hi", None, 7])
def test_a_session_whose_turns_are_in_no_list_is_told_with_its_place(tmp_path: Path, turns: object) -> None:
    broken = json.loads(json.dumps(TWO))
    broken["conversation"] |= {"session_3": turns, "session_3_date_time": MAY, "session_4": []}
    assert [each.key for each in heard(tmp_path, [broken])] == [each.key for each in heard(tmp_path, [TWO])]
    told = [each for each in source(tmp_path, [broken]).read(Options()) if isinstance(each, Skipped)]
    assert told == [Skipped("session whose turns are not in a list", "c-1, session 3")]


def test_a_broken_session_does_not_make_another_conversation_of_one_without_an_id(tmp_path: Path) -> None:
    whole = sample(None, "Ada", "Bo", (JUNE, [turn(1, 1, "Ada", "hi")]))
    broken = json.loads(json.dumps(whole))
    broken["conversation"] |= {"session_2": {}, "session_2_date_time": MAY}
    assert source(tmp_path, [broken]).channels == source(tmp_path, [whole]).channels


def test_a_truncated_file_yields_every_whole_conversation(tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_text(json.dumps([TWO, sample("c-2", "Cy", "Di", (MAY, [turn(1, 1, "Cy")]))])[:-9], encoding="utf-8")
    given, error = until_error(detect(path).read(Options()))
    assert len(requests(given)) == 3
    assert isinstance(error, BrokenImport)
    assert error.where.startswith("after conversation 1, at byte")
    assert [each.key for each in detect(path).channels] == ["c-1"]


def test_lone_surrogates_are_replaced(tmp_path: Path) -> None:
    (request,) = heard(tmp_path, [sample("c", "A\ud800", "Bo", (MAY, [turn(1, 1, "A\ud800", "x\udc00\0")]))])
    assert (request.speaker.name, request.text) == ("A\ufffd", "x\ufffd\0")


def test_of_turns_with_one_id_the_first_is_taken_and_the_others_are_told(tmp_path: Path) -> None:
    """They counted as known, in a file that was imported for the first time."""
    turns = [turn(1, 1, "Ada", "hi"), turn(1, 1, "Bo", "ho"), turn(1, 2, "Ada", "well")]
    arrivals = list(source(tmp_path, [sample("c", "Ada", "Bo", (MAY, turns))]).read(Options()))
    assert [each.text for each in requests(arrivals)] == ["hi", "well"]
    assert reasons(arrivals) == {SAME_ID: 1}
