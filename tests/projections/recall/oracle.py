"""Recall's scoring once more, as plainly as it can be said: lists, dictionaries and Python's own numbers.

It is written from what `fields` and `bm25` say of themselves, and shares no code with them. Slow: for small corpora.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import floor, log
from typing import NamedTuple

from projections.nearness import Meant

ASKS, ENDS_ASKING, TIMED, FIRST_PERSON = 1, 2, 4, 8
SITTING = timedelta(hours=6)
Key = tuple[str, bytes]


class Text(NamedTuple):
    """What was said: `said` in ms. `flags` as in the picture of a document, names in the two bits above."""

    seq: int
    unit: bytes
    said: int
    speaker: bytes
    counts: Mapping[bytes, int]
    length: int
    flags: int

    @property
    def moment(self) -> datetime:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=self.said)


class Date(NamedTuple):
    """Any of some months, of some years and of some days of the month, each perhaps none."""

    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()

    def named(self) -> int:
        """How many of the three it names."""
        return sum(bool(each) for each in self)

    def right(self, moment: datetime) -> int:
        """How many of them are right."""
        return (moment.month in self.months) + (moment.year in self.years) + (moment.day in self.days)


class Asked(NamedTuple):
    """A question. Shares are in 1/1024. `forms` are pairs of a term as it stands, and one that is only like it."""

    terms: Mapping[bytes, int]
    speaker: bytes | None = None
    dates: Sequence[Date] = ()
    asks_when: bool = False
    forms: Sequence[tuple[bytes, bytes]] = ()


class Hit(NamedTuple):
    """A text as found: its seq, its score, and what that is made of."""

    seq: int
    score: int
    fields: Mapping[Key, int]


def search(
    zones: Sequence[Sequence[Text]],
    asked: Asked,
    most: int,
    seeds: int,
    facts: Mapping[int, int] | None = None,
    allowed: Callable[[Text], bool] = lambda text: True,
    common: int = 16_384,
    meant: Mapping[int, Meant] | None = None,
) -> list[Hit]:
    """The best texts, best first. `zones` hold what is open; `seeds` of each are looked at; `facts`: points by seq, and
    `meant` what is near in meaning. What stands in more than `common` texts tells nothing of a day.
    """
    counted = Counted([each for zone in zones for each in zone], asked, common)
    beside = Beside(facts or {}, meant or {})
    hits = [hit for zone in zones for hit in _of_zone(Zone(zone, counted), beside, seeds, allowed)]
    found = [hit for hit in hits if hit.score > 0 or any(field == "turn" for field, _ in hit.fields)]
    return sorted(found, key=lambda hit: (-hit.score, -hit.seq))[:most]


class Beside(NamedTuple):
    """What is known of texts beside their words, by seq."""

    facts: Mapping[int, int]
    meant: Mapping[int, Meant]

    def meaning(self, text: Text) -> int:
        """What it gives that a text is near in meaning."""
        meant = self.meant.get(text.seq)
        return 0 if meant is None else 10 * 10 * 1024 // (10 + meant.rank)


class Counted:
    """What is counted of all that is open."""

    def __init__(self, texts: Sequence[Text], asked: Asked, common: int) -> None:
        self.asked = asked
        self.common = {term for term in asked.terms if sum(term in each.counts for each in texts) > common}
        self.length = Fraction(max(sum(each.length for each in texts), 1), max(len(texts), 1))
        days = {(each.unit, each.moment.date()) for each in texts}
        self.day_length = Fraction(max(sum(each.length for each in texts), 1), max(len(days), 1))
        self.idf = {
            term: worth(len(texts), having, share)
            for term, share in asked.terms.items()
            if (having := sum(term in each.counts for each in texts))
        }

    def deciding(self, most: int) -> int:
        """So much counts of what decides: all of it where a word tells as much as three names give, or none does."""
        return most * min(max(self.idf.values(), default=4608), 4608) // 4608

    def is_only_like(self, text: "Text") -> bool:
        """Whether a text has a word in another form than one that stands somewhere as it is asked for."""
        return any(
            form in self.idf and like in self.idf and like in text.counts and form not in text.counts
            for form, like in self.asked.forms
        )


class Zone:
    """The texts of a zone, in the order in which they were said, unit by unit."""

    def __init__(self, texts: Sequence[Text], counted: Counted) -> None:
        self.texts = sorted(texts, key=lambda each: (each.unit, each.said, each.seq))
        self.counted = counted
        self.sitting: dict[int, list[Text]] = {}
        last: list[Text] = []
        for each in self.texts:
            goes_on = bool(last) and last[-1].unit == each.unit and each.moment - last[-1].moment <= SITTING
            last = last if goes_on else []
            last.append(each)
            self.sitting[each.seq] = last

    def around(self, text: Text, reach: int) -> list[Text]:
        """What was said up to so many before and after, in the same sitting, with itself."""
        sitting = self.sitting[text.seq]
        at = sitting.index(text)
        return sitting[max(at - reach, 0) : at + reach + 1]

    def before(self, text: Text) -> Text | None:
        sitting = self.sitting[text.seq]
        at = sitting.index(text)
        return sitting[at - 1] if at else None

    def day(self, text: Text) -> list[Text]:
        return [each for each in self.texts if (each.unit, each.moment.date()) == (text.unit, text.moment.date())]

    def words(self, texts: Sequence[Text], length: Fraction) -> dict[bytes, int]:
        """BM25 of some texts as if they were one, by term, in 1/1024."""
        total = sum(each.length for each in texts)
        counts = Counter(dict.fromkeys(self.counted.idf, 0))
        for each in texts:
            counts.update({term: number for term, number in each.counts.items() if term in counts})
        return {term: idf_of * weight(counts[term], total, length) // 1024 for term, idf_of in self.counted.idf.items()}


def idf(documents: int, having: int) -> int:
    """ln(1 + (n - df + ½) / (df + ½)) in 1/1024, from a logarithm to the base 2 rounded down to 1/1024."""
    odds = Fraction(2 * documents + 2, 2 * having + 1)
    steps = floor(1024 * log(odds) / log(2))
    steps += (_power(steps + 1) <= odds) - (_power(steps) > odds)
    return steps * 45426 // 65536


def worth(documents: int, having: int, share: int) -> int:
    """The idf of a term times what it counts; 1/16 at the least."""
    return max(idf(documents, having) * share // 1024, 1024 // 16)


def _power(steps: int) -> Fraction:
    """2 to so many 1/1024, near enough to tell on which side of it a fraction of small numbers is."""
    return Fraction(2) ** (steps // 1024) * Fraction(2.0 ** (steps % 1024 / 1024))


def weight(count: int, length: int, average: Fraction) -> int:
    """tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average)) in 1/1024, with k1 = 0.9 and b = 0.5."""
    norm = 450 + floor(450 * length / average)  # k1 · (1 - b), and k1 · b · length / average, in thousandths
    return floor(Fraction(count * 1024 * 1900, count * 1000 + norm))


def _of_zone(zone: Zone, beside: Beside, seeds: int, allowed: Callable[[Text], bool]) -> list[Hit]:
    own = {each.seq: sum(zone.words([each], zone.counted.length).values()) for each in zone.texts}
    matching = [each for each in zone.texts if allowed(each) and not zone.counted.idf.keys().isdisjoint(each.counts)]
    best = sorted(matching, key=lambda each: (own[each.seq] + 16 * 1024 * _named(zone, each), each.seq))[-seeds:]
    keys = {*beside.facts, *beside.meant}
    looked_at = {
        other.seq: other
        for each in (*best, *_dated(zone, seeds, allowed), *(text for text in zone.texts if text.seq in keys))
        for other in zone.around(each, 2)
        if allowed(other)
    }
    return [_hit(zone, each, beside) for each in looked_at.values()]


def _dated(zone: Zone, seeds: int, allowed: Callable[[Text], bool]) -> list[Text]:
    """The last of what was said at the date, what the one person said who is named after all others."""
    there = [each for each in zone.texts if allowed(each) and _is_dated(zone, each)]
    speaker = zone.counted.asked.speaker
    return sorted(there, key=lambda each: (speaker is not None and each.speaker == speaker, each.seq))[-seeds:]


def _is_dated(zone: Zone, text: Text) -> bool:
    """Whether it was said at all that is named of a date: of one with a day, or where no word is found."""
    dates = [date for date in zone.counted.asked.dates if date.days or not zone.counted.idf]
    return any(date.right(text.moment) == date.named() for date in dates)


def _hit(zone: Zone, text: Text, beside: Beside) -> Hit:
    fields = {key: points for key, points in {**_words(zone, text), **_plain(zone, text, beside)}.items() if points}
    return Hit(text.seq, sum(fields.values()), fields)


def _words(zone: Zone, text: Text) -> dict[Key, int]:
    length = zone.counted.length
    before = zone.before(text)
    fields = {
        "turn": (1024, [text], length),
        "near": (1024, zone.around(text, 2), length * 5),
        "around": (768, zone.around(text, 7), length * 15),
        "day": (341, zone.day(text), zone.counted.day_length),
        "reply": (1024, [before] if before is not None and before.flags & ENDS_ASKING else [], length),
    }
    return {
        (name, term): points * share // 1024
        for name, (share, texts, average) in fields.items()
        for term, points in zone.words(texts, average).items()
        if name != "day" or term not in zone.counted.common
    }


def _plain(zone: Zone, text: Text, beside: Beside) -> dict[Key, int]:
    asked = zone.counted.asked
    theirs = asked.speaker is not None and text.speaker == asked.speaker
    fact = beside.facts.get(text.seq, 0)
    near = max(beside.facts.get(each.seq, 0) for each in zone.around(text, 2))
    by_item = text.seq in beside.meant and beside.meant[text.seq].by_item
    halves = {
        "date": 32 * _named(zone, text),
        "dated": 2 if _is_dated(zone, text) else 0,
        "speaker": 6 if theirs else 0,
        "own": 8 if theirs and text.flags & FIRST_PERSON else 0,
        "tells when": 12 if asked.asks_when and text.flags & TIMED else 0,
        "asks": -4 if text.flags & ASKS else 0,
    }
    likes = zone.counted.is_only_like(text)
    deciding = {
        ("names", b""): 0 if likes else zone.counted.deciding(1536) * (text.flags >> 4),
        ("first", b""): zone.counted.deciding(2048) if zone.before(text) is None and not likes else 0,
    }
    known = {
        ("fact", b""): fact * 3 // 2,
        ("near fact", b""): near // 2,
        ("fact meaning" if by_item else "meaning", b""): beside.meaning(text),
        ("near meaning", b""): max(map(beside.meaning, zone.around(text, 2))) // 2,
    }
    return known | deciding | {(name, b""): points * 512 for name, points in halves.items()}


def _named(zone: Zone, text: Text) -> int:
    """How many of month, year and day of the month are right of when it was said, in the date that fits best."""
    return max((date.right(text.moment) for date in zone.counted.asked.dates), default=0)
