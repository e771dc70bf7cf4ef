"""What is remembered of what people typed is let go of at once; and nothing that remembers it is left out."""

import ast
from functools import lru_cache
from pathlib import Path

from projections.recall.words import stem_of, word_term
from projections.remembered import let_go, of_people

ROOT = Path(__file__).parents[2]
OF_NOBODY = {
    "projections/decisions/audience.py": ("closed",),  # for as long as one decision
    "projections/derived.py": ("_row",),  # tags of events
    "projections/ids.py": ("_mac",),  # id keys
    "projections/policies/addressing.py": ("_begins_with",),
    "projections/policies/disguises.py": ("_is_of",),  # letters and scripts
    "projections/policies/instructions.py": ("note_judge", "message_judge", "_compiled", "_turned_commands"),
    "projections/policies/literals.py": ("needs",),
    "projections/policies/needed.py": ("_sets", "_pieces"),
    "projections/policies/secret_sentences.py": ("_compiled",),
    "projections/recall/bm25.py": ("idf",),  # counts
    "projections/recall/alphabets.py": ("worth",),  # letters of an alphabet
    "projections/rederiving/names.py": ("_sentence",),
    "replay/history.py": ("_names",),  # tables
    "dnam/adapters/anthropic/aliases.py": ("known_models", "resolve"),
    "dnam/adapters/anthropic/asking.py": ("schema_of",),
    "dnam/adapters/anthropic/batch_requests.py": ("_form",),
    "dnam/adapters/anthropic/claude.py": ("_sdk",),
    "dnam/context_files.py": ("shipped",),
    "dnam/guarding.py": ("_of_file", "all_spoken"),
    "dnam/languages/__init__.py": ("elsewhere", "load"),
    "dnam/prices.py": ("prices",),
    "dnam/prompts/__init__.py": ("load",),
    "dnam/rephrasing.py": ("_rephrasing",),
}
"""What remembers words of languages, patterns, names of files and of models, and nothing that anybody typed."""


def test_what_is_remembered_is_let_go_of() -> None:
    asked: list[str] = []

    @of_people
    @lru_cache(4)
    def shouted(text: str) -> str:
        asked.append(text)
        return text.upper()

    assert (shouted("hush"), shouted("hush"), asked) == ("HUSH", "HUSH", ["hush"])
    word_term("hushed")
    assert stem_of.cache_info().currsize > 0
    let_go()
    assert stem_of.cache_info().currsize == 0
    assert (shouted("hush"), asked) == ("HUSH", ["hush", "hush"])


def test_nothing_that_remembers_is_left_out() -> None:
    found = {}
    for package in ("projections", "replay", "dnam"):
        for file in sorted((ROOT / package).rglob("*.py")):
            names = tuple(_remembering(ast.parse(file.read_text(encoding="utf-8"))))
            if names:
                found[file.relative_to(ROOT).as_posix()] = names
    assert found == OF_NOBODY


def _remembering(tree: ast.Module) -> list[str]:
    """The functions that remember what they are asked, and are not told to let go of it."""
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    by_name = {each.name: {_name(decorator) for decorator in each.decorator_list} for each in functions}
    return [name for name, marks in by_name.items() if marks & {"cache", "lru_cache"} and "of_people" not in marks]


def _name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.id if isinstance(called, ast.Name) else ""
