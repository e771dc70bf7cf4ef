"""revert: a bad extraction is looked at, undone, told of, and the undoing taken back."""

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import Ask
from projections.decisions.summaries import ResetRequest, reset
from projections.events.values import OPERATOR, Audience
from projections.ids import Ref
from tests.dnam.cli.memories import GENERAL, bytes_of, dnam, garden, make
from tests.dnam.scripted import ScriptedModel
from tests.world import NOW

GARDEN = {"guild/discord:9"}
HERE = Audience("guild", Ref("discord", "1"))


async def misread(memory: Memory) -> None:
    """Kim likes oolong, which is learned; then a worse model makes a mess of it, and of the summary."""
    oolong = await _says(memory, "x1", "I like oolong and chess", 900_000)
    await _reads(memory, oolong.person, "good", [
        {"kind": "fact", "text": "User likes oolong.", "evidence": "I like oolong and chess"},
        {"kind": "fact", "text": "User plays chess.", "evidence": "I like oolong and chess"},
    ])  # fmt: skip
    named = {item.text: item.id for item in await memory.show(oolong.person)}
    bad = await _says(memory, "x2", "my cat hates oolong", 960_000)
    await _reads(memory, bad.person, "worse", [
        {"id": named["User likes oolong."], "text": "User hates oolong.", "evidence": "my cat hates oolong"},
        {"kind": "fact", "text": "User is a cat.", "evidence": "my cat hates oolong"},
    ], [{"id": named["User plays chess."]}])  # fmt: skip
    worse = ScriptedModel({"summary": lambda _: "They are all cats."}, name="worse")
    assert await Assistant(memory, worse).summarise("discord:channel:1", HERE, bad.person)


async def _says(memory: Memory, key: str, text: str, after: int) -> Any:
    return await memory.heard("100", text, platform="discord", place=GENERAL, key=key, said=NOW + after)


async def _reads(
    memory: Memory, person: Any, model: str, upserts: list[Any], gone: list[Any] | None = None, version: str = "1"
) -> None:
    def reply(_: Ask) -> str:
        return json.dumps({"upserts": upserts, "deprecations": gone or []})

    scripted = ScriptedModel({"extraction": reply}, name=model, version=version)
    await Assistant(memory, scripted).extract(person, GARDEN)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reverting") / "data"
    make(folder, garden, misread)
    return folder


@pytest.fixture
def data(told: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(told, tmp_path / "data"))


def events(data: Path) -> list[dict[str, Any]]:
    return dnam("log", "--json", "--data", data).values


def seq(data: Path, tag: str, which: int = -1) -> int:
    return int([each["seq"] for each in events(data) if each["tag"] == tag][which])


def texts(data: Path) -> list[str]:
    items = dnam("show", "Kim", "--all", "--json", "--data", data).value["items"]
    return sorted(each["text"] for each in items if each["status"] == "active" and each["text"].startswith("User"))


BAD = ["User hates oolong.", "User is a cat."]
GOOD = ["User likes oolong.", "User plays chess."]


def test_it_is_shown_first_and_only_done_when_that_was_agreed_to(data: Path) -> None:
    work = seq(data, "extraction.answered")
    before = bytes_of(data / "log")
    ran = dnam("revert", "--caused-by", f"#{work}", "--data", data)
    assert ran.code == 2
    assert ran.out.splitlines()[0] == "Kim:"
    words = [" ".join(each.split()[:3]) for each in ran.out.splitlines()[1:]]
    assert sorted(each.rpartition(" ")[0] for each in words) == ["+ comes", "- goes", "~ says"]
    assert "User likes oolong. (now: User hates oolong.)" in ran.out
    assert f"Revert what came of #{work}: 3 changes. Go on?" in ran.err
    assert dnam("revert", "--caused-by", str(work), "--dry-run", "--data", data).out == ran.out
    assert bytes_of(data / "log") == before
    assert texts(data) == BAD


def test_what_came_of_it_goes_and_comes_back(data: Path) -> None:
    work = seq(data, "extraction.answered")
    done = dnam("revert", "--caused-by", str(work), "--yes", "--data", data)
    assert done.code == 0
    first = seq(data, "item.deprecated")
    assert done.out.splitlines()[-2:] == [
        f"Reverted what came of #{work}: 3 events, from #{first} on.",
        f"`dnam revert --undo {first} --data {data}` takes it back.",
    ]
    assert texts(data) == GOOD
    again = dnam("revert", "--caused-by", str(work), "--yes", "--data", data)
    assert (again.code, again.out) == (0, f"Nothing came of #{work}, or it was reverted already.\n")
    back = dnam("revert", "--undo", str(first + 1), "--yes", "--data", data)
    assert back.out.splitlines()[-1].startswith(f"Took back the revert of what came of #{work}: 3 events, from #")
    assert texts(data) == BAD
    nothing = dnam("revert", "--undo", str(first), "--yes", "--data", data)
    assert nothing.out == f"Nothing is left of the revert of what came of #{work} to take back.\n"


async def lore(memory: Memory) -> None:
    """Kim says how things are on the server, and that is learned as nobody's."""
    said = await _says(memory, "x3", "the gate is painted green", 1_020_000)
    await _reads(memory, said.person, "good", [
        {"kind": "fact", "text": "The gate is green.", "about": "guild", "evidence": "the gate is painted green"}
    ])  # fmt: skip


def test_what_is_nobody_s_goes_and_comes_back_by_the_event_that_it_names(tmp_path: Path) -> None:
    make(data := tmp_path / "data", garden, lore)
    held = partial(dnam, "lore", "--guild", "Garden", "--data", data)
    assert "The gate is green." in held().out
    done = dnam("revert", "--caused-by", str(seq(data, "extraction.answered")), "--yes", "--json", "--data", data)
    assert "The gate is green." not in held().out
    assert (done.value["events"], done.value["undo"]) == (1, seq(data, "item.deprecated"))
    back = dnam("revert", "--undo", str(done.value["undo"]), "--yes", "--data", data)
    assert back.code == 0
    assert "The gate is green." in held().out


def test_audit_and_why_tell_of_it_in_words(data: Path) -> None:
    work = seq(data, "extraction.answered")
    dnam("revert", "--caused-by", str(work), "--yes", "--data", data)
    lives = dnam("audit", "Kim", "--json", "--data", data).value["items"]
    steps = {each["text"]: [(step["happened"], step["who"], step["why"]) for step in each["steps"]] for each in lives}
    assert steps["User likes oolong."][-1] == (
        "reverted", "the operator", f"reverted: what came of #{work}; it is again as model good 1 had left it"
    )  # fmt: skip
    assert steps["User is a cat."][-1] == ("deprecated", "the operator", f"reverted: what came of #{work}")
    oolong = next(each["id"] for each in lives if each["text"] == "User likes oolong.")
    assert "reverted by the operator" in dnam("why", oolong, "--data", data).out
    for tag in ("item.reverted", "item.deprecated"):  # as the hint of a wrong --undo says
        assert "reverted: what came of" in dnam("log", "--tag", tag, "--data", data).out


def test_as_json_it_says_what_becomes_of_whom_and_what_was_done(data: Path) -> None:
    work = seq(data, "extraction.answered")
    value = dnam("revert", "--caused-by", str(work), "--dry-run", "--json", "--data", data).value
    assert list(value) == ["what", "undoes", "models", "people", "summaries", "summaries_left", "events", "undo"]
    (person,) = value["people"]
    assert (person["name"], value["events"], value["undo"]) == ("Kim", 0, None)
    changed = {each["kind"]: each for each in person["changes"]}
    assert changed["goes"]["before"] == {"status": "active", "text": "User is a cat."}
    assert changed["goes"]["after"] is None
    assert changed["comes back"]["after"] == {"status": "active", "text": "User plays chess."}
    assert changed["says again"]["where"]
    done = dnam("revert", "--caused-by", str(work), "--yes", "--json", "--data", data).value
    assert done["events"] == 3
    assert done["undo"] == seq(data, "item.deprecated")


def test_what_a_person_changed_since_is_left_and_told(data: Path) -> None:
    cat = next(
        each for each in dnam("audit", "Kim", "--json", "--data", data).value["items"] if "a cat" in each["text"]
    )
    dnam("edit", "Kim", cat["id"], "User has a cat.", "--data", data)
    edited, work = seq(data, "item.upserted"), seq(data, "extraction.answered")
    done = dnam("revert", "--caused-by", str(work), "--yes", "--data", data)
    assert f"User has a cat. (#{edited}: a person changed it since)" in done.out
    assert texts(data) == ["User has a cat.", *GOOD]
    left = dnam("revert", "--caused-by", str(work), "--yes", "--data", data)
    assert left.out.splitlines()[-1] == f"Nothing that came of #{work} goes."
    assert dnam("revert", "--caused-by", str(edited), "--data", data).err == (
        f"dnam: #{edited} is what a person did (item.upserted): `dnam edit`, `forget` and `restore` change that\n"
    )


def test_all_that_a_model_replied_for_a_while_goes_with_its_summary(data: Path) -> None:
    size = len(events(data))
    done = dnam("revert", "--model", "worse", "--between", "1", "now", "--yes", "--data", data)
    assert done.code == 0
    assert "The summary of discord:channel:1 says again: They compared teas." in done.out
    first, last = seq(data, "extraction.answered"), seq(data, "summary.answered")
    what = f"what worse replied from #{first} to #{last}"
    assert f"Reverted {what}: 4 events, from #{size + 1} on." in done.out
    assert texts(data) == GOOD
    assert dnam("summary", "general", "--data", data).out.startswith("They compared teas.")
    assert dnam("revert", "--model", "worse@1", "--between", "1", "now", "--yes", "--data", data).out == (
        "Meant: 2 replies of worse 1\n"
        f"Nothing came of what worse@1 replied from #{first} to #{last}, or it was reverted already.\n"
    )
    none = dnam("revert", "--model", "worse", "--between", str(size + 1), "now", "--yes", "--data", data)
    assert none.out.startswith("Nothing came of what worse replied from #")
    back = dnam("revert", "--undo", str(size + 4), "--yes", "--data", data)
    assert back.code == 0
    assert texts(data) == BAD
    assert dnam("summary", "general", "--data", data).out.startswith("They are all cats.")


def test_a_first_summary_is_to_be_made_anew(data: Path) -> None:
    summary = seq(data, "summary.answered", 0)
    done = dnam("revert", "--caused-by", str(summary), "--yes", "--data", data)
    assert "The summary of discord:channel:1 is to be made anew" in done.out


def test_a_summary_that_was_cleared_since_is_left(data: Path) -> None:
    summary = seq(data, "summary.answered")

    async def clear(memory: Memory) -> None:
        request = ResetRequest("discord:channel:1", HERE, 0, OPERATOR, memory.now(), None, memory.origin())
        assert (await memory.record(lambda rows: reset(rows, request))).records

    make(data, clear)
    stays = dnam("revert", "--caused-by", str(summary), "--yes", "--data", data).out
    assert stays.startswith("The summary of discord:channel:1 stays (#")
    assert "a person cleared it since" in stays


def test_of_one_person_alone(data: Path) -> None:
    work = seq(data, "extraction.answered")
    ada = dnam("revert", "--caused-by", str(work), "--user", "Ada", "--yes", "--data", data)
    assert ada.out == f"Nothing came of #{work}, of Ada, or it was reverted already.\n"
    kim = dnam("revert", "--caused-by", str(work), "--user", "Kim", "--yes", "--data", data)
    assert texts(data) == GOOD
    assert f"Reverted what came of #{work}, of Kim: " in kim.out
    first = seq(data, "item.deprecated")
    back = dnam("revert", "--undo", str(first), "--user", "Kim", "--yes", "--data", data)
    assert f"Took back the revert of what came of #{work}, of Kim: " in back.out
    assert texts(data) == BAD


def test_saying_no_changes_nothing(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dnam.cli.screen import Screen

    monkeypatch.setattr(Screen, "confirm", lambda *_: False)
    ran = dnam("revert", "--caused-by", str(seq(data, "extraction.answered")), "--data", data)
    assert (ran.code, ran.err) == (0, "dnam: not reverted: nothing was changed\n")
    assert texts(data) == BAD


WRONG: list[tuple[list[str], str]] = [
    ([], "say what to revert: --caused-by SEQ, --model MODEL --between A B, or --undo SEQ"),
    (["--caused-by", "1", "--undo", "2"], "say what to revert: --caused-by SEQ"),
    (["--model", "worse"], "--model and --between belong together"),
    (["--caused-by", "1", "--between", "1", "2"], "--model and --between belong together"),
    (["--caused-by", "soon"], "'soon' is no SEQ: `dnam log` and `dnam audit` show them, as in 12 or '#12'"),
    (["--caused-by", "0"], "there is no event #0: the log ends at #"),
    (["--caused-by", "9999"], "there is no event #9999: the log ends at #"),
    (["--undo", "1"], "where TAG is item.reverted, item.deprecated (there they say `reverted: `)"),
    (["--model", "worse", "--between", "now", "1"], "'now' is later than '1': turn them round"),
    (["--caused-by", "1", "--user", "Nobody"], "nobody"),
]


@pytest.mark.parametrize(("options", "says"), WRONG)
def test_wrong_use_says_what_there_is(told: Path, options: list[str], says: str) -> None:
    ran = dnam("revert", *options, "--data", told)
    assert ran.code == 2
    assert says.casefold() in ran.err.casefold()


def test_of_who_opted_out_all_stays_and_is_told_until_they_are_in_again(data: Path) -> None:
    work = str(seq(data, "extraction.answered"))
    (before,) = dnam("revert", "--caused-by", work, "--dry-run", "--json", "--data", data).value["people"]
    dnam("opt-out", "Kim", "--data", data)
    value = dnam("revert", "--caused-by", work, "--yes", "--json", "--data", data).value
    ((kim,), recorded) = value["people"], value["events"]
    assert (kim["changes"], recorded, value["undo"]) == ([], 0, None)
    assert [each["why"] for each in kim["left"]] == ["they opted out: nothing of theirs is recorded"] * 3
    ran = dnam("revert", "--caused-by", work, "--yes", "--data", data)
    assert ran.out.splitlines()[-1] == f"Nothing that came of #{work} goes."
    dnam("opt-in", "Kim", "--data", data)
    (after,) = dnam("revert", "--caused-by", work, "--dry-run", "--json", "--data", data).value["people"]
    assert after == before


def test_a_revert_is_named_as_one(data: Path) -> None:
    dnam("revert", "--caused-by", str(seq(data, "extraction.answered")), "--yes", "--data", data)
    first = seq(data, "item.deprecated")
    ran = dnam("revert", "--caused-by", str(first), "--data", data)
    assert (ran.code, ran.err) == (2, f"dnam: #{first} is a revert: `dnam revert --undo {first}` takes it back\n")


@pytest.fixture(scope="module")
def renewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One item of each of two versions of a model, and one of another model."""
    folder = tmp_path_factory.mktemp("renewed") / "data"

    async def learning(memory: Memory) -> None:
        for number, (model, version, hobby) in enumerate(RENEWED):
            said = await _says(memory, f"x{number}", f"I like {hobby}", 900_000 + number * 60_000)
            upserts = [{"kind": "fact", "text": f"User likes {hobby}.", "evidence": f"I like {hobby}"}]
            await _reads(memory, said.person, model, upserts, version=version)

    make(folder, garden, learning)
    return folder


RENEWED = (("haiku", "1", "chess"), ("haiku", "2", "sailing"), ("opus", "1", "rowing"))


@pytest.mark.parametrize(
    ("model", "named", "meant", "goes"),
    [
        ("haiku", "haiku", "1 reply of haiku 1, 1 reply of haiku 2", {"chess", "sailing"}),
        ("haiku 2", "haiku@2", "1 reply of haiku 2", {"sailing"}),
        ("haiku@2", "haiku@2", "1 reply of haiku 2", {"sailing"}),
        ("opus", "opus", "1 reply of opus 1", {"rowing"}),
    ],
)
def test_a_model_is_named_with_its_version_or_without(
    renewed: Path, model: str, named: str, meant: str, goes: set[str]
) -> None:
    """A name is every version of it; the preview says which."""
    asked = ("revert", "--model", model, "--between", "1", "now", "--dry-run", "--data", renewed)
    assert dnam(*asked).out.splitlines()[0] == f"Meant: {meant}"
    value = dnam(*asked, "--json").value
    assert value["what"].startswith(f"what {named} replied from #")
    assert ", ".join(f"1 reply of {each['model']} {each['version']}" for each in value["models"]) == meant
    (person,) = value["people"]
    assert {each["before"]["text"] for each in person["changes"]} == {f"User likes {each}." for each in goes}


def test_a_version_that_is_not_there_names_those_that_are(renewed: Path) -> None:
    ran = dnam("revert", "--model", "haiku 3", "--between", "1", "now", "--data", renewed)
    assert ran.code == 2
    assert "no reply of a model 'haiku 3' is kept here: there are replies of haiku@1, haiku@2, opus@1" in ran.err


def test_the_models_that_there_are_are_named(told: Path, tmp_path: Path) -> None:
    ran = dnam("revert", "--model", "haiku", "--between", "1", "now", "--data", told)
    assert "good@1" in ran.err
    assert "worse@1" in ran.err
    folder = tmp_path / "empty"

    async def says(memory: Memory) -> None:
        await memory.heard("kim", "hello")

    make(folder, says)
    ran = dnam("revert", "--model", "haiku", "--between", "1", "now", "--data", folder)
    assert ran.err.endswith("no reply of a model 'haiku' is kept here: no model has replied yet\n")
    assert (
        dnam("revert", "--caused-by", "1", "--data", folder).out == "Nothing came of #1, or it was reverted already.\n"
    )
    assert dnam("revert", "--caused-by", "1", "--data", tmp_path / "none").code == 3


async def promoted(memory: Memory) -> None:
    """Kim's preference is learned in the garden, and moved to where it is known everywhere."""
    entry = {"kind": "preference", "type": "semantic", "text": "User prefers Python.", "confidence": 0.95}
    for number, shareable in enumerate((False, True)):
        heard = await _says(memory, f"p{number}", "I prefer Python", number * 60_000)
        said = {**entry, "evidence": "I prefer Python", "shareable": shareable}
        await _reads(memory, heard.person, "keen", [said])


def test_what_a_model_moved_lies_again_where_it_lay_and_is_moved_again(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    make(folder, promoted)

    def where() -> list[str]:
        items = dnam("show", "100", "--all", "--json", "--data", folder).value["items"]
        return [each["compartment"].rpartition("/")[2] for each in items]

    assert where() == ["everywhere"]
    done = dnam("revert", "--caused-by", str(seq(folder, "extraction.answered")), "--yes", "--data", folder)
    assert done.code == 0
    assert where() == ["discord:9"]
    lives = dnam("audit", "100", "--json", "--data", folder).value["items"]
    told = [(each["status"], each["steps"][-1]["why"].rpartition("; ")[2]) for each in lives]
    assert ("reverted", "there was nothing of it here before") in told
    first = seq(folder, "item.reverted", 0)
    assert dnam("revert", "--undo", str(first), "--yes", "--data", folder).code == 0
    assert where() == ["everywhere"]
    assert dnam("verify", "--data", folder).code == 0
    assert dnam("replay", "--check", "--data", folder).code == 0
