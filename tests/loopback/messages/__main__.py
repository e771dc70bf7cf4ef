"""A Claude to try things on by hand, with the offline model behind it: `python -m tests.loopback.messages`.

It prints its address and a key as settings of dnam's, and serves until Ctrl-C.
"""

import argparse
import asyncio
import contextlib

from tests.loopback.messages.server import serving


async def serve(latency_seconds: float) -> None:
    """Until Ctrl-C."""
    async with serving() as server:
        server.latency_seconds = latency_seconds
        print(f"ANTHROPIC_BASE_URL={server.url}\nANTHROPIC_API_KEY={server.key}", flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.loopback.messages", description=__doc__)
    parser.add_argument("--latency", type=int, default=0, metavar="MS", help="how long a reply takes to begin")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(options.latency / 1000))


if __name__ == "__main__":
    main()
