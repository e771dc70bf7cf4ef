"""The groups that people are shown what is remembered in."""

import pytest

from projections.groups import GROUPS, Group, group_of, grouped
from projections.ids import NOBODY, Handle
from projections.policies.compartments import OWNER, SELF, direct, in_channel, in_guild
from tests.projections.items import an_item
from tests.projections.recall.house import ADA, GUILD, ref


@pytest.mark.parametrize(
    ("owner", "compartment", "group"),
    [
        (ADA, in_guild(GUILD), "People"),
        (ADA, direct(ADA), "People"),
        (NOBODY, in_guild(GUILD), "Community"),
        (NOBODY, in_channel(ref("staff")), "Community"),
        (NOBODY, SELF, "Community"),
        (NOBODY, OWNER, "Owner Private"),
    ],
)
def test_the_compartment_decides(owner: Handle, compartment: str, group: Group) -> None:
    item = an_item("tea", owner=owner, compartment=compartment)
    assert group_of(item) == group
    assert grouped([(item, 1), (item, 2)]) == {**{each: [] for each in GROUPS}, group: [1, 2]}
