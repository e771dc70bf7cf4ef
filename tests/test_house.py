"""The house itself: what the project's own files promise."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
import unicodedata
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("dnam", "replay", "projections")
TARGETS = (
    "help", "setup", "run", "test", "check", "scenario", "privacy", "prove", "bench", "eval", "kills", "docs", "dist",
    "clean"
)  # fmt: skip
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
# Their answer depends on the world, on the process, or on nothing that the log knows.
CALLS_OF_THE_WORLD = {"open", "input", "print", "hash", "id", "eval", "exec", "__import__", "breakpoint"}


def make(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    # A make inside `make test` would otherwise take over the outer one's flags and targets.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def project_name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found
    return re.sub(r"[-_.]+", "-", found.group()).lower()


def test_make_alone_lists_every_target() -> None:
    listed = re.findall(r"^  make (\w+) +\S", make().stdout, flags=re.MULTILINE)
    assert tuple(listed) == TARGETS
    assert make().stdout == make("help").stdout


@pytest.fixture
def bare_clone(tmp_path: Path) -> Path:
    folder = tmp_path / "a clone with spaces"
    folder.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    return folder


def test_without_a_python_that_is_new_enough_setup_says_so(bare_clone: Path) -> None:
    old = bare_clone / "old"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    run = make("setup", "PYTHONS=./old no-such-python", folder=bare_clone)
    assert run.returncode == 2
    assert "no Python 3.11 or newer" in run.stderr
    assert not (bare_clone / ".venv").exists()


def test_a_set_up_clone_is_not_set_up_again_until_the_lock_file_changes(bare_clone: Path) -> None:
    ready = re.findall(r"\.venv/(?:locked|ready)-\d+", make("--dry-run", "setup", folder=bare_clone).stdout)
    assert len(set(ready)) == 2
    (bare_clone / ".venv").mkdir()
    for stamp in sorted(set(ready)):
        (bare_clone / stamp).touch()
    assert make("setup", folder=bare_clone).stdout == "dnam: .venv is ready\n"
    with (bare_clone / "requirements.lock").open("a", encoding="utf-8") as lock:
        lock.write("# changed\n")
    assert "pip install" in make("--dry-run", "setup", folder=bare_clone).stdout


def test_the_lock_file_names_every_direct_dependency() -> None:
    direct = [*PYPROJECT["project"]["dependencies"], *PYPROJECT["project"]["optional-dependencies"]["dev"]]
    direct += PYPROJECT["build-system"]["requires"]
    locked = {project_name(line) for line in LOCK.splitlines() if "==" in line}
    assert {project_name(each) for each in direct} <= locked


def test_what_the_lock_file_lists_is_complete() -> None:
    """So setup looks up nothing else: for an extra, a pip older than 23.3 takes the newest release, and refuses it."""
    assert "--no-deps --require-hashes -r requirements.lock" in make("--dry-run", "--always-make", "setup").stdout
    checked = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout) == (0, "No broken requirements found.\n")


def test_the_lock_file_holds_no_address_and_no_path() -> None:
    assert not re.search(
        r"://|file:|find-links|extra-index|index-url\s+\S*[:/]|\.(org|com|net)\b|/opt|/home|/tmp", LOCK
    )


def test_every_package_in_the_lock_file_has_its_version_and_hashes() -> None:
    entries = re.split(
        r"\n(?=[a-z])", "\n".join(line for line in LOCK.splitlines() if not line.lstrip().startswith("#"))
    )
    assert len(entries) > 20
    for entry in entries:
        assert re.match(r"\n*[a-z0-9-]+==\S+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


def test_there_is_one_version() -> None:
    import dnam

    assert PYPROJECT["project"]["version"] == dnam.__version__


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_typed_shipped_and_under_contract(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()
    assert package in PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert package in PYPROJECT["tool"]["importlinter"]["root_packages"]
    assert package in PYPROJECT["tool"]["mypy"]["packages"]


def test_there_is_no_package_beside_the_known_ones() -> None:
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} <= {*PACKAGES, "tests"}


def calls_by_name(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


def test_the_core_calls_nothing_of_the_world() -> None:
    called = {(path.name, name) for path in (ROOT / "projections").rglob("*.py") for name in calls_by_name(path)}
    assert {each for each in called if each[1] in CALLS_OF_THE_WORLD} == set()


LOADERS = {"importlib", "pkgutil", "linecache", "runpy"}


def test_one_module_of_the_core_reads_its_data_files_and_as_it_is_imported() -> None:
    """There is no function where they are read, so that nothing is read later; and nobody else reads."""
    readers = list[str]()
    for path in (ROOT / "projections").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        named += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        if not LOADERS.isdisjoint(name.partition(".")[0] for name in named):
            readers.append(path.relative_to(ROOT).as_posix())
            assert not [each for each in nodes if isinstance(each, ast.FunctionDef | ast.Lambda)]
    assert readers == ["projections/languages/__init__.py"]


def plain_words() -> frozenset[str]:
    """Words that no sentence lacks, and others of the plainest, by the data files of the languages."""
    from dnam.languages import available, load
    from projections.languages import ENGLISH, LANGUAGES

    known = [ENGLISH.recall.stop_words, ENGLISH.recall.time_words, frozenset(ENGLISH.recall.months)]
    known += [words for each in LANGUAGES for words in (each.telling.small, each.telling.frame, each.telling.users)]
    for each in map(load, available()):
        known += [each.stop_words, each.negations, each.question_words, each.backchannels, each.hedges, each.common.own]
    return frozenset(word for words in known for word in words if len(word) > 1)


MOST_PLAIN = 3
"""More plain words of a language than so are a list of them: in a display, between the bars of a pattern, or in a text
that is taken apart into its words.
"""
OUR_OWN_WORDS = {
    "dnam/importers/locomo.py": "the months, as that form of file writes them",
    "dnam/settings/reading.py": "what is yes and what is no in a setting",
    "dnam/when.py": "what is counted in a time that is typed as an argument",
    "dnam/hits.py": "what the fields of a score are called",
    "dnam/cli/comparing.py": "columns of what is printed",
    "dnam/cli/reverting.py": "columns of what is printed",
}
"""Where such words are listed that are no knowledge of what people say, and what they are there."""
BARS = re.compile(r"[^\W\d_]+(?:\|[^\W\d_]+)+")


def listed(source: str, known: frozenset[str]) -> Iterator[int]:
    """The lines where plain words of a language are listed."""
    tree = ast.parse(source)
    taking_apart = {each.name for each in tree.body if isinstance(each, ast.FunctionDef) and splits(each)}
    for node in ast.walk(tree):
        lists = list[list[str]]()
        match node:
            case ast.Tuple(elts=each) | ast.List(elts=each) | ast.Set(elts=each):
                lists = [[one.value for one in each if isinstance(one, ast.Constant) and isinstance(one.value, str)]]
            case ast.Dict(keys=keys):
                lists = [[one.value for one in keys if isinstance(one, ast.Constant) and isinstance(one.value, str)]]
            case ast.Constant(value=str(text)):
                lists = [found.split("|") for found in BARS.findall(text)]
            case ast.Call(func=ast.Name(id=name)) if name in taking_apart:
                lists = [text.split() for text in texts_in(node)]
            case ast.Call(func=ast.Attribute(attr="split", value=ast.Constant(value=str(text)))):
                lists = [text.split()]
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp() if splits(node):
                lists = [text.split() for each in node.generators for text in texts_in(each.iter)]
        if isinstance(node, ast.expr) and any(len(known.intersection(each)) > MOST_PLAIN for each in lists):
            yield node.lineno


def splits(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr == "split" for each in ast.walk(node))


def texts_in(node: ast.AST) -> Iterator[str]:
    return (each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str))


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("SMALL = ('the', 'of', 'and', 'is')", True),
        ("SMALL = frozenset({'the', 'of', 'and', 'is', 'other'})", True),
        ("SMALL = {'the': 1, 'of': 2, 'and': 3, 'is': 4}", True),
        ("SMALL = 'der die das den'.split()", True),
        (
            "def words(*lines):\n    return [w for each in lines for w in each.split()]\nS = words('der die das den')",
            True,
        ),
        ("SMALL = {word: 1 for row in ('the of and is',) for word in row.split()}", True),
        ("WHEN = re.compile(r'(?:monday|tuesday|friday|sunday) morning')", True),
        ("WHEN = re.compile(rf'{DAY} (?:monday|tuesday|friday|sunday)')", True),
        ("SMALL = ('the', 'of', 'and')", False),
        ("KINDS = ('fact', 'tool', 'person', 'workflow', 'project')", False),
        ("WHY = 'it is the one of the two that was there before'", False),
    ],
)
def test_a_list_of_words_in_code_is_found(code: str, found: bool) -> None:
    assert any(listed(code, plain_words())) == found


def test_what_is_known_of_a_language_stands_in_its_data_files() -> None:
    known, sources = plain_words(), [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert len(known) > 500
    found = {path: list(listed(path.read_text(encoding="utf-8"), known)) for path in sources}
    names = {path.relative_to(ROOT).as_posix() for path, lines in found.items() if lines}
    assert names == OUR_OWN_WORDS.keys()


POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+")


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Up to 3.11.4 a repetition that fails half-way keeps what it had taken (cpython#106052): words ended with a blank.
    Single characters may be repeated so.
    """
    assert all(map(POSSESSIVE_GROUP.search, ("(?:ab)*+", "(a)++", "(?:a){2,3}+")))
    assert not any(map(POSSESSIVE_GROUP.search, ("a++(b)*", r"\)++")))
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert len(sources) > 100
    assert [path.name for path in sources if POSSESSIVE_GROUP.search(path.read_text(encoding="utf-8"))] == []


MARK = re.compile(
    r"#\s*(?:type:\s*ignore(?:\[[^\]]*\])?|noqa(?::\s*[A-Z]+\d+(?:[,\s]\s*[A-Z]+\d+)*)?|pragma:\s*no\s*cover)",
    re.IGNORECASE,
)
SKIPS = {"skip", "skipif", "xfail"}


def silenced(source: str) -> Iterator[int]:
    """The lines with a mark that silences a checker, or leaves a test out, and does not say why."""
    if MARK.search(source):
        for token in tokenize.generate_tokens(StringIO(source).readline):
            behind = MARK.split(token.string)[1:] if token.type == tokenize.COMMENT else []
            if not all(re.search(r"\w", each) for each in behind):
                yield token.start[0]
    if any(f"mark.{each}" in source for each in SKIPS):
        yield from skipped(ast.parse(source))


def skipped(tree: ast.Module) -> Iterator[int]:
    calls = {each.func: each for each in ast.walk(tree) if isinstance(each, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, value=ast.Attribute(attr="mark")) if name in SKIPS:
                call = calls.get(node)
                given = [] if call is None else [each.value for each in call.keywords if each.arg == "reason"]
                given += call.args[:1] if call is not None and name == "skip" else []
                if not given or any(isinstance(each, ast.Constant) and not each.value for each in given):
                    yield node.lineno


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("x = y()  # type: ignore", True),
        ("x = y()  # type: ignore[arg-type]", True),
        ("x = y()  # type: ignore[arg-type, misc]  #", True),
        ("x = y()  # type: ignore[arg-type]  # it is one", False),
        ("x = y()  # noqa", True),
        ("x = y()  # noqa: E501, B008", True),
        ("x = y()  # noqa: B008 - a constant", False),
        ("x = y()  # type: ignore[misc]  # noqa: B008 - a constant", True),
        ("x = y()  # type: ignore[misc]  # as above  # noqa: B008 - a constant", False),
        ("x = y()  # pragma: no cover", True),
        ("x = y()  # pragma: no cover - on Windows alone", False),
        ("x = '# noqa'", False),
        ("pytestmark = pytest.mark.skip", True),
        ("pytestmark = pytest.mark.skip()", True),
        ("pytestmark = pytest.mark.skip('no disk')", False),
        ("pytestmark = pytest.mark.skipif(not x)", True),
        ("pytestmark = pytest.mark.skipif(not x, reason='')", True),
        ("pytestmark = pytest.mark.skipif(not x, reason='no disk')", False),
        ("pytestmark = [pytest.mark.xfail(x, strict=True)]", True),
    ],
)
def test_a_mark_without_its_reason_is_found(line: str, found: bool) -> None:
    assert list(silenced(f"x = 1\n{line}\n")) == [2] * found


def test_whatever_silences_a_checker_or_leaves_a_test_out_says_why() -> None:
    sources = [path for folder in (*PACKAGES, "tests") for path in (ROOT / folder).rglob("*.py")]
    assert len(sources) > 1000
    assert [
        f"{path.relative_to(ROOT)}:{line}" for path in sources for line in silenced(path.read_text(encoding="utf-8"))
    ] == []


MAY_SLEEP = {
    "tests/bench/answers.py": "what is measured is a load that comes at a pace",
    "tests/bench/in_discord.py": "what is measured is a load that comes at a pace",
    "tests/dnam/rederiving/test_kept_replies.py": "others are written by threads meanwhile, which nothing tells of",
    "tests/dnam/test_mirror.py": "a real process is killed at several moments",
    "tests/loopback/discord/gateway.py": "what a round trip over a network takes",
    "tests/loopback/messages/server.py": "a service that takes the time that a test gives it",
    "tests/proof/crashes/life.py": "a real process is killed at any moment",
}
"""Where a test, or what tests stand on, really sleeps, and why. Anywhere else something is waited for that happens."""


def naps(source: str) -> Iterator[int]:
    """The lines that sleep for longer than a turn of the event loop. Most sources name no sleep, as Python reads names
    (normalised), and are not parsed.
    """
    for node in ast.walk(ast.parse(source)) if "sleep" in unicodedata.normalize("NFKC", source) else ():
        match node:
            case ast.Call(func=ast.Name(id="sleep") | ast.Attribute(attr="sleep"), args=[ast.Constant(value=0), *_]):
                continue
            case ast.Call(func=ast.Name(id="sleep") | ast.Attribute(attr="sleep")):
                yield node.lineno


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("time.sleep(0.1)", True),
        ("sleep(1)", True),
        ("await asyncio.sleep(SECONDS)", True),
        ("await asyncio.sleep(delay=0.1)", True),
        ("await asyncio.sleep(0)", False),
        ("await asyncio.sleep(0, 'done')", False),
        ("CODE = 'import time; time.sleep(60)'", False),
        ("model._sleep(3)", False),
    ],
)
def test_a_nap_is_found(line: str, found: bool) -> None:
    assert list(naps(f"async def test():\n    {line}\n")) == [2] * found


def test_nothing_sleeps() -> None:
    """What a process of its own does, as the text of its program has it here, is left out: there is no other way."""
    sources = list((ROOT / "tests").rglob("*.py"))
    assert len(sources) > 500
    found = {path.relative_to(ROOT).as_posix() for path in sources if any(naps(path.read_text(encoding="utf-8")))}
    assert found == MAY_SLEEP.keys()


def test_the_core_s_lint_bans_clock_and_dice(tmp_path: Path) -> None:
    (tmp_path / "projections").mkdir()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "projections" / "ruff.toml", tmp_path / "projections")
    source = "from datetime import date, datetime\n\nimport secrets\n\ndatetime.now()\ndate.today()\nsecrets\n"
    (tmp_path / "projections" / "clock.py").write_text(source, encoding="utf-8")
    command = [str(ROOT / ".venv" / "bin" / "ruff"), "check", "--no-cache", "--output-format", "concise", "."]
    if not Path(command[0]).exists():
        pytest.skip("the tests do not run in the project's own .venv")
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    banned = set(re.findall(r"clock\.py:(\d+):\d+: TID251", said))
    assert banned == {"3", "5", "6"}


@pytest.mark.parametrize(
    "name",
    [
        *(
            "data/log/x",
            "data/keys/x",
            "data/views/x",
            "data/vectors/x",
            "data/shadows/x",
            "data/write.lock",
            "data/bot-*.lock",
        ),
        "data/learning.lock",
        "data/adopting.lock",
        *(".env", "/tour/x", "/then.txt", "/usb/x"),
    ],
)
def test_git_ignores_what_people_said(name: str) -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert any(line and name in (line, f"{line}x") for line in ignored)


def test_the_data_folder_s_readme_says_what_is_sacred() -> None:
    text = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in ("log/", "keys/", "views/", "vectors/", "samples/", "write.lock"))


def test_the_licence_is_mit() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith("MIT License\n\nCopyright (c) 2026 the dnam authors\n")
    assert PYPROJECT["project"]["license"] == "MIT"


def test_ci_runs_make_check() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text(encoding="utf-8").rstrip().endswith("make check")
