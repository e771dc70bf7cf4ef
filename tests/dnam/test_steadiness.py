"""What a program that answers does to its interpreter, and takes back."""

import gc
import sys

import pytest

from dnam.steadiness import SWITCH_SECONDS, THRESHOLDS, steady


def test_while_it_lasts_collections_are_few_and_leave_out_what_was_loaded_and_threads_give_way_sooner() -> None:
    before, thresholds = sys.getswitchinterval(), gc.get_threshold()
    with steady():
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold() == THRESHOLDS
        assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
    assert (gc.get_freeze_count(), sys.getswitchinterval(), gc.get_threshold()) == (0, before, thresholds)


def test_it_is_taken_back_also_where_it_ends_badly() -> None:
    before, thresholds = sys.getswitchinterval(), gc.get_threshold()
    with pytest.raises(RuntimeError), steady():
        raise RuntimeError
    assert (gc.get_freeze_count(), sys.getswitchinterval(), gc.get_threshold()) == (0, before, thresholds)
