"""Serve until stopped: prints the address and the key as settings of dnam's."""

import asyncio
import contextlib

from tests.loopback.messages.server import serving


async def main() -> None:
    async with serving() as server:
        print(f"ANTHROPIC_BASE_URL={server.url}\nANTHROPIC_API_KEY={server.key}", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
