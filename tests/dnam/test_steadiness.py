"""What a program that answers does to its interpreter, and takes back."""

import gc
import sys

import pytest

from dnam.steadiness import SWITCH_SECONDS, steady


def test_while_it_lasts_what_was_loaded_is_left_out_of_collections_and_threads_give_way_sooner() -> None:
    before = sys.getswitchinterval()
    with steady():
        assert gc.get_freeze_count() > 0
        assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
    assert (gc.get_freeze_count(), sys.getswitchinterval()) == (0, before)


def test_it_is_taken_back_also_where_it_ends_badly() -> None:
    before = sys.getswitchinterval()
    with pytest.raises(RuntimeError), steady():
        raise RuntimeError
    assert (gc.get_freeze_count(), sys.getswitchinterval()) == (0, before)
