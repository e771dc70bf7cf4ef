"""The loopback Discord that is started by hand: what it prints goes into `.env` as it stands."""

from dnam.settings import read
from tests.loopback.discord.__main__ import HELLO


def test_what_it_prints_is_settings_by_which_kim_is_answered_in_the_server_and_directly() -> None:
    known = {"url": "http://127.0.0.1:1/api/v10", "token": "a.b.c", "guild_id": "1", "owner_id": "2", "id": "3"}
    hello = HELLO.format(guild="Garden", channels="#general", person="Kim", **known)
    lines, _, told = hello.partition("\n\n")
    settings = read(dict(line.split("=", 1) for line in lines.splitlines()), {})
    assert (settings.allow_guilds, settings.allow_users, settings.owner_ids) == (("1",), ("3",), ("2",))
    assert (settings.discord_api_url, settings.discord_token) == (known["url"], "a.b.c")
    assert "Kim (3) and the bot are in it" in told
