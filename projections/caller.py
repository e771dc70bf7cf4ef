"""What people are called in a prompt, and their names in what was said."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from projections.events.values import Message, Span
from projections.ids import NOBODY, Handle
from projections.named import named_in
from projections.people import SOMEONE, account_words, name_of
from projections.quoting import alike, line_name, marked, speaker_name
from projections.rows import Rows
from projections.turns import TurnRow


class Caller:
    """What people are called in one prompt; each is looked up once.

    With `only`, everybody else is "someone": what a model derives lies in the vault of those whose words it read, and a
    name of somebody who was merely mentioned would outlive them there.

    Who goes by a name that somebody else has in this prompt is told apart by a number, in the order in which they are
    asked for, or `by_account`, as a person may be named to a command; bots and webhooks are marked as such.
    """

    def __init__(
        self, rows: Rows, assistant: str, only: frozenset[Handle] | None = None, *, by_account: bool = False
    ) -> None:
        self._by_account = by_account
        self.assistant = line_name(assistant)
        self._taken = assistant
        self.authors: set[Handle] = set()
        self.mentioned: dict[Handle, str] = {}
        self._only = only
        self._bearers: dict[str, list[Handle | str]] = {}
        self._called: dict[Handle, str] = {}
        self._assistants: dict[str, str] = {"": self.assistant}
        self._rows = rows

    def person(self, person: Handle) -> str:
        """A person's name; "someone" for nobody in particular."""
        called = self._called.get(person)
        if called is None:
            unknown = person == NOBODY or (self._only is not None and person not in self._only)
            called = self._called[person] = self._apart(SOMEONE if unknown else name_of(self._rows, person), person)
        return called

    def _apart(self, name: str, bearer: Handle | str) -> str:
        """The name of somebody, with a number when it is not theirs alone."""
        shown = speaker_name(name, self._taken)
        bearers = self._bearers.setdefault(alike(shown), [])
        if bearer not in bearers:
            bearers.append(bearer)
        number = bearers.index(bearer) + 1
        if number == 1 or line_name(name) == SOMEONE:
            return shown
        account = account_words(self._rows, bearer) if self._by_account and isinstance(bearer, bytes) else ""
        return marked(shown, account or str(number))

    def mention(self, person: Handle) -> str:
        """The name of somebody whom a text names; who they are is kept in `mentioned`."""
        name = self.mentioned[person] = self.person(person)
        return name

    def assistant_in(self, turn: TurnRow) -> str:
        """What the assistant was called when it answered."""
        name = self._assistants.get(turn.assistant)
        if name is None:
            name = self._assistants[turn.assistant] = line_name(turn.assistant)
        return name

    def author(self, message: Message) -> str:
        """The name of whoever wrote a message; bots and webhooks bring their own."""
        match message.author:
            case "person":
                self.authors.add(message.speaker)
                return self._called.get(message.speaker) or self.person(message.speaker)
            case "self":
                return line_name(message.author_name or self.assistant)
            case "unknown":
                return self._apart(message.author_name, message.author_name)
            case _:
                return marked(speaker_name(message.author_name, self._taken), message.author)


def with_names(text: str, spans: Sequence[Span], name: Callable[[Handle], str]) -> str:
    """The text with `@name` at every span."""
    if not spans:
        return text
    pieces: list[str] = []
    done = 0
    for span in sorted(spans, key=lambda each: each.at):
        at = min(max(span.at, done), len(text))
        pieces += [text[done:at], f"@{name(span.person)}"]
        done = at
    return "".join([*pieces, text[done:]])


def without_names(text: str, names: Mapping[Handle, str], others: Iterable[str] = ()) -> tuple[str, tuple[Span, ...]]:
    """The text without these people's names, and where each stood: what `with_names` puts back, with an `@` each. What
    may be the name of one or another stays, and so do the names of `others`.
    """
    people = {person: name for person, name in names.items() if person}
    kept: list[str] = []
    spans: list[Span] = []
    done = length = 0
    for found in named_in(text, people, others):
        if len(found.people) == 1:
            kept.append(text[done : found.start])
            length += len(kept[-1])
            spans.append(Span(length, next(iter(found.people)), "mention"))
            done = found.end
    return "".join([*kept, text[done:]]), tuple(spans)
