"""What a command did that else only looks: a file that it was told to write, or a new name for the log. That stays done
where there is no printing what there is to say of it.
"""

from pathlib import Path

DONE: list[str] = []
"""What the command that runs, or ran, did so far, in words."""


def filed(path: Path, text: str, *, replacing: bool = False) -> None:
    """Write the file. Raises what `write_to` does."""
    from dnam.given_file import write_to

    write_to(path, text, replacing=replacing)
    DONE.append(f"{path} is written")
