"""What the assistant said, as imports bring it, goes with whom it spoke about."""

from functools import partial

from projections.decisions.hear import ON_ITS_WAY_MS, HeardRequest, hear
from projections.decisions.imported import ImportSummaryRequest, import_summary
from projections.decisions.meet import Account
from projections.events.values import Audience
from projections.ids import Ref
from projections.places import audience_of
from projections.summaries import find_summary
from replay.engine import Engine
from replay.erasure import erase
from tests.projections.test_own_words import ADA, DM, GENERAL, SESSION, own, said
from tests.replay.stage import FakeClock, handle_of, texts
from tests.world import NOW

BEN = Account("discord", "200", "Ben")


def record(engine: Engine, *requests: HeardRequest) -> None:
    for request in requests:
        engine.record(partial(hear, request=request))


def test_an_imported_answer_goes_with_whom_it_answers() -> None:
    with Engine.in_memory(FakeClock()) as engine:
        elsewhere = GENERAL._replace(key="8")
        record(
            engine,
            said(1, text="my train leaves at 7:40"),
            own(2, text="Ada's train leaves at 7:40"),
            own(3, DM, text="a word in private"),
            said(4, elsewhere, speaker=BEN, text="hello"),
            own(5, elsewhere, text="hello Ben"),
        )
        erase(engine, handle_of(engine, ADA))
        assert texts(engine) == ["hello", "hello Ben"]
        record(engine, own(2, text="Ada's train leaves at 7:40"), own(6, text="at 7:40, as she said"))
        assert texts(engine) == ["hello", "hello Ben"]  # nothing tells whose words it repeats
        record(engine, own(2 * ON_ITS_WAY_MS, text="nothing to say"))
        assert texts(engine) == ["hello", "hello Ben", "nothing to say"]


def test_an_imported_summary_goes_with_whoever_was_heard() -> None:
    with Engine.in_memory(FakeClock()) as engine:
        record(engine, said(1), said(2, speaker=BEN))
        here = Audience("guild", Ref("discord", "7"))
        request = ImportSummaryRequest(SESSION, SESSION, here, 0, "Ada and Ben met.", NOW + 9)
        engine.record(lambda rows: import_summary(rows, request))
        with engine.reading() as rows:
            assert audience_of(rows, here.place) == here
            assert find_summary(rows, SESSION, 0) is not None
        erase(engine, handle_of(engine, BEN))
        with engine.reading() as rows:
            assert find_summary(rows, SESSION, 0) is None
