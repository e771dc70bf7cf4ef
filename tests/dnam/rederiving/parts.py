"""Which part of a memory is derived anew: of whom, in which server, and from when on."""

from pathlib import Path
from typing import NamedTuple

import msgspec
from hypothesis import strategies as st

from dnam.shadows.manifest import Asked
from projections.people import person_of
from replay.engine import Engine
from tests.dnam.rederiving.histories import PEOPLE
from tests.dnam.rederiving.village import GARDEN


class Part(NamedTuple):
    """`who` are some of the three, all of them where there are none; what was recorded before `since` per cent of the
    log stays as it is.
    """

    who: tuple[int, ...] = ()
    in_garden: bool = False
    since: int = 0


WHOLE = Part()


def parts() -> st.SearchStrategy[Part]:
    """All of it, or any part."""
    return st.builds(Part, st.sampled_from(((), (), (0,), (1, 2))), st.booleans(), st.sampled_from((0, 0, 0, 30, 60)))


def asked_for(path: Path, asked: Asked, part: Part) -> Asked:
    """The same asked of a part of what lies in a folder, as far as these people are known."""
    with Engine.open(path, writable=False) as live, live.reading() as rows:
        found = (person_of(rows, "discord", PEOPLE[each]) for each in part.who)
        return msgspec.structs.replace(
            asked,
            people=tuple(sorted(each.row.person.hex() for each in found if each is not None)),
            guilds=(str(GARDEN),) if part.in_garden else (),
            since=live.head().size * part.since // 100,
        )
