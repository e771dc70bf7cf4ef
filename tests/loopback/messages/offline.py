"""The script that the server follows when nobody gives it another: it replies as the offline model would.

A loop's prompt is its inputs as JSON, perhaps among other words; an answer's prompt is read by its sections, where its
own answers are known by how they begin. Where a schema is asked for, the reply keeps to it, as the API's do.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from dnam.adapters.offline import OfflineModel
from dnam.languages import Language, load
from dnam.model import AnswerInputs, ExtractionInputs, KnownItem, Line, MergeInputs, SummaryInputs
from projections.quoting import SEPARATOR, TITLES
from tests.loopback.messages.replies import Says
from tests.loopback.messages.requests import Request

_ITEM = re.compile(r"^- \[(?P<kind>[^\]]{1,32})\] (?P<text>.+?)(?: \((?:src|updated)\b.*\))?$", re.MULTILINE)
_LINE = re.compile(r"^\[(?P<name>[^\]]{1,32})\]: (?P<text>.*(?:\n  .*)*)$", re.MULTILINE)
EMPTY: Mapping[str, Any] = {"string": "", "array": [], "object": {}, "boolean": False, "number": 0, "integer": 0}
BY_FIELD: Mapping[str, type[SummaryInputs | ExtractionInputs | MergeInputs]] = {
    "max_chars": SummaryInputs,
    "existing": MergeInputs,
    "lines": ExtractionInputs,
}
"""A field that only this loop's inputs have, the most telling first."""


class Offline:
    """A script."""

    def __init__(self, language: str = "en") -> None:
        known = load(language)
        self._model = OfflineModel(known)
        self._begins = tuple(_begins(known))

    def __call__(self, request: Request) -> Says:
        inputs = next(inputs_of(request.prompt), None) or _answer_inputs(request.prompt, self._begins)
        text = self._model.reply(inputs).text
        schema = request.schema
        return Says(text if schema is None else json.dumps(kept_to(schema, json.loads(text), schema)))


def inputs_of(prompt: str) -> Iterator[ExtractionInputs | SummaryInputs | MergeInputs]:
    """What a loop asks: the first JSON object in its prompt that is one's inputs."""
    for start in (match.start() for match in re.finditer(r"\{", prompt)):
        try:
            value, _ = json.JSONDecoder().raw_decode(prompt, start)
        except ValueError:
            continue
        yield from (msgspec.convert(value, kind) for field, kind in BY_FIELD.items() if field in value)
        return


def _begins(language: Language) -> Iterator[str]:
    """How the offline model's answers begin."""
    for text in msgspec.structs.asdict(language.replies).values():
        if isinstance(text, str) and text:
            yield text.replace("{name}", language.name).partition("\n")[0]


def _answer_inputs(prompt: str, begins: tuple[str, ...]) -> AnswerInputs:
    """What an answer may rest on, from the sections of its prompt."""
    sections = {title: body for title, _, body in (each.partition("\n") for each in prompt.split(SEPARATOR))}
    items = _ITEM.finditer(sections.get(TITLES["durable"], ""))
    lines = _LINE.finditer(sections.get(TITLES["recent"], ""))
    return AnswerInputs(
        assistant="",
        user="",
        message=sections.get(TITLES["message"], prompt),
        items=tuple(KnownItem("", each["kind"], each["text"]) for each in items),
        summary=sections.get(TITLES["summary"], ""),
        window=tuple(Line(each["name"], each["text"], 0, assistant=each["text"].startswith(begins)) for each in lines),
    )


def kept_to(schema: Mapping[str, Any], value: Any, root: Mapping[str, Any]) -> Any:
    """The value with every field that its schema requires, and none that it does not know."""
    if "$ref" in schema:
        return kept_to(root["$defs"][schema["$ref"].rpartition("/")[2]], value, root)
    if schema.get("type") == "array":
        return [kept_to(schema["items"], each, root) for each in value]
    if schema.get("type") != "object":
        return value
    fields = schema["properties"]
    known = {name: kept_to(fields[name], each, root) for name, each in value.items() if name in fields}
    return {**{name: _nothing(fields[name]) for name in schema.get("required", ()) if name not in known}, **known}


def _nothing(schema: Mapping[str, Any]) -> Any:
    """The emptiest value of a schema; null where that may stand."""
    if "anyOf" in schema:
        return None
    return schema["enum"][0] if "enum" in schema else EMPTY[schema["type"]]
