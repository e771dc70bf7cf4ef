"""Discord's published description, against which everything that is sent is held.

`description.json` is derived by `refresh.mjs` from Discord's OpenAPI document: JSON Schemas of the routes that are
answered here and of the objects in gateway events. Neither side of a test may say what is not in it.
"""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tests.loopback.discord.wire import Wire

SOURCE = Path(__file__).with_name("description.json")
REMEMBERED = 10_000
"""How many checked objects are known again: a history of a hundred messages is mostly messages that were checked."""

PASSED_OVER = {
    "POST /channels/{channel_id}/threads": {"message.tts", "type"},
    "POST /channels/{channel_id}/threads?": {"use_nested_fields"},
    "POST /interactions/{interaction_id}/{interaction_token}/callback": {"data.tts"},
    "PATCH /channels/{channel_id}/messages/{message_id}": {"tts"},
    "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original": {"tts"},
    "PUT /applications/{application_id}/commands": {"nsfw"},
    "PUT /applications/{application_id}/guilds/{guild_id}/commands": {"nsfw"},
    "POST /applications/{application_id}/commands": {"nsfw"},
    "POST /applications/{application_id}/guilds/{guild_id}/commands": {"nsfw"},
    "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}": {"tts"},
}
"""What discord.py sends though it is not described there, and Discord does not mind."""

ALSO_GIVEN = {"POST /channels/{channel_id}/threads": ("message", "MessageResponse")}
"""What only the documentation says of an answer: a thread in a forum comes with its first message. (Discord's
documentation, Channel: Start Thread in Forum or Media Channel)"""


FORWARDED = {"MessageReferenceType": {"type": "number", "enum": [0, 1]}}
"""What only the documentation says of a message: what it points to it may also forward. (Discord's documentation,
Message: Message Reference Types) A bot may send only what is described.
"""


class Violation(AssertionError):
    """Somebody sent what Discord does not describe: names who, where and the value."""


@cache
def _described() -> Wire:
    read: Wire = json.loads(SOURCE.read_text(encoding="utf-8"))
    return read


@cache
def routes() -> frozenset[str]:
    """All routes that are described, as `GET /users/@me`."""
    return frozenset(_described()["routes"])


def _sent(known: Wire) -> Wire:
    """What clients may write otherwise: Discord writes ids as text and reads numbers too, and minds no flags in embeds.
    discord.py does both.
    """
    embed = known["RichEmbed"]
    flagged = {**embed, "properties": {**embed["properties"], "flags": {"type": "integer"}}}
    return {"SnowflakeType": {**known["SnowflakeType"], "type": ["string", "integer"]}, "RichEmbed": flagged}


def _schema(pointer: str) -> Wire:
    at: Any = _described()
    for step in pointer.split("|"):
        at = at[step]
    return dict(at)


@cache
def _validator(pointer: str) -> Draft202012Validator:
    """The validator of one schema; compiled when it is first needed."""
    known = _described()["$defs"]
    more = _sent(known) if pointer.endswith("|request") else FORWARDED
    return Draft202012Validator({**_schema(pointer), "$defs": known | more})


def check_request(route: str, body: object) -> None:
    """A body against its route; raises Violation."""
    if "request" not in _described()["routes"][route]:
        if body is not None:
            raise Violation(f"{route}: Discord describes no body, but got {_short(body)}")
    elif body is not None or _needs_body(route):
        _check(f"request {route}", f"routes|{route}|request", _without(body, PASSED_OVER.get(route, set())))


@cache
def _needs_body(route: str) -> bool:
    """Whether not even an empty object would do."""
    return not _validator(f"routes|{route}|request").is_valid({})


def _without(body: object, names: set[str]) -> object:
    if isinstance(body, list):
        return [_without(each, names) for each in body]
    if not isinstance(body, dict):
        return body
    inner = {name.partition(".")[2] for name in names} - {""}
    return {name: _without(value, inner) if inner else value for name, value in body.items() if name not in names}


def check_query(route: str, query: Wire) -> None:
    """The parameters after the question mark against their route; numbers and truths come as text."""
    query = {name: value for name, value in query.items() if name not in PASSED_OVER.get(f"{route}?", ())}
    if "query" in _described()["routes"][route]:
        known = _described()["routes"][route]["query"]["properties"]
        read = {name: _read(value, known.get(name, {})) for name, value in query.items()}
        _check(f"query of {route}", f"routes|{route}|query", read)
    elif query:
        raise Violation(f"{route}: Discord describes no parameters, but got {_short(query)}")


def check_response(route: str, status: int, body: object) -> None:
    """An answer against its route; raises Violation."""
    if status >= 500:
        return
    described = _described()["routes"][route]["responses"]
    key = str(status) if str(status) in described else "4XX" if status >= 400 else ""
    if not key:
        raise Violation(f"{route}: Discord describes no answer {status}, only {', '.join(described)}")
    if status == 204:
        if body is not None:
            raise Violation(f"{route}: an answer 204 has no body, but got {_short(body)}")
        return
    if status < 400 and route in ALSO_GIVEN and isinstance(body, dict):
        name, schema = ALSO_GIVEN[route]
        if name in body:
            check_object(schema, body[name])
        body = _without(body, {name})
    _check(f"response {status} {route}", f"routes|{route}|responses|{key}", body)


def check_object(name: str, body: object) -> None:
    """An object inside of a gateway event against the schema of that name."""
    _check(name, f"$defs|{name}", body)


def _check(what: str, pointer: str, body: object) -> None:
    member = _member(pointer)
    if member and isinstance(body, list):
        for n, each in enumerate(body):
            _check(f"{what}[{n}]", f"$defs|{member}", each)
    elif (key := (pointer, json.dumps(body, sort_keys=True))) not in _seen:
        found = next(_validator(pointer).iter_errors(body), None)
        if found is not None:
            found = _deepest(found)
            where, value = _path(found.absolute_path), _short(found.instance)
            raise Violation(f"{what}: {where}: {found.message[:500]}; the value: {value}")
        _remember(key)


def _deepest(error: ValidationError) -> ValidationError:
    """What is wrong at the bottom of it. Of alternatives, the one that the value's own `type` names is meant."""
    branches: dict[object, list[ValidationError]] = {}
    for each in error.context:
        branches.setdefault(each.schema_path[0], []).append(each)
    meant = [errors for errors in branches.values() if not any(list(each.path) == ["type"] for each in errors)]
    others = [errors for errors in meant if not any(each.validator == "type" and not each.path for each in errors)]
    return _deepest(others[0][0]) if others else error


@cache
def _member(pointer: str) -> str:
    """What a list of named objects holds: such objects are checked one by one, and known again. Else nothing."""
    schema = _schema(pointer)
    lists = [each for each in schema.get("anyOf", [schema]) if each.get("type") == "array"]
    return str(lists[0]["items"].get("$ref", "")).rpartition("/")[2] if lists else ""


_seen: set[tuple[str, str]] = set()


def _remember(key: tuple[str, str]) -> None:
    if len(_seen) >= REMEMBERED:
        _seen.clear()
    _seen.add(key)


def _path(steps: Iterable[object]) -> str:
    return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in steps) or "the whole"


def _short(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 300 else f"{text[:300]}…"


def _read(value: str, schema: Wire) -> object:
    match schema.get("type"):
        case "number":
            return float(value) if value.replace(".", "", 1).isdigit() else value
        case "boolean":
            return {"1": True, "true": True, "0": False, "false": False}.get(value.lower(), value)
        case _:
            return value
