"""What the README asks for is read as its reader reads it, and what is printed otherwise is found."""

import pytest

from tests.proof.newcomer.steps import Step, missing, steady, steps

README = """
```
make run   # opens the chat
make test
```

```
$ dnam chat
ada> hello
dnam: hello
…
$ dnam show
ada

  item
```

```python
print()
```
"""


def test_commands_what_is_typed_and_what_is_shown() -> None:
    assert list(steps(README)) == [
        Step("make run", (), ()),
        Step("make test", (), ()),
        Step("dnam chat", ("hello",), ("dnam: hello", "…")),
        Step("dnam show", (), ("ada", "  item")),
    ]


PRINTED = "one\n\ntwo  items\nthree\n---\nfour\n---\nlast words of it\n"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("one\ntwo items\nthree", None),
        ("one\n…\n---\nlast words of it", None),
        ("two items\n…\nlast …", None),
        ("two …\nthree", None),
        ("one\nthree", "three"),
        ("one\ntwo\nthree", "two"),
        ("three\n…\none", "one"),
        ("one\n…\n---\nfive", "five"),
        ("last words of it\nand more", "and more"),
    ],
)
def test_what_is_not_printed_in_its_place_is_found(shown: str, expected: str | None) -> None:
    assert missing(tuple(shown.splitlines()), PRINTED) == expected


def test_what_is_another_in_each_run_is_not_compared_and_the_samples_time_is() -> None:
    first = (
        "#54  recorded 2026-11-22 08:54+00:00, said 2026-03-05 16:49+00:00, 260 days ago, durable-84983c8f, 81.9 KiB"
    )
    again = "#54  recorded 2027-01-02 09:00+00:00, said 2026-03-05 16:49+00:00, 301 days ago, durable-00000000, 7 KiB"
    assert steady(first) == steady(again)
    assert steady(first) != steady(again.replace("16:49", "16:50"))
    assert steady(f"root {'0' * 64}: 7") == steady(f"root {'a' * 64}: 7")
