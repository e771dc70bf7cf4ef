"""Settings: one table, read once, refused by name."""

import os
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from dnam.settings import (
    FOREIGN,
    SETTINGS,
    Setting,
    SettingError,
    Settings,
    gather,
    read,
    read_dotenv,
    show,
    unheeded,
    unknown,
)

BY_NAME = {setting.name: setting for setting in SETTINGS}


EXAMPLES = {
    "DNAM_MERGE_THRESHOLD": "0.7",
    "DNAM_ENCODER_THRESHOLD": "0.4",
    "DNAM_ALLOW_USERS": "11,22",
    "DNAM_MEMORY_CHANNEL_ID": "4711",
}
"""Values where not just any number or word will do."""


def named(setting: Setting) -> str:
    return setting.name


def field_type(setting: Setting) -> object:
    return Path | None if setting.type is Path and not setting.default else setting.type


def test_settings_has_one_field_of_the_right_type_for_each_line_of_the_table() -> None:
    hints = {name: hint for name, hint in get_type_hints(Settings).items() if name != "origins"}
    assert hints == {setting.field: field_type(setting) for setting in SETTINGS}


def test_no_name_or_alias_stands_twice() -> None:
    names = [name for setting in SETTINGS for name in (setting.name, *setting.aliases)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("setting", SETTINGS, ids=named)
def test_every_setting_says_what_it_does_and_what_is_allowed(setting: Setting) -> None:
    assert setting.help.endswith(".")
    assert setting.allowed.words


@pytest.mark.parametrize("setting", SETTINGS, ids=named)
def test_every_default_is_allowed(setting: Setting) -> None:
    assert read({setting.name: setting.default}, {}) is not None


def test_with_nothing_set_the_documents_defaults_hold() -> None:
    settings = read({}, {})
    assert (settings.data, settings.context_dir, settings.timezone) == (Path("data"), None, "")
    assert (settings.summary_enabled, settings.summary_max_chars, settings.summary_every_n_turns) == (True, 2000, 5)
    assert (settings.durable_every_n_turns, settings.durable_inject_max_chars, settings.durable_max_items) == (
        10,
        2000,
        200,
    )
    assert (settings.message_history_budget, settings.message_history_count) == (3000, 20)
    assert (settings.era_refreshes, settings.durable_inject_max_items) == (20, 12)
    assert set(settings.origins.values()) == {"default"}


@pytest.mark.parametrize("text", ["1", "true", "yes", "on", "TRUE", " On "])
def test_what_is_on(text: str) -> None:
    assert read({"DNAM_SUMMARY_ENABLED": text}, {}).summary_enabled is True


@pytest.mark.parametrize("text", ["0", "false", "no", "off", "False"])
def test_what_is_off(text: str) -> None:
    assert read({"DNAM_SUMMARY_ENABLED": text}, {}).summary_enabled is False


@pytest.mark.parametrize("text", ["", "   ", "\n"])
@pytest.mark.parametrize("setting", SETTINGS, ids=named)
def test_an_empty_value_means_the_default(setting: Setting, text: str) -> None:
    assert read({setting.name: text}, {setting.name: text}) == read({}, {})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("DNAM_SUMMARY_ENABLED", "perhaps"),
        ("DNAM_SUMMARY_ENABLED", "2"),
        ("DNAM_SUMMARY_EVERY_N_TURNS", "0"),
        ("DNAM_SUMMARY_EVERY_N_TURNS", "-1"),
        ("DNAM_SUMMARY_EVERY_N_TURNS", "five"),
        ("DNAM_SUMMARY_EVERY_N_TURNS", "5.5"),
        ("DNAM_SUMMARY_EVERY_N_TURNS", "1_0"),
        ("DNAM_SUMMARY_EVERY_N_TURNS", "٥"),
        ("DNAM_SUMMARY_MAX_CHARS", "9" * 5000),
        ("DNAM_MODEL_TIMEOUT_SECONDS", "601"),
        ("DNAM_TIMEZONE", "Mars/Olympus"),
        ("DNAM_TIMEZONE", "../../etc/passwd"),
        ("DNAM_TIMEZONE", "Europe"),
        ("DNAM_LANGUAGE", "../en"),
        ("DNAM_LANGUAGE", "English please"),
        ("DNAM_ASSISTANT_NAME", "[dnam]"),
        ("DNAM_ASSISTANT_NAME", "two\nlines"),
        ("DNAM_ASSISTANT_NAME", "x" * 33),
        ("DNAM_SUMMARY_MODEL", "two words"),
        ("DNAM_DATA", "~nobody-of-this-name/data"),
    ],
)
def test_a_wrong_value_is_refused_with_the_name_the_value_and_what_is_allowed(name: str, text: str) -> None:
    with pytest.raises(SettingError) as refused:
        read({name: text}, {})
    message = str(refused.value)
    assert refused.value.name == name
    assert name in message
    assert repr(text) in message
    assert BY_NAME[name].allowed.words in message


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("DNAM_TIMEZONE", "Europe/Berlin"),
        ("DNAM_LANGUAGE", "pt-br"),
        ("DNAM_ASSISTANT_NAME", "Ada the 2nd"),
        ("DNAM_ASSISTANT_NAME", "x"),
        ("DNAM_ASSISTANT_NAME", "x" * 32),
        ("DNAM_SUMMARY_MODEL", "claude-haiku-4.5"),
    ],
)
def test_a_right_value_is_taken_as_it_is(name: str, text: str) -> None:
    assert getattr(read({name: text}, {}), BY_NAME[name].field) == text


@pytest.mark.parametrize("bounds", [("1", 1), ("100000", 100_000)])
def test_bounds_are_allowed(bounds: tuple[str, int]) -> None:
    assert read({"DNAM_SUMMARY_MAX_CHARS": bounds[0]}, {}).summary_max_chars == bounds[1]


def test_a_path_in_the_home_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read({"DNAM_DATA": "~/with a space"}, {}).data == tmp_path / "with a space"


def test_the_environment_wins_over_the_file() -> None:
    settings = read({"DNAM_LANGUAGE": "de"}, {"DNAM_LANGUAGE": "fr", "DNAM_DATA": "elsewhere"})
    assert (settings.language, settings.data) == ("de", Path("elsewhere"))
    assert settings.origins["DNAM_LANGUAGE"] == "environment DNAM_LANGUAGE"
    assert settings.origins["DNAM_DATA"] == ".env DNAM_DATA"


@pytest.mark.parametrize(("setting", "alias"), [(each, alias) for each in SETTINGS for alias in each.aliases])
def test_an_alias_is_read_and_its_name_is_kept(setting: Setting, alias: str) -> None:
    text = EXAMPLES.get(setting.name) or {bool: "0", int: "7", str: "other", Path: "some/folder"}[setting.type]
    settings = read({alias: text}, {})
    assert {line.name: line.value for line in show(settings)}[setting.name] == text
    assert settings.origins[setting.name] == f"environment {alias} (alias)"


def test_the_documents_names_are_aliases() -> None:
    assert BY_NAME["DNAM_MESSAGE_HISTORY_BUDGET"].aliases == ("DISCOCLAW_MESSAGE_HISTORY_BUDGET",)
    assert BY_NAME["DNAM_MEMORY_ENABLED"].aliases == ("MEMORY_ENABLED",)


def test_the_real_name_wins_over_an_alias_wherever_it_stands() -> None:
    alias = {"DISCOCLAW_SUMMARY_MAX_CHARS": "100"}
    assert read({"DNAM_SUMMARY_MAX_CHARS": "200", **alias}, {}).summary_max_chars == 200
    assert read(alias, {"DNAM_SUMMARY_MAX_CHARS": "200"}).summary_max_chars == 200
    assert read({"DNAM_SUMMARY_MAX_CHARS": "", **alias}, {}).summary_max_chars == 100


@pytest.mark.parametrize("text", ["0", "-3"])
def test_what_seed_002_raises_under_its_names_is_raised_under_these_alone(text: str) -> None:
    """`Math.max(0, …)` and `Math.max(1, …)`; a summary of no characters is none."""
    chars, turns = "SUMMARY_MAX_CHARS", "SUMMARY_EVERY_N_TURNS"
    settings = read({f"DISCOCLAW_{chars}": text, f"DISCOCLAW_{turns}": text}, {})
    assert (settings.summary_max_chars, settings.summary_every_n_turns, settings.summary_enabled) == (0, 1, False)
    assert settings.origins["DNAM_SUMMARY_ENABLED"] == f"environment DISCOCLAW_{chars} (alias)"
    assert not read({f"DNAM_{chars}": "0", "DNAM_SUMMARY_ENABLED": "1"}, {}).summary_enabled
    for refused in ({f"DNAM_{turns}": text}, {f"DNAM_{chars}": "-1"}):
        with pytest.raises(SettingError):
            read(refused, {})


def test_a_wrong_alias_is_named() -> None:
    with pytest.raises(SettingError, match=r"environment DISCOCLAW_SUMMARY_MAX_CHARS \(alias\)"):
        read({"DISCOCLAW_SUMMARY_MAX_CHARS": "many"}, {})


def test_a_secret_is_never_shown() -> None:
    secrets = {setting.name: f"hush-{setting.name}" for setting in SETTINGS if setting.secret}
    settings = read(secrets, {})
    assert settings.anthropic_api_key == "hush-ANTHROPIC_API_KEY"
    assert "hush" not in repr(settings) + repr(show(settings))
    assert [line.value for line in show(settings) if line.name in secrets] == ["(set)"] * len(secrets)
    with pytest.raises(SettingError, match="its value is not allowed") as refused:
        read({"DISCORD_TOKEN": "hush hush"}, {})
    assert "hush" not in str(refused.value)


def test_show_has_a_line_for_every_setting_in_words() -> None:
    lines = {line.name: line for line in show(read({"DNAM_SUMMARY_ENABLED": "no"}, {}))}
    assert list(lines) == [setting.name for setting in SETTINGS]
    assert (lines["DNAM_SUMMARY_ENABLED"].value, lines["DNAM_MEMORY_ENABLED"].value) == ("0", "1")
    assert (lines["DNAM_CONTEXT_DIR"].value, lines["DNAM_DATA"].value, lines["DISCORD_TOKEN"].value) == ("", "data", "")
    assert lines["DNAM_SUMMARY_ENABLED"].origin == "environment DNAM_SUMMARY_ENABLED"


def test_settings_are_frozen() -> None:
    changed: Any = read({}, {})
    with pytest.raises(FrozenInstanceError):
        changed.language = "de"
    assert all(field.name for field in fields(Settings))


def test_a_dotenv_file_is_read_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("# a comment\nDNAM_DATA='a b'\nDISCORD_TOKEN=a${HOME}b\nDNAM_LANGUAGE=\nNAKED\n", encoding="utf-8")
    assert read_dotenv(file) == {"DNAM_DATA": "a b", "DISCORD_TOKEN": "a${HOME}b", "DNAM_LANGUAGE": ""}


def test_no_dotenv_file_is_an_empty_one(tmp_path: Path) -> None:
    assert read_dotenv(tmp_path / ".env") == {}
    assert read_dotenv(tmp_path) == {}


def test_a_dotenv_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"DNAM_DATA=\xff\xfe\n")
    with pytest.raises(SettingError, match="cannot be read"):
        read_dotenv(file)


@pytest.mark.parametrize(
    ("text", "line"),
    [('DISCORD_TOKEN="abc', 1), ("A=1\nDISCORD_TOKEN='abc\nDNAM_LANGUAGE=de\n", 2), ("A=1\nabc def\n", 2)],
)
def test_a_line_that_cannot_be_read_is_refused_and_not_quoted(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / ".env").write_text(text, encoding="utf-8")
    with pytest.raises(SettingError) as refused:
        gather({}, tmp_path)
    assert f"{tmp_path / '.env'} cannot be read: line {line} " in str(refused.value)
    assert "abc" not in str(refused.value).removeprefix(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "meant"),
    [("DNAM_ALLOW_USRES", "did you mean DNAM_ALLOW_USERS?"), ("DNAM_XYZZY_PLUGH", "`dnam settings` lists them all")],
)
def test_a_setting_of_ours_that_there_is_not_is_refused_in_a_dotenv_file(tmp_path: Path, name: str, meant: str) -> None:
    (tmp_path / ".env").write_text(f"DNAM_LEARN=none\n{name}=3\n", encoding="utf-8")
    with pytest.raises(SettingError) as refused:
        gather({}, tmp_path)
    assert str(refused.value) == f"{tmp_path / '.env'}: there is no setting '{name}'; {meant}"


def test_in_the_environment_it_is_told_and_not_refused(tmp_path: Path) -> None:
    environment = {"DNAM_XYZZY_PLUGH": "3", "DNAM_ALLOW_USRES": "1", "DNAM_LEARN": "none", "PATH": "/bin"}
    assert gather(environment, tmp_path).learn == "none"
    assert unknown(environment) == [
        "environment: there is no setting 'DNAM_ALLOW_USRES'; did you mean DNAM_ALLOW_USERS?",
        "environment: there is no setting 'DNAM_XYZZY_PLUGH'; `dnam settings` lists them all",
    ]
    assert all(unknown([name]) == [] for setting in SETTINGS for name in (setting.name, *setting.aliases))


def test_what_other_programs_keep_in_a_dotenv_file_is_theirs(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DISCOCLAW_PLANET=1\nPATH=2\nDNAM_LEARN=none\n", encoding="utf-8")
    assert gather({}, tmp_path).learn == "none"


def test_what_other_programs_set_and_sets_nothing_here_is_told_where_it_is_theirs(tmp_path: Path) -> None:
    url = {"DATABASE_URL": "postgresql://user:hunter2@host/slashai"}
    (said,) = unheeded({**url, "MEMORY_ENABLED": "true"}, tmp_path)
    assert said.startswith("environment: DATABASE_URL of slashAI sets nothing here. Everything is kept in the folder")
    assert unheeded(url, tmp_path) == unheeded({"DATABASE_URL": " ", "MEMORY_TOP_K": "5"}, tmp_path) == []
    (tmp_path / ".env").write_text(f"DATABASE_URL={url['DATABASE_URL']}\nMEMORY_TOP_K=5\n", encoding="utf-8")
    assert unheeded({}, tmp_path) == [said.replace("environment", ".env")]
    assert unheeded({"DNAM_LERN": "1"}, tmp_path)[0].startswith("environment: there is no setting 'DNAM_LERN'")
    assert "hunter2" not in str(unheeded({**url, "MEMORY_ENABLED": "1"}, tmp_path))


VARIABLES = {
    # slashAI's, as its document lists them under "Environment Variables".
    "DATABASE_URL": "",
    "VOYAGE_API_KEY": "VOYAGE_API_KEY",
    "MEMORY_ENABLED": "DNAM_MEMORY_ENABLED",
    "MEMORY_TOP_K": "DNAM_PASSAGES",
    "MEMORY_SIMILARITY_THRESHOLD": "DNAM_ENCODER_THRESHOLD",
    "MEMORY_MERGE_THRESHOLD": "DNAM_MERGE_THRESHOLD",
}
"""Which setting has which name; empty for one that sets nothing here. The documents' defaults are the settings'."""
DEFAULTS = {"MEMORY_ENABLED": "true", "MEMORY_TOP_K": "5", "MEMORY_SIMILARITY_THRESHOLD": "0.3",
            "MEMORY_MERGE_THRESHOLD": "0.85"}  # fmt: skip


@pytest.mark.parametrize("name", VARIABLES)
def test_every_variable_of_slashai_s_document_sets_what_it_set_there_or_is_told_of(name: str) -> None:
    found = [each for each in SETTINGS if name in (each.name, *each.aliases)]
    assert [each.name for each in found] == [each for each in (VARIABLES[name],) if each]
    assert (name in {each.name for each in FOREIGN}) == (not found)
    if name in DEFAULTS:
        (setting,) = found
        for environment, dotenv in (({name: DEFAULTS[name]}, {}), ({}, {name: DEFAULTS[name]})):
            values = read(environment, dotenv)
            assert getattr(values, setting.field) == getattr(read({}, {}), setting.field)
            assert values.origins[setting.name].endswith(f"{name} (alias)")


def test_what_is_told_to_be_of_another_program_stands_beside_settings_of_it() -> None:
    aliases = {alias for setting in SETTINGS for alias in setting.aliases}
    assert all(each.beside and aliases.issuperset(each.beside) for each in FOREIGN)


DOCUMENTED = (
    # DNAM and rolling summaries, as these two documents list them under "Configuration" and "New env var parsing".
    "DISCOCLAW_SUMMARY_ENABLED",
    "DISCOCLAW_SUMMARY_MODEL",
    "DISCOCLAW_SUMMARY_MAX_CHARS",
    "DISCOCLAW_SUMMARY_EVERY_N_TURNS",
    "DISCOCLAW_SUMMARY_DATA_DIR",
    "DISCOCLAW_DURABLE_MEMORY_ENABLED",
    "DISCOCLAW_DURABLE_MODEL",
    "DISCOCLAW_DURABLE_EVERY_N_TURNS",
    "DISCOCLAW_DURABLE_DATA_DIR",
    "DISCOCLAW_DURABLE_INJECT_MAX_CHARS",
    "DISCOCLAW_DURABLE_MAX_ITEMS",
    "DISCOCLAW_MEMORY_CHANNEL_ID",
    "DISCOCLAW_MEMORY_COMMANDS_ENABLED",
    "DISCOCLAW_MESSAGE_HISTORY_BUDGET",
)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_variable_of_the_documents_works_under_both_names_from_both_places(name: str) -> None:
    (setting,) = [each for each in SETTINGS if name in each.aliases]
    assert setting.name == name.replace("DISCOCLAW_", "DNAM_")
    text = EXAMPLES.get(setting.name) or {bool: "0", int: "7", str: "other", Path: "some/folder"}[setting.type]
    found = [read({name: text}, {}), read({}, {name: text}), read({setting.name: text}, {})]
    assert len({str(getattr(each, setting.field)) for each in found}) == 1
    assert found[1].origins[setting.name] == f".env {name} (alias)"


@pytest.mark.parametrize(
    ("text", "ids"), [("", ()), ("1", ("1",)), ("1,22, 3", ("1", "22", "3")), ("3 1\t3", ("3", "1")), (" ,1, ", ("1",))]
)
def test_ids_are_listed_with_commas_or_spaces(text: str, ids: tuple[str, ...]) -> None:
    assert read({"DNAM_ALLOW_USERS": text}, {}).allow_users == ids


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("DNAM_ALLOW_USERS", "1,Kim"),
        ("DNAM_ALLOW_USERS", "1;2"),
        ("DNAM_ALLOW_GUILDS", "٥"),
        ("DNAM_OWNER_IDS", "1" * 21),
        ("DNAM_MEMORY_CHANNEL_ID", "#general"),
        ("DNAM_MAX_COST_PER_DAY", "much"),
        ("DNAM_MAX_COST_PER_DAY", "-1"),
        ("DNAM_MAX_COST_PER_DAY", "1e3"),
        ("DNAM_MAX_COST_PER_DAY", "NaN"),
        ("DNAM_MERGE_THRESHOLD", "1.5"),
        ("DNAM_RESPOND_MODE", "loud"),
        ("DNAM_LEARN", "everything"),
        ("DNAM_LOG_FORMAT", "xml"),
        ("DNAM_LOG_LEVEL", "LOUD"),
        ("DNAM_HEALTH_PORT", "65536"),
        ("DNAM_HEALTH_HOST", "my host"),
        ("DNAM_HEALTH_HOST", "example.com"),
        ("ANTHROPIC_BASE_URL", "ftp://example.org"),
        ("DISCORD_API_URL", "https://somebody:secret@example.org/api"),
    ],
)
def test_what_the_bot_s_settings_refuse(name: str, text: str) -> None:
    with pytest.raises(SettingError, match=f"^{name}: .* is not allowed"):
        read({name: text}, {})


@pytest.mark.parametrize("text", ["127.0.0.1", "0.0.0.0", "::", "::1", "localhost"])
def test_the_health_port_is_opened_at_an_address(text: str) -> None:
    assert read({"DNAM_HEALTH_HOST": text}, {}).health_host == text


@pytest.mark.parametrize("name", ["ANTHROPIC_BASE_URL", "DISCORD_API_URL"])
def test_a_password_in_an_address_is_not_told(name: str, tmp_path: Path) -> None:
    address = "https://user:hunter2@proxy.example"
    toml = tmp_path / "dnam.toml"
    toml.write_text(f'{name.lower()} = "{address}"\n', encoding="utf-8")
    with pytest.raises(SettingError, match=f"^{name}: its value is not allowed") as by_environment:
        read({name: address}, {})
    with pytest.raises(SettingError, match=f"^{name}: its value is not allowed") as by_toml:
        gather({}, tmp_path)
    assert "hunter2" not in f"{by_environment.value} {by_toml.value}"


@pytest.mark.parametrize("name", ["DNAM_SUMMARY_MAX_CHARS", "DISCOCLAW_SUMMARY_MAX_CHARS"])
def test_no_summary_is_paid_for_that_has_no_room(name: str) -> None:
    assert not read({name: "0"}, {}).summary_enabled
    assert read({name: "1"}, {}).summary_max_chars == 1


def test_money_is_no_float() -> None:
    assert read({"DNAM_MAX_COST_PER_DAY": "0.10"}, {}).max_cost_per_day == Decimal("0.1")
    assert read({"DNAM_MERGE_THRESHOLD": "1"}, {}).merge_threshold == 1


class TestToml:
    def read(self, tmp_path: Path, text: str, **environment: str) -> Settings:
        (tmp_path / "dnam.toml").write_text(text, encoding="utf-8")
        return gather(environment, tmp_path)

    def test_a_mark_of_an_editor_s_before_it_does_not_belong_to_it(self, tmp_path: Path) -> None:
        assert self.read(tmp_path, '\ufeffassistant_name = "Ada"').assistant_name == "Ada"

    def test_every_type_as_toml_has_it(self, tmp_path: Path) -> None:
        settings = self.read(
            tmp_path,
            """
            assistant_name = "Ada"
            summary_enabled = false
            memory_enabled = true
            turns_per_minute = 3
            max_cost_per_day = 2.50
            allow_users = ["1", 2]
            allow_guilds = "3, 4"
            context_dir = "some/folder"
            learn = ""
            """,
        )
        assert (settings.assistant_name, settings.summary_enabled, settings.memory_enabled) == ("Ada", False, True)
        assert (settings.turns_per_minute, settings.max_cost_per_day) == (3, Decimal("2.5"))
        assert (settings.allow_users, settings.allow_guilds) == (("1", "2"), ("3", "4"))
        assert (settings.context_dir, settings.learn) == (Path("some/folder"), "addressed")
        assert settings.origins["DNAM_ASSISTANT_NAME"] == "dnam.toml assistant_name"
        assert settings.origins["DNAM_LEARN"] == "default"

    def test_it_wins_over_the_environment_which_wins_over_dotenv(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text("DNAM_LANGUAGE=fr\nDNAM_LEARN=none\nDNAM_RESPOND_MODE=all\n", encoding="utf-8")
        settings = self.read(tmp_path, 'language = "de"', DNAM_LANGUAGE="nl", DNAM_LEARN="heard")
        assert (settings.language, settings.learn, settings.respond_mode) == ("de", "heard", "all")

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("langage = 'de'", "there is no setting 'langage'; did you mean language?"),
            ("DNAM_LANGUAGE = 'de'", "there is no setting 'DNAM_LANGUAGE'; did you mean language?"),
            ("xyzzy = 1", "there is no setting 'xyzzy'; `dnam settings` lists them all"),
            ("config = 'other.toml'", "there is no setting 'config'"),
            ("language = ", "dnam.toml cannot be read"),
            ("language = 2026-01-01", "language may be a text, a number, a switch or a list"),
            ("allow_users = [true]", "allow_users may be a text, a number, a switch or a list"),
            ("[discord]\ntoken = 'x'", "dnam.toml: [discord] begins a table, and there are none: leave that line out"),
            ("summary_enabled = maybe", "column 19). A text stands in quotes, a switch is true or false"),
            ("summary_max_chars = true", "summary_max_chars is no switch; allowed: a whole number from 0 to 100000"),
            ("assistant_name = false", "assistant_name is no switch; allowed: 1 to 32 characters"),
            ("turns_per_minute = -1", "'-1' is not allowed (from dnam.toml turns_per_minute)"),
            ("discord_token = 'hush hush'", "its value is not allowed (from dnam.toml discord_token)"),
        ],
    )
    def test_what_is_wrong_in_it_is_named(self, tmp_path: Path, text: str, why: str) -> None:
        with pytest.raises(SettingError) as refused:
            self.read(tmp_path, text)
        assert why in str(refused.value)

    def test_without_one_there_is_none(self, tmp_path: Path) -> None:
        assert gather({}, tmp_path) == read({}, {})

    def test_another_file_can_be_named_and_has_to_be_there(self, tmp_path: Path) -> None:
        (tmp_path / "other.toml").write_text("learn = 'none'", encoding="utf-8")
        assert self.read(tmp_path, "learn = 'heard'", DNAM_CONFIG="other.toml").learn == "none"
        (tmp_path / ".env").write_text(f"DNAM_CONFIG={tmp_path / 'other.toml'}", encoding="utf-8")
        assert gather({}, tmp_path).learn == "none"
        with pytest.raises(SettingError, match="DNAM_CONFIG: there is no file"):
            gather({"DNAM_CONFIG": "nowhere.toml"}, tmp_path)

    def test_a_folder_in_its_place_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "dnam.toml").mkdir()
        with pytest.raises(SettingError, match=r"dnam\.toml is a folder: remove it"):
            gather({}, tmp_path)

    def test_one_that_is_no_text_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "dnam.toml").write_bytes(b"learn = '\xff'")
        with pytest.raises(SettingError, match="cannot be read"):
            gather({}, tmp_path)


IMPORT_ONLY = """
import os, sys
class Watched(dict):
    def __getitem__(self, name): raise SystemExit(f"read {name}")
    get = __getitem__
before = set(sys.modules)
os.environ = Watched()
import dnam
assert dnam.__version__ == "0.1.0"
loaded = {name.split(".")[0] for name in set(sys.modules) - before}
print(sorted(loaded - sys.stdlib_module_names))
import dnam.settings
"""


def test_importing_does_nothing(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORT_ONLY],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "['dnam']\n", "")
    assert list(tmp_path.iterdir()) == []


def test_memory_is_loaded_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    import dnam

    class Module:
        Memory = object()

    monkeypatch.setitem(sys.modules, "dnam.memory", Module)
    assert dnam.Memory is Module.Memory
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        dnam.Nothing  # noqa: B018 - asking is the test
