"""A Claude to try things on by hand, with the offline model behind it: `python -m tests.loopback.messages`.

It prints its address and a key as settings of dnam's, and serves until Ctrl-C.
"""

import argparse
import asyncio
import contextlib

from tests.loopback.messages.server import serving


async def serve() -> None:
    """Until Ctrl-C."""
    async with serving() as server:
        print(f"ANTHROPIC_BASE_URL={server.url}\nANTHROPIC_API_KEY={server.key}", flush=True)
        await asyncio.Event().wait()


def main() -> None:
    argparse.ArgumentParser(prog="python -m tests.loopback.messages", description=__doc__).parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())


if __name__ == "__main__":
    main()
