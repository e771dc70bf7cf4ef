"""Every context × every compartment, as it is really rendered."""

import ast
import asyncio
from pathlib import Path
from types import ModuleType

import pytest

from tests.privacy import matrix, oracle
from tests.privacy.matrix import Cell


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    """Every cell; made once."""
    return asyncio.run(matrix.cells())


@pytest.mark.parametrize("row", matrix.expected())
def test_what_lies_in_a_compartment_is_rendered_where_the_table_says(cells: list[Cell], row: str) -> None:
    found = {each.column.name: set(each.found) for each in cells if each.row == row}
    assert found == {each.column.name: set(each.expected) for each in cells if each.row == row}


def test_the_table_has_a_mark_for_every_cell_and_each_mark_stands_in_it() -> None:
    table = matrix.expected()
    assert {len(marks) for marks in table.values()} == {len(matrix.columns())}
    assert {mark for marks in table.values() for mark in marks} == matrix.LEGEND.keys()
    words = [matrix.canary(row) for row in table]
    assert len(set(words)) == len(words)
    assert not any(one in other for one in words for other in words if one != other)


@pytest.mark.parametrize("module", [oracle])
def test_the_oracle_knows_nothing_of_what_it_judges(module: ModuleType) -> None:
    """Nor does the table: its marks are literals."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    imported = [node.names[0].name for node in ast.walk(tree) if isinstance(node, ast.Import)]
    imported += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert set(imported) == {"dataclasses", "typing"}
