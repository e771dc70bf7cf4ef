"""`dnam` and `python -m dnam`."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Run the command line; ends the program with its exit code."""
    _prepare_streams()
    try:
        from dnam.cli import app

        app(prog_name="dnam")
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:  # before there was anything to interrupt
        sys.exit(130)
    from dnam.cli.failures import flushed

    sys.exit(flushed(code))


def _prepare_streams() -> None:
    """Nothing that can be printed is lost to a narrow encoding, and a closed stream is one that nobody reads."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open to the end
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
