"""A model that follows a file: what it learns is what the file's patterns find, and it says nothing else.

    name = "careful"
    version = "1"
    summary = "They spoke of {subjects}."

    [[item]]
    match = 'I (?:prefer|like) (?P<what>[^.!?]+)'
    kind = "preference"
    text = "Prefers {what}."

For trying out what another model would change, where none is at hand: `dnam rederive --model script:careful.toml`. It
costs nothing and asks nobody. `{subjects}` are what the items' patterns found in what was said. Of two close items the
newer holds. It answers no questions.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from dnam.model import Ask, ExtractionInputs, Hear, Line, MergeInputs, ModelError, Reply, SummaryInputs, unheard
from projections.errors import BadRequest
from projections.policies.reply_shapes import AskedKind

PREFIX = "script:"
"""What stands before the path of a script where a model is named."""
NOTHING = "Nothing to tell of was said."


class ItemRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a message that matches teaches: `text` with the groups of the pattern filled in."""

    match: str
    text: str
    kind: AskedKind = "fact"
    type: Literal["semantic", "episodic"] = "semantic"
    tags: tuple[str, ...] = ()


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A script file."""

    name: str
    version: str = "1"
    summary: str = "They spoke of {subjects}."
    item: tuple[ItemRule, ...] = ()


def script_of(name: str) -> Path | None:
    """The file that a model's name means; None where it means another model."""
    return Path(name.removeprefix(PREFIX)).expanduser() if name.startswith(PREFIX) else None


def read_script(path: Path) -> Script:
    """A script. BadRequest where there is none, or it is none."""
    try:
        script = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8-sig")), Script)
        for rule in script.item:
            _filled(rule.text, re.compile(rule.match))
    except OSError as error:
        raise BadRequest(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, IndexError, re.error) as error:
        raise BadRequest(f"{path} is no script of a model: {error}") from error
    return script


def _filled(text: str, pattern: re.Pattern[str]) -> str:
    """A rule's text with the names of its groups in their places: KeyError where it has others."""
    return text.format_map({name: name for name in pattern.groupindex})


class ScriptModel:
    """A `Model` that follows a script."""

    paid = False

    def __init__(self, script: Script) -> None:
        self.name = script.name
        self.version = script.version
        self._script = script
        self._rules = tuple((rule, re.compile(rule.match, re.IGNORECASE)) for rule in script.item)

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        """The reply. ModelError for a question that it has no script for."""
        text = self._text(ask)
        hear(text)
        return Reply(text, self.name, self.version)

    def _text(self, ask: Ask) -> str:
        match ask.inputs:
            case ExtractionInputs(lines=lines):
                return json.dumps({"upserts": [each for line in lines for each in self._upserts(line)]})
            case SummaryInputs(lines=lines, previous=previous, max_chars=most):
                return self._summary(previous, lines)[:most]
            case MergeInputs(new=new):
                return json.dumps({"merged_summary": new.summary, "merged_dialogue": "", "confidence": 1})
            case _:
                raise ModelError("a script answers no questions: it learns and sums up")

    def _found(self, line: Line) -> Iterator[tuple[ItemRule, re.Match[str]]]:
        for rule, pattern in self._rules:
            yield from ((rule, found) for found in pattern.finditer(line.text))

    def _upserts(self, line: Line) -> Iterator[dict[str, Any]]:
        for rule, found in self._found(line):
            yield {
                "kind": rule.kind,
                "type": rule.type,
                "text": rule.text.format_map(found.groupdict()),
                "tags": list(rule.tags),
                "evidence": [{"quote": found[0], "message": line.id}],
            }

    def _summary(self, previous: str, lines: tuple[Line, ...]) -> str:
        said = (line for line in lines if not line.assistant)
        subjects = dict.fromkeys(found[0] for line in said for _, found in self._found(line))
        more = self._script.summary.format(subjects=", ".join(subjects)) if subjects else ""
        before = "" if previous == NOTHING else previous
        return " ".join(filter(None, (before, more))) or NOTHING
