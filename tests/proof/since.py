"""How much of the program is another by now than when something was measured that is kept in the clone."""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def differing(commit: str, paths: Sequence[str], root: Path = ROOT) -> int | None:
    """How many files of these paths (patterns, `**` for any folders) differ between a commit and HEAD; None where the
    clone does not have the commit. A plus sign at its end says that files differed from it even then.
    """
    found = subprocess.run(
        ["git", "diff", "--name-only", commit.removesuffix("+"), "HEAD", "--", *(f":(glob){each}" for each in paths)],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return None if found.returncode else len(found.stdout.splitlines())


def told(commits: Iterable[str], paths: Sequence[str], what: str, root: Path = ROOT) -> str:
    """In words, for each commit once."""
    every = {commit: differing(commit, paths, root) for commit in commits if commit}
    known = [f"{count} than at {commit}" for commit, count in every.items() if count is not None]
    lost = [commit for commit, count in every.items() if count is None]
    parts = [f"files of {what} are others at HEAD, {', '.join(known)}, of which the data is"] if known else []
    parts += [
        f"how many files of {what} are others than at {each} is not known: it is not in this clone" for each in lost
    ]
    return "; ".join(parts) or f"of which commit the data is, and what of {what} changed since, is not known"
