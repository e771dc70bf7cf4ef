"""Mutants: functions with one small change each, as mutmut makes them.

mutmut's own visitor says what can be changed. Its runner is not used: it copies the tree and writes every mutant of a
file into it, while here some of them are drawn, and each is put into the living function of a forked process. As with
mutmut, what stands outside functions is not changed, and neither are decorated functions.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

import libcst
from libcst.metadata import PositionProvider
from mutmut.mutation.file_mutation import Mutation, MutationVisitor, deep_replace
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

from tests.proof.mutants.orders import ROOT, Mutant


class Place(NamedTuple):
    """A change that can be made: the `number`-th of its function."""

    file: str
    function: str
    number: int
    module: libcst.Module
    node: libcst.FunctionDef
    mutation: Mutation
    lines: tuple[int, int]
    body: tuple[int, int]


def places(file: str) -> list[Place]:
    """Every change that can be made to the functions of a file."""
    wrapper = libcst.MetadataWrapper(libcst.parse_module((ROOT / file).read_text(encoding="utf-8")))
    visitor = MutationVisitor(mutation_operators, IgnoredCode(set(), set(), set()))
    wrapper.visit(visitor)
    spans = wrapper.resolve(PositionProvider)
    names = {id(node): name for name, node in _functions(wrapper.module)}
    counts: dict[str, int] = {}
    found: list[Place] = []
    for each in visitor.mutations:
        node = each.contained_by_top_level_function
        if not isinstance(node, libcst.FunctionDef) or id(node) not in names:
            continue
        name = names[id(node)]
        counts[name] = counts.get(name, 0) + 1
        span = spans[each.original_node if each.original_node in spans else node]
        body = (spans[node.body.body[0]].start.line, spans[node].end.line)
        found.append(
            Place(file, name, counts[name], wrapper.module, node, each, (span.start.line, span.end.line), body)
        )
    return found


def _functions(module: libcst.Module) -> Iterator[tuple[str, libcst.FunctionDef]]:
    for node in module.body:
        if isinstance(node, libcst.FunctionDef):
            yield node.name.value, node
        elif isinstance(node, libcst.ClassDef):
            for inner in node.body.body:
                if isinstance(inner, libcst.FunctionDef):
                    yield f"{node.name.value}.{inner.name.value}", inner


def drawn(every: Iterable[Place], seed: int, share: float) -> list[Place]:
    """Some of them, by their hashes, so that the choice stays when other functions change. Every file has its share,
    and at least one.
    """
    by_file: dict[str, list[Place]] = {}
    for each in every:
        by_file.setdefault(each.file, []).append(each)
    chosen: list[Place] = []
    for file in sorted(by_file):
        some = sorted(by_file[file], key=lambda place: _rank(place, seed))
        chosen += some[: max(1, round(share * len(some)))]
    return chosen


def _rank(place: Place, seed: int) -> bytes:
    return sha256(f"{seed} {place.file} {place.function} {place.number}".encode()).digest()


def mutant(place: Place) -> Mutant:
    """The function with the change made, and what the change is."""
    bare = _bare(place)
    changed = libcst.ensure_type(
        deep_replace(bare, place.mutation.original_node, place.mutation.mutated_node), libcst.FunctionDef
    )
    before, after = place.module.code_for_node(bare), place.module.code_for_node(changed)
    return _mutant(place, after, _changed(before.splitlines(), after.splitlines()))


def in_module(place: Place) -> str:
    """The whole module with the change made."""
    changed = deep_replace(place.module, place.mutation.original_node, place.mutation.mutated_node)
    code: str = libcst.ensure_type(changed, libcst.Module).code
    return code


def unchanged(place: Place) -> Mutant:
    """The function as it is, put in like a mutant: no test may notice."""
    return _mutant(place, place.module.code_for_node(_bare(place)), ("", ""))


def _bare(place: Place) -> libcst.FunctionDef:
    """Without `@staticmethod` and the like, which stay on the living function."""
    return place.node.with_changes(decorators=[], leading_lines=[])


def _mutant(place: Place, source: str, change: tuple[str, str]) -> Mutant:
    return Mutant(
        file=place.file,
        function=place.function,
        before=change[0],
        after=change[1],
        source=source,
        lines=place.lines,
        body=place.body,
    )


def _changed(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    """The lines that differ, before and after, with spaces run together."""
    front = next((n for n, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), 0)
    rest = list(zip(reversed(before[front:]), reversed(after[front:]), strict=False))
    back = next((n for n, (old, new) in enumerate(rest) if old != new), 0)
    sides = (side[front : len(side) - back] for side in (before, after))
    old, new = (" ".join(" ".join(side).split()) for side in sides)
    return old, new
