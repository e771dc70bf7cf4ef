"""Aliases: the newest model of a family that the SDK knows."""

import pytest

from dnam.adapters.anthropic.aliases import known_models, newest, resolve

KNOWN = (
    "claude-haiku-4-5",
    "claude-haiku-4-5-20251001",
    "claude-haiku-5",
    "claude-haiku-5-10",
    "claude-haiku-5-9",
    "claude-opus-6-preview",
    "claude-3-haiku-20240307",
)


def test_the_highest_version_is_the_newest_and_dates_and_previews_are_none() -> None:
    assert newest("haiku", KNOWN) == "claude-haiku-5-10"
    assert newest("haiku", KNOWN[:3]) == "claude-haiku-5"
    assert newest("haiku", KNOWN[1:2]) == ""
    assert newest("opus", KNOWN) == ""


@pytest.mark.parametrize("family", ["haiku", "sonnet", "opus"])
def test_every_alias_of_the_documents_stands_for_a_model_of_the_sdk(family: str) -> None:
    assert resolve(family) in known_models()
    assert resolve(family).startswith(f"claude-{family}-")


@pytest.mark.parametrize("name", ["claude-haiku-4-5", "my-local-model", "Haiku"])
def test_any_other_name_is_a_model_s_own(name: str) -> None:
    assert resolve(name) == name
