"""DiscordChatExporter's files, and the project's own sample of one."""

import json
import random
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnam.importers import order
from dnam.importers.detect import detect
from dnam.importers.discord_export import MOST_NAMED, NAMES_TOO_MANY
from dnam.importers.discord_form import DELETED_USER, KINDS
from dnam.importers.source import Arrived, BrokenImport, Channel, Options, Skipped, Told
from dnam.importers.times import snowflake_ms
from projections.decisions.forwards import Forwarded
from projections.decisions.hear import Answered, Mention
from projections.decisions.meet import Account
from projections.errors import BadRequest
from projections.events.values import FORWARDED, Attachment
from projections.ids import Ref
from projections.times import DAY_MS
from tests.dnam.importers.files import (
    BOT,
    KIM,
    LEE,
    SAMPLE,
    T0,
    export,
    flake,
    heard,
    iso,
    message,
    reasons,
    requests,
    source,
    until_error,
    user,
    write,
)

KIM_ACCOUNT = Account("discord", KIM["id"], username="kim")
ASSISTED = Options(assistants=("dnam",))


def test_a_message_is_heard_as_it_stands_there(tmp_path: Path) -> None:
    files = [{"id": "1", "url": "u", "fileName": "a.png", "fileSizeBytes": 12}]
    given = message(1, "good morning", attachments=files, timestampEdited=iso(T0 + 5000))
    (request,) = heard(tmp_path, export(given))
    assert (request.key, request.text, request.said, request.edited) == (
        given["id"],
        "good morning",
        T0 + 1000,
        T0 + 5000,
    )
    assert (request.author, request.speaker, request.fresh) == ("person", KIM_ACCOUNT, ())
    assert request.attachments == (Attachment("a.png", 12),)
    assert (request.place.key, request.place.name, request.place.kind) == ("500", "talk", "channel")
    assert (request.place.guild, request.place.guild_name) == (Ref("discord", "100"), "The Guild")
    assert (request.place.audience, request.place.parent, request.place.partner) == ("channel", None, None)
    assert not request.addressed


def test_the_channel_is_described(tmp_path: Path) -> None:
    guild = Ref("discord", "100")
    found = source(tmp_path, export(message(1), message(2))).channels
    assert found == (Channel("500", "talk", "channel", guild, "The Guild", messages=2, must_ask=True),)


def test_a_count_that_is_not_there_is_not_known(tmp_path: Path) -> None:
    value = export(message(1))
    del value["messageCount"]
    assert source(tmp_path, value).channels[0].messages is None


@pytest.mark.parametrize("kind", [*KINDS, "GuildSomethingNew"])
def test_unless_told_no_channel_is_public(tmp_path: Path, kind: str) -> None:
    (request,) = heard(tmp_path, export(message(1), kind=kind))
    assert request.place.audience == "channel"
    (channel,) = source(tmp_path, export(message(1), kind=kind)).channels
    assert channel.kind == KINDS.get(kind, "unknown")
    assert (channel.guild is None) == kind.startswith("Direct")


@pytest.mark.parametrize(
    ("kind", "audience", "asks"),
    [
        ("GuildTextChat", "guild", True),
        ("GuildPublicThread", "guild", True),
        ("GuildSomethingNew", "channel", False),
        ("DirectSomethingNew", "channel", False),
        ("", "channel", False),
        ("GuildPrivateThread", "channel", False),
        ("DirectGroupTextChat", "channel", False),
        ("DirectTextChat", "channel", False),
    ],
)
def test_what_is_private_by_its_own_word_stays_so(tmp_path: Path, kind: str, audience: str, asks: bool) -> None:
    value = export(message(1), message(2, author=LEE), kind=kind)
    assert {each.place.audience for each in heard(tmp_path, value, Options(audience="guild"))} == {audience}
    assert source(tmp_path, value).channels[0].must_ask == asks


@pytest.mark.parametrize("told", [None, "guild", "channel", "dm"])
@pytest.mark.parametrize("kind", ["GuildHologram", "DirectHologram", "guildtextchat", "16"])
def test_a_channel_of_an_unknown_type_is_restricted_whatever_is_told(
    tmp_path: Path, kind: str, told: Told | None
) -> None:
    value = export(message(1), message(2, author=BOT), kind=kind)
    options = Options(audience="guild", audiences={} if told is None else {"500": told})
    for request in heard(tmp_path, value, options):
        assert (request.place.audience, request.place.partner) == ("channel", None)
        # What nobody may say narrows no channel that is known as open, either.
        assert request.place.told == (told == "channel")
    (channel,) = source(tmp_path, value).channels
    assert (channel.must_ask, channel.unknown_type) == (False, kind)


def test_what_is_told_of_one_channel_goes_before_what_is_told_of_all(tmp_path: Path) -> None:
    options = Options(audience="channel", audiences={"500": "guild"})
    assert heard(tmp_path, export(message(1)), options)[0].place.audience == "guild"


def test_a_thread_has_its_parent_and_a_channel_has_no_heading_for_one(tmp_path: Path) -> None:
    (thread,) = heard(tmp_path, export(message(1), kind="GuildPublicThread"))
    assert (thread.place.kind, thread.place.parent) == ("thread", Ref("discord", "400"))
    (orphan,) = heard(tmp_path, export(message(1), kind="GuildPublicThread", categoryId=None))
    assert orphan.place.parent is None


@pytest.mark.parametrize("options", [Options(), ASSISTED, Options(audience="dm"), Options(audience="guild")])
def test_a_dm_of_one_person_with_a_bot_is_theirs(tmp_path: Path, options: Options) -> None:
    value = export(message(1, author=BOT), message(2), kind="DirectTextChat", name="dnam")
    for request in heard(tmp_path, value, options):
        assert (request.place.audience, request.place.kind, request.place.partner) == ("direct", "direct", KIM_ACCOUNT)
        assert request.place.guild is None
        assert request.addressed == (options is ASSISTED and request.author == "person")


@pytest.mark.parametrize("others", [[LEE], [LEE, BOT], []], ids=["two people", "two and a bot", "one and nobody"])
def test_a_dm_that_is_no_one_person_s_is_restricted_to_itself(tmp_path: Path, others: list[dict[str, Any]]) -> None:
    value = export(message(1), *(message(n, author=each) for n, each in enumerate(others, 2)), kind="DirectTextChat")
    for request in heard(tmp_path, value):
        assert (request.place.audience, request.place.kind, request.place.partner) == ("channel", "group", None)


@pytest.mark.parametrize("kind", ["DirectTextChat", "DirectGroupTextChat", "DirectSomethingNew"])
def test_what_is_named_after_its_people_brings_no_name(tmp_path: Path, kind: str) -> None:
    value = export(message(1), message(2, author=LEE), kind=kind, name="Kim, Lee")
    assert {request.place.name for request in heard(tmp_path, value)} == {""}


@pytest.mark.parametrize("told", ["guild", "channel"])
def test_an_audience_counts_as_told_only_when_it_was(tmp_path: Path, told: Told) -> None:
    assert not heard(tmp_path, export(message(1)))[0].place.told
    assert heard(tmp_path, export(message(1)), Options(audience=told))[0].place.told


def test_a_dm_that_was_told_to_be_a_channel_is_one(tmp_path: Path) -> None:
    value = export(message(1, author=BOT), message(2), kind="DirectTextChat")
    assert heard(tmp_path, value, Options(audience="channel"))[0].place.audience == "channel"


def test_a_channel_can_be_told_to_be_the_dm_of_its_one_person(tmp_path: Path) -> None:
    value = export(message(1), message(2, author=BOT))
    assert {each.place.partner for each in heard(tmp_path, value, Options(audience="dm"))} == {KIM_ACCOUNT}


def test_what_two_people_wrote_cannot_be_told_to_be_a_dm(tmp_path: Path) -> None:
    value = export(message(1), message(2, author=LEE), kind="DirectTextChat")
    with pytest.raises(BadRequest, match="2 people write in it"):
        heard(tmp_path, value, Options(audience="dm"))


def test_bots_webhooks_and_deleted_accounts_never_become_people(tmp_path: Path) -> None:
    webhook = user("dnam", "77", bot=True, disc="0000")
    authors = [BOT, webhook, user("dnam", "78"), user("Deleted User", DELETED_USER), user("new", "79", disc="0000")]
    value = export(*(message(n, author=each) for n, each in enumerate(authors)))
    assert [each.author for each in heard(tmp_path, value)] == ["bot", "webhook", "person", "unknown", "person"]
    assert [each.author for each in heard(tmp_path, value, ASSISTED)] == [
        "self",
        "webhook",
        "person",
        "unknown",
        "person",
    ]
    assert [each.author for each in heard(tmp_path, value, Options(assistants=("78",)))][2] == "self"


def test_nobody_is_called_here_by_what_one_server_calls_them(tmp_path: Path) -> None:
    value = export(message(1), message(2, author=user("plain")), message(3, author=user("bare", nickname="")))
    speakers = [each.speaker for each in heard(tmp_path, value)]
    assert [each.name for each in speakers] == ["", "", ""]
    assert [each.username for each in speakers] == ["kim", "plain", "bare"]


@pytest.mark.parametrize(
    ("content", "text", "at"),
    [
        ("hey @Kim how", "hey  how", [4]),
        ("@kim's", "'s", [0]),
        ("@Kim@Kim", "", [0, 0]),
        ("😀 <@{kim}>!", "😀 !", [2]),
        ("<@!{kim}> and @Kim.", " and .", [0, 5]),
        ("@Kimberly, k@im", "@Kimberly, k@im", []),
        ("@everyone @here @KIM", "@everyone @here @KIM", []),
    ],
)
def test_mentions_are_cut_out_and_marked(tmp_path: Path, content: str, text: str, at: list[int]) -> None:
    given = message(1, content.format(kim=KIM["id"]), author=LEE, mentions=[KIM])
    (request,) = heard(tmp_path, export(given))
    assert request.text == text
    assert request.mentions == tuple(Mention(each, KIM_ACCOUNT) for each in at)


def test_the_longest_name_is_meant_and_an_ambiguous_one_stays(tmp_path: Path) -> None:
    kim_lee, other = user("x", nickname="Kim Lee"), user("y", nickname="Lee")
    (one,) = heard(tmp_path, export(message(1, "@Kim Lee and @Kim", mentions=[KIM, kim_lee])))
    assert [(each.at, each.account.id) for each in one.mentions] == [(0, kim_lee["id"]), (5, KIM["id"])]
    (two,) = heard(tmp_path, export(message(1, "@Lee!", mentions=[LEE, other])))
    assert (two.text, two.mentions) == ("@Lee!", ())


def test_a_nickname_goes_before_another_s_plain_name(tmp_path: Path) -> None:
    given = message(1, "@sam", mentions=[user("sam", nickname="Sammy"), user("z", nickname="sam")])
    assert [each.account.username for each in heard(tmp_path, export(given))[0].mentions] == ["z"]


def test_who_is_mentioned_by_an_id_alone_has_no_name_yet(tmp_path: Path) -> None:
    (request,) = heard(tmp_path, export(message(1, "ask <@42>")))
    assert request.mentions == (Mention(4, Account("discord", "42")),)


def test_a_bot_that_is_mentioned_stays_in_the_text(tmp_path: Path) -> None:
    value = export(message(1, f"@dnam or <@{BOT['id']}>?", mentions=[BOT]))
    (request,) = heard(tmp_path, value, ASSISTED)
    assert (request.text, request.mentions, request.addressed) == ("@dnam or @dnam?", (), True)
    assert not heard(tmp_path, value)[0].addressed
    (by_id,) = heard(tmp_path, export(message(1, "<@!99> hi")), Options(assistants=("99",)))
    assert (by_id.text, by_id.mentions, by_id.addressed) == ("@99 hi", (), True)


WORDS = st.text(st.characters(exclude_characters="@", exclude_categories=["Cs"]))
"""Texts without mentions of their own, and without lone surrogates, which become U+FFFD."""


@given(WORDS, WORDS)
def test_mentions_change_nothing_else(tmp_path_factory: pytest.TempPathFactory, before: str, after: str) -> None:
    given = message(1, f"{before}<@{KIM['id']}>{after}", mentions=[KIM])
    (request,) = heard(tmp_path_factory.getbasetemp(), export(given))
    assert (request.text, request.mentions) == (before + after, (Mention(len(before), KIM_ACCOUNT),))


def test_a_reply_says_when_what_it_answers_was_said(tmp_path: Path) -> None:
    own = message(1, author=BOT)
    reply = message(2, type="Reply", reference={"messageId": own["id"]})
    first, second = heard(tmp_path, export(own, reply))
    assert (first.reply_said, second.reply_said) == (None, first.said)


def test_replies_name_what_they_answer_and_address_whose_it_was(tmp_path: Path) -> None:
    own = message(1, author=BOT)
    reply = message(2, type="Reply", reference={"messageId": own["id"], "channelId": "500", "guildId": "100"})
    to_kim = message(3, type="Reply", reference={"messageId": reply["id"]})
    forward = message(4, reference={"messageId": own["id"], "type": "Forward"})
    crosspost = message(5, reference={"messageId": own["id"], "channelId": "999"})
    gone = message(6, type="Reply", reference={"messageId": None, "channelId": "500"})
    found = heard(tmp_path, export(own, reply, to_kim, forward, crosspost, gone), ASSISTED)
    assert [each.reply_to and each.reply_to.key for each in found] == [None, own["id"], reply["id"], None, None, None]
    assert [each.addressed for each in found] == [False, True, False, False, False, False]


def test_stickers_are_heard_by_their_names_as_live(tmp_path: Path) -> None:
    alone = message(1, None, stickers=[{"id": "1", "name": "wave", "format": "Png"}])
    beside = message(2, "hi", stickers=[{"id": "2", "name": "tulip"}, {"id": "3"}])
    found = heard(tmp_path, export(alone, beside))
    assert [(each.text, [one.name for one in each.attachments]) for each in found] == [
        ("", ["sticker wave"]),
        ("hi", ["sticker tulip", "sticker"]),
    ]


def test_what_is_forwarded_is_the_caption_of_an_attachment_as_live(tmp_path: Path) -> None:
    theirs = {
        "timestamp": iso(T0),
        "content": f"<@{LEE['id']}> and <@!77> say the bees swarm",
        "attachments": [{"fileName": "bees.png", "fileSizeBytes": 5}],
        "embeds": [],
        "stickers": [{"id": "1", "name": "buzz"}],
    }
    where = {"messageId": flake(T0), "type": "Forward"}
    (found,) = heard(tmp_path, export(message(6, "", forwardedMessage=theirs, reference=where)))
    assert (found.text, found.reply_to, found.mentions) == ("", None, ())
    assert found.attachments == (
        Attachment(FORWARDED, caption="@someone and @someone say the bees swarm"),
        Attachment("bees.png", 5),
        Attachment("sticker buzz"),
    )
    here = Ref("discord", found.place.key)
    assert found.forwards == Forwarded(Ref("discord", flake(T0)), T0, here, is_heard=True)
    other = {"messageId": flake(T0), "channelId": "77", "type": "Forward"}
    (found,) = heard(tmp_path, export(message(6, "", forwardedMessage=theirs, reference=other)))
    assert found.forwards == Forwarded(Ref("discord", flake(T0)), T0, Ref("discord", "77"))
    (found,) = heard(tmp_path, export(message(6, "", forwardedMessage=theirs, reference=other | {"messageId": "?"})))
    assert found.forwards is None


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        ("@Lee Woods: look", "@someone: look"),
        ("ask @Max or @lee.", "ask @someone or @someone."),
        ("@everyone, write to bees@garden.org", "@everyone, write to bees@garden.org"),
        (None, ""),
    ],
)
def test_nobody_is_named_by_what_is_forwarded(tmp_path: Path, content: str | None, kept: str) -> None:
    known = [user("lee", "77", "Lee Woods")]
    (found,) = heard(tmp_path, export(message(6, "", mentions=known, forwardedMessage={"content": content})))
    assert [each.caption for each in found.attachments] == [kept]


def test_what_is_not_taken_is_counted_by_its_reason(tmp_path: Path) -> None:
    files = [{"fileName": "a", "fileSizeBytes": 1}]
    value = export(
        message(1, "Joined the server.", type="GuildMemberJoin"),
        message(2, "Pinned a message.", type="ChannelPinnedMessage"),
        message(3, "Pinned a message.", type="ChannelPinnedMessage"),
        message(4, " "),
        message(5, None, embeds=[{"title": "a page"}]),
        message(7, "", attachments=files),
        message(8, f"<@{LEE['id']}>"),
        message(9, "an answer to a command", author=BOT, type="20"),
        {"id": "9"},
        "no message",
        message(10, id="x", timestamp="yesterday"),
        message(11, attachments=[{"fileName": "a", "fileSizeBytes": -1}]),
    )
    arrivals = list(source(tmp_path, value).read(Options()))
    assert len(requests(arrivals)) == 3
    assert reasons(arrivals) == {
        "notice of the platform (GuildMemberJoin)": 1,
        "notice of the platform (ChannelPinnedMessage)": 2,
        "empty": 1,
        "only an embed": 1,
        "not in the form of a message": 3,
        "without a usable time": 1,
    }
    assert any(each.where.startswith("message 10: ") for each in arrivals if isinstance(each, Skipped))


@pytest.mark.parametrize(
    ("key", "stamp", "said"),
    [
        (flake(T0 + 7), iso(T0), T0 + 7),
        (flake(T0 + 7), None, T0 + 7),
        (flake(T0 + 7), "2023-11-15T08:13:20", T0 + 7),
        (flake(T0 + 7), "9999-12-31T23:59:59Z", T0 + 7),
        (flake(T0 + 7), "1999-12-31T23:59:59Z", T0 + 7),
        ("1700000000123", iso(T0), T0),
        ("abc", "2023-11-14T23:13:20.1239999+01:00", T0 + 123),
        ("abc", "2023-11-14T22:13:20", T0),
    ],
)
def test_when_a_message_was_said(tmp_path: Path, key: str, stamp: str | None, said: int) -> None:
    (request,) = heard(tmp_path, export(message(1, id=key, timestamp=stamp)))
    assert (request.key, request.said) == (key, said)


def test_an_id_of_a_time_to_come_is_none_of_discord_s(tmp_path: Path) -> None:
    path = write(tmp_path / "given", export(message(1, id=flake(T0 + 30 * DAY_MS), timestamp=iso(T0))))
    for now, said in ((T0, T0), (T0 + 30 * DAY_MS, T0 + 30 * DAY_MS)):
        (request,) = requests(detect(path).read(Options(now=now)))
        assert request.said == said


def test_a_wrong_stamp_does_not_turn_an_export(tmp_path: Path) -> None:
    value = export(message(0, "0", timestamp="9999-12-31T23:59:59Z"), *(message(n, str(n)) for n in range(1, 1000)))
    assert [each.text for each in heard(tmp_path, value)] == [str(n) for n in range(1000)]


@pytest.mark.parametrize("stamp", ["1969-12-31T23:00:00Z", "never", None, 7])
def test_no_time_is_no_message(tmp_path: Path, stamp: object) -> None:
    assert heard(tmp_path, export(message(1, id="abc", timestamp=stamp))) == []


@given(st.integers(1_420_070_400_000 + 10_000, 4_000_000_000_000), st.integers(0, (1 << 22) - 1))
def test_the_time_in_a_snowflake(said: int, low: int) -> None:
    assert snowflake_ms(flake(said, low)) == said


@pytest.mark.parametrize("count", [2, 3, 400])
def test_an_export_with_its_newest_message_first_is_turned(tmp_path: Path, count: int) -> None:
    value = export(*(message(n, str(n)) for n in reversed(range(count))))
    assert [each.text for each in heard(tmp_path, value)] == [str(n) for n in range(count)]


def test_messages_a_little_out_of_order_find_their_places(tmp_path: Path) -> None:
    numbers = list(range(1000))
    for begin in range(0, 1000, 100):
        part = numbers[begin + 20 : begin + 100]
        random.Random(begin).shuffle(part)
        numbers[begin + 20 : begin + 100] = part
    found = heard(tmp_path, export(*(message(n) for n in numbers)))
    assert [each.said for each in found] == sorted(each.said for each in found)
    assert len(found) == 1000


def test_a_truncated_file_yields_all_before_the_break(tmp_path: Path) -> None:
    data = json.dumps(export(*(message(n, str(n)) for n in range(600)))).encode()
    path = tmp_path / "cut"
    for kept in (500, 7):
        path.write_bytes(data[: data.index(f'"content": "{kept}"'.encode())])
        given, error = until_error(detect(path).read(Options()))
        assert [each.text for each in requests(given)] == [str(n) for n in range(kept)]
        assert isinstance(error, BrokenImport)
        assert error.where == f"after message {kept}, at byte {path.stat().st_size}"


def test_a_truncated_file_with_its_newest_message_first_too(tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_text(json.dumps(export(*(message(n, str(n)) for n in (5, 4, 3, 2))))[:-150], encoding="utf-8")
    given, error = until_error(detect(path).read(Options()))
    assert [each.text for each in requests(given)] == ["3", "4", "5"]
    assert isinstance(error, BrokenImport)


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_truncated_dm_is_read_too(tmp_path: Path, kept: int) -> None:
    data = json.dumps(export(*(message(n, str(n), author=(KIM, BOT)[n % 2]) for n in range(4)), kind="DirectTextChat"))
    path = tmp_path / "cut"
    path.write_text(data[: data.index(f'"content": "{kept}"')], encoding="utf-8")
    given, error = until_error(detect(path).read(Options()))
    assert len(given) == kept
    assert isinstance(error, BrokenImport)


def test_every_cut_gives_a_beginning_and_an_error(tmp_path: Path) -> None:
    data = json.dumps(export(*(message(n, f"{n} \ud83d") for n in range(3)))).encode()
    path = tmp_path / "cut"
    whole = ["0 \ufffd", "1 \ufffd", "2 \ufffd"]
    for size in range(data.index(b'"messages": [') + 13, len(data), 7):
        path.write_bytes(data[:size])
        given, error = until_error(detect(path).read(Options()))
        texts = [each.text for each in requests(given)]
        assert texts == whole[: len(texts)]
        assert isinstance(error, BrokenImport)


def test_hostile_texts_pass_and_only_lone_surrogates_change(tmp_path: Path) -> None:
    texts = ["\0\x01\u202e\r\n", "x" * 1_000_000, "a\ud800", "\udc00b", "😀" * 1000]
    value = export(*(message(n, each, author=user("n\ud83d", "5")) for n, each in enumerate(texts)))
    found = heard(tmp_path, value)
    assert [each.text for each in found] == ["\0\x01\u202e\r\n", "x" * 1_000_000, "a\ufffd", "\ufffdb", "😀" * 1000]
    assert {each.speaker.username for each in found} == {"n\ufffd"}


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    found = source(tmp_path, export(message(1), message(2), message(3, type="Call")))
    assert list(found.read(Options())) == list(found.read(Options()))


def test_many_messages_are_not_held(tmp_path: Path) -> None:
    found = source(tmp_path, export(*(message(n) for n in range(order.NEARBY * 2))))
    reading = iter(found.read(Options()))
    first = next(reading)
    assert isinstance(first, Arrived)
    assert first.request.key == message(0)["id"]


def test_the_sample_is_whole_and_true_to_itself() -> None:
    found = detect(SAMPLE)
    arrivals = list(found.read(ASSISTED))
    heard_there = requests(arrivals)
    assert len(heard_there) == len(arrivals) == found.channels[0].messages == 41
    assert {each.speaker.username for each in heard_there if each.author == "person"} == {"Ines", "Tobi", "Marcy"}
    assert {each.author for each in heard_there} == {"person", "self"}
    assert [each.said for each in heard_there] == sorted({each.said for each in heard_there})
    keys = {each.key for each in heard_there}
    assert all(each.reply_to.key in keys for each in heard_there if each.reply_to)
    assert sum(each.reply_to is not None for each in heard_there) == 15
    assert sum(each.edited is not None for each in heard_there) == 1
    assert [each.account.username for request in heard_there for each in request.mentions] == ["Marcy"]
    assert sum(len(each.attachments) for each in heard_there) == 2
    assert sum(each.addressed for each in heard_there) == 5


def test_the_sample_s_ids_and_times_agree() -> None:
    for each in json.loads(SAMPLE.read_text(encoding="utf-8"))["messages"]:
        assert snowflake_ms(each["id"]) == round(datetime.fromisoformat(each["timestamp"]).timestamp() * 1000)


@pytest.mark.parametrize(("count", "taken"), [(MOST_NAMED, 1), (MOST_NAMED + 1, 0)])
def test_a_message_that_names_more_people_than_one_can_is_passed_over(tmp_path: Path, count: int, taken: int) -> None:
    """One decision could not have met them all, and the import ended there, however often it was tried."""
    named = message(1, " ".join(f"<@{n}>" for n in range(1, count + 1)) + " <@1> <@1>")
    arrivals = list(source(tmp_path, export(named, message(2))).read(Options()))
    assert len(requests(arrivals)) == taken + 1
    assert reasons(arrivals) == ({} if taken else {NAMES_TOO_MANY: 1})


def test_of_what_the_assistant_said_it_is_told_whom_it_answers(tmp_path: Path) -> None:
    asked, other = message(1, "what is tea?"), message(2, "hm", LEE)
    reply = message(3, "a drink", BOT, type="Reply", reference={"messageId": asked["id"], "channelId": "500"})
    rest, command, to_bot = (
        message(4, "and a plant", BOT),
        message(5, "!memory", LEE),
        message(6, "♫", user("x", bot=True)),
    )
    after = message(7, "a song", BOT)
    lost = message(8, "of whom?", BOT, type="Reply", reference={"messageId": flake(T0), "channelId": "500"})
    value = export(message(0, "hello", BOT), asked, other, reply, rest, command, to_bot, after, lost)
    found = heard(tmp_path, value, ASSISTED)
    to_kim = Answered(Ref("discord", asked["id"]), T0 + 1000, KIM_ACCOUNT)
    to_music = Answered(Ref("discord", to_bot["id"]), T0 + 6000)
    assert [each.answers for each in found] == [None, None, None, to_kim, to_kim, None, to_music, None]
    assert {each.answers for each in heard(tmp_path, value)} == {None}


@pytest.mark.parametrize(
    ("kind", "readers"),
    [
        ("GuildPublicThread", "400"),
        ("GuildNewsThread", "400"),
        ("GuildPrivateThread", None),
        ("GuildTextChat", None),
        ("GuildNovelThread", None),
    ],
)
def test_a_public_thread_has_the_readers_of_its_channel(tmp_path: Path, kind: str, readers: str | None) -> None:
    (request,) = heard(tmp_path, export(message(1), kind=kind), Options(audience="guild"))
    assert request.place.readers == (readers and Ref("discord", readers))


@pytest.mark.parametrize("named", [{"fileName": None}, {}])
def test_an_attachment_without_a_name_takes_no_words_with_it(tmp_path: Path, named: dict[str, Any]) -> None:
    (request,) = heard(tmp_path, export(message(1, "good morning", attachments=[{**named, "fileSizeBytes": 5}])))
    assert (request.text, request.attachments) == ("good morning", (Attachment("file", 5),))
