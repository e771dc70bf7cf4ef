"""`python -m tests.scenario.pointed FILE`: run a program of somebody else's as it is, at the loopback Discord.

What in the world is Discord's own address, discord.py keeps in two class attributes.
"""

import os
import runpy
import sys

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

if __name__ == "__main__":
    Route.BASE = os.environ["DISCORD_API_URL"]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["LOOPBACK_GATEWAY_URL"])
    runpy.run_path(sys.argv[1], run_name="__main__")
