"""What people are called, by the first word of their name: who may be named in a question, without going through
all.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from projections.ids import Handle
from projections.recall.words import words


class Called:
    """The names of those who said something in a zone, as they were when they were last asked for."""

    def __init__(self) -> None:
        self.names: dict[Handle, str] = {}
        self._by_word: defaultdict[str, set[Handle]] = defaultdict(set)
        self._forgotten: set[Handle] = set()
        self._known = 0

    def unknown(self, speakers: Sequence[bytes]) -> list[Handle]:
        """Of all speakers in the order in which they came, those whose names are to be looked up."""
        new = [*map(Handle, speakers[self._known :]), *sorted(self._forgotten)]
        self._known = len(speakers)
        self._forgotten.clear()
        return new

    def call(self, person: Handle, name: str) -> None:
        """Somebody is called so; nothing by an empty name."""
        self._by_word[_first(self.names.get(person, ""))].discard(person)
        self.names[person] = name
        self._by_word[_first(name)].add(person)

    def forget(self, people: Iterable[Handle]) -> None:
        """Their names may be others now."""
        self._forgotten.update(person for person in people if person in self.names)

    def by(self, said: Collection[str]) -> list[Handle]:
        """Whose name begins with one of these words, in order."""
        return sorted(person for word in said if word in self._by_word for person in self._by_word[word])


def _first(name: str) -> str:
    return next(iter(words(name)), "")
