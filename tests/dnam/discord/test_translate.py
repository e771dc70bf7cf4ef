"""From Discord's messages to requests, as a table; and that an export of the same message is the same event."""

import json
from pathlib import Path
from typing import Any

import discord
import pytest

from dnam.adapters.discord.translate import addressed_words, deletion, said_of, translate
from dnam.importers.discord_export import recognise
from dnam.importers.discord_form import DELETED_USER
from dnam.importers.source import Arrived, Options
from projections.decisions.hear import HeardRequest, Mention, message_identity
from projections.decisions.meet import Account
from projections.events.values import Attachment
from projections.ids import Ref
from tests.dnam.discord import made
from tests.dnam.discord.made import (
    ADA,
    BOT,
    CONNECT,
    EVERYONE,
    GUILD,
    KIM,
    OWN,
    ROBO,
    SNOWFLAKE,
    VIEW,
    direct,
    message,
    reply_to,
)

KIM_S, ADA_S = Account("discord", "1", "Kim", "kim"), Account("discord", "2", "Ada", "ada")


def translated(content: str = "hello", **more: Any) -> HeardRequest:
    request = translate(message(content, **more), OWN)
    assert request is not None
    return request


@pytest.mark.parametrize(
    ("content", "users", "text", "mentions"),
    [
        ("hello", [], "hello", ()),
        ("<@2> hello", [ADA], " hello", (Mention(0, ADA_S),)),
        ("so <@!2> and <@1>", [ADA, KIM], "so  and ", (Mention(3, ADA_S), Mention(8, KIM_S))),
        ("<@4> who?", [], " who?", (Mention(0, Account("discord", "4")),)),
        ("<@99> hello <@3>", [BOT, ROBO], "@marcy hello @robo", ()),
        ("<@99>", [], "@99", ()),
        ("<@&51> <@&60>", [], "@gardeners <@&60>", ()),
        ("see <#10> or <#11>", [], "see #channel-10 or <#11>", ()),
        ("<:rose:123> <a:wave:124>", [], ":rose: :wave:", ()),
        ("> I like tea\n<@2> me too", [ADA], "> I like tea\n me too", (Mention(13, ADA_S, "quote"),)),
    ],
)
def test_a_text_is_cut_where_people_are_named(
    content: str, users: list[dict[str, Any]], text: str, mentions: tuple[Mention, ...]
) -> None:
    request = translated(content, mentions=users)
    assert (request.text, request.mentions) == (text, mentions)


OPEN, HIDDEN, OTHER = 10, 11, 12
HALL, STAGE = 13, 14
"""A voice channel that everyone may join, and one that they only see."""
LISTING = made.guild(
    EVERYONE | CONNECT,
    (
        made.channel(OPEN),
        made.channel(HIDDEN, hidden=True),
        made.channel(OTHER, permission_overwrites=[{"id": "1", "type": 1, "allow": "0", "deny": str(VIEW)}]),
        made.channel(HALL, 2, bitrate=1, user_limit=0),
        made.channel(
            STAGE, 2, bitrate=1, user_limit=0,
            permission_overwrites=[{"id": str(GUILD), "type": 0, "allow": "0", "deny": str(CONNECT)}],
        ),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("where", "named"),
    [
        (LISTING.get_channel(OPEN), {OPEN, HALL, STAGE}),
        (LISTING.get_channel(HIDDEN), {OPEN, HALL, STAGE, HIDDEN}),
        (made.thread(LISTING, 12, HIDDEN), {OPEN, HALL, STAGE, HIDDEN}),
        (LISTING.get_channel(OTHER), {OPEN, HALL, STAGE, OTHER}),
    ],
    ids=["open", "of few", "a thread in it", "of all but one"],
)
def test_a_channel_has_its_name_where_all_who_read_it_can_see_it(where: Any, named: set[int]) -> None:
    marks = {each: f"<#{each}>" for each in (OPEN, HIDDEN, OTHER, HALL, STAGE)}
    words = " ".join(f"#channel-{each}" if each in named else mark for each, mark in marks.items())
    typed = translated(" ".join(marks.values()), where=where)
    assert typed.text == words
    assert addressed_words(message(" ".join(marks.values()), where=where), OWN) == words


def test_where_nothing_is_known_of_a_guild_nothing_of_it_is_named() -> None:
    home = made.guild(channels=(made.channel(OPEN), made.channel(HIDDEN)), roles=False)
    where = home.get_channel(OPEN)
    assert translated(f"<#{OPEN}> <#{HIDDEN}>", where=where).text == f"#channel-10 <#{HIDDEN}>"


@pytest.mark.parametrize(
    ("more", "kind", "speaker"),
    [
        ({}, "person", KIM_S),
        ({"author": ROBO}, "bot", Account("discord", "3", "robo", "robo")),
        ({"author": BOT}, "self", Account("discord", "99", "marcy", "marcy")),
        ({"author": {**KIM, "id": "800"}, "webhook_id": "800"}, "webhook", Account("discord", "800", "Kim", "kim")),
        ({"author": {**KIM, "id": DELETED_USER}}, "unknown", Account("discord", DELETED_USER, "Kim", "kim")),
        ({"author": {**KIM, "system": True}}, "bot", KIM_S),
        ({"author": BOT, "webhook_id": "99"}, "self", Account("discord", "99", "marcy", "marcy")),
    ],
)
def test_only_people_are_people(more: dict[str, Any], kind: str, speaker: Account) -> None:
    request = translated(**more)
    assert (request.author, request.speaker) == (kind, speaker)


@pytest.mark.parametrize(
    ("more", "addressed"),
    [
        ({}, False),
        ({"content": "<@99> hi", "mentions": [BOT]}, True),
        ({"mentions": [BOT]}, True),
        ({"mention_roles": ["50"]}, True),
        ({"mention_roles": ["51"]}, False),
        ({"mention_everyone": True}, False),
        (reply_to(BOT), True),
        (reply_to(ADA), False),
        (reply_to(BOT, kind=1), False),
        ({"where": direct()}, True),
        ({"where": direct(), "author": BOT}, False),
        ({"where": discord.PartialMessageable(state=made.state(), id=10, guild_id=7)}, False),
        ({"where": discord.PartialMessageable(state=made.state(), id=10)}, False),
    ],
)
def test_who_is_addressed(more: dict[str, Any], addressed: bool) -> None:
    assert translated(**more).addressed == addressed


def test_a_reply_names_what_it_answers_and_when_that_was_said() -> None:
    request = translated(**reply_to(ADA, SNOWFLAKE - 5))
    assert request.reply_to == Ref("discord", str(SNOWFLAKE - 5))
    assert request.reply_said == said_of(SNOWFLAKE - 5)
    assert translated(**reply_to(ADA, where=11)).reply_to is None


def test_files_are_named_with_their_size_and_their_bytes_stay_away() -> None:
    file = {"id": "1", "filename": "rose.png", "size": 12, "url": "u", "proxy_url": "p"}
    assert translated("", attachments=[file]).attachments == (Attachment("rose.png", 12),)


def test_what_else_is_shown_stands_beside_the_words() -> None:
    sticker = {"id": "5", "name": "wave", "format_type": 1}
    assert translated("", sticker_items=[sticker]).attachments == (Attachment("sticker wave"),)
    poll = {
        "question": {"text": "Which rose?"}, "expiry": "2030-11-15T00:00:00+00:00", "allow_multiselect": False,
        "layout_type": 1, "results": {"answer_counts": [], "is_finalized": False},
        "answers": [{"answer_id": n, "poll_media": {"text": each}} for n, each in enumerate(("red", "white"), 1)],
    }  # fmt: skip
    assert translated("", poll=poll).attachments == (Attachment("poll", caption="Which rose? (red, white)"),)
    file = {"id": "1", "filename": "voice-message.ogg", "size": 12, "url": "u", "proxy_url": "p"}
    spoken = translated("", attachments=[file], flags=1 << 13)
    assert (spoken.medium, translated().medium) == ("voice", "text")


def forwarded(content: str, **more: Any) -> dict[str, Any]:
    snapshot = {
        "type": 0, "content": content, "mentions": [ADA], "mention_roles": [], "attachments": [], "embeds": [],
        "timestamp": "2023-11-15T00:00:00+00:00", "edited_timestamp": None, "flags": 0, "components": [], **more,
    }  # fmt: skip
    reference = {"type": 1, "channel_id": "11", "message_id": "500", "guild_id": str(GUILD)}
    return {"message_reference": reference, "message_snapshots": [{"message": snapshot}]}


def test_what_is_forwarded_is_nobody_s_words_here() -> None:
    file = {"id": "1", "filename": "plan.png", "size": 12, "url": "u", "proxy_url": "p"}
    request = translated("", **forwarded("<@2> and <@!3> plant <:rose:123> in <#11>", attachments=[file]))
    assert (request.text, request.mentions, request.reply_to) == ("", (), None)
    assert request.attachments == (
        Attachment("forwarded message", caption="@someone and @someone plant :rose: in <#11>"),
        Attachment("plan.png", 12),
    )
    source = request.forwards
    assert source is not None
    assert (source.ref, source.place, source.said) == (Ref("discord", "500"), Ref("discord", "11"), said_of(500))
    assert translated("hello").forwards is None


@pytest.mark.parametrize("more", [{"type": 7}, {"content": "  "}, {"content": "", "embeds": [{"type": "rich"}]}])
def test_what_nobody_said_is_no_request(more: dict[str, Any]) -> None:
    assert translate(message(**more), OWN) is None


@pytest.mark.parametrize("left", [{}, {"embeds": [{"type": "rich"}]}])
def test_what_says_nothing_since_it_was_edited_is_the_end_of_what_was_heard(left: dict[str, Any]) -> None:
    edited = translated("", edited_timestamp="2023-11-16T00:00:00+00:00", **left)
    assert (edited.text, edited.attachments, edited.only_known) == ("", (), True)
    assert not translated("so", edited_timestamp="2023-11-16T00:00:00+00:00", **left).only_known
    assert translate(message("", **left), OWN) is None


def test_said_is_the_platform_s_time_and_an_edit_has_its_own() -> None:
    request = translated(edited_timestamp="2023-11-15T00:00:01.234567+00:00")
    assert (request.said, request.edited) == (said_of(SNOWFLAKE), 1_700_006_401_234)
    assert translated().edited is None


def test_a_deletion_needs_the_id_alone() -> None:
    request = deletion(SNOWFLAKE, "discord:channel:10", 5)
    assert (request.key, request.heard_said, request.said) == (str(SNOWFLAKE), said_of(SNOWFLAKE), said_of(SNOWFLAKE))


@pytest.mark.parametrize(
    ("content", "words"),
    [("!memory show", "!memory show"), (" <@99>  !memory show", "!memory show"), ("<@2> !memory", "<@2> !memory")],
)
def test_a_command_may_have_the_bot_s_name_before_it(content: str, words: str) -> None:
    assert addressed_words(message(content), OWN) == words


def test_an_export_of_the_same_message_is_the_same_event(tmp_path: Path) -> None:
    user = {"id": "1", "name": "kim", "discriminator": "0000", "nickname": "Kim", "isBot": False}
    other = {**user, "id": "2", "name": "ada", "nickname": "Ada"}
    exported = {
        "id": str(SNOWFLAKE), "type": "Default", "timestamp": "2023-11-15T00:00:00+00:00", "timestampEdited": None,
        "content": "well @Ada, yes", "author": user, "attachments": [], "mentions": [other],
    }  # fmt: skip
    path = tmp_path / "export.json"
    where = {"id": "10", "type": "GuildTextChat", "categoryId": "", "name": "channel-10"}
    document = {"guild": {"id": "7", "name": "Garden"}, "channel": where, "messages": [exported], "messageCount": 1}
    path.write_text(json.dumps(document))
    (arrival,) = recognise(path).read(Options())
    assert isinstance(arrival, Arrived)
    live, read = translated("well <@2>, yes", mentions=[ADA]), arrival.request
    assert message_identity("discord", live.key, "heard", live.said) == message_identity(
        "discord", read.key, "heard", read.said
    )
    # What its people go by everywhere is not in an export: only what one server calls them is.
    speaker = live.speaker._replace(name="")
    mentions = tuple(each._replace(account=each.account._replace(name="")) for each in live.mentions)
    assert (live.text, mentions, speaker, live.said) == (read.text, read.mentions, read.speaker, read.said)
    assert (live.place.key, live.place.guild) == (read.place.key, read.place.guild)


def test_a_dm_that_is_not_in_the_cache_is_its_author_s() -> None:
    where = discord.PartialMessageable(state=made.state(), id=30, type=discord.ChannelType.private)
    assert translated(where=where).place.partner == KIM_S
    assert translated(where=where, author=BOT).place.audience == "channel"


def test_a_message_of_a_server_that_is_not_in_the_cache_is_nobody_s_dm() -> None:
    where = discord.PartialMessageable(state=made.state(), id=10, guild_id=7)
    heard = translated("<@99> what do I like?", where=where, mentions=[BOT])
    assert (heard.place.audience, heard.place.partner, heard.place.guild) == ("channel", None, Ref("discord", "7"))
    assert heard.addressed
