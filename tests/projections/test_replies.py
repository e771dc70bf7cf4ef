"""What a model sends, read or rejected."""

import json
import re
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.policies.kinds import DNAM_KINDS
from projections.policies.replies import (
    MOST_ENTRIES,
    MOST_REPLY_CHARS,
    DeprecationEntry,
    Dropped,
    ExtractionReply,
    Quote,
    Unreadable,
    UpsertEntry,
    read_extraction,
)
from projections.policies.reply_shapes import (
    AskedDeprecation,
    AskedExtraction,
    AskedKind,
    AskedQuote,
    AskedUpsert,
)

ONE = '{"upserts": [{"kind": "fact", "text": "likes tea"}], "deprecations": []}'


def read(value: Any) -> ExtractionReply:
    reply = read_extraction(value if isinstance(value, str) else json.dumps(value))
    assert isinstance(reply, ExtractionReply)
    return reply


def only(entry: dict[str, Any]) -> UpsertEntry:
    reply = read({"upserts": [entry]})
    assert reply.dropped == ()
    return reply.upserts[0]


def why(entry: Any) -> str:
    reply = read({"upserts": [entry, {"text": "the other stays"}]})
    assert [each.text for each in reply.upserts] == ["the other stays"]
    assert reply.dropped[0].entry == "upserts[0]"
    return reply.dropped[0].reason


@pytest.mark.parametrize(
    "reply",
    [
        ONE,
        f"\n {ONE} \n",
        f"```json\n{ONE}\n```",
        f"```\n{ONE}\n```",
        f"Here is what I found:\n```JSON\n{ONE}\n```\nAnything else?",
        f"Sure [1], as {{you}} asked: {ONE} Bye {{}} [].",
        '[{"kind": "fact", "text": "likes tea"}]',
        'In short: [{"kind": "fact", "text": "likes tea"}] and no more.',
        '{"upserts": [{"kind": "fact", "text": "likes tea", "unknown": {"a": 1}}], "notes": "none"}',
    ],
)
def test_one_entry_in_many_wrappings(reply: str) -> None:
    assert read(reply).upserts == (UpsertEntry(kind="fact", text="likes tea"),)


@pytest.mark.parametrize(
    "reply", ["[]", "```json\n[]\n```", '{"upserts": []}', '{"deprecations": null}', '{"extracted_memories": []}']
)
def test_nothing_to_do_is_an_answer(reply: str) -> None:
    assert read(reply) == ExtractionReply()


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I could not find anything.",
        "null",
        "42",
        "{}",
        "[1, 2]",
        '{"memories": []}',
        ONE[:-3],
        f"```json\n{ONE[:-3]}",
        '[{"text": "a", "evidence": [{"text": "not an item"}]}, {"te',
        '{"upserts": [NaN]}',
        "[" * 5_000,
        "{" * 5_000,
        '{"a":' * 5_000,
        '{"upserts": "none"}',
        '{"upserts": [' + "9" * 5_000 + "]}",
    ],
)
def test_what_cannot_be_read_says_why(reply: str) -> None:
    unreadable = read_extraction(reply)
    assert isinstance(unreadable, Unreadable)
    assert "no JSON" in unreadable.reason


def test_a_reply_beyond_all_measure_is_not_read() -> None:
    reply = read_extraction(" " * (MOST_REPLY_CHARS + 1))
    assert isinstance(reply, Unreadable)
    assert "longer" in reply.reason


def test_every_field_of_the_schema() -> None:
    entry = only(
        {
            "id": "durable-1",
            "kind": "Preference",
            "text": "  likes \n tea ",
            "tags": ["Drinks", "drinks"],
            "source": {"type": "discord", "channelId": "1", "messageId": "2"},
            "type": "Semantic",
            "about": "guild",
            "confidence": 0.8,
            "evidence": [{"quote": "I like tea", "message": 7}, "tea!"],
            "shareable": True,
            "valid_from": "2026-02-09",
            "valid_until": 1_770_595_200_001,
            "supersedes": ["durable-0"],
        }
    )
    assert entry == UpsertEntry(
        kind="preference",
        text="likes tea",
        id="durable-1",
        tags=("drinks",),
        source="2",
        type="semantic",
        about="guild",
        confidence=800,
        evidence=(Quote("I like tea", "7"), Quote("tea!")),
        shareable=True,
        valid_from=1_770_595_200_000,
        valid_until=1_770_595_200_001,
        supersedes=("durable-0",),
        must_quote=True,
    )


def test_what_is_null_or_unknown_is_unsaid() -> None:
    fields = ("id", "kind", "tags", "source", "type", "about", "confidence", "evidence", "valid_from", "supersedes")
    assert only({"text": "likes tea"} | dict.fromkeys(fields)) == UpsertEntry(kind="fact", text="likes tea")
    entry = only({"text": "x", "kind": "lore", "type": "weird", "about": "?", "supersedes": "", "valid_until": " "})
    assert entry == UpsertEntry(kind="fact", text="x")


@pytest.mark.parametrize(("share", "thousandths"), [(0, 0), (1, 1000), (0.5, 500), (0.9996, 1000), (0.0004, 0)])
def test_confidence_is_in_thousandths(share: float, thousandths: int) -> None:
    assert only({"text": "x", "confidence": share}).confidence == thousandths


@pytest.mark.parametrize(
    ("evidence", "quotes"),
    [
        ("I like tea", (Quote("I like tea"),)),
        (["a", "b"], (Quote("a"), Quote("b"))),
        ("", ()),
        (["", "a"], (Quote("a"),)),
    ],
)
def test_evidence_in_its_forms(evidence: Any, quotes: tuple[Quote, ...]) -> None:
    assert only({"text": "x", "evidence": evidence}).evidence == quotes


@pytest.mark.parametrize(("source", "name"), [("m1", "m1"), ({"type": "manual"}, ""), ({"messageId": 5}, "5")])
def test_the_source_is_the_message_it_names(source: Any, name: str) -> None:
    assert only({"text": "x", "source": source}).source == name


@pytest.mark.parametrize(
    ("date", "milliseconds"),
    [("1970-01-02", 86_400_000), ("1970-01-01T01:00:00+01:00", 0), ("1969-12-31T23:59:59.999", -1), (12, 12)],
)
def test_dates(date: Any, milliseconds: int) -> None:
    assert only({"text": "x", "valid_from": date}).valid_from == milliseconds


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"kind": "fact"}, "missing required field `text`"),
        ({"text": 5}, "Expected `str`"),
        ({"text": " \n "}, "its text is empty"),
        ({"text": "x", "confidence": 1.1}, "<= 1"),
        ({"text": "x", "confidence": "high"}, "Expected"),
        ({"text": "x", "tags": "a"}, "Expected"),
        ({"text": "x", "evidence": [{"words": "a"}]}, "`quote`"),
        ({"text": "x", "valid_from": "next week"}, "`valid_from` is no date"),
        ({"text": "x", "valid_until": 1 << 53}, "`valid_until` lies too far away"),
        ("likes tea", "Expected `object`"),
        (None, "Expected `object`"),
    ],
)
def test_a_bad_entry_is_dropped_and_reported_and_the_others_stay(entry: Any, reason: str) -> None:
    assert reason in why(entry)


def test_a_text_of_any_length_is_read_so_that_its_guard_can_say_why_not() -> None:
    assert only({"text": "x" * 100_000}).text == "x" * 100_000


def test_deprecations() -> None:
    reply = read(
        {"deprecations": [{"id": "durable-1", "reason": " told \n so "}, {"matchText": "likes tea"}, {}, {"id": 3}]}
    )
    assert reply.deprecations == (DeprecationEntry("durable-1", "told so"), DeprecationEntry(match_text="likes tea"))
    assert [each.entry for each in reply.dropped] == ["deprecations[2]", "deprecations[3]"]
    assert "neither `id` nor `matchText`" in reply.dropped[0].reason


def test_a_list_that_is_none_is_reported() -> None:
    reply = read({"upserts": "none", "deprecations": [{"id": "durable-1"}]})
    assert reply.dropped == (Dropped("upserts", "it is no list"),)
    assert len(reply.deprecations) == 1


@pytest.mark.parametrize("name", ["upserts", "extracted_memories"])
def test_a_list_of_one_may_stand_without_its_brackets(name: str) -> None:
    reply = read({name: {"text": "likes tea", "summary": "likes tea"}})
    assert [each.text for each in reply.upserts] == ["likes tea"]
    gone = read({"upserts": [], "deprecations": {"id": "durable-1"}})
    assert gone.deprecations == (DeprecationEntry("durable-1"),)


def test_numbers_and_truth_may_stand_in_quotes() -> None:
    entry = only({"text": "x", "confidence": "0.9", "shareable": "false"})
    assert (entry.confidence, entry.shareable) == (900, False)
    assert only({"text": "x", "shareable": "true"}).shareable
    assert only({"text": "null", "id": "null", "source": "12"}) == UpsertEntry(
        kind="fact", text="null", id="null", source="12"
    )


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"upserts": "none", "deprecations": []}, "upserts: it is no list"),
        ({"upserts": [{"kind": "fact"}], "deprecations": [{}]}, r"\(2 wrong\): upserts\[0\]: .*missing required field"),
        ({"upserts": {"kind": "fact"}}, r"\(1 wrong\): upserts\[0\]: .*missing"),
        ([{"kind": "fact"}], r"upserts\[0\]"),
        ({"extracted_memories": [{"type": "semantic"}]}, "missing required field `summary`"),
    ],
)
def test_a_reply_of_which_nothing_can_be_used_is_none(reply: Any, reason: str) -> None:
    """It is tried again with what was said, as one that holds no JSON: else that would count as read."""
    found = read_extraction(json.dumps(reply))
    assert isinstance(found, Unreadable)
    assert re.search(reason, found.reason)


def test_a_reply_that_keeps_nothing_can_be_read() -> None:
    assert read({"upserts": [], "deprecations": []}) == ExtractionReply()
    assert read({"upserts": None}) == ExtractionReply()
    assert read({"upserts": {}, "deprecations": {}}) == ExtractionReply()


def test_slashai_s_memories() -> None:
    memory = {
        "summary": "User's IGN is CreeperSlayer99",
        "type": "semantic",
        "raw_dialogue": "User: btw my IGN is CreeperSlayer99\\nAssistant: Nice.\nUser: yes",
        "confidence": 1.0,
        "global_safe": True,
    }
    reply = read({"extracted_memories": [memory, {"summary": "Built a farm"}, {"type": "semantic"}]})
    first, second = reply.upserts
    assert first.evidence == (Quote("btw my IGN is CreeperSlayer99"), Quote("yes"))
    assert (first.kind, first.type, first.confidence, first.shareable) == ("fact", "semantic", 1000, True)
    assert second == UpsertEntry(kind="fact", text="Built a farm", must_quote=True)
    assert len(reply.dropped) == 1


def test_a_bare_list_may_say_what_it_replaces() -> None:
    reply = read([{"kind": "fact", "text": "lives in Rome", "supersedes": "lives in Paris"}])
    assert reply.upserts[0].supersedes == ("lives in Paris",)


def test_no_more_entries_than_a_decision_can_hold() -> None:
    reply = read({"upserts": [{"text": f"item {n}"} for n in range(MOST_ENTRIES + 1)]})
    assert len(reply.upserts) == MOST_ENTRIES
    assert reply.dropped[0].entry == f"upserts[{MOST_ENTRIES}]"


def test_lone_surrogates_do_not_get_in() -> None:
    entry = only({"text": "a\ud800", "id": "\udc00", "tags": ["\ud800"], "evidence": "\ud800", "supersedes": "\ud800"})
    texts = (entry.text, entry.id, *entry.tags, entry.evidence[0].quote, *entry.supersedes)
    assert all(text.encode() for text in texts)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "id", "evidence", "kind", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_reading_is_total(upserts: Any, deprecations: Any) -> None:
    reply = read_extraction(json.dumps({"upserts": upserts, "deprecations": deprecations}))
    assert isinstance(reply, ExtractionReply | Unreadable)


@given(st.text(alphabet='{}[]":, abc`\n\\u', max_size=60))
def test_reading_any_text_is_total(text: str) -> None:
    assert isinstance(read_extraction(text), ExtractionReply | Unreadable)


def test_what_is_asked_for_can_be_read_field_by_field() -> None:
    upsert = AskedUpsert(
        id="durable-1", kind="project", text="User builds dnam.", tags=["dnam"], source="ab", type="semantic",
        about="person", confidence=0.5, evidence=[AskedQuote("I build dnam", "ab")], shareable=True,
        valid_from="2026-02-09", valid_until=None,
    )  # fmt: skip
    asked = AskedExtraction([upsert], [AskedDeprecation("", "changed", "User builds houses.")])
    read = read_extraction(msgspec.json.encode(asked).decode())
    assert isinstance(read, ExtractionReply)
    assert read.dropped == ()
    assert read.upserts == (
        UpsertEntry(
            "project", "User builds dnam.", "durable-1", ("dnam",), "ab", "semantic", "person", 500,
            (Quote("I build dnam", "ab"),), True, 1_770_595_200_000, must_quote=True,
        ),
    )  # fmt: skip
    assert read.deprecations == (DeprecationEntry("", "changed", "User builds houses."),)


def test_every_kind_that_is_asked_for_is_one() -> None:
    assert get_args(AskedKind) == DNAM_KINDS
    assert set(AskedUpsert.__struct_fields__) <= set(UpsertEntry.__struct_fields__)
