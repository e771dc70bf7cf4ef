"""What was adopted of a shadow that is gone, and never came to count: it is known by what its events say."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dnam.adoption.adopting import Adopting
from dnam.adoption.half_adopted import is_named_half_adopted
from dnam.adoption.unadopting import Unadopting
from projections.items import ITEMS, ItemRow
from projections.rows import Rows
from replay.engine import Engine
from replay.shadows.shadow import shadow_folder
from tests.dnam.rederiving.village import derive, reader
from tests.dnam.test_adopting import NAME, OTHER, adopt_all, adopting, adoptions, data, derived, opened, states, undo

__all__ = ["data", "derived"]


class Killed(BaseException):
    """Nothing is caught that is not an error."""


def killed_behind(calls: int, call: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    """The same, and after so many calls the end."""
    left = calls

    async def calling(*given: object) -> object:
        nonlocal left
        if not left:
            raise Killed
        left -= 1
        return await call(*given)

    return calling


async def breaks_off(data: Path, monkeypatch: pytest.MonkeyPatch, behind: int = 2, name: str = NAME) -> None:
    """Adopt so many people, be killed, and have the shadow's folder removed by hand."""
    with monkeypatch.context() as patched:
        patched.setattr(Adopting, "_take", killed_behind(behind, Adopting._take))
        patched.setattr(Adopting, "_sum_up", killed_behind(0, Adopting._sum_up))
        async with adopting(data, name=name) as (_, each):
            with pytest.raises(Killed):
                await each.adopt()
    shutil.rmtree(shadow_folder(data, name))


async def there(data: Path) -> dict[str, Any]:
    async with opened(data) as memory:
        return await states(memory)


def is_half(data: Path, name: str = NAME) -> bool:
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        return is_named_half_adopted(engine, rows, data, name)


async def test_it_is_taken_back_and_is_no_half_any_more(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = await there(data)
    assert not is_half(data)
    await breaks_off(data, monkeypatch, behind=4)
    assert is_half(data)
    assert await there(data) != before
    taken = await undo(data)
    assert (taken.people, taken.items, taken.summaries) == (2, 3, 0)
    assert (await there(data), is_half(data)) == (before, False)
    assert await undo(data) is None


async def test_of_which_all_was_changed_since_it_keeps_nobody_from_dropping_the_shadow(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(data) as memory:
        before = {row.event for row in await memory.look(rows_of)}
    await breaks_off(data, monkeypatch, behind=4)
    assert is_half(data)
    async with opened(data) as memory:
        for row in [each for each in await memory.look(rows_of) if each.event not in before]:
            if row.item.status == "active":
                await memory.edit(row.item.owner, row.item.id, f"{row.item.text}, as I say")
            else:
                await memory.restore(row.item.owner, row.item.id)
    assert not is_half(data)


def rows_of(rows: Rows) -> list[ItemRow]:
    return [found.row for found in rows.scan(ITEMS)]


async def test_an_undoing_that_was_broken_off_goes_on(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = await there(data)
    await breaks_off(data, monkeypatch, behind=4)
    with monkeypatch.context() as patched:
        patched.setattr(Unadopting, "_restore", killed_behind(1, Unadopting._restore))
        with pytest.raises(Killed):
            await undo(data)
    assert is_half(data)
    taken = await undo(data)
    assert (taken.people, taken.items, await there(data)) == (2, 3, before)
    assert await undo(data) is None


async def test_what_counts_under_that_name_or_another_is_none_of_it(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of these shadows were begun in one minute."""
    await derive(data, reader("adores", name="bold"), "bold", OTHER)
    await adopt_all(data, "bold")
    before = await there(data)
    await breaks_off(data, monkeypatch, behind=4)
    bold = await there(data)
    await derive(data, reader("loves", name="other"), NAME, OTHER)
    await adopt_all(data)
    assert (await undo(data)).items == 3
    assert await there(data) == bold
    assert (await undo(data)).items == 3
    assert await there(data) == before
    assert await undo(data) is None
    async with opened(data) as memory:
        assert [each.undoes is None for each in adoptions(memory.engine)] == [True, True, False, False]
    assert (await undo(data, "bold")).items == 3
