"""`python -m tests.replay.examples` adds a golden example for every tag and version that has none; it changes none."""

import json

import msgspec

from projections.events import EVENTS, Event, MessageHeard
from replay import codec
from tests.generator import MAKERS
from tests.laws.teller import Teller
from tests.replay.test_codec import GOLDEN

LONGEST = 4_000


def example(kind: type[Event]) -> Event:
    """The longest event of this kind that a teller makes of a few salts, so that many of its fields are set."""
    found: list[Event] = []
    for salt in range(60):
        teller = Teller(MAKERS)
        teller.tell(MessageHeard, salt)
        found += [draft.event for draft in teller.tell(kind, salt) if type(draft.event) is kind]
    short = [event for event in found if len(codec.encode_body(event)) < LONGEST]
    return max(short, key=lambda event: len(codec.encode_body(event)))


def main() -> None:
    """Write what is missing."""
    for kind in EVENTS:
        path = GOLDEN / f"{kind.TAG}@{kind.VERSION}.json"
        if not path.exists():
            event = example(kind)
            golden = {"body": codec.encode_body(event).hex(), "event": json.loads(msgspec.json.encode(event))}
            path.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")
            print(path.name)


if __name__ == "__main__":
    main()
