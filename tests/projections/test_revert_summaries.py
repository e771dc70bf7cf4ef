"""A bad summary is undone: it says again what it said before, or is to be made anew."""

from functools import partial

import msgspec
import pytest

from projections.decisions import revert as reverts
from projections.decisions.adopt_pairs import OUT
from projections.decisions.came_of import Chronicle
from projections.decisions.consent import ConsentRequest, opt_in, opt_out
from projections.decisions.draft import Draft
from projections.decisions.revert_summaries import revert_summary
from projections.decisions.summaries import ResetRequest
from projections.decisions.summaries import reset as summary_reset
from projections.events import (
    SummaryReverted,
    SummaryWithheld,
)
from projections.events.values import OPERATOR, By
from projections.ids import Handle
from projections.rows import Rows
from projections.summaries import SUMMARIES, is_withheld
from tests.projections.learning import HERE, LATER, SESSION
from tests.projections.reverting import Reverting
from tests.world import origin


@pytest.fixture
def town() -> Reverting:
    return Reverting()


# -- summaries -----------------------------------------------------------------------------------------------------


def summarised(town: Reverting, *texts: str) -> None:
    for text in texts:
        town.sums_up(text, town.says(f"about {text}"))


def told(town: Reverting) -> str:
    row = town.summary()
    assert row is not None
    return row.text


def test_a_summary_says_again_what_it_said_before(town: Reverting) -> None:
    summarised(town, "They talked of tea.")
    before, tried = town.summary(), town.attempt()
    summarised(town, "They talked of nothing.")
    (event,) = town.revert_summary(town.last("summary.answered"), what="what came of #4")
    assert isinstance(event, SummaryReverted)
    assert (event.by, event.policy, event.gone) == (OPERATOR, "revert@1: what came of #4", False)
    after, again = town.summary(), town.attempt()
    assert before is not None
    assert after is not None
    assert msgspec.structs.replace(after, event=before.event) == before
    assert (again.upto, again.error) == (tried.upto, tried.error)
    assert town.revert_summary(town.last("summary.answered")) == []


def test_the_summaries_that_were_made_of_a_bad_one_go_with_it(town: Reverting) -> None:
    summarised(town, "They talked of tea.", "They are cats.", "The cats talked of tea.")
    bad = [each.id for each in town.world.records if each.event.TAG == "summary.refreshed"][1]
    town.revert_summary(bad)
    assert told(town) == "They talked of tea."


def test_the_first_summary_is_to_be_made_anew(town: Reverting) -> None:
    summarised(town, "They are cats.")
    (event,) = town.revert_summary(town.last("summary.refreshed"))
    assert isinstance(event, SummaryWithheld)
    row = town.summary()
    assert row is not None
    assert is_withheld(row)
    town.undo_summary()
    assert told(town) == "They are cats."


def test_that_of_who_opted_out_is_left(town: Reverting) -> None:
    for text in ("They talked of tea.", "They are cats."):
        town.sums_up(text, town.says(f"about {text}"), person=town.ada)
    bad = town.last("summary.refreshed")
    town.world.decide(opt_out, ConsentRequest(LATER, origin("out"), town.ada))
    assert town.summaries_left(bad) == [OUT]
    assert town.revert_summary(bad) == []
    town.world.decide(opt_in, ConsentRequest(LATER, origin("in"), town.ada))
    town.revert_summary(bad)
    assert told(town) == "They talked of tea."


def test_what_was_reverted_is_not_reverted_twice(town: Reverting) -> None:
    summarised(town, "They are cats.")
    bad = town.last("summary.refreshed")
    town.revert_summary(bad)
    assert town.revert_summary(bad) == []
    assert town.summaries_left(bad) == []


def test_what_an_earlier_era_said_does_not_come_into_this_one(town: Reverting) -> None:
    summarised(town, "They talked of tea.")
    town.sums_up("They are cats.", town.says("about cats"), era=1)
    (event,) = town.revert_summary(town.last("summary.refreshed"))
    assert isinstance(event, SummaryWithheld)
    assert event.era == 1
    assert told(town) == ""


def test_a_reverted_summary_comes_back_and_is_reverted_again(town: Reverting) -> None:
    summarised(town, "They talked of tea.", "They are cats.")
    work, bad = town.last("summary.answered"), town.summary()
    town.revert_summary(work)
    town.undo_summary()
    after = town.summary()
    assert bad is not None
    assert after is not None
    assert msgspec.structs.replace(after, event=bad.event) == bad
    assert town.undo_summary() == []
    town.revert_summary(work)
    assert told(town) == "They talked of tea."


def test_a_summary_that_a_person_cleared_or_a_model_made_anew_since_is_left(town: Reverting) -> None:
    summarised(town, "They are cats.")
    bad = town.last("summary.refreshed")
    row = town.summary()
    assert row is not None
    reset = ResetRequest(SESSION, HERE, 0, OPERATOR, LATER, None, origin("reset"))
    town.world.decide(summary_reset, reset)
    assert town.summaries_left(bad) == ["a person cleared it since"]
    assert town.revert_summary(bad) == []


def test_a_withheld_summary_is_left(town: Reverting) -> None:
    summarised(town, "They are cats.")
    bad = town.last("summary.refreshed")
    withheld = SummaryWithheld(
        said=LATER, by=By("policy", name="redact"), session=SESSION, audience=HERE, era=0, refresh=1,
        upto=None, causes=(bad,),
    )  # fmt: skip
    town.world.add(withheld)
    assert town.summaries_left(bad) == ["it was made anew since"]


def test_a_summary_that_cannot_be_read_any_more_does_not_come_back(town: Reverting) -> None:
    summarised(town, "They are cats.")
    bad = town.last("summary.refreshed")
    town.revert_summary(bad)
    town.chronicle.hidden.add(bad)
    assert town.undo_summary() == []
    assert told(town) == ""


def test_a_summary_s_request_is_decided_once(town: Reverting) -> None:
    summarised(town, "They are cats.")
    request = town.request(Handle(b""), (town.last("summary.refreshed"),))
    (key,) = (found.key for found in town.rows.scan(SUMMARIES))
    assert len(town.decided(partial(of_key, key), request)) == 1
    assert town.decided(partial(of_key, key), request) == []


def of_key(key: bytes, rows: Rows, chronicle: Chronicle, request: reverts.RevertRequest) -> list[Draft]:
    return revert_summary(rows, chronicle, key, request)
