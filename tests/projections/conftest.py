"""What tests of a conversation begin with; who needs others has a fixture of their own by the same name."""

import pytest

from tests.projections.channel import DAVE, ERIN, named
from tests.world import World


@pytest.fixture
def world() -> World:
    """Dave and Erin are known."""
    world = World()
    named(world, DAVE, "Dave")
    named(world, ERIN, "Erin")
    return world
