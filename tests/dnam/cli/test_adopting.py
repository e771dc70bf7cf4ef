"""`adopt` and `adopt --undo` in a terminal, with a shadow that was really derived."""

import asyncio
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.adoption.adopting import Adopting, Offer
from dnam.adoption.alone import FILE as ALONE
from dnam.adoption.alone import adopting_alone
from dnam.adoption.unadopting import Unadopting
from dnam.cli.adopting_ready import ready
from dnam.cli.screen import Screen
from dnam.shadows.manifest import FILE, Manifest, drop, load, making, save
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.lookup import sessions
from projections.summaries import find_summary
from replay.shadows.shadow import shadow_folder
from tests.dnam.cli.memories import Ran, dnam, ended, process
from tests.dnam.rederiving.village import ASKED, derive, reader, talk, village
from tests.loopback.voyage import serving

OFFLINE = msgspec.structs.replace(ASKED, model="offline", summary_model="offline")
"""Whoever asks this model again needs no key."""


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory, and a shadow in which everybody enjoys what they like."""
    path = tmp_path_factory.mktemp("derived") / "data"

    async def making() -> None:
        async with village(path) as there:
            await talk(there)
        await derive(path, reader("enjoys", name="offline"), "next", OFFLINE)

    asyncio.run(making())
    return path


@pytest.fixture
def data(derived: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(derived, tmp_path / "data"))


def items(data: Path, who: str) -> str:
    return dnam("show", who, "--data", data).out


def id_of(data: Path, who: str, text: str) -> str:
    found = dnam("show", who, "--data", data, "--json").value
    return str(next(each["id"] for each in found["items"] if each["text"] == text))


def test_it_says_what_would_change_and_does_it(data: Path) -> None:
    ran = dnam("adopt", "next", "--data", data, "--yes")
    assert ran.code == 0
    assert "Ada: 2 changed" in ran.out
    assert "Kim: 1 changed" in ran.out
    assert "1 summary of sessions" in ran.out
    assert "Adopted 3 items of 2 people and 1 summary, as #" in ran.out
    assert f"`dnam adopt --undo next --data {data}` takes it back." in ran.out
    assert "enjoys rain" in items(data, "Ada")
    assert "builds the bridge project" in items(data, "Kim")


def test_without_an_answer_nothing_is_done(data: Path) -> None:
    ran = dnam("adopt", "next", "--data", data)
    assert ran.code == 2
    assert "pass --yes to go on" in ran.err
    assert "likes rain" in items(data, "Ada")


def test_the_second_time_there_is_nothing(data: Path) -> None:
    dnam("adopt", "next", "--data", data, "--yes")
    ran = dnam("adopt", "next", "--data", data)
    assert (ran.code, ran.out) == (0, "Nothing differs from next that can be adopted.\n")
    assert dnam("adopt", "next", "--data", data, "--json").value["adopted"] is None


def test_programs_read_it(data: Path) -> None:
    value = dnam("adopt", "next", "--user", "Kim", "--data", data, "--json", "--yes").value
    (kim,) = value["people"]
    assert (kim["name"], kim["new"], kim["changed"], kim["gone"], kim["left"]) == ("Kim", 0, 1, 0, [])
    assert (value["shadow"], value["goes_on"], value["summaries"]) == ("next", False, [])
    assert (value["adopted"]["people"], value["adopted"]["items"]) == (1, 1)
    rest = dnam("adopt", "next", "--data", data, "--json", "--yes").value
    assert [each["name"] for each in rest["people"]] == ["Ada"]
    assert [each["taken"] for each in rest["summaries"]] == [True]
    back = dnam("adopt", "next", "--undo", "--data", data, "--json", "--yes").value
    assert [(each["name"], each["items"], each["left"]) for each in back["people"]] == [("Ada", 2, [])]
    assert (back["summaries_left"], back["undone"]["items"]) == ([], 2)
    assert len(back["summaries"]) == 1


def test_undo_takes_it_back_and_says_what_stays(data: Path) -> None:
    before = items(data, "Ada"), items(data, "Kim")
    dnam("adopt", "next", "--data", data, "--yes")
    asked = dnam("adopt", "--undo", "next", "--data", data)
    assert asked.code == 2
    assert "Kim: 1 item would be again as before" in asked.out
    assert "Ada: 2 items would be again as before" in asked.out
    mistyped = dnam("adopt", "--undo", "nxet", "--data", data, "--yes")
    assert (mistyped.code, mistyped.out) == (2, "")
    assert "there is no adoption of 'nxet', nor a shadow of that name: of next there is" in mistyped.err
    ran = dnam("adopt", "--undo", "next", "--data", data, "--yes")
    assert ran.code == 0
    assert "Kim: 1 item is again as before" in ran.out
    assert "Ada: 2 items are again as before" in ran.out
    assert "Took back 3 items of 2 people and 1 summary, as #" in ran.out
    assert (items(data, "Ada"), items(data, "Kim")) == before
    again = dnam("adopt", "--undo", "next", "--data", data)
    assert (again.code, again.out) == (0, "There is no adoption of next to take back.\n")
    assert dnam("adopt", "--undo", "next", "--data", data, "--json").value["undone"] is None


def test_who_opted_out_is_left_and_told_and_taken_back_once_they_are_in_again(data: Path) -> None:
    before = items(data, "Ada"), items(data, "Kim")
    dnam("adopt", "next", "--data", data, "--yes")
    dnam("opt-out", "Ada", "--data", data)
    undo = partial(dnam, "adopt", "--undo", "next", "--data", data, "--yes")
    ran = undo()
    left = "    2 stay as they are here, each because they opted out: nothing of theirs"
    assert f"Ada: nothing is taken back\n{left}" in ran.out
    assert "Took back 1 item of 1 person and 1 summary, as #" in ran.out
    assert "What stays of who opted out is taken back by the same command once they opted in again." in ran.out
    assert ("enjoys rain" in items(data, "Ada"), items(data, "Kim")) == (True, before[1])
    size = dnam("log", "--data", data, "--json").values[-1]["seq"]
    value = undo("--json").value
    assert [(each["name"], each["items"], len(each["left"])) for each in value["people"]] == [("Ada", 0, 2)]
    assert value["undone"] is None
    assert "Nothing of that adoption can be taken back now" in undo().out
    assert dnam("log", "--data", data, "--json").values[-1]["seq"] == size
    dnam("opt-in", "Ada", "--data", data)
    ran = undo()
    assert "Ada: 2 items are again as before\nTook back 2 items of 1 person and 0 summaries, as #" in ran.out
    assert "opted out" not in ran.out
    assert (items(data, "Ada"), items(data, "Kim")) == before
    assert undo().out == "There is no adoption of next to take back.\n"


def test_what_was_forgotten_since_does_not_return_in_the_summary(data: Path) -> None:
    undo = partial(dnam, "adopt", "--undo", "next", "--data", data, "--yes")
    dnam("adopt", "next", "--data", data, "--yes")
    dnam("forget", "Ada", "enjoys rain", "--data", data)
    ran = undo()
    gone = "    1 is gone until it is made anew: a person took back what it said before"
    assert f"1 summary of sessions\n{gone}" in ran.out
    assert asyncio.run(summary_of(data)) == ""
    anew = asyncio.run(summary_of(data, say="I like fog"))
    assert ("rain" in anew, "fog" in anew, "snow" in anew) == (False, True, True)


async def summary_of(data: Path, say: str = "") -> str:
    """What the summary of #general says, once it was refreshed where something is said."""
    async with village(data) as there:
        if say:
            there.said += 3_600_000
            await there.say("ada", say)
            await there.summarise()
        found = await there.memory.look(lambda rows: find_summary(rows, "discord:channel:1", 0))
        return "" if found is None else found.row.text


def test_an_earlier_adoption_is_taken_back_while_somebody_is_out_and_then_what_was_left(data: Path) -> None:
    before = items(data, "Ada"), items(data, "Kim")
    undo = partial(dnam, "adopt", "--undo", "next", "--data", data, "--yes")
    dnam("adopt", "next", "--user", "Kim", "--data", data, "--yes")
    dnam("adopt", "next", "--data", data, "--yes")
    dnam("opt-out", "Ada", "--data", data)
    assert "Took back 0 items of 0 people and 1 summary" in undo().out
    assert "Took back 1 item of 1 person and 0 summaries" in undo().out
    assert "Nothing of that adoption can be taken back now" in undo().out
    dnam("opt-in", "Ada", "--data", data)
    assert "Took back 2 items of 1 person" in undo().out
    assert (items(data, "Ada"), items(data, "Kim")) == before


@pytest.mark.parametrize("is_gone", [False, True])
def test_what_lay_under_an_adoption_that_was_taken_back_is_told(data: Path, is_gone: bool) -> None:
    before = memory_of(data)
    undo = partial(dnam, "adopt", "--yes", "--data", data, "--undo")
    asyncio.run(derive(data, reader("adores", name="offline"), "bold", OFFLINE))
    dnam("adopt", "next", "--yes", "--data", data)
    dnam("adopt", "bold", "--user", "Ada", "--yes", "--data", data)
    if is_gone:
        drop(data, "next")
    stopped = undo("next")
    assert "Ada: nothing is taken back\n    2 stay as they are here, each because it changed since" in stopped.out
    assert "Took back 1 item of 1 person and 1 summary" in stopped.out
    assert "lay under it" not in stopped.out
    goes_on = undo("bold")
    assert (
        "What lay under it of the adoption of next can be taken back now: "
        f"`dnam adopt --undo next --data {data}` goes on with 2 items and 0 summaries.\n"
    ) in goes_on.out
    assert "lay under it" not in undo("next").out
    assert memory_of(data) == before


def test_one_that_lay_under_it_and_counts_still_is_told(data: Path) -> None:
    """Also where nothing of it could be taken back until then."""
    undo = partial(dnam, "adopt", "--yes", "--data", data, "--undo")
    asyncio.run(derive(data, reader("adores", name="offline"), "bold", OFFLINE))
    for name in ("next", "bold"):
        dnam("adopt", name, "--yes", "--data", data)
    stopped = undo("next", "--json").value
    assert (stopped["undone"], stopped["below"]) == (None, [])
    value = undo("bold", "--json").value
    assert value["below"] == [{"shadow": "next", "begun": False, "items": 3, "summaries": 1}]
    dnam("adopt", "bold", "--yes", "--data", data)
    again = f"`dnam adopt --undo next --data {data}`"
    still = f"The adoption of next, which lay under it, still counts: {again} takes back 3 items"
    assert f"{still} and 1 summary.\n" in undo("bold").out
    assert undo("next", "--json").value["below"] == []


def test_a_revert_after_it_was_taken_back_plans_what_it_did_before_it(data: Path) -> None:
    size = dnam("log", "--data", data, "--json").values[-1]["seq"]
    meant: list[tuple[str, ...]] = [("--model", "scripted", "--between", "1", str(size))]
    works = [each for each in dnam("log", "--data", data, "--json").values if each["tag"].endswith(".answered")]
    meant += [("--caused-by", str(each["seq"])) for each in works]
    plans = [dnam("revert", *each, "--dry-run", "--data", data, "--json").value for each in meant]
    assert any(each["people"] for each in plans)
    assert any(each["summaries"] for each in plans)
    dnam("adopt", "next", "--data", data, "--yes")
    dnam("adopt", "--undo", "next", "--data", data, "--yes")
    assert [dnam("revert", *each, "--dry-run", "--data", data, "--json").value for each in meant] == plans
    dnam("revert", *meant[0], "--data", data, "--yes")
    assert "enjoys" not in items(data, "Ada") + items(data, "Kim")


def test_a_revert_from_before_it_is_taken_back_whole_after_it_was(data: Path) -> None:
    def memory() -> tuple[str, str, str]:
        return items(data, "Ada"), items(data, "Kim"), asyncio.run(summary_of(data))

    before, size = memory(), dnam("log", "--data", data, "--json").values[-1]["seq"]
    meant = "--model", "scripted", "--between", "1", str(size)
    reverted = dnam("revert", *meant, "--data", data, "--yes", "--json").value
    assert reverted["people"]
    assert reverted["summaries"]
    then = memory()
    dnam("adopt", "next", "--behind", "--data", data, "--yes")
    assert memory() != then
    dnam("adopt", "--undo", "next", "--data", data, "--yes")
    assert memory() == then != before
    ran = dnam("revert", "--undo", str(reverted["undo"]), "--data", data, "--yes")
    assert ran.code == 0, ran.err
    assert memory() == before


def test_an_adoption_is_not_reverted_but_undone(data: Path) -> None:
    def refused(seq: int) -> str:
        ran = dnam("revert", "--caused-by", str(seq), "--dry-run", "--data", data)
        assert (ran.code, f"#{seq} " in ran.err) == (2, True)
        return ran.err

    seq = dnam("adopt", "next", "--data", data, "--yes", "--json").value["adopted"]["seq"]
    assert "is an adoption: `dnam adopt --undo NAME` takes it back" in refused(seq)
    undone = dnam("adopt", "--undo", "next", "--data", data, "--yes", "--json").value["undone"]["seq"]
    for each in range(seq + 1, undone + 1):
        assert "takes an adoption back: `dnam adopt NAME` adopts it again" in refused(each)


def test_what_an_adopted_model_replied_is_not_reverted_but_undone(data: Path) -> None:
    def refused() -> str:
        ran = dnam("revert", "--model", "offline", "--between", "1", "now", "--data", data)
        assert (ran.code, "no reply of a model 'offline' is kept here" in ran.err) == (2, True)
        return ran.err

    assert "adopt" not in refused()
    dnam("adopt", "next", "--data", data, "--yes")
    assert "What an adoption brought of it, `dnam adopt --undo NAME` takes it back; `dnam shadows` lists" in refused()
    dnam("adopt", "--undo", "next", "--data", data, "--yes")
    assert "adopt" not in refused()


def test_what_was_forgotten_while_it_asked_is_told(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def agrees(*_: object) -> bool:
        forgets = [sys.executable, "-m", "dnam", "forget", "Ada", "likes snow", "--data", str(data)]
        subprocess.run(forgets, check=True, capture_output=True)
        return True

    monkeypatch.setattr(Screen, "confirm", agrees)
    ran = dnam("adopt", "next", "--data", data)
    assert "Since it was offered, 2 cannot be adopted any more:\n" in ran.out
    assert (
        "    1 stays as it is here: it rests only on messages that left recall with what the person forgot" in ran.out
    )
    assert "    1 stays as it is here: it tells something that was forgotten here" in ran.out
    assert "Adopted 2 items of 2 people and 0 summaries, as #" in ran.out


def test_what_is_recorded_already_is_gone_on_with(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def breaks(*_: object) -> None:
        raise BadRequest("broken off")

    with monkeypatch.context() as broken:
        broken.setattr("dnam.adoption.adopting.Adopting._count", breaks)
        assert dnam("adopt", "next", "--data", data, "--yes").code == 2
    ran = dnam("adopt", "next", "--data", data, "--yes")
    assert "part of it is recorded already, by one that was broken off: this goes on with it" in ran.err
    assert "Adopted 3 items of 2 people and 1 summary, as #" in ran.out


def test_nobody_drops_or_makes_a_shadow_while_it_is_adopted(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look, meanwhile = Adopting.look, list[Ran]()

    async def asked(adopting: Adopting, *given: Any) -> Offer:
        offer = await look(adopting, *given)
        for command in (("shadows", "drop", "next", "--yes"), ("rederive", "--name", "next"), ("adopt", "next")):
            started = process(*command, "--data", data)
            meanwhile.append(await asyncio.to_thread(ended, started))
        return offer

    monkeypatch.setattr(Adopting, "look", asked)
    ran = dnam("adopt", "next", "--yes", "--data", data)
    assert (ran.code, "Adopted 3 items of 2 people and 1 summary" in ran.out) == (0, True), ran.err
    assert [each.code for each in meanwhile] == [3, 3, 3]
    for each in meanwhile:
        assert "another process is making the shadow 'next', or adopting it, just now" in each.err
    assert dnam("shadows", "drop", "next", "--yes", "--data", data).code == 0


def test_one_that_is_being_made_is_not_adopted(data: Path) -> None:
    with making(data, "next"):
        ran = dnam("adopt", "next", "--yes", "--data", data)
    assert (ran.code, "another process is making the shadow 'next'" in ran.err) == (3, True)
    assert dnam("adopt", "next", "--yes", "--data", data).code == 0


def test_an_adoption_that_is_under_way_is_not_taken_back(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would go on recording under what counts by then, and is undone."""
    before, sum_up, meanwhile = memory_of(data), Adopting._sum_up, list[Ran]()

    async def undone(adopting: Adopting, *given: Any) -> None:
        for name in ("next", "other"):
            started = process("adopt", "--undo", name, "--yes", "--data", data)
            meanwhile.append(await asyncio.to_thread(ended, started))
        await sum_up(adopting, *given)

    with monkeypatch.context() as patched:
        patched.setattr(Adopting, "_sum_up", undone)
        ran = dnam("adopt", "next", "--yes", "--data", data)
    assert (ran.code, "Adopted 3 items of 2 people and 1 summary" in ran.out) == (0, True), ran.err
    assert [(each.code, each.out) for each in meanwhile] == [(3, "")] * 2
    for each in meanwhile:
        assert "an adoption of next is under way in another process: wait for it, or end it" in each.err
        assert "`dnam adopt --undo next` takes it back" in each.err
    assert "Took back 3 items of 2 people and 1 summary" in dnam("adopt", "--undo", "next", "--yes", "--data", data).out
    assert memory_of(data) == before


def test_one_is_taken_back_while_its_shadow_is_being_made(data: Path) -> None:
    """A derivation by batches may take a day."""
    before = memory_of(data)
    dnam("adopt", "next", "--yes", "--data", data)
    with making(data, "next"):
        ran = dnam("adopt", "--undo", "next", "--yes", "--data", data)
    assert (ran.code, memory_of(data)) == (0, before), ran.err


def test_two_undoings_at_once(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, sum_up, meanwhile = memory_of(data), Unadopting._sum_up, list[Ran]()
    dnam("adopt", "next", "--yes", "--data", data)

    async def another(undoing: Unadopting, *given: Any) -> None:
        for command in (("adopt", "--undo", "next"), ("adopt", "next", "--behind")):
            started = process(*command, "--yes", "--data", data)
            meanwhile.append(await asyncio.to_thread(ended, started))
        await sum_up(undoing, *given)

    with monkeypatch.context() as patched:
        patched.setattr(Unadopting, "_sum_up", another)
        ran = dnam("adopt", "--undo", "next", "--yes", "--data", data)
    assert (ran.code, "Took back 3 items of 2 people and 1 summary" in ran.out) == (0, True), ran.err
    assert [(each.code, each.out) for each in meanwhile] == [(3, "")] * 2
    for each in meanwhile:
        assert "another process is taking an adoption of next back just now: wait for it, or end it" in each.err
    assert memory_of(data) == before
    with adopting_alone(data, "adoption", "other"):
        (data / ALONE).write_text("")
        ran = dnam("adopt", "--undo", "next", "--yes", "--data", data)
    assert (ran.code, "an adoption, or the undoing of one, is under way in another process" in ran.err) == (3, True)


def test_one_that_was_dropped_before_it_could_be_adopted(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dropped(*given: Any, **named: Any) -> Manifest:
        manifest = ready(*given, **named)
        drop(data, "next")
        return manifest

    monkeypatch.setattr("dnam.cli.adopting.ready", dropped)
    ran = dnam("adopt", "next", "--yes", "--data", data)
    assert (ran.code, "there is no shadow 'next' here" in ran.err) == (2, True), ran.err
    assert not shadow_folder(data, "next").exists()


# -- broken off ------------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """Nothing is caught that is not an error."""


def break_off(data: Path, monkeypatch: pytest.MonkeyPatch, at: str = "_count") -> None:
    """Adopt, and be killed where this would be called."""

    async def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Adopting, at, killed)
        with pytest.raises(Killed):
            dnam("adopt", "next", "--yes", "--data", data)


def memory_of(data: Path) -> list[str]:
    return [items(data, "Ada"), items(data, "Kim"), dnam("summary", "discord:channel:1", "--data", data).out]


def test_a_shadow_of_which_a_part_is_adopted_is_not_dropped(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = memory_of(data)
    break_off(data, monkeypatch)
    ran = dnam("shadows", "drop", "next", "--yes", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert "a part of the shadow next is adopted, which was broken off and does not count yet" in ran.err
    assert f"`dnam adopt next --data {data}` goes on, `dnam adopt --undo next --data {data}` takes it back" in ran.err
    assert ran.err.endswith(": then it can be dropped\n")
    assert dnam("adopt", "--undo", "next", "--yes", "--data", data).code == 0
    assert dnam("shadows", "drop", "next", "--yes", "--data", data).code == 0
    assert memory_of(data) == before


def test_without_the_log_nobody_is_kept_from_dropping(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    break_off(data, monkeypatch)
    shutil.rmtree(data / "log")
    assert dnam("shadows", "drop", "next", "--yes", "--data", data).code == 0


def test_a_part_is_taken_back_also_where_the_shadow_is_gone(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = memory_of(data)
    break_off(data, monkeypatch)
    assert memory_of(data) != before
    shutil.rmtree(shadow_folder(data, "next"))
    ran = dnam("adopt", "--undo", "other", "--yes", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert "there is no adoption of 'other', nor a shadow of that name: there is none of any shadow here" in ran.err
    ran = dnam("adopt", "--undo", "next", "--yes", "--data", data)
    assert "Ada: 2 items are again as before" in ran.out
    assert "Took back 3 items of 2 people and 1 summary, as #" in ran.out
    assert memory_of(data) == before
    ran = dnam("adopt", "--undo", "next", "--yes", "--data", data)
    assert ran.out == "There is no adoption of next to take back.\n"
    assert dnam("replay", "--check", "--data", data).code == 0


def test_of_one_whose_manifest_is_damaged_too(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = memory_of(data)
    break_off(data, monkeypatch)
    (shadow_folder(data, "next") / FILE).write_text("no manifest")
    told = dnam("shadows", "drop", "next", "--yes", "--data", data).err
    assert f"`dnam adopt --undo next --data {data}` takes it back" in told
    assert "Took back 3 items" in dnam("adopt", "--undo", "next", "--yes", "--data", data).out
    assert dnam("shadows", "drop", "next", "--yes", "--data", data).code == 0
    assert memory_of(data) == before


def test_what_stays_is_told_with_the_reason(data: Path) -> None:
    assert dnam("forget", "Ada", "likes rain", "--data", data).code == 0
    ran = dnam("adopt", "next", "--behind", "--data", data, "--yes")
    assert "the shadow next knows the log up to #31: what changed since stays as it is" in ran.err
    assert "Ada: 1 changed" in ran.out
    assert "1 stays as it is here: it rests only on messages that left recall" in ran.out
    dnam("edit", "Ada", id_of(data, "Ada", "enjoys snow"), "loves snow", "--data", data)
    back = dnam("adopt", "--undo", "next", "--data", data, "--yes")
    assert "1 stays as it is here: it changed since" in back.out
    assert "loves snow" in items(data, "Ada")


def test_the_shadow_is_brought_up_to_now_first(data: Path) -> None:
    dnam("forget", "Ada", "likes rain", "--data", data)
    upto = load(data, "next").upto
    ran = dnam("adopt", "next", "--data", data, "--yes")
    assert "does not know 1 event yet, and is brought up to now" in ran.err
    assert load(data, "next").upto == upto + 1
    known = [each["text"] for each in dnam("show", "Ada", "--data", data, "--json").value["items"]]
    assert "enjoys snow" in known
    assert not any("rain" in text for text in known)


def test_a_shadow_that_is_not_complete_is_not_adopted(data: Path) -> None:
    save(data, msgspec.structs.replace(load(data, "next"), state="under way"))
    ran = dnam("adopt", "next", "--data", data)
    assert ran.code == 2
    assert f"`dnam rederive --name next --data {data}` goes on" in ran.err
    assert dnam("adopt", "nothing", "--data", data).code == 2


def test_group_by_group(data: Path) -> None:
    ran = dnam("adopt", "next", "--pick", "--data", data, given="what\nn\ny\nn\nn\n")
    assert ran.code == 0
    assert "1 of 4, " in ran.out
    assert "4 of 4, the summary of discord:channel:1" in ran.out
    assert "[-likes-]{+enjoys+}" in ran.out
    assert "in guild Garden" in ran.out
    assert '(#6): "I like rain"' in ran.out
    assert ran.err.count("Adopt this? y: yes, n: no") == 5
    assert "Adopted 1 item of 1 person and 0 summaries" in ran.out


def test_all_the_rest_or_none_of_it(data: Path) -> None:
    for given in ("q\n", "y\nq\n", "d\n"):
        ran = dnam("adopt", "next", "--pick", "--data", data, given=given)
        assert (ran.code, ran.err.endswith("nothing was changed\n")) == (0, True)
    ran = dnam("adopt", "next", "--pick", "--data", data, given="n\ny\ndone\n")
    assert "Adopted 1 item of 1 person and 0 summaries" in ran.out
    ran = dnam("adopt", "next", "--pick", "--data", data, given="y\na\n")
    assert "Adopted 2 items of 2 people and 1 summary" in ran.out


def test_what_an_adoption_records_puts_its_shadow_behind_nothing(data: Path) -> None:
    def late() -> tuple[int, bool]:
        told = dnam("diff", "--shadow", "next", "--data", data).err
        return dnam("shadows", "--data", data, "--json").value["behind"], goes_on in told

    goes_on = f"`dnam rederive --name next --data {data}` goes on"
    assert late() == (0, False)
    dnam("adopt", "next", "--data", data, "--yes")
    assert late() == (0, False)
    dnam("adopt", "--undo", "next", "--data", data, "--yes")
    assert late() == (0, False)
    assert "yet, and is brought up to now" not in dnam("adopt", "next", "--data", data, "--yes").err
    dnam("edit", "Ada", id_of(data, "Ada", "enjoys snow"), "loves snow", "--data", data)
    assert late() == (1, True)
    told = dnam("diff", "--shadow", "next", "--data", data).err
    assert f"1 event behind: {goes_on}" in told


@pytest.mark.parametrize("given", ["", "y\n", "y\ny"])
def test_where_the_answers_end_before_the_questions_nothing_is_adopted(data: Path, given: str) -> None:
    before, size = items(data, "Ada"), dnam("log", "--data", data, "--json").values[-1]["seq"]
    ran = dnam("adopt", "next", "--pick", "--data", data, given=given)
    assert ran.code == 130
    asked = given.count("y")
    told = f"the input ended after {asked} of 4 questions. `d` adopts what was picked until then\n"
    assert ran.err.endswith(f"dnam: broken off, nothing was adopted: {told}")
    assert (items(data, "Ada"), dnam("log", "--data", data, "--json").values[-1]["seq"]) == (before, size)


@pytest.mark.parametrize("typed", ["", "n\n"])
def test_an_input_that_ends_is_a_no(data: Path, monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    before = items(data, "Ada")
    monkeypatch.setattr("dnam.cli.screen.can_be_asked", lambda: True)
    ran = dnam("adopt", "next", "--data", data, given=typed)
    assert (ran.code, ran.err.endswith("dnam: nothing was changed\n"), items(data, "Ada")) == (0, True, before)


def test_a_no_is_told_to_programs_too(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.cli.screen.can_be_asked", lambda: True)
    value = dnam("adopt", "next", "--data", data, "--json", given="n\n").value
    assert (sorted(each["name"] for each in value["people"]), value["adopted"]) == (["Ada", "Kim"], None)
    value = dnam("shadows", "drop", "next", "--data", data, "--json", given="n\n").value
    assert value == {"done": None, "why": "not removed: nothing was changed"}
    value = dnam("erase", "Ada", "--data", data, "--json", given="n\n").value
    assert (value["done"], "nothing was changed" in value["why"]) == (None, True)
    dnam("adopt", "next", "--data", data, "--yes")
    value = dnam("adopt", "--undo", "next", "--data", data, "--json", given="n\n").value
    assert ({each["name"]: each["items"] for each in value["people"]}, value["undone"]) == ({"Ada": 2, "Kim": 1}, None)


def test_yes_answers_every_question_with_yes(data: Path) -> None:
    ran = dnam("adopt", "next", "--pick", "--data", data, "--yes")
    assert (ran.code, "Adopt this?" in ran.err) == (0, False)
    assert "Adopted 3 items of 2 people and 1 summary" in ran.out


def test_a_script_that_is_gone_keeps_nobody_from_adopting(data: Path) -> None:
    manifest = load(data, "next")
    asked = msgspec.structs.replace(manifest.asked, model=f"script:{data / 'gone.toml'}")
    save(data, msgspec.structs.replace(manifest, asked=asked))
    dnam("forget", "Ada", "likes rain", "--data", data)
    ran = dnam("adopt", "next", "--data", data, "--yes")
    assert ran.code == 0
    assert "does not know 1 event yet, and is brought up to now" in ran.err
    assert "it cannot be: " in ran.err
    assert f"What it knows is adopted, up to #{manifest.upto}" in ran.err
    assert "enjoys snow" in items(data, "Ada")
    assert "enjoys rain" not in items(data, "Ada")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--undo", "--pick"), "leave --user, --pick, --behind and --max-cost out"),
        (("--undo", "--user", "Kim"), "leave --user, --pick, --behind and --max-cost out"),
        (("--undo", "--behind"), "leave --user, --pick, --behind and --max-cost out"),
        (("--undo", "--max-cost", "1"), "leave --user, --pick, --behind and --max-cost out"),
        (("--pick", "--json"), "leave --json out"),
        (("--user", "Marcy"), "Marcy"),
    ],
)
def test_wrong_use(data: Path, options: tuple[str, ...], says: str) -> None:
    ran = dnam("adopt", "next", *options, "--data", data)
    assert ran.code == 2
    assert says in ran.err


def test_both_lives_are_told(data: Path) -> None:
    """Before the adoption, after it, and after it was taken back; and what was believed then can be looked at."""
    old = id_of(data, "Ada", "likes rain")
    size = dnam("log", "--data", data, "--json").values[-1]["seq"]
    seq = dnam("adopt", "next", "--data", data, "--yes", "--json").value["adopted"]["seq"]
    dnam("adopt", "--undo", "next", "--data", data, "--yes")
    told = dnam("audit", "Ada", "--item", old, "--data", data).out
    assert "added by model scripted 1" in told
    assert "changed by model offline 1" in told
    assert "rederived as next by offline with extraction@4" in told
    assert "reverted by the operator" in told
    assert "the adoption of next was taken back" in told
    assert told.count('"I like rain"') == 3
    assert "enjoys rain" in dnam("show", "Ada", "--at", str(seq), "--data", data).out
    assert "likes rain" in dnam("show", "Ada", "--at", str(size), "--data", data).out
    assert "likes rain" in items(data, "Ada")


# -- what it may cost ----------------------------------------------------------------------------------------------


async def test_a_paid_encoder_is_asked_only_for_what_was_taken_back_and_told_of(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ada took nothing back; Kim did, and one item of theirs differs."""
    async with serving() as server:
        monkeypatch.setenv("DNAM_ENCODER_MODEL", "voyage-3-large")
        monkeypatch.setenv("VOYAGE_API_KEY", server.key)
        monkeypatch.setenv("VOYAGE_BASE_URL", server.url)
        adopt = partial(asyncio.to_thread, dnam, "adopt", "next", "--data", data, "--yes", "--user")
        ran = await adopt("Ada")
        assert (ran.code, server.requests, "is compared with" in ran.err) == (0, [], False)
        before = await asyncio.to_thread(items, data, "Kim")
        with monkeypatch.context() as unpriced:
            unpriced.setenv("DNAM_ENCODER_MODEL", "voyage-of-nowhere")
            ran = await adopt("Kim", "--max-cost", "1")
        assert (ran.code, server.requests) == (2, [])
        assert "the price of voyage-of-nowhere is not in the table of" in ran.err
        ran = await adopt("Kim", "--max-cost", "0")
        assert ran.code == 2
        assert "compared with what was taken back by voyage-" in ran.err
        assert "more than --max-cost: nothing was adopted. DNAM_ENCODER=none compares by words" in ran.err
        assert (server.requests, await asyncio.to_thread(items, data, "Kim")) == ([], before)
        ran = await adopt("Kim", "--max-cost", "1")
        assert (ran.code, " tokens, about $0.0000" in ran.err) == (0, True)
        (request,) = server.requests
        assert list(request.texts) == ["enjoys green tea with milk", "likes long walks"]


def test_what_bringing_the_shadow_up_to_now_costs_has_the_same_ceiling(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dnam.cli import rederiving

    given: list[float | None] = []

    async def run(*arguments: object) -> None:
        assert isinstance(arguments[3], float)
        given.append(arguments[3])

    monkeypatch.setattr(rederiving, "run_derivation", run)
    dnam("forget", "Ada", "likes rain", "--data", data)
    assert dnam("adopt", "next", "--max-cost", "0.25", "--data", data, "--yes").code == 2
    assert given == [0.25]


def test_the_summary_of_direct_messages_waits_for_who_opted_out(tmp_path: Path) -> None:
    data = tmp_path / "data"
    direct = PlaceSeen("discord", "", "direct", "", "direct", partner=Account("discord", "kim", "Kim"))

    async def making() -> None:
        async with village(data) as there:
            await there.say("kim", "I like green tea", direct)
            (card,) = await there.memory.look(sessions)
            assert await there.assistant.summarise(card.session, card.audience, await there.handle("kim"))
        await derive(data, reader("enjoys", name="offline"), "next", OFFLINE)

    asyncio.run(making())
    undo = partial(dnam, "adopt", "--undo", "next", "--data", data, "--yes")
    assert "1 summary, as #" in dnam("adopt", "next", "--data", data, "--yes").out
    dnam("opt-out", "kim", "--data", data)
    assert "0 summaries of sessions\n    1 stays as it is here: they opted out: nothing of theirs" in undo().out
    value = undo("--json").value
    assert (value["summaries"], len(value["summaries_left"]), value["undone"]) == ([], 1, None)
    dnam("opt-in", "kim", "--data", data)
    assert "1 summary, as #" in undo().out
    assert undo().out == "There is no adoption of next to take back.\n"
