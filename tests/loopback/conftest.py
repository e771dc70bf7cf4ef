"""A small place on the loopback Discord: one guild, one channel, one person."""

from collections.abc import AsyncIterator

import pytest

from tests.loopback.discord import Channel, Guild, Person, World


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with World() as world:
        yield world


@pytest.fixture
def garden(world: World) -> Guild:
    return world.guild("Garden")


@pytest.fixture
def general(garden: Guild) -> Channel:
    return garden.channel("general")


@pytest.fixture
def kim(world: World, garden: Guild) -> Person:
    return world.person("Kim", garden)
