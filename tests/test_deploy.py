"""docs/deploy: each file linted by its format's own tool, and held against what dnam needs."""

import configparser
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from dnam.cli.failures import WRONG_USE
from dnam.settings import SETTINGS, read

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "docs" / "deploy"
CLOSES_SECONDS = 10
"""In how many seconds the bot promises to close."""
NAMES = {name for setting in SETTINGS for name in (setting.name, *setting.aliases)}
OTHERS = {
    "PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PIP_NO_CACHE_DIR", "PIP_DISABLE_PIP_VERSION_CHECK",
}  # fmt: skip


def text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def tool(name: str) -> str:
    """A program that is installed beside this Python, with everything else that the tests need."""
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    assert found is not None, f"{name} is not installed: `make setup`"
    return found


def lint(*command: str | Path) -> str:
    """What a linter says; it has to end well."""
    ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


# -- the formats ---------------------------------------------------------------------------------------------------


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    assert lint(tool("hadolint"), "--no-color", DEPLOY / "Dockerfile") == ""


def test_the_compose_file_is_as_the_compose_specification_wants_it() -> None:
    lint(tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml")


DIRECTIVES = {
    "Unit": {"Description", "Documentation", "Wants", "After"},
    "Service": {
        "Type", "ExecStart", "Environment", "EnvironmentFile", "LoadCredential", "WorkingDirectory", "UMask",
        "Restart", "RestartSec", "RestartPreventExitStatus", "KillSignal", "KillMode", "TimeoutStopSec",
        "DynamicUser", "StateDirectory", "StateDirectoryMode", "NoNewPrivileges", "PrivateTmp", "PrivateDevices",
        "ProtectSystem", "ProtectHome", "ProtectKernelTunables", "ProtectKernelModules", "ProtectKernelLogs",
        "ProtectControlGroups", "ProtectClock", "ProtectHostname", "RestrictAddressFamilies", "RestrictNamespaces",
        "RestrictRealtime", "RestrictSUIDSGID", "LockPersonality", "CapabilityBoundingSet", "SystemCallArchitectures",
        "SystemCallFilter",
    },
    "Install": {"WantedBy"},
}  # fmt: skip
"""What systemd knows and we may need, by systemd.unit(5), systemd.service(5), systemd.exec(5) and systemd.kill(5)."""


def test_every_line_of_the_unit_is_one_that_systemd_knows_in_its_section() -> None:
    """Also on a machine without systemd: it passes over what it does not know, so a slip would go unnoticed."""
    sections = {name: set(section) for name, section in unit().items() if name != configparser.DEFAULTSECT}
    assert set(sections) == set(DIRECTIVES)
    assert [line for name, lines in sections.items() for line in lines - DIRECTIVES[name]] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is no Python package")
def test_systemd_itself_finds_nothing_in_the_unit(tmp_path: Path) -> None:
    """With a program that is there in the place of the one that will be."""
    unit, program = tmp_path / "dnam.service", tmp_path / "dnam"
    program.symlink_to(sys.executable)  # whose own path may have a space in it
    unit.write_text(text("dnam.service").replace("/opt/dnam/bin/dnam", str(program)), encoding="utf-8")
    said = lint("systemd-analyze", "verify", unit)
    assert [line for line in said.splitlines() if "dnam.service" in line] == []


def test_a_missing_linter_is_a_failure() -> None:
    with pytest.raises(AssertionError, match="is not installed"):
        tool("no-linter-of-this-name")


# -- what they say -------------------------------------------------------------------------------------------------


def unit() -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(interpolation=None, strict=True)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]  # configparser's own way to keep capitals
    parsed.read_string(text("dnam.service"))
    return parsed


def test_the_unit_ends_it_with_sigterm_and_waits_longer_than_it_needs() -> None:
    service = unit()["Service"]
    assert service["KillSignal"] == "SIGTERM"
    assert int(service["TimeoutStopSec"]) > CLOSES_SECONDS
    assert service["Restart"] == "on-failure"
    assert service["RestartPreventExitStatus"] == str(WRONG_USE)


def test_the_unit_waits_for_the_network_and_for_the_clock_to_be_set() -> None:
    """A machine without a battery for its clock sets it some time after it started, by hours and more."""
    begins = unit()["Unit"]
    assert set(begins["After"].split()) == set(begins["Wants"].split()) == {"network-online.target", "time-sync.target"}


def test_the_unit_runs_dnam_and_not_as_root() -> None:
    service = unit()["Service"]
    assert service["ExecStart"] == "/opt/dnam/bin/dnam run"
    assert service["DynamicUser"] == "yes"
    assert "User" not in service
    assert f"/var/lib/{service['StateDirectory']}" == service["WorkingDirectory"]
    assert list(unit()) == ["DEFAULT", "Unit", "Service", "Install"]
    assert unit()["Install"]["WantedBy"] == "multi-user.target"


def instructions() -> list[tuple[str, str]]:
    """The lines of the last stage, continued ones joined."""
    joined = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", text("Dockerfile")))
    lines = [line.partition(" ")[::2] for line in joined.splitlines() if line.strip()]
    last = max(number for number, (name, _) in enumerate(lines) if name == "FROM")
    return [(name, rest.strip()) for name, rest in lines[last:]]


def test_the_image_runs_the_bot_and_not_as_root() -> None:
    last = instructions()
    assert dict(last)["USER"] == "10001:10001"
    assert dict(last)["ENTRYPOINT"] == '["dnam"]'
    assert dict(last)["CMD"] == '["run"]'
    assert dict(last)["STOPSIGNAL"] == "SIGTERM"
    assert "/healthz" in dict(last)["HEALTHCHECK"]


def test_log_and_keys_are_volumes_apart_in_both() -> None:
    assert dict(instructions())["VOLUME"] == '["/data", "/data/keys"]'
    assert re.findall(r"- (\w+):(/\S+)", text("compose.yaml")) == [("data", "/data"), ("keys", "/data/keys")]


def test_compose_waits_longer_than_the_bot_needs_and_shows_its_port_to_this_machine_alone() -> None:
    (grace,) = re.findall(r"stop_grace_period: (\d+)s", text("compose.yaml"))
    assert int(grace) > CLOSES_SECONDS
    assert re.findall(r'- "([\d.]+):\d+:\d+"', text("compose.yaml")) == ["127.0.0.1"]


def test_compose_begins_again_after_a_reboot() -> None:
    """Docker does so for `always` and `unless-stopped`, and for nothing that has a limit of tries."""
    assert re.findall(r"restart: (\S+)", text("compose.yaml")) == ["unless-stopped"]


DNAM = """#!/bin/sh
echo "$@"
trap 'echo ended; exit 143' TERM
case $1 in doctor) cat; exit 2 ;; esac
cat code >/dev/null 2>&1 && exit "$(cat code)"
sleep 60 & wait
"""
"""A bot that ends as the file `code` says, or runs until it is told to end."""
SLEEP = '#!/bin/sh\necho "sleep $1"\nexec /bin/sleep "$1"\n'


@contextmanager
def container(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """What compose.yaml runs, with that bot, and a `sleep` that says so; all that it began ends with it."""
    for name, script in (("dnam", DNAM), ("sleep", SLEEP)):
        (folder / name).write_text(script, encoding="utf-8")
        (folder / name).chmod(0o755)
    (script,) = re.findall(r"(?s)- \|\n(.+?)      - dnam\n", text("compose.yaml"))
    command = ["sh", "-c", textwrap.dedent(script).replace("$$", "$"), "dnam", *words]
    environment, pipe = {"PATH": f"{folder}:/usr/bin:/bin"}, subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, env=environment, text=True, stdin=pipe, stdout=pipe, start_new_session=True
    ) as ran:
        try:
            yield ran
        finally:
            with suppress(ProcessLookupError):
                os.killpg(ran.pid, signal.SIGKILL)


def said(ran: subprocess.Popen[str], count: int) -> list[str]:
    """The next lines that are said."""
    assert ran.stdout is not None
    return [ran.stdout.readline().rstrip("\n") for _ in range(count)]


@pytest.mark.parametrize("code", [0, 1, 3])
def test_compose_ends_as_the_bot_ends(tmp_path: Path, code: int) -> None:
    (tmp_path / "code").write_text(str(code), encoding="utf-8")
    with container(tmp_path, "run") as ran:
        assert ran.communicate(timeout=20)[0] == "run\n"
        assert ran.returncode == code


def test_compose_hands_sigterm_to_the_bot_and_waits_for_its_end(tmp_path: Path) -> None:
    with container(tmp_path, "run") as ran:
        assert said(ran, 2) == ["run", "sleep 60"]
        ran.terminate()
        assert ran.wait(20) == 143
        assert said(ran, 1) == ["ended"]


def test_compose_rests_after_wrong_use_and_ends_then_when_it_is_told(tmp_path: Path) -> None:
    """Docker knows no exit code that is not to be tried again, and Discord takes 1,000 tries with refused intents a
    day.
    """
    (tmp_path / "code").write_text(str(WRONG_USE), encoding="utf-8")
    with container(tmp_path, "run") as ran:
        run, rest = said(ran, 2)
        assert (run, rest.partition(" ")[0]) == ("run", "sleep")
        assert 24 * 60 * 60 / int(rest.removeprefix("sleep ")) <= 1000 / 5
        assert ran.poll() is None
        ran.terminate()
        assert ran.wait(20) == WRONG_USE


def test_compose_runs_other_commands_as_they_are(tmp_path: Path) -> None:
    with container(tmp_path, "doctor", "a b") as ran:
        assert ran.communicate("typed", 20)[0] == "doctor a b\ntyped"
        assert ran.returncode == WRONG_USE


def test_every_variable_is_a_setting_with_a_value_that_is_allowed() -> None:
    unquoted = {
        **dict(re.findall(r"\b([A-Z][A-Z_]+)=(\S+)", text("Dockerfile"))),
        **dict(re.findall(r'(?m)^      ([A-Z_]+): "?([^"\n]+)"?$', text("compose.yaml"))),
        **dict(each.split("=") for each in unit()["Service"]["Environment"].split()),
    }
    assert set(unquoted) <= NAMES | OTHERS
    settings = read({name: value for name, value in unquoted.items() if name in NAMES}, {})
    assert settings.health_port == 9177
    assert len({*re.findall(r"\b9\d{3}\b", text("Dockerfile") + text("compose.yaml"))}) == 1


def test_what_the_image_copies_is_there_and_nothing_else_is_sent() -> None:
    copied = re.findall(r"(?m)^COPY (?!--)(.+) \S+$", text("Dockerfile"))
    sources = {source for line in copied for source in line.split()}
    assert all((ROOT / source).exists() for source in sources)
    let_in = {line[1:] for line in text("Dockerfile.dockerignore").splitlines() if line.startswith("!")}
    assert let_in == sources


def test_the_page_names_every_file() -> None:
    for file in DEPLOY.iterdir():
        if file.name not in ("README.md", "Dockerfile.dockerignore"):
            assert f"({file.name})" in text("README.md")
