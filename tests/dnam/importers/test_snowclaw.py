"""Snowclaw's nostr_memory.json, as the document has it and as the program writes it."""

from pathlib import Path
from typing import Any

import pytest

from dnam.importers.detect import detect
from dnam.importers.npub import public_key
from dnam.importers.snowclaw import EMPTY, NOT_A_GROUP, NOT_A_KEY, NOT_A_PERSON, UNTIMED
from dnam.importers.source import Arrival, BrokenImport, ImportedItem, Options, Where
from projections.decisions.meet import Account
from projections.events.values import Source
from projections.ids import Ref
from tests.dnam.importers.files import T0, reasons, until_error, write

HEX = "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e"
NPUB = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"
"""The example of NIP-19: both are one key."""
S0 = T0 // 1000
TEAM = Ref("nostr", "techteam")


def documented(**more: Any) -> dict[str, Any]:
    """Somebody's memory as the document has it."""
    made = {"display_names": [["kay", S0], ["k0", S0 + 5]], "first_seen": S0 - 10, "notes": ["Project lead"]}
    return made | {"preferences": {"language": "en"}, "is_owner": True} | more


def shipped(**more: Any) -> dict[str, Any]:
    """Somebody's memory as the program writes it."""
    made = {"npub_hex": HEX, "display_name": "Kim", "first_seen": S0, "first_seen_group": "techteam", "notes": ["n"]}
    made |= {"owner_notes": ["core team"], "last_interaction": S0 + 60, "name_history": [[S0, "K"]]}
    return made | {"profile_metadata": {"about": "x"}} | more


def group(**more: Any) -> dict[str, Any]:
    made = {"purpose": "Coordination", "members": [[NPUB, "Kim"]], "themes": ["nostr"]}
    return made | {"decisions": [["Use NIP-78", S0 + 7]]} | more


def file(folder: Path, npubs: dict[str, Any], groups: dict[str, Any] | None = None) -> Path:
    return write(folder / "any.json", {"npubs": npubs, "groups": groups or {}})


def read(path: Path) -> list[Arrival]:
    return list(detect(path).read(Options()))


def items(path: Path) -> list[ImportedItem]:
    return [each for each in read(path) if isinstance(each, ImportedItem)]


def test_notes_and_preferences_are_their_person_s(tmp_path: Path) -> None:
    path = file(tmp_path, {NPUB: documented()})
    assert (detect(path).format, detect(path).channels) == ("snowclaw", ())
    note, preference = items(path)
    assert note == ImportedItem(
        account=Account("nostr", HEX, "k0"),
        id="",
        kind="fact",
        text="Project lead",
        tags=("note",),
        status="active",
        source=Source("model"),
        created=T0 - 10_000,
        updated=T0 + 5000,
        program="snowclaw",
        key=f"npub/{HEX}/note/Project lead",
        where=Where("direct"),
        dated=False,
    )
    assert (preference.kind, preference.text, preference.tags) == ("preference", "language: en", ("preference",))


@pytest.mark.parametrize("field", ["owner_notes", "guardian_notes"])
def test_what_the_program_writes_is_of_its_group(tmp_path: Path, field: str) -> None:
    given = shipped(owner_notes=[]) | {field: ["core team"]}
    note, owner_s = items(file(tmp_path, {HEX.upper(): given}))
    assert {note.where, owner_s.where} == {Where("channel", TEAM)}
    assert note.account == Account("nostr", HEX, "Kim")
    assert (note.created, note.updated, note.portable) == (T0, T0 + 60_000, True)
    assert (owner_s.tags, owner_s.source) == (("owner-note",), Source("manual", TEAM))


def test_what_is_known_of_a_group_is_nobody_s(tmp_path: Path) -> None:
    found = items(file(tmp_path, {}, {"techteam": group(notes=["meets on Fridays"])}))
    assert [(each.text, each.tags) for each in found] == [
        ("Coordination", ("purpose",)),
        ("nostr", ("theme",)),
        ("meets on Fridays", ("note",)),
        ("Use NIP-78", ("decision",)),
    ]
    assert {(each.account, each.where, each.about, each.portable) for each in found} == {
        (None, Where("channel", TEAM), "guild", False)
    }
    assert [(each.type, each.dated, each.updated) for each in found[2:]] == [
        ("semantic", False, T0 + 7000),
        ("episodic", True, T0 + 7000),
    ]


def test_members_are_not_taken_and_counted(tmp_path: Path) -> None:
    found = read(file(tmp_path, {}, {"g": group(members_seen=[HEX])}))
    assert reasons(found) == {"people become known when they say something": 2}


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("aabb", documented(), NOT_A_KEY),
        (HEX[:32], documented(), NOT_A_KEY),
        (NPUB[:-1] + "q", documented(), NOT_A_KEY),
        (HEX, [], NOT_A_PERSON),
        (HEX, documented(first_seen=-1), NOT_A_PERSON),
        (HEX, documented(notes="x"), NOT_A_PERSON),
        (HEX, documented(notes=[" "], preferences={}), EMPTY),
        (HEX, documented(notes=[], preferences={"language": ""}), EMPTY),
        (HEX, {"notes": ["x"]}, UNTIMED),
        (HEX, {"notes": ["x"], "first_seen": 10**12}, UNTIMED),
    ],
)
def test_a_record_that_is_not_taken_is_counted_and_loses_no_other(
    tmp_path: Path, key: str, value: object, reason: str
) -> None:
    found = read(file(tmp_path, {key: value, "b" * 64: documented(preferences={})}))
    assert [each.user for each in found if isinstance(each, ImportedItem)] == ["b" * 64]
    assert reasons(found) == {reason: 1}


def test_a_group_of_another_form_is_counted(tmp_path: Path) -> None:
    found = read(file(tmp_path, {}, {"g": group(themes="x"), "h": {"purpose": "y"}}))
    assert reasons(found) == {NOT_A_GROUP: 1, UNTIMED: 1}


def test_a_file_that_breaks_off_gives_what_stands_before(tmp_path: Path) -> None:
    path = file(tmp_path, {HEX: shipped(), "b" * 64: shipped()})
    path.write_text(path.read_text()[:-80])
    given, error = until_error(detect(path).read(Options()))
    assert len(given) == 2
    assert isinstance(error, BrokenImport)
    assert "after npub 1" in error.where
    assert str(path) in str(error)


@pytest.mark.parametrize("text", [HEX, f" {HEX.upper()} ", NPUB, NPUB.upper()])
def test_a_key_is_known_in_either_writing(text: str) -> None:
    assert public_key(text) == HEX


@pytest.mark.parametrize("text", ["", "npub1", NPUB[:-1], NPUB[:20] + "q" + NPUB[21:], "g" * 64, HEX[:-1]])
def test_what_is_no_key_is_none(text: str) -> None:
    assert public_key(text) is None
