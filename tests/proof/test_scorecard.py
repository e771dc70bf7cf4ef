"""The scorecard says what was run, and no more; the page in docs is what its data says."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.proof.__main__ import SEED, main
from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.machine import Machine, machine
from tests.proof.parts import NAMES, part
from tests.proof.scorecard import BEFORE, DATA, PAGE, Line, Ran, amiss, lines_of, load, page, save

ROOT = Path(__file__).parents[2]
LOST = Claim("lost", "nothing is lost", "by | killing")
DOUBLE = Claim("double", "nothing comes twice", "by killing")
MACHINE = Machine("abc123", "3.11.0", "Linux 6 x86_64", 2, 24.0)


def some(*findings: Finding, claims: tuple[Claim, ...] = (LOST, DOUBLE), broken: str = "") -> Ran:
    found = lines_of(Part("crashes", "Crashes", claims, lambda _: iter(())), findings)
    return Ran("crashes", "Crashes", found, 7, 3.0, "2026-11-22 10:00", MACHINE, broken)


def test_the_page_in_docs_is_what_its_data_says() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == page(load(ROOT / DATA))


@pytest.mark.parametrize("ran", load(ROOT / DATA), ids=lambda ran: ran.name)
def test_the_claims_on_the_page_are_those_of_the_parts(ran: Ran) -> None:
    again = f"its claims changed since it ran: python -m tests.proof --only {ran.name}"
    assert ran.name in NAMES, f"there is no part {ran.name} any more: take it out of {DATA}"
    chosen = part(ran.name)
    assert (ran.title, [line.claim for line in ran.lines]) == (chosen.title, list(chosen.claims)), again


@pytest.mark.parametrize("name", NAMES)
def test_every_part_has_claims_that_differ(name: str) -> None:
    chosen = part(name)
    assert chosen.name == name
    assert len({claim.key for claim in chosen.claims}) == len(chosen.claims) > 0


def test_what_was_tried_and_never_found_otherwise_holds() -> None:
    ran = some(Finding("lost", 500, "kills", "0 lost", True), Finding("double", 500, "kills", "0 double", True))
    assert ran.holds
    assert "2 claims: 2 hold, 0 fall short, 0 broken, 0 not run." in page([ran], ["crashes"])
    assert "| nothing is lost | by \\| killing | 500 kills | 0 lost | holds |" in page([ran], ["crashes"])


def test_the_claims_of_a_part_that_was_not_run_are_told_and_counted() -> None:
    ran = some(Finding("lost", 1, "kill", "0 lost", True), claims=(LOST,))
    shown, rot = page([ran], ("crashes", "rot")), part("rot")
    claims = len(rot.claims)
    assert f"{1 + claims} claims: 1 hold, 0 fall short, 0 broken, {claims} not run." in shown
    assert "**No whole run**: parts were not run: rot." in shown.partition("## Crashes")[0]
    assert f"## {rot.title}" in shown
    assert shown.count(" |  |  | NOT RUN |") == claims
    assert "not run:" not in page([ran], ("crashes",))
    assert "parts were not run: crashes, rot" in page([], ("crashes", "rot"))


def test_every_part_is_on_the_page() -> None:
    assert [each.name for each in load(ROOT / DATA)] == list(NAMES), "`make prove` runs all of them"


def test_that_parts_are_of_different_commits_is_said_on_top_whether_or_not_all_ran() -> None:
    first = some(Finding("lost", 1, "kill", "0 lost", True), claims=(LOST,))
    second = at(msgspec.structs.replace(first, name="rot"), "abc124")
    for names in (("crashes", "rot"), ("crashes", "rot", "power")):
        top = page([first, second], names).partition("## Crashes")[0]
        assert "**No whole run**: parts ran for different commits, abc123, abc124." in top


def test_a_whole_run_says_how_long_it_took() -> None:
    ran = some(Finding("lost", 1, "kill", "0 lost", True), claims=(LOST,))
    later = msgspec.structs.replace(ran, name="rot", date="2026-11-22 10:20", seconds=900.0, busy=1234.5)
    told = "All parts ran for commit abc123, within 21 minutes, "
    assert told in page([ran, later], ("crashes", "rot"))
    assert "900 s (1,234 s of a processor) on 2026-11-22 10:20" in page([later], ["rot"])
    assert told not in page([ran, later], ("crashes", "rot", "power"))
    assert "No whole run" not in page([ran, later], ("crashes", "rot"))


@pytest.mark.parametrize(
    ("warm", "said"),
    [
        ((True, True), "warm: with what earlier runs"),
        ((False, False), "cold: without"),
        ((None, None), "cold or warm: nobody looked"),
        ((True, False), "some of them with what others had left"),
    ],
)
def test_a_whole_run_says_whether_it_began_with_what_others_had_left(
    warm: tuple[bool | None, bool | None], said: str
) -> None:
    ran = some(Finding("lost", 1, "kill", "0 lost", True), claims=(LOST,))
    names = ("crashes", "rot")
    every = [msgspec.structs.replace(ran, name=name, is_warm=each) for name, each in zip(names, warm, strict=True)]
    assert f"within 1 minutes, {said}" in page(every, names)
    assert BEFORE in page(every, names)
    assert BEFORE not in page(every, (*names, "power")), "no whole run"


@pytest.mark.parametrize("is_warm", [True, False])
def test_what_others_had_left_is_looked_for_before_the_first_part(
    is_warm: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    if is_warm:
        (tmp_path / ".prove").mkdir()
    known = some(Finding("lost", 1, "kill", "0 lost", True), claims=(LOST,))

    def apart(name: str, _: object) -> Ran:
        (tmp_path / ".prove").mkdir(exist_ok=True)
        return msgspec.structs.replace(known, name=name)

    monkeypatch.setattr("tests.proof.__main__.NAMES", ("crashes", "rot"))
    monkeypatch.setattr("tests.proof.__main__._apart", apart)
    assert main(["--at-once", "1"]) == 0
    assert [each.is_warm for each in load(DATA)] == [is_warm] * 2


def at(ran: Ran, commit: str) -> Ran:
    return msgspec.structs.replace(ran, machine=msgspec.structs.replace(MACHINE, commit=commit))


@pytest.mark.parametrize(
    ("commits", "date", "reasons"),
    [
        (("abc123", "abc123"), "2026-11-22 10:29:56", []),
        (("abc123", "abc123"), "2026-11-22 10:29:57", ["it took 31 minutes, and may take 30"]),
        (("abc123", "abc124"), "2026-11-22 10:00", ["parts ran for different commits, abc123, abc124"]),
        (("abc123+", "abc123+"), "2026-11-22 10:00", ["files differed from every commit when these ran: crashes, rot"]),
        (("", ""), "2026-11-22 10:00", ["files differed from every commit when these ran: crashes, rot"]),
        (
            ("abc123", "abc123+"),
            "2026-11-22 12:00",
            [
                "parts ran for different commits, abc123, abc123+",
                "files differed from every commit when these ran: rot",
            ],
        ),
    ],
)
def test_a_whole_run_is_of_one_commit_and_takes_half_an_hour(
    commits: tuple[str, str], date: str, reasons: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    first = some(Finding("lost", 1, "kill", "0 lost", True), claims=(LOST,))
    second = msgspec.structs.replace(first, name="rot", date=date, seconds=0.0)
    ran = {each.name: at(each, commit) for each, commit in zip((first, second), commits, strict=True)}
    monkeypatch.setattr("tests.proof.__main__.NAMES", tuple(ran))
    monkeypatch.setattr("tests.proof.__main__._apart", lambda name, _: ran[name])
    every = tuple(ran.values())
    assert [*amiss(every, tuple(ran))] == reasons
    assert all(f"**No whole run**: {each}." in page(every, tuple(ran)) for each in reasons)
    assert main([]) == (1 if reasons else 0)
    assert main(["--only", "crashes", "--only", "rot"]) == 0


def test_a_claim_that_nobody_tried_fails() -> None:
    ran = some(Finding("lost", 500, "kills", "0 lost", True))
    assert not ran.holds
    assert "| nothing comes twice | by killing |  |  | NOT RUN |" in page([ran], ["crashes"])


def test_what_was_measured_and_falls_short_says_why_and_is_no_failure() -> None:
    ran = some(Finding("lost", 1, "kill", "1 lost", False, "the disk is slow"), claims=(LOST,))
    assert ran.holds
    assert ran.lines[0].verdict == "falls short"
    assert "1 lost; the disk is slow" in page([ran], ["crashes"])


@pytest.mark.parametrize("holds", [True, False])
def test_what_was_not_tried_fails_whatever_the_reason(holds: bool) -> None:
    ran = some(Finding("lost", 0, "tries", "not tried", holds, "no strace here"), claims=(LOST,))
    assert not ran.holds
    assert "| 0 tries | not tried; no strace here | NOT RUN |" in page([ran], ["crashes"])
    assert "1 claims: 0 hold, 0 fall short, 0 broken, 1 not run." in page([ran], ["crashes"])


def test_what_was_found_not_to_hold_fails() -> None:
    ran = some(Finding("lost", 500, "kills", "1 lost", False), claims=(LOST,))
    assert not ran.holds
    assert "| 1 lost | BROKEN |" in page([ran], ["crashes"])


def test_a_part_that_broke_off_fails_and_says_why() -> None:
    ran = some(Finding("lost", 5, "kills", "0 lost", True), claims=(LOST,), broken="OSError: no space")
    assert not ran.holds
    assert "**BROKEN**: OSError: no space" in page([ran], ["crashes"])


@pytest.mark.parametrize("keys", [("lost", "lost"), ("gone",)])
def test_a_finding_answers_one_claim_once(keys: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=keys[-1]):
        some(*(Finding(key, 1, "kill", "", True) for key in keys))


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    every = (some(Finding("lost", 1, "kill", "0 lost", True)),)
    save(tmp_path / "scorecard.json", every)
    assert load(tmp_path / "scorecard.json") == every
    assert load(tmp_path / "elsewhere.json") == ()


def test_dice_are_of_a_seed_and_a_name() -> None:
    first, again, other = (Trial(Path(), seed, True, print).dice("kills").random() for seed in (1, 1, 2))
    assert first == again != other


def test_a_part_that_breaks_tells_what_it_found_before(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def prove(trial: Trial) -> Iterator[Finding]:
        trial.say("beginning")
        yield Finding("lost", 5, "kills", "0 lost", True)
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr("tests.proof.__main__.part", lambda _: Part("crashes", "Crashes", (LOST, DOUBLE), prove))
    monkeypatch.setattr("tests.proof.__main__.NAMES", ("crashes",))
    assert main(["--here", "--dir", str(tmp_path)]) == 1
    out, err = capfd.readouterr()
    assert '"broken":"RuntimeError: the disk is gone"' in out
    assert '"came_out":"0 lost"' in out
    assert "crashes: beginning" in err
    assert list(tmp_path.iterdir()) == []


def test_a_part_whose_process_says_nothing_is_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr("tests.proof.__main__.part", lambda _: Part("crashes", "Crashes", (LOST,), lambda _: iter(())))
    monkeypatch.setattr("tests.proof.__main__.NAMES", ("crashes",))
    monkeypatch.setattr(
        subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, -9, b"") if command else None
    )
    monkeypatch.setattr("tests.proof.__main__.machine", lambda: MACHINE)
    assert main([]) == 1
    assert "the process ended with -9 and told nothing" in (tmp_path / PAGE).read_text()


def test_parts_that_were_not_run_stay_as_they_were(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    before = some(Finding("lost", 1, "kill", "0 lost", True), claims=(LOST,))
    save(tmp_path / DATA, [before])
    answer = Ran("rot", "Rot", (Line(LOST, None),), SEED, 1.0, "2026-11-22 10:00", MACHINE)
    monkeypatch.setattr("tests.proof.__main__.NAMES", ("crashes", "rot"))
    monkeypatch.setattr(
        "tests.proof.__main__.part", lambda name: Part(name, name, (LOST,), lambda _: iter(()), is_timed=True)
    )
    monkeypatch.setattr("tests.proof.__main__._apart", lambda *_: answer)
    assert main(["--only", "rot"]) == 1
    assert load(tmp_path / DATA) == (before, msgspec.structs.replace(answer, is_warm=False))


def test_what_took_longest_begins_first_and_what_is_timed_comes_last(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    known = some(Finding("lost", 1, "kill", "0 lost", True), claims=(LOST,))
    save(DATA, [msgspec.structs.replace(known, name=name, seconds=took) for name, took in (("rot", 9.0), ("power", 8))])
    began: list[str] = []

    def apart(name: str, _: object) -> Ran:
        began.append(name)
        return msgspec.structs.replace(known, name=name)

    names = ("power", "scale", "rot", "full", "peers", "mutants")
    monkeypatch.setattr("tests.proof.__main__.NAMES", names)
    monkeypatch.setattr("tests.proof.__main__._apart", apart)
    assert main(["--at-once", "1"]) == 0
    assert began == ["full", "mutants", "rot", "power", "scale", "peers"]
    assert [each.name for each in load(DATA)] == list(names)
    assert (tmp_path / "docs/charts/append.svg").is_file()


def test_what_a_proof_writes_makes_no_other_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def git(*command: str) -> None:
        who = ("-c", "user.name=Kim", "-c", "user.email=kim@example.org")
        subprocess.run(["git", *who, *command], cwd=tmp_path, check=True, capture_output=True)

    module = tmp_path / "tests/proof/machine.py"
    module.parent.mkdir(parents=True)
    module.write_text("")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    monkeypatch.setattr("tests.proof.machine.__file__", str(module))
    (tmp_path / "docs/charts").mkdir(parents=True)
    for each in (DATA, PAGE, "docs/charts/append.svg"):
        (tmp_path / each).write_text("")
    clean = machine().commit
    assert not clean.endswith("+")
    (tmp_path / "docs/other.md").write_text("")
    assert machine().commit == f"{clean}+"


def test_the_machine_is_this_one() -> None:
    here = machine()
    assert here.python == ".".join(map(str, sys.version_info[:3]))
    assert here.cores == len(os.sched_getaffinity(0))
    assert here.memory > 0
