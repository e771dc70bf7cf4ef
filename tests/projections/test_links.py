"""Links that open a message where it was said."""

import pytest

from projections.events.values import Audience, AudienceKind
from projections.gathering import link_of
from projections.ids import Ref
from projections.links import Direct, jump_link
from projections.turns import find_turn
from tests.projections.channel import answer, delivered
from tests.world import World

MESSAGE, CHANNEL, GUILD = (Ref("discord", key) for key in ("123456789012345678", "720000000000000001", "71"))
DM = Ref("discord", "dm:00112233445566778899aabbccddeeff")


@pytest.mark.parametrize(
    ("message", "place", "guild", "kind", "link"),
    [
        (MESSAGE, CHANNEL, GUILD, "guild", f"https://discord.com/channels/71/{CHANNEL.key}/{MESSAGE.key}"),
        (MESSAGE, CHANNEL, GUILD, "channel", f"https://discord.com/channels/71/{CHANNEL.key}/{MESSAGE.key}"),
        (MESSAGE, CHANNEL, None, "channel", f"https://discord.com/channels/@me/{CHANNEL.key}/{MESSAGE.key}"),
        (MESSAGE, CHANNEL, None, "guild", None),
        (MESSAGE, DM, None, "direct", None),
        (Ref("discord", "m1"), CHANNEL, GUILD, "guild", None),
        (Ref("discord", "1\n"), CHANNEL, GUILD, "guild", None),
        (Ref("discord", "٣"), CHANNEL, GUILD, "guild", None),
        (MESSAGE, Ref("discord", "../x"), GUILD, "guild", None),
        (MESSAGE, CHANNEL, Ref("discord", '9"onclick="'), "guild", None),
        (MESSAGE, CHANNEL, Ref("local", "9"), "guild", None),
        (MESSAGE, Ref("local", "9"), GUILD, "guild", None),
        (Ref("locomo", "1"), Ref("locomo", "2"), None, "channel", None),
    ],
    ids=str,
)
def test_only_of_ids_that_the_platform_gave(
    message: Ref, place: Ref, guild: Ref | None, kind: AudienceKind, link: str | None
) -> None:
    assert jump_link(message, place, guild, Audience(kind, place)) == link


OWN = Direct(DM, Ref("discord", "88"))


@pytest.mark.parametrize(
    ("place", "kind", "direct", "link"),
    [
        (DM, "direct", OWN, f"https://discord.com/channels/@me/88/{MESSAGE.key}"),
        (DM, "direct", Direct(DM, Ref("local", "88")), None),
        (Ref("discord", "dm:" + "f" * 32), "direct", OWN, None),
        (CHANNEL, "channel", OWN, f"https://discord.com/channels/@me/{CHANNEL.key}/{MESSAGE.key}"),
    ],
    ids=["told there", "of another platform", "another conversation", "no direct conversation"],
)
def test_of_a_direct_conversation_where_it_is_told(
    place: Ref, kind: AudienceKind, direct: Direct, link: str | None
) -> None:
    assert jump_link(MESSAGE, place, None, Audience(kind, place), direct) == link


def test_an_answer_in_a_dm_is_seen_in_that_dm_at_its_first_message() -> None:
    world, audience = World(), Audience("direct", DM)
    turn = answer(world, "Mulch helps.", 1, session=DM.key, audience=audience)
    delivered(world, turn, MESSAGE, Ref("discord", "5"))
    row = find_turn(world.rows, turn.id)
    assert row is not None
    assert link_of(world.rows, row, OWN) == f"https://discord.com/channels/@me/88/{MESSAGE.key}"
    assert link_of(world.rows, row, Direct(Ref("discord", "dm:ff"), Ref("discord", "88"))) is None
    assert link_of(world.rows, row) is None
