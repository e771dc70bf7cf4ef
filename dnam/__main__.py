"""`dnam` and `python -m dnam`."""

import atexit
import gc
import sys

from dnam import streams


def main() -> None:
    """Run the command line; ends the program with its exit code."""
    atexit.register(gc.freeze)  # at its end Python looks through all there is, half a second's work in a bot
    streams.prepare()
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


if __name__ == "__main__":
    main()
