"""Whether a message is answered, as a table."""

import pytest

from dnam.adapters.discord.respond import Allowed, Approach, respond
from projections.events.values import AuthorKind

KIM, ADA, OWNER, GARDEN, FOREST = 1, 2, 3, 10, 11
LISTS = Allowed(frozenset({KIM}), frozenset({GARDEN}), frozenset({OWNER}))


@pytest.mark.parametrize(
    ("user", "guild", "admitted"),
    [
        (KIM, None, True), (KIM, FOREST, True), (ADA, GARDEN, True), (ADA, FOREST, False), (ADA, None, False),
        (OWNER, None, True), (OWNER, FOREST, True),
    ],
)  # fmt: skip
def test_either_list_admits(user: int, guild: int | None, admitted: bool) -> None:
    assert LISTS.admits(user, guild) == admitted
    assert respond(Approach("person", user, guild, True), "mention", LISTS).answers == admitted


def test_empty_lists_admit_nobody_and_no_owner() -> None:
    empty = Allowed(frozenset(), frozenset(), frozenset({OWNER}))
    assert empty.is_empty
    assert not respond(Approach("person", OWNER, None, True), "all", empty).answers


@pytest.mark.parametrize("author", ["bot", "webhook", "self", "unknown"])
def test_only_people_are_answered(author: AuthorKind) -> None:
    verdict = respond(Approach(author, KIM, GARDEN, True), "all", LISTS)
    assert (verdict.answers, verdict.reason) == (False, f"by {author}, no person")


@pytest.mark.parametrize(
    ("mode", "user", "calls", "answers", "reason"),
    [
        ("mention", KIM, True, True, "said to it"),
        ("mention", KIM, False, False, "not said to it"),
        ("all", KIM, False, True, "respond_mode is all"),
        ("owner", KIM, True, False, "respond_mode is owner"),
        ("owner", OWNER, True, True, "said to it"),
        ("owner", OWNER, False, False, "not said to it"),
        ("none", OWNER, True, False, "respond_mode is none"),
        ("all", ADA, False, True, "respond_mode is all"),
    ],
)
def test_the_mode_says_the_rest(mode: str, user: int, calls: bool, answers: bool, reason: str) -> None:
    verdict = respond(Approach("person", user, GARDEN, calls), mode, LISTS)
    assert (verdict.answers, verdict.reason) == (answers, reason)
