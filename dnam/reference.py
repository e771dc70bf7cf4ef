"""The generated pages: `python -m dnam.reference` writes them, `--check` names those that are stale.

What is described is data (a table of settings, a tree of commands), so the description cannot go stale. A new page is a
new line in DOCUMENTS.
"""

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnam.configuration import SETTING_OF
from dnam.event_reference import events_page
from dnam.method_reference import methods_page
from dnam.settings import FOREIGN, SETTINGS, Foreign, Setting, read
from projections.policies.configurable import KEYS, Key

if TYPE_CHECKING:
    import typer

SETTINGS_OPENING = (
    "Each is looked for in `dnam.toml` (there in small letters, without `DNAM_`: `summary_enabled = false`), then in "
    "the environment and in `.env`, both in the folder where dnam is started, first under its own name, then under its "
    "aliases. An empty value counts as not set. A value that is not allowed, and a key in `dnam.toml` that is no "
    "setting, is refused by name, and nothing starts; so is a name in `.env` that begins with `DNAM_` and is none. Of "
    "such a name in the environment `dnam run`, `dnam chat` and `dnam doctor` only tell. `dnam settings` shows what is "
    "in force and where it came from. "
    "What the assistant does where can be changed while it runs: `dnam config` wins over all of these."
)
FOREIGN_OPENING = (
    "Names that the programs behind dnam's source documents read, and that set nothing here. Beside another name of "
    "that program, `dnam run`, `dnam chat` and `dnam doctor` tell of them, in the environment and in `.env`."
)
CONFIG_OPENING = (
    "`dnam config set SCOPE KEY=VALUE`, and `!memory config set` in Discord, change these for `global`, `guild/ID`, "
    "`channel/ID` or `person/USER`, in force with the next message. For each key the narrowest scope that has a value "
    "wins: the person, the thread, its channel, the guild, global. The owner may set all of them, members with Manage "
    "Server those of their guild and its channels, and everybody `learn` and `retention_days` of their own. A place is "
    "named by its id, or by its name where that is known (`channel/general`, `#general`): in Discord, that of every "
    "channel and forum of the server where it is asked, also before anything is said there."
)
CODES_OPENING = "How every command ends, as its exit code:"
GENERATED = "<!-- Written by `make docs`; do not edit. -->"


@dataclass(frozen=True, slots=True)
class Document:
    """A generated file: its path from the project's folder, and what makes its text."""

    path: str
    render: Callable[[], str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write every document, or compare. 0 done or all as they should be, 1 something is stale."""
    parser = argparse.ArgumentParser(
        prog="python -m dnam.reference", description="Write the generated reference pages."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when a page is stale")
    parser.add_argument("--root", type=Path, default=Path(), help="the project's folder (default: this one)")
    options = parser.parse_args(arguments)
    if not options.check:
        write(options.root)
        return 0
    stale = list(stale_documents(options.root))
    for path in stale:
        print(f"{path} is stale: run `make docs`", file=sys.stderr)
    return 1 if stale else 0


def write(root: Path) -> None:
    for document in DOCUMENTS:
        path = root / document.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document.render(), encoding="utf-8")
        print(f"wrote {document.path}")


def stale_documents(root: Path) -> Iterator[str]:
    for document in DOCUMENTS:
        path = root / document.path
        if not path.is_file() or path.read_text(encoding="utf-8") != document.render():
            yield document.path


def settings_page() -> str:
    return "\n".join(
        [
            "# Settings",
            "",
            GENERATED,
            "",
            SETTINGS_OPENING,
            "",
            "| name | default | allowed | what it does |",
            "|---|---|---|---|",
            *map(_setting_row, SETTINGS),
            "",
            "## Names of other programs",
            "",
            FOREIGN_OPENING,
            "",
            "| name | of | instead |",
            "|---|---|---|",
            *map(_foreign_row, FOREIGN),
            "",
            "## Changed while it runs",
            "",
            CONFIG_OPENING,
            "",
            "| key | allowed | what it is | where no scope says |",
            "|---|---|---|---|",
            *map(_key_row, KEYS),
            "",
        ]
    )


def _foreign_row(foreign: Foreign) -> str:
    return f"| `{foreign.name}` | {foreign.program} | {foreign.instead} |"


def _key_row(key: Key) -> str:
    setting, _ = SETTING_OF[key.name](read({}, {}))
    return f"| {' | '.join((f'`{key.name}`', key.words, key.help, f'`{setting}`'))} |"


def _setting_row(setting: Setting) -> str:
    default = f"`{setting.default}`" if setting.default else ""
    aliases = f" Alias: {', '.join(f'`{alias}`' for alias in setting.aliases)}." if setting.aliases else ""
    secret = " Secret: never shown." if setting.secret else ""
    cells = (f"`{setting.name}`", default, setting.allowed.words, f"{setting.help}{secret}{aliases}")
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def env_example() -> str:
    opening = "# Copy this to .env and uncomment what should be different. Written by `make docs`; do not edit."
    return "\n".join([opening, *map(_env_lines, SETTINGS), ""])


def _env_lines(setting: Setting) -> str:
    said = textwrap.wrap(
        f"{setting.help} Allowed: {setting.allowed.words}.", 100, initial_indent="# ", subsequent_indent="# "
    )
    return "\n".join(["", *said, f"#{setting.name}={setting.default}"])


def commands_page() -> str:
    codes = import_module("dnam.cli.failures").EXIT_CODES
    rows = (f"| {code} | {words} |" for code, words in codes.items())
    return describe_app(import_module("dnam.cli").app, [CODES_OPENING, "", "| code | |", "|---|---|", *rows, ""])


def describe_app(app: "typer.Typer", opening: Sequence[str] = ()) -> str:
    """A page on every command of a typer app: usage, help, arguments, options and example. `opening` are lines that
    stand before them all.
    """
    from typer.main import get_command

    root: Any = get_command(app)  # typer's own click, whose classes have no public name
    lines = ["# Commands", "", GENERATED, "", *_prose(root.help), "", *opening]
    lines += ["Options before the command:", "", *_options(root), ""] if _options(root) else []
    for path, command in _commands(root, ()):
        lines += _command_section(path, command)
    return "\n".join(lines).rstrip() + "\n"


def _commands(group: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that is not hidden and has no commands of its own, in the order of the app."""
    for name, command in getattr(group, "commands", {}).items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name), command


def _command_section(path: tuple[str, ...], command: Any) -> list[str]:
    usage = " ".join(["dnam", *path, *(_argument(each) for each in command.params if _is_argument(each))])
    sections = [_prose(command.help), _arguments(command), _options(command), _example(command)]
    return [f"## `{usage}`", "", *(line for section in sections if section for line in (*section, ""))]


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _argument(parameter: Any) -> str:
    name = parameter.metavar or parameter.name.upper() + ("…" if parameter.nargs == -1 else "")
    return name if parameter.required else f"[{name}]"


def _arguments(command: Any) -> list[str]:
    found = [each for each in command.params if _is_argument(each) and not getattr(each, "hidden", False) and each.help]
    return [f"- `{_argument(each)}`: {_one_line(each.help)}" for each in found]


def _options(command: Any) -> list[str]:
    found = [each for each in command.params if not _is_argument(each) and not getattr(each, "hidden", False)]
    return [_option(each) for each in found if each.name not in ("install_completion", "show_completion")]


def _option(parameter: Any) -> str:
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    value = "" if parameter.is_flag else f" {parameter.metavar or parameter.type.name.upper()}"
    plain = isinstance(parameter.default, str | int | Path) and not isinstance(parameter.default, bool)
    default = f" (default: `{parameter.default}`)" if plain and str(parameter.default) else ""
    return f"- `{names}{value}`: {_one_line(parameter.help or '')}{default}"


def _example(command: Any) -> list[str]:
    """The command's epilog is its example: `Example: dnam show Kim`."""
    epilog = (command.epilog or "").strip()
    return ["```", *epilog.removeprefix("Example:").strip().splitlines(), "```"] if epilog else []


def _prose(text: str | None) -> list[str]:
    """Help as people see it: what follows a form feed is not shown, and `\\b` only keeps lines as they are."""
    shown = (text or "").split("\f")[0].replace("\b", "")
    return textwrap.dedent(shown).strip().splitlines()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


DOCUMENTS: tuple[Document, ...] = (
    Document("docs/settings.md", settings_page),
    Document(".env.example", env_example),
    Document("docs/commands.md", commands_page),
    Document("docs/events.md", events_page),
    Document("docs/methods.md", methods_page),
)

if __name__ == "__main__":
    sys.exit(main())
