"""A model that reads the same conversation as its mood has it: more of it or less, in other words, several things as
one, with what was taken back said again, and with a view on what is known already. The same mood always replies the
same.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from zlib import crc32

from hypothesis import strategies as st

from dnam.model import Ask, ExtractionInputs, KnownItem, Line, MergeInputs, SummaryInputs
from tests.dnam.scripted import ScriptedModel

HABITS = ("enjoys", "fewer", "more", "joins", "haunts", "claims ids", "deprecates", "shares", "replaces", "of others")
"""What a mood is made of."""
CANARY = re.compile("zq[0-9]+qz")
"""A word that one person has said once, and nobody else."""
Entry = dict[str, Any]


class Moody(ScriptedModel):
    """A model with these habits. `haunting` are texts that it says again at every occasion."""

    def __init__(self, habits: Iterable[str] = (), name: str = "scripted", haunting: Iterable[str] = ()) -> None:
        self.habits, self.haunting = frozenset(habits), tuple(haunting)
        super().__init__({"extraction": self._extract, "summary": self._summarise, "merge": self._merge}, name, "1")

    def _extract(self, ask: Ask) -> str:
        assert isinstance(ask.inputs, ExtractionInputs)
        lines = [line for line in ask.inputs.lines if "I like " in line.text and not line.assistant]
        entries = [*self._noted(lines), *self._haunted(lines)]
        known = ask.inputs.items
        if "claims ids" in self.habits and known:
            for at, entry in enumerate(entries):
                if at % 2:
                    entry["id"] = known[at % len(known)].id
        if "replaces" in self.habits and known and entries:
            entries[0]["supersedes"] = [known[0].id]
        deprecated = [{"id": each.id, "reason": "not so"} for each in known if self._deprecates(each)]
        return json.dumps({"upserts": entries[:20], "deprecations": deprecated})

    def _deprecates(self, item: KnownItem) -> bool:
        return "deprecates" in self.habits and bool(crc32(item.text.encode()) % 2)

    def _noted(self, lines: list[Line]) -> Iterator[Entry]:
        verb = "enjoys" if "enjoys" in self.habits else "likes"
        wanted = [line for line in lines if "fewer" not in self.habits or crc32(line.text.encode()) % 3]
        size = 2 if "joins" in self.habits else 1
        for at in range(0, len(wanted), size):
            some = wanted[at : at + size]
            yield self._entry(f"{verb} {' and '.join(map(_liked, some))}", some)
        for line in wanted if "more" in self.habits else ():
            yield self._entry(f"spoke of {_liked(line)}", [line], "fact")

    def _haunted(self, lines: list[Line]) -> Iterator[Entry]:
        said = " ".join(line.text for line in lines)
        for text in self.haunting if "haunts" in self.habits and lines else ():
            yield self._entry(_as_read(text, said), [lines[crc32(text.encode()) % len(lines)]])

    def _entry(self, text: str, lines: list[Line], kind: str = "preference") -> Entry:
        evidence = [{"quote": f"I like {_liked(line)}", "message": line.id} for line in lines]
        more: Entry = {"shareable": True, "confidence": 1.0} if "shares" in self.habits else {}
        about = "guild" if "of others" in self.habits and crc32(text.encode()) % 4 == 0 else "person"
        return {"kind": kind, "text": text, "tags": [], "about": about, "evidence": evidence} | more

    def _summarise(self, ask: Ask) -> str:
        assert isinstance(ask.inputs, SummaryInputs)
        said = " ".join(line.text for line in ask.inputs.lines if not line.assistant)
        again = " ".join(_as_read(text, said) for text in self.haunting) if "haunts" in self.habits else ""
        verb = "enjoy" if "enjoys" in self.habits else "said"
        return f"{ask.inputs.previous} They {verb}: {said} {again}"[-600:].strip()

    def _merge(self, ask: Ask) -> str:
        assert isinstance(ask.inputs, MergeInputs)
        both = (ask.inputs.existing.summary, ask.inputs.new.summary)
        merged = f"{both[0]} and {both[1]}" if "joins" in self.habits else both[1]
        return json.dumps({"merged_summary": merged, "merged_dialogue": "", "confidence": 0.9})


def _liked(line: Line) -> str:
    return line.text.partition("I like ")[2].rstrip(".")


def _as_read(text: str, said: str) -> str:
    """A text without the words of somebody's own that are not in what is read: no model could know them."""
    return CANARY.sub(lambda word: word[0] if word[0] in said else "", text).strip()


def moods() -> st.SearchStrategy[frozenset[str]]:
    """Any of the habits together."""
    return st.frozensets(st.sampled_from(HABITS), max_size=5)
