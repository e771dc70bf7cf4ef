"""`dnam config` and `dnam settings --in`: what is set where, and which source won."""

from pathlib import Path

import pytest

from tests.dnam.cli.memories import bytes_of, dnam


def config(data: Path, *arguments: str) -> str:
    ran = dnam("config", *arguments, "--data", data)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def holding(data: Path, *arguments: str) -> dict[str, tuple[str, str]]:
    values = dnam("settings", "--json", *arguments, "--data", data).values
    return {each["key"]: (each["value"], each["origin"]) for each in values if "key" in each}


def test_set_get_list_unset(data: Path) -> None:
    assert config(data, "set", "guild/9", "respond_mode=all") == "guild/discord:9 (Garden): respond_mode = all\n"
    assert config(data, "set", "guild/Garden", "respond_mode=all").endswith("respond_mode = all, as before\n")
    config(data, "set", "channel/general", "learn = heard")
    assert config(data, "set", "#general", "learn=heard").endswith("(general): learn = heard, as before\n")
    config(data, "set", "person/Kim", "context_history 5")
    assert config(data, "list").splitlines() == [
        "scope                        key              value  set by",
        "channel/discord:1 (general)  learn            heard  the operator",
        "guild/discord:9 (Garden)     respond_mode     all    the operator",
        "person/Kim                   context_history  5      the operator",
    ]
    assert "heard" not in config(data, "list", "guild/9")
    (line,) = dnam("config", "get", "channel/1", "learn", "--json", "--data", data).values
    assert line == {"scope": "channel/discord:1 (general)", "key": "learn", "value": "heard", "by": "the operator"}
    assert config(data, "unset", "guild/9", "respond_mode") == "guild/discord:9 (Garden): respond_mode is not set\n"
    assert dnam("config", "get", "guild/9", "--data", data).err.startswith("dnam: nothing is set")


def test_alone_it_lists(data: Path) -> None:
    config(data, "set", "global", "learn=heard")
    assert config(data) == config(data, "list")
    as_json = dnam("config", "list", "--json", "--data", data)
    for arguments in (("--data", data, "--json", "config"), ("config", "--json", "--data", data)):
        assert dnam(*arguments) == as_json
    assert dnam("config", "--data", data, "--json", "list") == as_json
    assert dnam("config", "--help").code == 0
    assert dnam("config", "lists", "--data", data).code == 2


def test_a_change_as_json_says_whether_it_was_one(data: Path) -> None:
    arguments = ("config", "set", "global", "retention_days=30", "--yes", "--json", "--data", data)
    first = {"scope": "global", "key": "retention_days", "value": "30", "changed": True}
    assert dnam(*arguments).value == first
    assert dnam(*arguments).value == {**first, "changed": False}


def test_where_it_takes_away_what_stands_it_says_how_much_and_asks(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("config", "set", "guild/Garden", "retention_days=30", "--data", data)
    ran = dnam(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("dnam: 3 messages would not be kept any longer: their words go")
    assert "It cannot be undone. Go on?" in ran.err
    monkeypatch.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
    assert dnam(*arguments) == (0, "", "dnam: not set: nothing was changed\n")
    assert dnam("config", "list", "--data", data).out == ""
    monkeypatch.setattr("dnam.cli.screen.Screen.confirm", lambda *_: True)
    assert dnam(*arguments).out == "guild/discord:9 (Garden): retention_days = 30\n"
    monkeypatch.undo()
    assert config(data, "set", "guild/Garden", "retention_days=40") == (
        "guild/discord:9 (Garden): retention_days = 40\n"  # nothing that stands now goes by it
    )


def test_it_can_be_set_before_anything_was_said(tmp_path: Path) -> None:
    data = tmp_path / "new"
    assert config(data, "set", "global", "learn=none") == "global: learn = none\n"
    ran = dnam("config", "set", "guild/123", "learn=none", "--data", data)
    assert (ran.code, ran.out) == (0, "guild/discord:123: learn = none\n")
    assert ran.err.startswith("dnam: nothing was heard in guild/discord:123 yet")
    assert config(data, "unset", "guild/123", "learn") == "guild/discord:123: learn is not set\n"
    assert dnam("verify", "--data", data).code == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("set", "global", "respond_mod=all"), "did you mean respond_mode?"),
        (("set", "global", "respond_mode=loud"), "allowed: one of mention, all, owner, none"),
        (("set", "global", "respond_mode"), "sets nothing: write KEY=VALUE"),
        (("set", "global", "=all"), "sets nothing: write KEY=VALUE"),
        (("set", "nowhere", "learn=none"), "is no scope: global, guild/ID, channel/ID, person/USER"),
        (("set", "here", "learn=none"), "is no scope"),
        (("set", "guild", "learn=none"), "is no scope"),
        (("set", "guild/", "learn=none"), "is no scope"),
        (("set", "person/Nobody", "learn=none"), "nobody here goes by 'Nobody'"),
        (
            ("set", "person/123", "learn=none"),
            "nothing was heard from '123' yet: what holds for a person can be set once",
        ),
        (("set", "person/discord:123", "learn=none"), "nothing was heard from 'discord:123' yet"),
        (("set", "person/Sam", "learn=none"), "'Sam' may be any of"),
        (("set", "channel/talk", "learn=none"), "'talk' may be any of"),
        (("set", "guild/Forest", "learn=none"), "dnam knows no guild 'Forest': give its id"),
        (("set", "guild/general", "learn=none"), "dnam knows no guild 'general'"),
        (("unset", "global", "colour"), "there is no key 'colour'"),
        (("get", "global", "colour"), "there is no key 'colour'"),
    ],
)
def test_wrong_use_changes_nothing(data: Path, arguments: tuple[str, ...], why: str) -> None:
    before = dnam("stats", "--json", "--data", data).value["events"]
    ran = dnam("config", *arguments, "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err
    assert dnam("stats", "--json", "--data", data).value["events"] == before


def test_what_is_refused_makes_no_folder(tmp_path: Path) -> None:
    assert dnam("config", "set", "global", "colour=red", "--data", tmp_path / "new").code == 2
    assert not (tmp_path / "new").exists()


def test_looking_changes_nothing(data: Path) -> None:
    config(data, "set", "guild/9", "learn=none")
    before = bytes_of(data)
    config(data, "list")
    holding(data, "--in", "general", "--user", "Kim")
    assert bytes_of(data) == before


def test_settings_show_which_source_won_in_a_place(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_LEARN", "heard")
    config(data, "set", "guild/9", "respond_mode=all")
    config(data, "set", "person/Kim", "context_history=5")
    assert holding(data, "--in", "general", "--user", "Kim") == {
        "respond_mode": ("all", "guild/discord:9"),
        "context_history": ("5", f"person/{kim(data)}"),
        "learn": ("heard", "environment DNAM_LEARN"),
        "retention_days": ("0", "default"),
        "tools": ("on", "default"),
    }
    assert holding(data, "--user", "Ada")["respond_mode"] == ("mention", "default")
    assert holding(data) == {}
    out = dnam("settings", "--in", "general", "--data", data).out
    assert "respond_mode" in out
    assert "guild/discord:9 (Garden)" in out
    assert "person/Kim" in dnam("settings", "--in", "general", "--user", "Kim", "--data", data).out


def test_settings_show_what_holds_everywhere(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_RESPOND_MODE", "none")
    config(data, "set", "global", "respond_mode=all")
    config(data, "set", "global", "tools=off")
    config(data, "set", "guild/9", "learn=none")
    values = dnam("settings", "--json", "--data", data).values
    found = {each["name"]: (each["value"], each["origin"]) for each in values}
    assert found["DNAM_RESPOND_MODE"] == ("all", "dnam config global")
    assert found["DNAM_MODEL_TOOLS"] == ("off", "dnam config global")
    assert found["DNAM_LEARN"] == ("addressed", "default")
    assert "dnam config global" in dnam("settings", "--data", data).out


def test_settings_of_a_memory_that_cannot_be_read_are_shown_without_its_own(data: Path) -> None:
    (data / "log" / "CURRENT").write_text("nothing")
    ran = dnam("settings", "--data", data)
    assert (ran.code, "DNAM_RESPOND_MODE" in ran.out) == (0, True)
    assert "what `dnam config` sets is not shown, since the memory cannot be read" in ran.err


def kim(data: Path) -> str:
    return str(dnam("show", "Kim", "--json", "--data", data).value["person"])


def test_dnam_toml_wins_over_the_environment_and_config_over_both(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_RESPOND_MODE", "none")
    Path("dnam.toml").write_text('respond_mode = "owner"\nmessage_history_count = 4\n', encoding="utf-8")
    assert holding(data, "--in", "general")["respond_mode"] == ("owner", "dnam.toml respond_mode")
    assert holding(data, "--in", "general")["context_history"] == ("4", "dnam.toml message_history_count")
    config(data, "set", "global", "respond_mode=all")
    assert holding(data, "--in", "general")["respond_mode"] == ("all", "global")


def test_a_context_history_is_in_force_with_the_next_prompt(data: Path) -> None:
    def window() -> int:
        blocks = dnam("prompt", "Ada", "hello", "--in", "general", "--json", "--data", data).value["blocks"]
        return len(next((each["lines"] for each in blocks if each["name"] == "recent"), []))

    assert window() == 2
    config(data, "set", "channel/general", "context_history=1")
    assert window() == 1
    config(data, "set", "channel/general", "context_history=0")
    assert window() == 0


def test_who_silences_the_typed_commands_too_is_told_what_takes_it_back(data: Path) -> None:
    ran = dnam("config", "set", "global", "respond_mode=none", "--data", data)
    assert (ran.code, ran.out) == (0, "global: respond_mode = none\n")
    assert ran.err == (
        "dnam: in Discord, typed commands (`!memory`) are not answered there either, and a terminal still answers: "
        "`/memory config` takes it back, and so does `dnam config`\n"
    )
