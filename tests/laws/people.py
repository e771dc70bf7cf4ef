"""Who people are, what they set, and what they take back."""

from projections import events as e
from projections.events.values import OPERATOR, PLATFORM, Gap
from projections.ids import NOBODY, Ref, VaultId
from tests.laws.talk import deleted, edited
from tests.laws.teller import GUILD, NAMES, PUBLIC, Teller, platform_id
from tests.world import handle


def seen(told: Teller) -> None:
    n = told.chance.randrange(len(NAMES))
    told.add(
        e.PersonSeen(
            said=told.later(),
            by=PLATFORM,
            person=told.people[n],
            platform="discord",
            platform_id=platform_id(n),
            name=NAMES[n],
        )
    )


def renamed(told: Teller) -> None:
    n = told.chance.randrange(len(NAMES))
    told.add(
        e.PersonRenamed(
            said=told.later(),
            by=PLATFORM,
            person=told.people[n],
            platform="discord",
            platform_id=platform_id(n),
            name=f"{NAMES[n]} the {len(told.told)}th",
            previous=NAMES[n],
        )
    )


def noted(told: Teller) -> None:
    told.add(e.PersonNoted(said=told.later(), by=OPERATOR, person=told.any(told.people), note=told.text()))


def snapshot(told: Teller) -> None:
    told.add(
        e.SnapshotPosted(
            said=told.later(),
            by=PLATFORM,
            person=told.any(told.people),
            place=PUBLIC,
            message=Ref("discord", f"77{len(told.told):016}"),
            digest=bytes(32),
            pinned=told.any((True, False)),
        )
    )


def notice(told: Teller) -> None:
    n = told.any((0, 4))
    told.add(
        e.NoticeGiven(
            said=told.later(),
            by=PLATFORM,
            person=told.people[n],
            place=Ref("discord", f"dm:{told.people[n].hex()}"),
            message=Ref("discord", f"78{len(told.told):016}"),
            learned=told.hear().id,
        )
    )


def configured(told: Teller) -> None:
    person = told.any(told.people)
    scope = told.any(("global", f"guild/{GUILD}", f"channel/{PUBLIC}", f"person/{person.hex()}"))
    told.add(
        e.ConfigSet(
            said=told.later(),
            by=OPERATOR,
            scope=scope,
            key=told.any(("model", "tone")),
            value=told.any((None, "offline", "gruff and laconic")),
            person=person if scope.startswith("person/") else NOBODY,
        )
    )


def _hash(told: Teller) -> bytes:
    return bytes([told.chance.randrange(len(NAMES))]) * 32


def opted_out(told: Teller) -> None:
    told.add(e.PersonOptedOut(said=told.later(), by=PLATFORM, hashes=(_hash(told),)))


def opted_in(told: Teller) -> None:
    told.add(e.PersonOptedIn(said=told.later(), by=PLATFORM, hashes=(_hash(told),)))


def erased(told: Teller) -> None:
    said = told.later()
    vaults = (VaultId(handle(f"no vault {len(told.told)}")),)
    told.add(e.PersonErased(said=said, by=OPERATOR, vaults=vaults, hashes=(_hash(told),), until=said))


def completed(told: Teller) -> None:
    erased(told)
    told.add(e.ErasureCompleted(said=told.said, by=OPERATOR, causes=(told.told[-1][0],), erased=told.told[-1][0]))


def redacted(told: Teller) -> None:
    """Some sealed events lose their bodies; often beside a last edit or deletion in the same decision."""
    beside = told.any((None, edited, deleted))
    if beside is not None:
        beside(told)
    told.hear()
    sealed = [event_id for event_id, event in told.told if event.TAG not in e.UNSEALED_TAGS]
    if told.chance.random() < 0.7:
        sealed = sealed[-6:]
    events = tuple(told.chance.sample(sealed, min(len(sealed), told.any((1, 1, 2, 5)))))
    known = dict(told.told)
    rested = ((each, known[each]) for each in events if told.any((True, True, False)))
    gaps = tuple(Gap(each, event.TAG, event.causes) for each, event in rested if event.causes)
    told.add(e.MessageRedacted(said=told.said, by=PLATFORM, events=events, gaps=gaps))


def import_began(told: Teller) -> None:
    told.add(e.ImportBegan(said=told.later(), by=OPERATOR, formats=("discord-export",)))


def import_ended(told: Teller) -> None:
    began = [event for event, each in told.told if isinstance(each, e.ImportBegan)]
    if not began:
        import_began(told)
        began = [told.drafts[-1].id]
    counts = {each: told.chance.randrange(50) for each in ("messages", "items", "summaries")}
    now = told.later()
    ended = e.ImportEnded(
        said=now, by=OPERATOR, causes=(began[-1],), began=began[-1], formats=("discord-export", "locomo"),
        first_said=now - 1_000_000, last_said=now - 1_000, **counts,
    )  # fmt: skip
    told.add(ended)
