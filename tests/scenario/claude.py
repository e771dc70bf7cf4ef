"""Claude's part: what it says to what is in a prompt, and what goes wrong with it when a chapter wants that.

An answer repeats those durable items of its prompt that share a word with the question, so what is recalled shows in
Discord. Loops are answered as the offline model would.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from projections.quoting import SEPARATOR, TITLES
from tests.loopback.messages import Reply, Request, Says
from tests.loopback.messages.offline import Offline
from tests.scenario.readers import Prompt, Reader

ITEM = re.compile(r"^- \[[^\]]+\] (.+?)(?: \((?:src|updated)\b.*\))?$", re.MULTILINE)
AT_LENGTH = "at length"
"""Who asks for it gets more than one message holds."""
LAST = "and let them rest in winter"
PARTS = [f"Part {n}. {'Roses want sun and patience. ' * 18}" for n in range(1, 5)]
LONG = "\n\n".join([*PARTS, "```\n" + "prune, water\n" * 150 + f"{LAST}\n```"])
UNKNOWN = "I know nothing of that."
IDLE = frozenset(
    [
        "what",
        "which",
        "who",
        "the",
        "and",
        "for",
        "user",
        "prefers",
        "like",
        "should",
        "know",
        "you",
        "your",
        "now",
        "over",
        "about",
        "with",
    ]
)


class Coming(NamedTuple):
    """A reply for a call that is still to come."""

    kind: str
    about: str
    reply: Reply


class Claude:
    """A script for the Messages API. `heard` is told of every call: its kind and what was said to it."""

    def __init__(self, heard: Callable[[str, Reply], None]) -> None:
        self.prompts: list[Prompt] = []
        self.readers: dict[str, Reader] = {}
        """By the last words of what is asked: for whom it is answered."""
        self.narrowed = False
        """Whether the wharf is the crew's alone by now."""
        self._heard = heard
        self._offline = Offline()
        self._coming: list[Coming] = []

    def then(self, kind: str, reply: Reply, about: str = "") -> None:
        """What the next call of a kind gets instead; `about`: the next in whose prompt this stands."""
        self._coming.append(Coming(kind, about, reply))

    def count(self, kind: str) -> int:
        """How many calls of a kind there were."""
        return sum(each.kind == kind for each in self.prompts)

    def prompt(self, words: str) -> str:
        """The prompt of the answer to these words."""
        reader = self.readers[words]
        return next(each.text for each in self.prompts if each.reader is reader)

    def __call__(self, request: Request) -> Reply:
        kind = kind_of(request)
        question = _section(request.prompt, "message")
        asked = max((text for text in self.readers if question.endswith(text)), key=len, default="")
        reader = self.readers.get(asked)
        self.prompts.append(Prompt(kind, f"{request.system}\n{request.prompt}", reader, self.narrowed))
        reply = self._takes(kind, request.prompt) or self._says(kind, request, question)
        self._heard(kind, reply)
        return reply

    def _takes(self, kind: str, prompt: str) -> Reply | None:
        """What is to come of this call, and of no other after it."""
        found = next((each for each in self._coming if each.kind == kind and each.about in prompt), None)
        if found is None:
            return None
        self._coming.remove(found)
        return found.reply

    def _says(self, kind: str, request: Request, question: str) -> Reply:
        if kind != "answer":
            return self._offline(request)
        if AT_LENGTH in question:
            return Says(LONG, piece=200)
        known = list(_recalled(_section(request.prompt, "durable"), question))
        return Says(f"You told me: {' '.join(known)}" if known else UNKNOWN)


def kind_of(request: Request) -> str:
    """What is asked: an answer, or which loop's question."""
    if TITLES["message"] in request.prompt:
        return "answer"
    fields = json.loads(request.prompt)
    return "summary" if "max_chars" in fields else "merge" if "existing" in fields else "extraction"


def _section(prompt: str, name: str) -> str:
    """The body of a block of an answer's prompt; empty where it has none."""
    title = next(each for key, each in TITLES.items() if key == name)
    blocks = (each.partition("\n") for each in prompt.split(SEPARATOR))
    return next((body for head, _, body in blocks if head == title), "")


def _recalled(durable: str, question: str) -> Iterator[str]:
    asked = _telling(question)
    return (item for item in ITEM.findall(durable) if _telling(item) & asked)


def _telling(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]{3,}", text.casefold())) - IDLE
