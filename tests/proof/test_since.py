"""How many files differ from a commit is counted; of one that the clone does not have it is not."""

import subprocess
from pathlib import Path

from tests.proof.since import differing, told


def git(folder: Path, *command: str) -> str:
    who = ("-c", "user.name=Kim", "-c", "user.email=kim@example.org")
    done = subprocess.run(["git", *who, *command], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def committed(folder: Path, *files: str) -> str:
    """A commit in which these files are others."""
    for each in files:
        (folder / each).parent.mkdir(parents=True, exist_ok=True)
        (folder / each).write_text((folder / each).read_text() + "more" if (folder / each).exists() else "new")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "another")
    return git(folder, "rev-parse", "--short=12", "HEAD")


def test_files_that_differ_are_counted_by_their_paths(tmp_path: Path) -> None:
    git(tmp_path, "init")
    first = committed(tmp_path, "a/one.py", "a/b/two.py", "c/three.py")
    second = committed(tmp_path, "a/b/two.py", "c/three.py")
    last = committed(tmp_path, "a/one.py", "other.py")
    (tmp_path / "a/new.py").write_text("in no commit")
    patterns = ("a/**/*.py", "c/th*.py")
    counts = [differing(each, patterns, tmp_path) for each in (first, second, f"{second}+", last, "0" * 12)]
    assert counts == [3, 1, 1, 0, None]
    assert told([first, last, first], patterns, "it", tmp_path) == (
        f"files of it are others at HEAD, 3 than at {first}, 0 than at {last}, of which the data is"
    )
    gone = f"how many files of it are others than at {'0' * 12} is not known: it is not in this clone"
    assert told(["0" * 12], patterns, "it", tmp_path) == gone
    assert told([first, "0" * 12], patterns, "it", tmp_path).endswith(f"of which the data is; {gone}")


def test_where_there_is_no_clone_nothing_is_known(tmp_path: Path) -> None:
    assert differing("0" * 12, ("**",), tmp_path) is None
    assert (
        told([""], ("**",), "it", tmp_path) == "of which commit the data is, and what of it changed since, is not known"
    )
