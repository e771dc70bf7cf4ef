"""Law 1, the golden examples, and headers: what is stored once is read for ever."""

import json
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from hypothesis import given, settings

from projections.errors import BadEvent
from projections.events import EVENTS, OLD, ConfigSet, Event
from projections.events.values import OPERATOR
from projections.ids import EventId, VaultId
from replay import codec
from replay.codec import Header
from replay.errors import Damaged, UnknownEvent
from tests.generator import Story, stories

GOLDEN = Path(__file__).parent / "golden"
HEADER = Header(1, EventId(bytes(range(16))), 1_700_000_000_123, 3, "config.set", 1, VaultId(b"v" * 16), b"d" * 32)
HEADER_BYTES = codec.encode_header(HEADER)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(stories())
def test_decode_undoes_encode(story: Story) -> None:
    for drafts in story.decisions():
        for _, event, *_ in drafts:
            assert codec.decode_body(event.TAG, event.VERSION, codec.encode_body(event)) == event


def forms() -> list[tuple[str, int]]:
    return [*((kind.TAG, kind.VERSION) for kind in EVENTS), *OLD]


@pytest.mark.parametrize(("tag", "version"), forms())
def test_the_golden_example_of_every_tag_and_version(tag: str, version: int) -> None:
    path = GOLDEN / f"{tag}@{version}.json"
    assert path.exists(), f"{tag}@{version} needs a golden example: add one, and edit none"
    golden = json.loads(path.read_text(encoding="utf-8"))
    kind = next(kind for kind in EVENTS if tag == kind.TAG)
    event = msgspec.json.decode(json.dumps(golden["event"]), type=kind)
    body = bytes.fromhex(golden["body"])
    assert codec.decode_body(tag, version, body) == event
    if version == kind.VERSION:
        assert codec.encode_body(event) == body


def test_no_golden_example_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*@*.json")} == {f"{tag}@{version}" for tag, version in forms()}


def test_the_golden_header() -> None:
    data = bytes.fromhex(json.loads((GOLDEN / "header.json").read_text(encoding="utf-8"))["header"])
    assert codec.encode_header(HEADER) == data
    assert codec.decode_header(data) == HEADER
    assert codec.header_id(data) == HEADER.id


@pytest.mark.parametrize(("at", "left", "tag"), [(0, 0, "a"), (-1, 127, "item.upserted"), (1 << 40, 999, "t" * 40)])
def test_a_header_is_the_same_put_together_of_what_is_sealed_and_the_digest(at: int, left: int, tag: str) -> None:
    header = Header(1, EventId(b"i" * 16), at, left, tag, 300, VaultId(b"v" * 16), bytes(range(32)))
    assert codec.header_around(codec.associated(header), header.body_digest) == codec.encode_header(header)


def test_no_tag_is_given_twice() -> None:
    assert len({kind.TAG for kind in EVENTS}) == len(EVENTS)
    assert all(kind.VERSION >= 1 for kind in EVENTS)


def test_every_field_is_written_also_where_it_has_its_default() -> None:
    event = ConfigSet(said=0, by=OPERATOR, scope="global", key="k", value=None)
    fields = msgspec.msgpack.decode(codec.encode_body(event))
    assert list(fields) == ["said", "by", "causes", "scope", "key", "value", "person"]


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.TAG)
def test_every_body_begins_with_said_by_causes(kind: type[Event]) -> None:
    assert kind.__struct_fields__[:3] == ("said", "by", "causes")


def test_an_unknown_tag_or_version_names_what_to_install() -> None:
    with pytest.raises(UnknownEvent, match=r"a dream\.dreamt of version 1; this program does not know this tag"):
        codec.decode_body("dream.dreamt", 1, b"\x80")
    with pytest.raises(UnknownEvent, match=r"config\.set of version 9; this program knows version 1 of it. Install"):
        codec.decode_body("config.set", 9, b"\x80")


BODY = codec.encode_body(ConfigSet(said=0, by=OPERATOR, scope="", key="", value=None))


@pytest.mark.parametrize(
    "body",
    [b"", b"\x80", b"\xc1", b"\x81\xa4said\x01", BODY[:-1], BODY + b"\0", BODY.replace(b"operator", b"\xfe" * 8)],
)
def test_a_broken_body_is_damaged(body: bytes) -> None:
    with pytest.raises(Damaged, match=r"the body of a config\.set cannot be read"):
        codec.decode_body("config.set", 1, body)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"said": 1.5}, r"Expected `int`, got `float` - at `\$\.said`"),
        ({"said": 1 << 80}, "can't serialize ints"),
        ({"key": None}, r"Expected `str`, got `None` - at `\$\.key`"),
        ({"key": b"k"}, r"Expected `str`, got `bytes` - at `\$\.key`"),
        ({"key": "secret\ud800"}, "half a character"),
        ({"by": object()}, "objects of type object"),
    ],
    ids=lambda each: repr(each)[:24],
)
def test_what_could_not_be_read_again_is_not_made_bytes(wrong: dict[str, Any], why: str) -> None:
    event = msgspec.structs.replace(ConfigSet(said=0, by=OPERATOR, scope="", key="", value=None), **wrong)
    with pytest.raises(BadEvent, match=f"a config.set could not be read again, and is not recorded: .*{why}") as raised:
        codec.encode_body(event)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "data", [b"", b"\x90", b"\xff" * 40, HEADER_BYTES.replace(b"config", b"\xffonfig"), HEADER_BYTES[:-1]]
)
def test_a_broken_header_is_damaged(data: bytes) -> None:
    with pytest.raises(Damaged, match="a header cannot be read"):
        codec.decode_header(data)


def test_an_old_version_is_lifted_when_it_is_read() -> None:
    class ToneSet(Event, frozen=True, kw_only=True):
        TAG: ClassVar[str] = "tone.set"
        tone: str

    def lift(old: ToneSet) -> ConfigSet:
        return ConfigSet(said=old.said, by=old.by, scope="global", key="tone", value=old.tone)

    OLD["tone.set", 1] = ToneSet, lift
    try:
        lifted = codec.decode_body("tone.set", 1, codec.encode_body(ToneSet(said=5, by=OPERATOR, tone="gruff")))
        assert lifted == ConfigSet(said=5, by=OPERATOR, scope="global", key="tone", value="gruff")
        with pytest.raises(Damaged):
            codec.decode_body("tone.set", 1, b"\x80")
    finally:
        del OLD["tone.set", 1]


def test_a_newer_header_says_which_program_to_install() -> None:
    newer = codec.encode_header(Header(2, EventId(bytes(16)), 1, 0, "x", 1, VaultId(bytes(16)), bytes(32)))
    with pytest.raises(UnknownEvent, match=r"the form 2.*Install the version"):
        codec.decode_header(newer)


def test_a_header_that_cannot_be_read_has_no_form() -> None:
    assert [codec.form_of(each) for each in (b"", b"no header", b"\x98\x7f")] == [None] * 3
