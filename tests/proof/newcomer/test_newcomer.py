"""That a newcomer was not kept apart from the machine is no proof, and falls short."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.proof.claim import Claim
from tests.proof.newcomer import NOT_APART, _named, works
from tests.proof.newcomer.machine import newcomer
from tests.proof.scorecard import Line


@pytest.mark.parametrize(
    ("ran", "failed", "is_apart", "verdict"),
    [
        (32, [], True, "holds"),
        (32, [], False, "falls short"),
        (32, ["make (exit 2): no"], True, "BROKEN"),
        (32, ["make (exit 2): no"], False, "BROKEN"),
        (0, [], True, "NOT RUN"),
        (0, [], False, "NOT RUN"),
    ],
)
def test_without_namespaces_it_falls_short(ran: int, failed: list[str], is_apart: bool, verdict: str) -> None:
    found = works(ran, failed, is_apart=is_apart)
    assert Line(Claim("works", "", ""), found).verdict == verdict
    assert (found.short == NOT_APART) == (not is_apart and not failed)
    assert all(each in found.came_out for each in failed)


class Known(NamedTuple):
    """What helps to a command, and knows one `make` target."""

    helps: Mapping[str, str]

    def run(self, command: str, _: str = "", **__: str) -> subprocess.CompletedProcess[str]:
        found = "" if command == "make -n test" else self.helps.get(command.removeprefix(".venv/bin/dnam "))
        return subprocess.CompletedProcess(command, found is None, found or "")


@pytest.mark.parametrize(
    ("named", "is_there"),
    [
        ("make test", True),
        ("make tests", False),
        ("dnam erase NAME --yes", True),
        ("dnam erase NAME --json", False),
        ("dnam erase NAME --said=DAY", True),
        ("dnam erase NAME --sa", False),
        ("dnam shadows list --data DIR", True),
        ("dnam shadows list --yes", False),
        ("dnam nothing", False),
    ],
)
def test_what_is_named_has_to_be_known_and_so_has_each_option(named: str, is_there: bool) -> None:
    here = Known({"erase --help": "--yes  --said-by  --said DAY", "shadows list --help": "--data DIR"})
    found = _named(here, f"Type `{named}` now.")  # type: ignore[arg-type]  # it has what is asked of a Newcomer
    assert (found.count, found.holds, found.counted) == (1, is_there, "names, none of them run")
    assert found.came_out == ("0 are not known" if is_there else f"1 are not known: {named}")


def test_a_newcomer_has_a_clone_and_finds_neither_the_checkout_nor_other_programs(tmp_path: Path) -> None:
    checkout, folder = tmp_path / "checkout", tmp_path / "machine"
    checkout.mkdir()
    (checkout / "README.md").write_text("read me", encoding="utf-8")
    told = ("-c", "user.name=nobody", "-c", "user.email=nobody@localhost")
    for command in (("init", "--quiet"), ("add", "."), (*told, "commit", "--quiet", "-m", "all")):
        subprocess.run(["git", *command], cwd=checkout, check=True)
    folder.mkdir()
    here = newcomer(checkout, folder)
    assert here.run("cat README.md").stdout == "read me"
    assert here.run("git status").returncode == 127
    if here.is_apart:
        assert here.run(f"cat '{checkout}/README.md'").returncode == 1
    assert (checkout / "README.md").exists()
