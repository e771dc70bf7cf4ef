"""Pages for a browser that lie in the data folder go with whoever is in them, as exports do; others stay."""

from pathlib import Path

import msgspec

from projections.decisions.draft import Draft
from projections.events import Event, ItemEvent, ItemUpserted, SummaryRefreshed
from projections.events.values import By, Evidence, Item, Source
from projections.ids import EventId, Handle
from replay.engine import Engine
from tests.dnam.cli.beside import beside
from tests.dnam.cli.memories import SUMMARY, dnam
from tests.dnam.cli.test_forgetting import HOLDS_KIM, holds
from tests.dnam.scripted import FakeClock
from tests.world import NOW, handle

PAGES = ("ada.html", "both.html", "kim.html", "kim-diff.html")


def otherwise(event: Event) -> Event | None:
    """The shadow has other summaries, and nothing of what was kept of Kim."""
    if isinstance(event, SummaryRefreshed):
        return msgspec.structs.replace(event, text="They compared coffees.")
    return None if isinstance(event, ItemEvent) else event


def with_pages(data: Path) -> Path:
    """A folder in the data folder, with pages and an export."""
    beside(data, "next", otherwise)
    kept = data / "pages"
    kept.mkdir()
    dnam("remember", "Ada", "grows roses", "--in", "general", "--data", data)
    for name, user in (("ada", "Ada"), ("kim", "Kim")):
        assert dnam("audit", user, "--html", kept / f"{name}.html", "--data", data).code == 0
    for more, name, code in (((), "both", 1), (("Kim",), "kim-diff", 0)):  # all that differs of Kim's they decided
        assert dnam("diff", *more, "--shadow", "next", "--html", kept / f"{name}.html", "--data", data).code == code
    assert dnam("export", "Kim", "--markdown", "--out", kept / "kim.md", "--data", data).code == 0
    (kept / "theirs.html").write_text("<!doctype html>\n<html>of somebody else</html>")
    return kept


def test_pages_that_hold_them_go_and_others_stay(data: Path) -> None:
    kept = with_pages(data)
    before = {each.name: each.read_text() for each in kept.iterdir()}
    assert "prefers tea" in before["kim.html"]
    assert "prefers tea" in before["kim-diff.html"]
    assert SUMMARY.splitlines()[0] in before["both.html"]
    ran = dnam("erase", "Kim", "--yes", "--json", "--data", data)
    assert [Path(each).name for each in ran.value["taken"]["exports"]] == [
        "both.html",
        "kim-diff.html",
        "kim.html",
        "kim.md",
    ]
    assert sorted(each.name for each in kept.iterdir()) == ["ada.html", "theirs.html"]
    assert holds(data, *HOLDS_KIM) == []


def test_pages_made_after_an_erasure_do_not_go_with_it_again(data: Path) -> None:
    kept = with_pages(data)
    assert dnam("erase", "Kim", "--yes", "--data", data).code == 0
    assert dnam("diff", "--shadow", "next", "--html", kept / "both.html", "--data", data).code in (0, 1)
    (data / "swept").unlink()  # as if the sweep had been broken off
    assert dnam("remember", "Ada", "grows figs", "--data", data).code == 0
    assert (kept / "both.html").exists()
    ran = dnam("erase", "Ada", "--yes", "--data", data)
    assert f"Removed: the export {kept / 'ada.html'}\n" in ran.out


def quoting(data: Path) -> tuple[Event, EventId]:
    """Something of Ada's that rests on what Kim said, and what Kim said."""
    people = {each["name"]: each["person"] for each in dnam("people", "--json", "--data", data).values}
    listed = dnam("log", "--user", "Kim", "--tag", "message.heard", "--json", "--data", data).values
    said = EventId(bytes.fromhex(listed[0]["id"]))
    item = Item(
        id="durable-00000001", owner=Handle(bytes.fromhex(people["Ada"])), compartment="guild/discord:9", kind="fact",
        text="waters the roses", created=NOW, updated=NOW, source=Source("model"), evidence=(Evidence("", said),),
    )  # fmt: skip
    return ItemUpserted(said=NOW, by=By("model", name="claude-next"), item=item), said


def test_a_page_goes_with_whoever_is_quoted_in_it(data: Path) -> None:
    learned, _ = quoting(data)
    beside(data, "next", more=[learned])
    with Engine.open(data, clock=FakeClock()) as engine:
        engine.record(lambda _: [Draft(EventId(handle("learned")), learned)])
    audit, diff, since = data / "audit.html", data / "diff.html", data / "since.html"
    assert dnam("audit", "Ada", "--html", audit, "--data", data).code == 0
    dnam("forget", "Ada", "durable-00000001", "--in", "general", "--data", data)
    assert dnam("diff", "Ada", "--shadow", "next", "--html", diff, "--data", data).code == 0, "she forgot it"
    assert all("good morning" in page.read_text() for page in (audit, diff))
    ran = dnam("erase", "Kim", "--yes", "--json", "--data", data)
    assert ran.value["taken"]["exports"] == [str(audit), str(diff)]
    assert holds(data, *HOLDS_KIM) == []
    assert dnam("audit", "Ada", "--html", since, "--data", data).code == 0
    assert "waters the roses" in since.read_text()
    (data / "swept").unlink()  # as if the sweep had been broken off
    assert dnam("remember", "Ada", "grows figs", "--data", data).code == 0
    assert since.exists(), "it has no word of whoever is gone"


def test_a_redaction_names_a_page_that_may_hold_it(data: Path) -> None:
    page = data / "kim.html"
    assert dnam("audit", "Kim", "--html", page, "--data", data).code == 0
    copies = dnam("redact", "m1", "--yes", "--json", "--data", data).value["copies"]["exports"]
    assert copies == [str(page)]


def test_a_page_of_somebody_of_whom_nothing_was_remembered_goes_too(data: Path) -> None:
    assert dnam("erase", "--data", data, "--yes", "Kim").code == 0
    page = data / "sam.html"
    assert dnam("audit", "discord:300", "--html", page, "--data", data).code == 0
    assert dnam("erase", "discord:300", "--yes", "--data", data).code == 0
    assert not page.exists()
