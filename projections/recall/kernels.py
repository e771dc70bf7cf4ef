"""What recall reckons document by document, and of spellings letter by letter, as loops over arrays that numba compiles
(it has to be installed).

Each says what the steps in numpy say that `reckoning`, `seeds` and `spelling` take without it, number for number: sums
are of whole numbers, and a quotient is floored as a double as it is there. An array that is written to stands behind
those that are read. NONE is -1, which here is no index: what has no place is passed over.

What was compiled is kept on disk, and made anew when this file changes: so it imports nothing that it reckons with, and
its constants are those of `bm25` and `words`, written once more (a test holds them against each other).
"""

from collections.abc import Callable
from math import floor
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit

F = TypeVar("F", bound=Callable[..., Any])
Longs = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Twos = npt.NDArray[np.uint16]
Flags = npt.NDArray[np.bool_]
Small = npt.NDArray[np.int8]
Numbers = npt.NDArray[np.uint64]
ABOVE, BELOW, LEAST = 1_945_600.0, 1_000.0, 450.0
"""ONE · (K1 + 1000), 1000 and LEAST_NORM."""
PRIME, FACTOR, HALF = np.uint64(0x13C6EF372FE94CFB), np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
"""Those of `words`: what numbers of terms are less than, and what spreads them."""
LETTERS, KIND = 26, 22
"""From a to z, and which of them stands before the letters of a word in its term."""
LOOPS: list[tuple[Any, str]] = []
"""What is to be compiled, and for arrays of which kinds: nothing else is."""


def _compiled(signature: str) -> Callable[[F], F]:
    """Have a function compiled with the others."""

    def wrap(function: F) -> F:
        made: Any = njit(cache=True, nogil=True, error_model="numpy")(function)
        LOOPS.append((made, signature))
        return made  # type: ignore[no-any-return]  # it says nothing of what it is called with

    return wrap


def compile_loops(stops: Callable[[], bool]) -> bool:
    """Compile them, or read them where that was done before. Between two it is asked whether it `stops`; False then."""
    for made, signature in LOOPS:
        if stops():
            return False
        if not made.signatures:
            made.compile(signature)
            made.disable_compile()
    return True


@_compiled("int64(float64, float64)")
def weigh(count: float, norm: float) -> int:
    """What a term weighs that stands so often in a text of this norm, in 1/1024."""
    return floor(count * ABOVE / (count * BELOW + norm))


@_compiled("boolean(int64, int32[::1])")
def is_among(place: int, places: Places) -> bool:
    """Whether a place is one of a few."""
    for each in places:  # noqa: SIM110 - a generator cannot be compiled
        if each == place:
            return True
    return False


@_compiled("int64(int32[::1], int64, int64)")
def seek(at: Places, place: int, near: int) -> int:
    """Where in some places, ascending, this one is or would be; quickly where that is near a number of them."""
    low, high, step = min(near, len(at)), len(at), 1
    while low > 0 and at[low - 1] >= place:
        high = low - 1
        low = max(low - step, 0)
        step *= 2
    step = 1
    while low + step < high and at[low + step - 1] < place:
        low += step
        step *= 2
    high = min(high, low + step)
    while low < high:
        middle = (low + high) >> 1
        if at[middle] < place:
            low = middle + 1
        else:
            high = middle
    return low


@_compiled("void(int64[::1], int32[::1], int64, int64)")
def replace_least(keys: Longs, places: Places, key: int, place: int) -> None:
    """Put a key in the place of the least one of a heap."""
    at, size = 0, len(keys)
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[at], places[at] = keys[child], places[child]
        at = child
    keys[at], places[at] = key, place


@_compiled(
    "int64(int32[::1], uint8[::1], uint8[::1], float64[::1], int64, int32[::1], boolean[::1], int32[::1], int64,"
    " int64[::1], int32[::1])"
)
def add_up(
    at: Places, counts: Bytes, lengths: Bytes, norms: Doubles, weight: int,
    scores: Places, touched: Flags, found: Places, there: int, keys: Longs, unused: Places,
) -> int:  # fmt: skip
    """Add what a term gives where it stands. `found` are the places that have any sum, the first `there` of it; those
    that are new come behind them. How many there are then. The first of `keys` is the sum that as many of the term's
    places have as there are keys, or more; -1 where they are not as many.
    """
    keys[:] = -1
    for number in range(len(at)):
        place = at[number]
        if not touched[place]:
            touched[place] = True
            found[there] = place
            there += 1
        scores[place] += weight * weigh(float(counts[number]), norms[lengths[place]]) >> 10
        if len(keys) and scores[place] > keys[0]:
            replace_least(keys, unused, scores[place], place)
    return there


@_compiled("int64(int32[::1], int32[::1], int64[::1], int32[::1])")
def nth_best(places: Places, scores: Places, keys: Longs, unused: Places) -> int:
    """The score that as many of these places have as a heap has room for, or more; -1 where they are not as many."""
    keys[:] = -1
    for place in places:
        if scores[place] > keys[0]:
            replace_least(keys, unused, scores[place], place)
    return int(keys[0])


@_compiled("int64(int64, int32[::1], int64, int32[::1], boolean[::1])")
def keep(least: int, found: Places, there: int, scores: Places, touched: Flags) -> int:
    """Keep those found whose sum is so much at least, in front, and clear the others; how many are kept."""
    kept = 0
    for number in range(there):
        place = found[number]
        if scores[place] >= least:
            found[kept] = place
            kept += 1
        else:
            scores[place] = 0
            touched[place] = False
    return kept


@_compiled("void(int32[::1], uint8[::1], uint8[::1], float64[::1], int64, int32[::1], int64, int32[::1])")
def look_up(
    at: Places, counts: Bytes, lengths: Bytes, norms: Doubles, weight: int, found: Places, there: int, scores: Places
) -> None:
    """Add what a term gives to those found, in most of which it does not stand; ascending they are found soonest."""
    where = 0
    for number in range(there):
        place = found[number]
        where = seek(at, place, where)
        if where < len(at) and at[where] == place:
            scores[place] += weight * weigh(float(counts[where]), norms[lengths[place]]) >> 10


@_compiled(
    "int64(int32[::1], int64, int64[::1], int32[::1], int32[::1], int64, int32[::1], boolean[::1],"
    " int32[::1], boolean[::1], int64[::1], int32[::1])"
)
def take_best(
    found: Places, there: int, seqs: Longs, without: Places, speakers: Places, speaker: int, unit: Places, units: Flags,
    scores: Places, touched: Flags, keys: Longs, best: Places,
) -> int:  # fmt: skip
    """Of those found as many of the best as there is room for, in any order; how many they are. All sums are cleared.

    What is `without` is none of them; nor, unless that is negative, what is not by the `speaker`; nor what is not in
    one of the `units`, where any are given.
    """
    keys[:] = -1
    for number in range(there):
        place = found[number]
        key = (np.int64(scores[place]) << 34) + seqs[place]
        scores[place] = 0
        touched[place] = False
        if key <= keys[0] or (speaker >= 0 and speakers[place] != speaker):
            continue
        if len(units) and not units[unit[place]]:
            continue
        if not is_among(place, without):
            replace_least(keys, best, key, place)
    kept = 0
    for number in range(len(keys)):
        if keys[number] >= 0:  # else there was room for more
            best[kept] = best[number]
            kept += 1
    return kept


@_compiled("int64(int32, boolean[::1], int32[::1], int64)")
def note(place: int, touched: Flags, region: Places, there: int) -> int:
    """Put a place behind those of a region, unless it is one of them; how many they are then."""
    if touched[place]:
        return there
    touched[place] = True
    region[there] = place
    return there + 1


@_compiled("int64(int32[::1], int64, int32[::1], int32[::1], boolean[::1], boolean[::1], int32[::1])")
def spread(
    places: Places, reach: int, before: Places, after: Places, joined: Flags, touched: Flags, region: Places
) -> int:
    """Some places and what was said up to so many before and after each in the same sitting, each once; how many."""
    there = 0
    for place in places:
        there = note(place, touched, region, there)
        earlier = later = place
        for _ in range(reach):
            if not joined[earlier]:
                break
            earlier = before[earlier]
            there = note(earlier, touched, region, there)
        for _ in range(reach):
            later = after[later]
            if later < 0 or not joined[later]:
                break
            there = note(later, touched, region, there)
    for number in range(there):
        touched[region[number]] = False
    return there


@_compiled("int64(int32, int32[::1], int32[::1], int64)")
def see(place: int, slots: Places, seen: Places, there: int) -> int:
    """Number a place behind those that are seen, unless it has its number in `slots`; how many they are then."""
    slot = slots[place]
    if 0 <= slot < there and seen[slot] == place:
        return there
    seen[there] = place
    slots[place] = there
    return there + 1


@_compiled("int64(int32[::1], int64, int32[::1], int32[::1], boolean[::1], int32[::1], int32[::1], int32[:, ::1])")
def look_around(
    region: Places, reach: int, before: Places, after: Places, joined: Flags,
    slots: Places, seen: Places, around: Places,
) -> int:  # fmt: skip
    """What is seen from a region, up to so many before and after each document in the same sitting, by its number; and
    of each document the numbers `around` it in order, -1 for none. How many are seen.
    """
    there = 0
    around[:] = -1
    for row in range(len(region)):
        earlier = later = region[row]
        there = see(earlier, slots, seen, there)
        around[row, reach] = slots[earlier]
        for step in range(1, reach + 1):
            if not joined[earlier]:
                break
            earlier = before[earlier]
            there = see(earlier, slots, seen, there)
            around[row, reach - step] = slots[earlier]
        for step in range(1, reach + 1):
            later = after[later]
            if later < 0 or not joined[later]:
                break
            there = see(later, slots, seen, there)
            around[row, reach + step] = slots[later]
    return there


@_compiled("void(int32[::1], uint8[::1], int64, int32[::1], uint16[:, ::1])")
def count(at: Places, counts: Bytes, term: int, seen: Places, often: Twos) -> None:
    """Count how often a term stands in each document that is seen; soonest where these are nearly in order."""
    where = 0
    for slot in range(len(seen)):
        where = seek(at, seen[slot], where)
        if where < len(at) and at[where] == seen[slot]:
            often[slot, term] = counts[where]


@_compiled("void(int32[::1], uint8[::1], int64, int32[::1], int32[::1], int64[:, ::1])")
def count_on_days(at: Places, counts: Bytes, term: int, day: Places, days: Places, on_days: Longs) -> None:
    """Count how often a term stands in what was said on each of the days that are numbered."""
    for number in range(len(at)):
        of = days[day[at[number]]]
        if of >= 0:
            on_days[of, term] += counts[number]


@_compiled(
    "void(int32[::1], uint8[::1], int64, int32[::1], int32[::1], uint16[:, ::1], int32[::1], int32[::1], int64[:, ::1])"
)
def count_all(
    at: Places, counts: Bytes, term: int, slots: Places, seen: Places, often: Twos,
    day: Places, days: Places, on_days: Longs,
) -> None:  # fmt: skip
    """What `count` and `count_on_days` do, in one pass over where a term stands: sooner where that is in few documents,
    since `count` looks at all that is seen. `slots` is the number of each place among what is `seen`, where it has one.
    """
    for number in range(len(at)):
        place = at[number]
        slot = slots[place]
        if 0 <= slot < len(seen) and seen[slot] == place:
            often[slot, term] = counts[number]
        of = days[day[place]]
        if of >= 0:
            on_days[of, term] += counts[number]


@_compiled("int64(int64, float64, int64)")
def give(count: int, norm: float, weight: int) -> int:
    """What a term of this weight gives that stands so often in a text of this norm."""
    return weight * weigh(float(count), norm) >> 10 if count else 0


@_compiled("float64(int64, float64, float64, float64)")
def norm(length: int, texts: float, words: float, together: float) -> float:
    """What `norm_of` says of a text, or of so many together: `texts` is by what a length is multiplied there."""
    return floor(length * texts / (together * words)) + LEAST


@_compiled(
    "void(int32[:, ::1], int64, int64, uint16[:, ::1], uint8[::1], boolean[::1], int32[::1], int64[:, ::1],"
    " float64[::1], float64, float64, int64[::1], int64[::1], int64[:, :, ::1])"
)
def weigh_words(
    around: Places, reach: int, near: int, often: Twos, lengths: Bytes, asking: Flags, days: Places, on_days: Longs,
    day_norms: Doubles, texts: float, words: float, weights: Longs, shares: Longs, fields: Longs,
) -> None:  # fmt: skip
    """The fields of words, in their order: what each term gives to each document (fields × terms × documents).

    `lengths` are those of what is seen, and `asking` says which of that asks at its end; `days` on which of the days
    each document was said. `texts` and `words` are the average as in `norm`. `weights` are the terms', `shares` the
    fields', in 1/1024.
    """
    terms = len(weights)
    closely, widely = np.empty(terms, np.int64), np.empty(terms, np.int64)
    for row in range(len(around)):
        close, wide = 0, 0
        closely[:] = 0
        widely[:] = 0
        for step in range(2 * reach + 1):
            slot = around[row, step]
            if slot < 0:
                continue
            wide += int(lengths[slot])
            for term in range(terms):
                widely[term] += often[slot, term]
            if abs(step - reach) <= near:
                close += int(lengths[slot])
                for term in range(terms):
                    closely[term] += often[slot, term]
        here, last, day = around[row, reach], around[row, reach - 1], days[row]
        of_turn = norm(lengths[here], texts, words, 1.0)
        of_near = norm(close, texts, words, 2.0 * near + 1.0)
        of_around = norm(wide, texts, words, 2.0 * reach + 1.0)
        is_reply = last >= 0 and asking[last]
        of_last = norm(lengths[last], texts, words, 1.0) if is_reply else 0.0
        for term in range(terms):
            weight = weights[term]
            fields[0, term, row] = give(often[here, term], of_turn, weight) * shares[0] >> 10
            fields[1, term, row] = give(closely[term], of_near, weight) * shares[1] >> 10
            fields[2, term, row] = give(widely[term], of_around, weight) * shares[2] >> 10
            fields[3, term, row] = give(on_days[day, term], day_norms[day], weight) * shares[3] >> 10
            fields[4, term, row] = give(often[last, term], of_last, weight) * shares[4] >> 10 if is_reply else 0


@_compiled("uint64(uint64, uint64)")
def plus(one: np.uint64, other: np.uint64) -> np.uint64:
    """The sum of two numbers of terms."""
    total = one + other
    return total - PRIME if total >= PRIME else total


@_compiled("uint64(uint64, uint64)")
def minus(one: np.uint64, other: np.uint64) -> np.uint64:
    """Their difference."""
    return one - other if one >= other else one + PRIME - other


@_compiled("uint64(uint64)")
def spread_out(number: np.uint64) -> np.uint64:
    """The term of a number, as a number."""
    product = number * FACTOR
    return product ^ (product >> HALF)


@_compiled("int64(uint8[::1], uint64[:, ::1], uint64[::1])")
def spell(letters: Bytes, worth: Numbers, likes: Numbers) -> int:
    """The terms of all words that are one letter away from one, in any order and some twice; how many they are. Letters
    count from 0 for `a`; `worth` says what each is worth in a term's number, by how many stand behind it.
    """
    length, there = len(letters), 0
    own, behind = worth[length, KIND], np.uint64(0)
    for at in range(length):
        behind = plus(behind, worth[length - 1 - at, letters[at]])
    own = plus(own, behind)
    less, more = worth[length - 1, KIND], worth[length + 1, KIND]  # before a place, with so many letters in the word
    for at in range(length + 1):
        around = plus(more, behind)
        for letter in range(LETTERS):
            likes[there] = spread_out(plus(around, worth[length - at, letter]))
            there += 1
        if at == length:
            break
        this = letters[at]
        without = minus(own, worth[length - 1 - at, this])
        for letter in range(LETTERS):
            if letter != this:
                likes[there] = spread_out(plus(without, worth[length - 1 - at, letter]))
                there += 1
        behind = minus(behind, worth[length - 1 - at, this])
        likes[there] = spread_out(plus(less, behind))
        there += 1
        if at + 1 < length:
            other = letters[at + 1]
            without = minus(without, worth[length - 2 - at, other])
            if this != other:
                turned = plus(worth[length - 1 - at, other], worth[length - 2 - at, this])
                likes[there] = spread_out(plus(without, turned))
                there += 1
            less = plus(less, worth[length - 2 - at, this])
        more = plus(more, worth[length - at, this])
    return there


@_compiled("void(int8[:, ::1], int8[::1], int64[::1], float64[::1])")
def multiply(matrix: Small, query: Small, at: Longs, sums: Doubles) -> None:
    """Some rows of a matrix times a query: whole numbers, as doubles."""
    for number in range(len(at)):
        row, total = at[number], np.int32(0)
        for column in range(len(query)):
            total += np.int32(matrix[row, column]) * np.int32(query[column])
        sums[number] = total
