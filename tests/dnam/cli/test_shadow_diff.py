"""diff --shadow: what a shadow would change, in a terminal, as JSON and as a page; 1 when something differs."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from freezegun import freeze_time

from dnam.assistant import Assistant
from dnam.cli.timeline import MOST_QUOTED
from dnam.memory import Memory
from dnam.model import Ask
from dnam.shadows.charts import MOST_BARS
from dnam.shadows.inputs import NOBODYS
from dnam.shadows.manifest import Manifest
from dnam.shadows.page import shadow_page
from dnam.shadows.report import OwnerWords, Report
from dnam.shadows.verdicts import ALONE
from dnam.shadows.words import KEPT
from projections.decisions.adopt_pairs import OUT, UNFOUNDED
from projections.events import Event, ItemForgotten, ItemRemembered, ItemUpserted, SummaryRefreshed
from projections.events.values import OPERATOR, By, Evidence, Item, Source
from projections.ids import NOBODY, EventId, Handle
from projections.policies.item_ids import derive
from projections.rederiving.judged import Measures
from projections.rederiving.pairs import Counts
from tests.dnam.cli.beside import ASKED, beside
from tests.dnam.cli.memories import GENERAL, Ran, bytes_of, dnam, garden, make
from tests.dnam.scripted import ScriptedModel
from tests.world import NOW

LATER = "2023-11-15 12:00:00"
HOSTILE = "I drink oolong </script><img src=x onerror=alert(1)> \x1b[31m & \u202ereversed"
RULES = {"oolong": "User drinks oolong", "run": "User runs at dawn", "cello": "User plays the cello"}
"""What the live memory learned, by a word of what Kim said."""
TEA = "durable-db20c135"
REPORT_FIELDS = "shadow live of differs items summaries old new people sessions behind less_read html"
OWNER_FIELDS = "person name items old new groups faults"
PAIR_FIELDS = "kind by where old new words changed held old_id new_id"
SIDE_FIELDS = "item seq who why messages quotes"
MODEL = By("model", name="claude-next", version="9")


async def learned(memory: Memory) -> None:
    """Kim says three things in a channel, and a model learns one from each."""
    texts = (HOSTILE, "I run every morning\nat dawn", "I am learning the cello")
    for number, text in enumerate(texts):
        said, key = NOW + 900_000 + number, f"12345678901234567{number}"
        await memory.heard("100", text, platform="discord", place=GENERAL, key=key, said=said)

    def reply(ask: Ask) -> str:
        lines = json.loads(ask.prompt)["lines"]
        told = ((word, line) for line in lines for word in RULES if word in line["text"])
        upserts = [
            {"kind": "fact", "text": RULES[word], "evidence": [{"quote": line["text"][:16], "message": line["id"]}]}
            for word, line in told
        ]
        return json.dumps({"upserts": upserts})

    assistant = Assistant(memory, ScriptedModel({"extraction": reply}))
    await assistant.extract(await memory.person("100", platform="discord"), {"guild/discord:9"})


def otherwise(event: Event) -> Event | None:
    """The other model says it in other words, does not learn of the cello, and summarises otherwise."""
    if isinstance(event, SummaryRefreshed):
        return msgspec.structs.replace(event, text="They compared coffees.\nKim brings the pot.")
    if not isinstance(event, ItemUpserted) or event.item.text not in RULES.values():
        return event
    if "cello" in event.item.text:
        return None
    return msgspec.structs.replace(event, by=MODEL, item=_said_otherwise(event.item))


def _said_otherwise(item: Item) -> Item:
    if "oolong" in item.text:
        return msgspec.structs.replace(item, text="User drinks green oolong", confidence=800, tags=("tea", "daily"))
    text = "They go for a run before work"
    return msgspec.structs.replace(item, text=text, id=derive("fact", text))


@pytest.fixture(scope="session")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory, and three shadows: the same, another one, and one that is not through."""
    folder = tmp_path_factory.mktemp("beside") / "data"
    make(folder, garden, learned)
    beside(folder, "same")
    beside(folder, "other", otherwise, [_new(folder)])
    beside(folder, "slow", otherwise, state="under way", upto=7)
    return folder


def _new(folder: Path) -> Event:
    """Something that only the other model learned, from words that stand in no message."""
    kim = kim_of(folder)
    item = Item(
        id="durable-00000001", owner=kim, compartment="guild/discord:9", kind="fact", text="User likes mornings",
        created=NOW, updated=NOW, source=Source("model"), evidence=(Evidence("mornings are best"), Evidence("")),
    )  # fmt: skip
    return ItemUpserted(said=NOW, by=MODEL, item=item, reason="it is told")


def kim_of(folder: Path) -> Handle:
    people = dnam("people", "--json", "--data", folder).values
    return Handle(bytes.fromhex(next(each["person"] for each in people if each["name"] == "Kim")))


def pairs_of(ran: Ran) -> list[dict[str, Any]]:
    return [pair for person in ran.value["people"] for group in person["groups"] for pair in group["pairs"]]


@freeze_time(LATER)
def test_nothing_differs(taught: Path) -> None:
    before = bytes_of(taught)
    ran = dnam("diff", "--shadow", "same", "--data", taught)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "dnam: nothing differs from the shadow 'same': 5 items are the same\n"
    value = dnam("diff", "--shadow", "same", "--json", "--data", taught).value
    assert (value["differs"], value["people"], value["sessions"]) == (False, [], [])
    assert value["items"] == {"only_old": 0, "only_new": 0, "changed": 0, "same": 5}
    assert value["old"] == value["new"]
    assert bytes_of(taught) == before


@freeze_time(LATER)
def test_in_a_terminal(taught: Path) -> None:
    before = bytes_of(taught)
    ran = dnam("diff", "--shadow", "other", "--data", taught)
    assert (ran.code, ran.err) == (1, "")
    assert bytes_of(taught) == before
    lines = ran.out.splitlines()
    tables = [re.split(r"  +", each) for each in lines[: lines.index("Kim:")]]
    assert ["Kim", "1", "1", "2", "2"] in tables
    assert ["items in sum", "1", "1", "2", "2"] in tables
    assert ["summaries", "0", "0", "1", "0"] in tables
    assert [tuple(each[:3]) for each in tables if len(each) == 4] == [
        ("", "live", "shadow"), ("items", "5", "5"), ("duplicates", "0", "0"), ("without evidence", "0", "1"),
        ("contradictions", "0", "0"), ("tokens", "99", "98"),
    ]  # fmt: skip
    assert f"  changed     {TEA} [fact] User drinks {{+green+}} oolong" in lines
    at = lines.index(f"  changed     {TEA} [fact] User drinks {{+green+}} oolong")
    assert lines[at + 1 : at + 6] == [
        "      in guild Garden; matched by the same id",
        "      tags: none -> tea, daily",
        "      confidence: 1000 -> 800",
        "      live    by model scripted 1: no item has this id or says this",
        "      shadow  by model claude-next 9: no item has this id or says this",
    ]
    assert lines[at + 6].startswith('      both    from  Kim, 2023-11-14 22:28+00:00 (#26): "I drink oolong </script>')
    assert "\x1b" not in ran.out
    runs, goes = derive("fact", "User runs at dawn"), derive("fact", "They go for a run before work")
    assert f"  changed     {runs} ({goes} in the shadow) [fact] " in ran.out
    assert dnam("audit", "Kim", "--item", runs, "--data", taught).code == 0
    assert "  only live   durable-c3e4d5c4 [fact] [-User plays the cello-]" in lines
    assert "  only shadow durable-00000001 [fact] {+User likes mornings+}" in lines
    assert '      from  "mornings are best", whose message is not in the log' in [
        re.sub(" {8}f", "f", x) for x in lines
    ]
    assert lines[-3:] == [
        "summary of discord:channel:1: changed, 10 -> 11 tokens",
        "  They compared [-teas-] {+coffees+}.", "  Kim brings the pot.",
    ]  # fmt: skip


@freeze_time(LATER)
def test_the_help_tells_of_every_field() -> None:
    told = dnam("diff", "--help").out
    assert [name for name in REPORT_FIELDS.split() if f"`{name}`" not in told] == []


@freeze_time(LATER)
def test_as_json(taught: Path) -> None:
    ran = dnam("diff", "--shadow", "other", "--json", "--data", taught)
    assert (ran.code, " ".join(ran.value)) == (1, REPORT_FIELDS)
    assert (ran.value["shadow"]["asked"]["model"], ran.value["shadow"]["calls"]) == ("claude-next", 3)
    (person,) = ran.value["people"]
    assert (" ".join(person), person["name"]) == (OWNER_FIELDS, "Kim")
    pairs = pairs_of(ran)
    assert all(" ".join(each) == PAIR_FIELDS for each in pairs)
    assert sorted((each["kind"], each["by"]) for each in pairs) == [
        ("changed", "id"), ("changed", "sources"), ("only_new", ""), ("only_old", ""),
    ]  # fmt: skip
    changed = next(each for each in pairs if each["by"] == "sources")
    assert changed["old_id"] == changed["old"]["item"]["id"] == derive("fact", "User runs at dawn")
    assert changed["new_id"] == changed["new"]["item"]["id"] != changed["old_id"]
    assert [each["old_id"] for each in pairs if each["kind"] == "only_new"] == [""]
    assert " ".join(changed["new"]) == SIDE_FIELDS
    assert (changed["old"]["item"]["text"], changed["new"]["item"]["text"]) == (
        "User runs at dawn", "They go for a run before work",
    )  # fmt: skip
    assert [(each["author"], each["seq"], each["quotes"]) for each in changed["new"]["messages"]] == [
        ("Kim", 27, ["I run every morn"])
    ]
    assert [(each["side"], each["fault"], each["text"]) for each in person["faults"]] == [
        ("new", "unsourced", "User likes mornings")
    ]
    (session,) = ran.value["sessions"]
    assert (session["key"], session["kind"]) == ("discord:channel:1", "changed")
    assert [each["fate"] for each in session["words"]] == ["same", "removed", "added", "same"]


@freeze_time(LATER)
def test_of_one_person_or_one_session(taught: Path) -> None:
    of_kim = dnam("diff", "Kim", "--shadow", "other", "--json", "--data", taught)
    assert (of_kim.code, len(pairs_of(of_kim)), of_kim.value["sessions"]) == (1, 4, [])
    of_ada = dnam("diff", "Ada", "--shadow", "other", "--data", taught)
    assert (of_ada.code, of_ada.out) == (0, "")
    of_general = dnam("diff", "#general", "--shadow", "other", "--data", taught)
    assert of_general.code == 1
    assert "items in sum" in of_general.out
    assert "duplicates" not in of_general.out
    assert "compared [-teas-] {+coffees+}" in of_general.out
    assert dnam("diff", "staff", "--shadow", "other", "--data", taught).code == 0


@freeze_time(LATER)
def test_a_shadow_that_is_behind_or_under_way_says_so(taught: Path) -> None:
    err = dnam("diff", "--shadow", "slow", "--data", taught).err
    assert f"dnam: the shadow 'slow' is not complete: `dnam rederive --name slow --data {taught}` goes on\n" in err
    size = dnam("diff", "--shadow", "slow", "--json", "--data", taught).value["live"]
    assert f"'slow' knows the log up to #7 of #{size}, " in err
    assert f" behind: `dnam rederive --name slow --data {taught}` goes on\n" in err


@freeze_time(LATER)
def test_what_a_shadow_is_not_of_is_not_compared(taught: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(taught, folder)
    ada = next(each for each in dnam("people", "--json", "--data", folder).values if each["name"] == "Ada")
    asked = msgspec.structs.replace(ASKED, people=(ada["person"],), guilds=("discord:9",))
    beside(folder, "of-ada", lambda event: None if isinstance(event, ItemUpserted) else event, asked=asked)
    ran = dnam("diff", "--shadow", "of-ada", "--data", folder)
    assert (ran.code, ran.out) == (0, "")
    assert "the shadow 'of-ada' is of Ada, Garden alone: nothing else is compared" in ran.err
    everybody = msgspec.structs.replace(ASKED, guilds=("discord:9",))
    beside(folder, "of-garden", lambda event: None if isinstance(event, ItemUpserted) else event, asked=everybody)
    ran = dnam("diff", "--shadow", "of-garden", "--json", "--data", folder)
    assert sorted(each["old"]["item"]["text"] for each in pairs_of(ran)) == sorted(RULES.values())


@freeze_time(LATER)
def test_a_summary_that_only_the_live_memory_has_stays(taught: Path, tmp_path: Path) -> None:
    """Adopting clears nothing: so it is no difference, and is told with the reason."""
    folder = tmp_path / "data"
    shutil.copytree(taught, folder)
    beside(folder, "bare", lambda event: None if isinstance(event, SummaryRefreshed) else event)
    ran = dnam("diff", "--shadow", "bare", "--json", "--data", folder)
    assert [(each["kind"], each["held"]) for each in ran.value["sessions"]] == [("only_old", ALONE)]
    assert (ran.code, ran.value["differs"], ran.value["summaries"]["only_old"]) == (0, False, 0)
    assert f"; it stays as it is: {ALONE}\n" in dnam("diff", "--shadow", "bare", "--data", folder).out
    assert dnam("adopt", "bare", "--yes", "--data", folder).code == 0
    assert dnam("summary", "discord:channel:1", "--data", folder).out


@freeze_time(LATER)
def test_what_has_no_words_here_is_no_difference_that_could_be_adopted(taught: Path, tmp_path: Path) -> None:
    """Adopting leaves it, and says why; so does the difference."""
    folder = tmp_path / "data"
    shutil.copytree(taught, folder)
    kim = next(each for each in dnam("people", "--json", "--data", folder).values if each["name"] == "Kim")
    beside(folder, "more", more=[_learned(_item(Handle(bytes.fromhex(kim["person"])), "1", "User sails"))])
    ran = dnam("diff", "--shadow", "more", "--json", "--data", folder)
    assert [(each["kind"], each["held"]) for each in pairs_of(ran)] == [("only_new", UNFOUNDED)]
    assert (ran.code, ran.value["differs"], ran.value["items"]["only_new"]) == (0, False, 1)
    offered = dnam("adopt", "more", "--yes", "--json", "--data", folder)
    (left,) = offered.value["people"]
    assert (offered.value["adopted"], [each["reason"] for each in left["left"]]) == (None, [UNFOUNDED])


@freeze_time(LATER)
def test_what_a_person_decided_is_said_to_stay(taught: Path, tmp_path: Path) -> None:
    """What they wrote and the shadow has otherwise, and what they took back and the shadow has again."""
    folder = tmp_path / "data"
    shutil.copytree(taught, folder)

    def contrary(event: Event) -> Event | None:
        if isinstance(event, ItemRemembered) and "tea" in event.item.text:
            return msgspec.structs.replace(event, item=msgspec.structs.replace(event.item, text="prefers oolong"))
        return None if isinstance(event, ItemForgotten) else event

    beside(folder, "contrary", contrary)
    ran = dnam("diff", "--shadow", "contrary", "--json", "--data", folder)
    assert [(each["kind"], each["held"]) for each in pairs_of(ran)] == [("only_new", KEPT), ("changed", KEPT)]
    assert (ran.code, ran.value["differs"]) == (0, False), "as adopting has it: there is nothing to take over"
    told = dnam("diff", "--shadow", "contrary", "--data", folder)
    assert (told.code, f"; {KEPT}\n" in told.out) == (0, True)
    assert "nothing that could be adopted differs from the shadow 'contrary'" in told.err


@freeze_time(LATER)
def test_nothing_of_who_opted_out_is_to_be_adopted(taught: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(taught, folder)
    before = dnam("diff", "--shadow", "other", "--json", "--data", folder)
    assert {each["held"] for each in pairs_of(before)} == {"", UNFOUNDED}
    assert dnam("opt-out", "Kim", "--yes", "--data", folder).code == 0
    ran = dnam("diff", "Kim", "--shadow", "other", "--json", "--data", folder)
    assert {each["held"] for each in pairs_of(ran)} == {OUT}
    assert (ran.code, ran.value["differs"]) == (0, False)


@freeze_time(LATER)
def test_groups_and_namesakes_are_told_apart(taught: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(taught, folder)
    people = dnam("people", "--json", "--data", folder).values
    sams = [Handle(bytes.fromhex(each["person"])) for each in people if each["name"] == "Sam"]
    first = _item(sams[0], "1", "User sails")
    second = _item(sams[0], "2", "User sails a lot", supersedes=(first.id,))
    more = [_learned(each) for each in (first, second, _item(sams[1], "3", "User swims"), _item(NOBODY, "4", "A pond"))]
    beside(folder, "more", more=more)
    ran = dnam("diff", "--shadow", "more", "--data", folder)
    assert re.findall(r"^(.*):$", ran.out, re.MULTILINE) == ["Sam (discord:300)", "Sam (discord:400)", NOBODYS]
    fault = "shadow, contradiction: “User sails a lot” beside “User sails”: it replaced the other one"
    assert f"judged {fault}" in " ".join(ran.out.split())
    adopted = dnam("adopt", "more", "--behind", "--json", "--data", folder).value
    named = {each["name"] for each in adopted["people"]}
    assert {"Sam (discord:300)", "Sam (discord:400)"} <= named
    assert {f"{each}:" for each in named} <= set(
        re.findall(r"^(.*?:)(?= |$)", dnam("adopt", "more", "--behind", "--data", folder).out, re.MULTILINE)
    )
    assert len(re.findall(rf"; group [0-9a-f]{{12}}; {UNFOUNDED}$", ran.out, re.MULTILINE)) == 2
    page = dnam("diff", "--shadow", "more", "--html", "-", "--data", folder).out
    assert page.count("together: group ") == 1
    assert "shadow, contradiction: “User sails a lot” beside “User sails”: it replaced the other one" in page


def _item(owner: Handle, number: str, text: str, **fields: Any) -> Item:
    made = Item(
        id=f"durable-0000000{number}", owner=owner, compartment="guild/discord:9", kind="fact", text=text,
        created=NOW, updated=NOW, source=Source("model"),
    )  # fmt: skip
    return msgspec.structs.replace(made, **fields)


def _learned(item: Item) -> Event:
    return ItemUpserted(said=NOW, by=MODEL if item.owner else OPERATOR, item=item)


@freeze_time(LATER)
def test_who_was_erased_here_is_in_no_difference(taught: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(taught, folder)
    assert dnam("erase", "Kim", "--yes", "--data", folder).code == 0
    told = dnam("diff", "--shadow", "other", "--json", "--data", folder).out
    page = dnam("diff", "--shadow", "other", "--html", "-", "--data", folder).out
    assert not any(word in text for text in (told, page) for word in ("Kim", "oolong", "teas"))


@freeze_time(LATER)
def test_of_many_messages_a_terminal_quotes_a_few(taught: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(taught, folder)
    listed = dnam("log", "--json", "--tag", "message.heard", "--data", folder).values
    heard = tuple(Evidence("", EventId(bytes.fromhex(each["id"]))) for each in listed)
    assert len(heard) > MOST_QUOTED
    beside(folder, "many", more=[_learned(_item(kim_of(folder), "1", "User talks", evidence=heard))])
    out = dnam("diff", "--shadow", "many", "--data", folder).out
    assert out.count("from  ") == MOST_QUOTED + 1
    assert f"and {len(heard) - MOST_QUOTED} more messages" in out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ((), "say whose: USER or SESSION"),
        (("Kim", "--html", "x"), "--html goes with --shadow"),
        (("--shadow", "none"), "there is no shadow 'none' here: `dnam shadows` lists those that there are"),
        (("--shadow", "No!"), "'No!' is no name for a shadow"),
        (("Zoe", "--shadow", "same"), "nobody and no session goes by 'Zoe'"),
        (("Kim", "--shadow", "same", "--from", "3"), "--shadow compares with now"),
        (("Kim", "--shadow", "same", "--said"), "--shadow compares with now"),
        (("Kim", "--shadow", "same", "--to", "3"), "--shadow compares with now"),
        (("--shadow", "same", "--html", "-", "--json"), "--html - prints the page where --json prints its value"),
    ],
    ids=str,
)
def test_wrong_use_is_2(taught: Path, arguments: tuple[str, ...], what: str) -> None:
    ran = dnam("diff", *arguments, "--data", taught)
    assert (ran.code, ran.out) == (2, "")
    assert what in ran.err


# -- the page ------------------------------------------------------------------------------------------------------


class Read(HTMLParser):
    """A page as a browser would take it apart."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


@freeze_time(LATER)
def test_the_page_is_one_file_that_runs_nothing(taught: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    ran = dnam("diff", "--shadow", "other", "--html", path, "--data", taught)
    assert (ran.code, ran.out) == (1, f"5 differences from the shadow 'other' are written to {path}\n")
    text = path.read_text(encoding="utf-8")
    page = Read(text)
    assert not {"script", "img", "link", "iframe", "object", "image", "use"} & set(page.tags)
    assert not any(name.startswith("on") or name == "src" for name, _ in page.attributes)
    assert {value for name, value in page.attributes if name == "href"} == {
        f"https://discord.com/channels/9/1/12345678901234567{number}" for number in range(3)
    }
    assert "default-src 'none'" in text
    assert not re.search(r"@import|url\(", text)
    assert "I drink oolong </script><img src=x onerror=alert(1)> \ufffd[31m & \ufffdreversed" in page.words
    assert "I run every morning\nat dawn" in page.words
    assert "\x1b" not in text
    assert path.stat().st_mode & 0o777 == 0o600
    assert dnam("diff", "--shadow", "other", "--html", "-", "--data", taught).out == text


@freeze_time(LATER)
def test_the_page_and_json_are_told_together(taught: Path, tmp_path: Path) -> None:
    """Neither is left out for the other."""
    path = tmp_path / "page.html"
    alone = dnam("diff", "--shadow", "other", "--json", "--data", taught).value
    ran = dnam("diff", "--shadow", "other", "--json", "--html", path, "--data", taught)
    assert (ran.code, ran.value["html"], alone["html"]) == (1, str(path), None)
    assert {**ran.value, "html": None} == alone
    assert path.read_text(encoding="utf-8") == dnam("diff", "--shadow", "other", "--html", "-", "--data", taught).out


@freeze_time(LATER)
def test_the_page_says_what_the_terminal_does(taught: Path) -> None:
    text = dnam("diff", "--shadow", "other", "--html", "-", "--data", taught).out
    page = Read(text)
    assert page.tags.count("svg") == 2
    titles = re.findall(r"<title>([^<]*)</title></rect>", text)
    assert {"Kim: 2 changed", "Kim: 1 only live", "Kim: 1 only shadow", "Kim: 2 same", "summaries: 1 changed"} <= {
        *titles
    }
    assert {"items, live: 5", "items, shadow: 5", "without evidence, shadow: 1"} <= {*titles}
    assert "<span>User drinks</span><ins> green</ins><span> oolong</span>" in text
    assert "<dt>confidence</dt><dd><del>1000</del> <ins>800</ins></dd>" in text
    assert "3 calls, 2,000 tokens in, 100 out, $0.0123" in page.words
    assert "matched by the same messages" in page.words
    runs, goes = derive("fact", "User runs at dawn"), derive("fact", "They go for a run before work")
    assert f"{runs} ({goes} in the shadow)" in page.words
    assert "They compared teas.\nKim brings the pot." in page.words
    assert "shadow, unsourced: “User likes mornings”: it rests on no message of the log" in page.words


@freeze_time(LATER)
def test_a_page_of_nothing_says_so(taught: Path) -> None:
    ran = dnam("diff", "--shadow", "same", "--html", "-", "--data", taught)
    assert ran.code == 0
    assert "Nothing differs." in ran.out
    of_session = dnam("diff", "#general", "--shadow", "other", "--html", "-", "--data", taught).out
    assert "<h2>Judged</h2>" not in of_session


def test_beyond_so_many_people_share_a_bar() -> None:
    zero = Measures()
    people = tuple(
        OwnerWords(
            Handle(bytes([number]) * 16),
            f"Nr {number} of a very long family",
            Counts(number, 0, 0, 1),
            zero,
            zero,
            (),
            (),
        )
        for number in range(MOST_BARS + 2)
    )
    manifest = Manifest("many", ASKED, NOW, "", "", state="complete")
    found = Report(manifest, 0, (), True, Counts(1, 0, 0, 0), Counts(), zero, zero, people, ())
    page = shadow_page(found, str)
    assert "<title>2 more people: 1 only live</title>" in page
    assert page.count("<text") == MOST_BARS + 3
    assert "Nr 7 of a very long f…" in page


@freeze_time(LATER)
def test_whoever_picks_is_told_where_it_holds_what_it_rests_on_and_what_contradicts(
    taught: Path, tmp_path: Path
) -> None:
    roads = {"User runs at dawn": "User lives in Mill Lane", "User plays the cello": "User lives in Orchard Road"}

    def moved(event: Event) -> Event:
        if not isinstance(event, ItemUpserted) or event.item.text not in roads:
            return event
        return msgspec.structs.replace(
            event, by=MODEL, item=msgspec.structs.replace(event.item, text=roads[event.item.text])
        )

    folder = tmp_path / "data"
    shutil.copytree(taught, folder)
    beside(folder, "roads", moved)
    ran = dnam("adopt", "roads", "--pick", "--behind", "--data", folder, given="n\nn\n")
    said = " ".join(ran.out.split())
    assert "in guild Garden" in said
    assert "I am learning the cello" in said
    assert "judged shadow, contradiction: “User lives in" in said
    assert "Mill Lane" in said.partition("contradiction")[2]
    assert "Orchard Road" in said.partition("contradiction")[2]
