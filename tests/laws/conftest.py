"""The laws stand on the same folders as the tests of the log."""

from tests.replay.conftest import data, folder

__all__ = ["data", "folder"]
