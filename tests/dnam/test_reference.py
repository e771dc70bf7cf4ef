"""The generated pages: complete, the same every time, and as they lie in the project."""

import re
from pathlib import Path
from typing import Annotated

import pytest
import typer

from dnam import reference
from dnam.cli.failures import EXIT_CODES
from dnam.reference import DOCUMENTS, Document, commands_page, describe_app, env_example, main, settings_page
from dnam.settings import SETTINGS, read, read_dotenv
from projections.events import EVENTS, RESERVED_TAGS
from projections.policies.configurable import KEYS

ROOT = Path(__file__).parents[2]
PACKAGES = ("dnam", "replay", "projections")

app = typer.Typer(help="Remembers.\n\nIn two parts.")
keys = typer.Typer()
app.add_typer(keys, name="keys")


@app.callback()
def root(data: Annotated[Path, typer.Option(metavar="DIR", help="The folder.")] = Path("data")) -> None:
    """Remembers."""


@app.command(name="show", epilog="Example: dnam show Kim")
def show_command(
    user: Annotated[str, typer.Argument(help="Who | what.")],
    tag: Annotated[str, typer.Argument()] = "",
    *,
    count: Annotated[int, typer.Option(help="How\nmany.")] = 3,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    inner: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:
    """Show what is known.\f Not for people."""


@app.command(name="import")
def import_command(paths: list[Path]) -> None:
    """Take in files."""


@app.command(hidden=True)
def secret() -> None:
    """Nobody sees this."""


@keys.command(name="check")
def check_keys() -> None:
    """Look at the ring."""


DESCRIBED = """\
# Commands

<!-- Written by `make docs`; do not edit. -->

Remembers.

In two parts.

Options before the command:

- `--data DIR`: The folder. (default: `data`)

## `dnam show USER [TAG]`

Show what is known.

- `USER`: Who | what.

- `--count INT`: How many. (default: `3`)
- `--yes`: Do not ask.

```
dnam show Kim
```

## `dnam import PATHS…`

Take in files.

## `dnam keys check`

Look at the ring.
"""


def test_a_typer_app_is_described_with_usage_help_options_and_example() -> None:
    assert describe_app(app) == DESCRIBED


def test_the_exit_codes_stand_before_the_commands_and_in_the_readme() -> None:
    before, _, _ = commands_page().partition("\n## ")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (told,) = (each for each in readme.split("\n\n") if "The exit code is" in each)
    assert list(EXIT_CODES) == [0, 1, 2, 3, 4, 130]
    for code, words in EXIT_CODES.items():
        assert f"\n| {code} | {words} |\n" in before
        assert f" {code} " in told


def test_every_setting_and_alias_stands_in_the_page_and_in_the_example_file() -> None:
    page = settings_page()
    for setting in SETTINGS:
        assert f"| `{setting.name}` |" in page
        assert f"\n#{setting.name}={setting.default}\n" in env_example()
        assert all(f"`{alias}`" in page for alias in setting.aliases)


def test_every_key_that_can_be_configured_stands_in_the_page_with_its_setting() -> None:
    page = settings_page()
    for key in KEYS:
        assert f"| `{key.name}` | {key.words} |" in page
    assert "`DNAM_RESPOND_MODE` |" in page


def test_the_example_file_is_valid_and_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(env_example(), encoding="utf-8")
    assert read_dotenv(file) == {}
    file.write_text(env_example().replace("\n#DNAM", "\nDNAM"), encoding="utf-8")
    settings = read({}, read_dotenv(file))
    assert settings.origins["DNAM_DATA"] == ".env DNAM_DATA"
    assert settings.data == read({}, {}).data


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.path)
def test_the_project_s_page_is_as_it_would_be_written(document: Document) -> None:
    assert (ROOT / document.path).read_text(encoding="utf-8") == document.render(), "run `make docs`"


@pytest.fixture
def two_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = (Document("docs/a.md", lambda: "a\n"), Document("b.md", lambda: "ö\n"))
    monkeypatch.setattr(reference, "DOCUMENTS", pages)


@pytest.mark.usefixtures("two_pages")
def test_pages_are_written_and_then_found_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "wrote docs/a.md\nwrote b.md\n"
    assert (tmp_path / "b.md").read_text(encoding="utf-8") == "ö\n"
    assert main(["--root", str(tmp_path), "--check"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("two_pages")
def test_a_stale_page_and_a_missing_one_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.md").write_text("old\n", encoding="utf-8")
    assert main(["--root", str(tmp_path), "--check"]) == 1
    said = capsys.readouterr().err
    assert said == "docs/a.md is stale: run `make docs`\nb.md is stale: run `make docs`\n"
    assert (tmp_path / "b.md").read_text(encoding="utf-8") == "old\n"
    assert not (tmp_path / "docs").exists()


def test_what_is_reserved_is_what_nothing_writes() -> None:
    """Whoever writes an event calls its class; a `case` only tells it."""
    sources = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py") if "events" not in path.parts)
    lines = [line for path in sources for line in path.read_text(encoding="utf-8").splitlines() if "case " not in line]
    called = set(re.findall(r"\b([A-Z]\w+)\(|\bpartial\(([A-Z]\w+),", "\n".join(lines)))
    assert {each.TAG for each in EVENTS if each.__name__ not in set().union(*called)} == RESERVED_TAGS
