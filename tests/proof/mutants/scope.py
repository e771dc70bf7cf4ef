"""What is changed, how much of it, and which tests are to notice."""

from typing import NamedTuple

from tests.proof.mutants.orders import ROOT


class Scope(NamedTuple):
    """Files (patterns), the share of their mutants that is tried, and the tests that are to notice."""

    key: str
    says: str
    files: tuple[str, ...]
    share: float
    tests: tuple[str, ...]

    def found(self) -> list[str]:
        """The files, by their paths in the project, sorted."""
        return sorted(path.relative_to(ROOT).as_posix() for each in self.files for path in ROOT.glob(each))


POLICIES = Scope(
    key="policies",
    says="the policies",
    files=("projections/policies/**/*.py",),
    share=0.06,
    tests=("tests/projections", "tests/dnam/test_secrets.py"),
)
LOG = Scope(
    key="log",
    says="the tree and the key ring",
    files=(
        "replay/tree.py",
        "replay/tree_head.py",
        "replay/proofs.py",
        "replay/keyring*.py",
        "replay/ring*.py",
        "replay/ring/second_copy.py",
        "replay/ring/wrapped.py",
    ),
    share=0.16,
    tests=tuple(
        f"tests/replay/test_{name}.py"
        for name in (
            "tree", "tree_heads", "proofs", "checkpoint",
            "keyring", "ring_file", "lost_keys", "second_copy", "backup", "vaults", "locked",
        )
    ),
)  # fmt: skip
SCOPES = (POLICIES, LOG)
SHORT = (
    POLICIES._replace(
        files=("projections/policies/legible.py",), share=0.12, tests=("tests/projections/test_legible.py",)
    ),
    LOG._replace(
        files=("replay/tree.py",),
        share=0.035,
        tests=tuple(
            f"tests/replay/test_tree.py::test_{name}"
            for name in (
                "the_vectors_of_certificate_transparency",
                "the_edge_must_fit_the_size",
                "what_covers_some_leaves_is_grafted_behind_the_others",
                "what_a_grafted_subtree_fills_is_kept",
                "subtrees_of_65536_leaves_are_kept_too",
            )
        ),
    ),
)
"""The short form: little of two small files, and the tests that are theirs."""
