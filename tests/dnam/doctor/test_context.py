"""A core.md of the operator's own, beside the one that comes with dnam: what it lacks is told, and nothing changed."""

from pathlib import Path

import pytest

from dnam.context_files import shipped, shipped_file
from dnam.doctor import context
from dnam.doctor.context import lacking_bullets
from tests.dnam.doctor.patients import looked, patient


async def test_a_core_of_ones_own_that_says_nothing_of_a_section(tmp_path: Path) -> None:
    replied = '- "Replied-to message" (when present) quotes'
    ours = shipped().text
    assert replied in ours
    own = tmp_path / "base" / "core.md"
    own.parent.mkdir()
    own.write_text(ours[: ours.index(replied)] + ours[ours.index("- If the person corrects") :], encoding="utf-8")
    told = patient(tmp_path, DNAM_CONTEXT_DIR=str(tmp_path))
    found = await looked(context.files, told)
    assert found.state == "doubt"
    assert 'has 1 bullet that yours has not; of "Replied-to message" in the prompt' in found.what
    assert found.do.startswith(f"`diff {own} {shipped_file()}` shows them.")
    assert own.read_text(encoding="utf-8") != ours


async def test_a_core_of_ones_own_in_other_words(tmp_path: Path) -> None:
    own = tmp_path / "base" / "core.md"
    own.parent.mkdir()
    titles = "Durable memory, Conversation memory, People in the room, Relevant past conversations"
    own.write_text(
        f"Mind {titles}, Replied-to message.\n\n- Do not refer to the\n  memory system unprompted.\n", "utf-8"
    )
    found = await looked(context.files, patient(tmp_path, DNAM_CONTEXT_DIR=str(tmp_path)))
    assert found.state == "well"
    assert found.what.endswith(f"has 2 bullets that yours has not: `diff {own} {shipped_file()}` shows them.")


@pytest.mark.parametrize("where", ["base", "channels", "channels/7"])
async def test_a_file_that_cannot_be_read_wherever_it_lies(tmp_path: Path, where: str) -> None:
    folder = tmp_path / where
    folder.mkdir(parents=True)
    told = patient(tmp_path, DNAM_CONTEXT_DIR=str(tmp_path))
    (folder / ".#staff.md").symlink_to("nowhere")
    assert (await looked(context.files, told)).state == "well"
    (folder / "staff.md").write_bytes(b"kind\xff")
    found = await looked(context.files, told)
    assert found.state == "wrong"
    assert found.what.endswith(f"{folder / 'staff.md'} is not UTF-8")
    (folder / "staff.md").unlink()
    (folder / "staff.md").symlink_to("nowhere")
    found = await looked(context.files, told)
    assert (found.state, str(folder / "staff.md") in found.what) == ("wrong", True)


def test_the_core_that_comes_with_it_lacks_nothing() -> None:
    assert lacking_bullets(shipped().text, shipped().text) == []
    assert len(lacking_bullets("", shipped().text)) == shipped().text.count("\n- ")
