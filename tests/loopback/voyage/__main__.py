"""An encoder to try things on by hand: `python -m tests.loopback.voyage`.

It prints its address and a key as settings of dnam's, and serves until Ctrl-C.
"""

import argparse
import asyncio
import contextlib

from tests.loopback.voyage.server import serving


async def serve() -> None:
    """Until Ctrl-C."""
    async with serving() as server:
        print(f"VOYAGE_BASE_URL={server.url}\nVOYAGE_API_KEY={server.key}", flush=True)
        await asyncio.Event().wait()


def main() -> None:
    argparse.ArgumentParser(prog="python -m tests.loopback.voyage", description=__doc__).parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())


if __name__ == "__main__":
    main()
