"""From an item back to what was said, and on to what it was used for: `why` and `used`. They change no byte on disk."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.command import Command, Data, Json
from dnam.cli.looking import named
from dnam.cli.provenance import narrator
from dnam.cli.screen import in_quotes
from dnam.cli.shell import Shell, View
from dnam.times import iso
from projections.counting import counted
from projections.policies.text import whole

if TYPE_CHECKING:
    from dnam.cli.timeline import Branch
    from projections.items import ItemRow
    from projections.lives import Life
    from replay.audit import Use
    from replay.chain import Node
    from replay.reading import Reader


def _whole(value: str | None) -> str | None:
    return None if value is None else whole(value)


Item = Annotated[
    str,
    typer.Argument(
        metavar="ITEM", callback=_whole, help="An item's id, as `dnam show` lists it; with its compartment: WHERE/ID."
    ),
]
OfUser = Annotated[
    str | None, typer.Option("--user", metavar="USER", callback=_whole, help="Whose item: several people may have it.")
]


# -- which item ----------------------------------------------------------------------------------------------------


def _the_item(view: View, text: str, user: str | None) -> "ItemRow":
    """The one item that is meant. Unknown and Ambiguous say what there is."""
    from dnam.errors import Ambiguous, Unknown
    from dnam.finding import compartment_words
    from projections.lookup import find_items
    from projections.people import name_of

    rows = view.now
    found = find_items(rows, text, None if user is None else named(view, user))
    if not found:
        of = f" of {user}" if user else ""
        raise Unknown(f"there is no item {in_quotes(text)}{of}; `dnam show USER --all` lists the ids")
    if len(found) > 1:
        raise Ambiguous(
            f"{in_quotes(text)} may be any of",
            tuple(
                f"{each.item.compartment}/{each.item.id}  of {name_of(rows, each.item.owner)}, "
                f"{compartment_words(rows, each.item.compartment)}: {each.item.text}"
                for each in found
            ),
        )
    return found[0]


def _life_of(view: View, reader: "Reader", row: "ItemRow") -> "Life":
    from projections.lives import address_of
    from replay.audit import life_at

    life = life_at(view.now, reader, address_of(row.item))
    assert life is not None, "an item that has a row has a life"
    return life


# -- why -----------------------------------------------------------------------------------------------------------


def why(item: Item, user: OfUser = None, data: Data = None, as_json: Json = False) -> None:
    """The chain from an item back to what was said, as a tree.

    As JSON, each node has `causes`, the nodes below it, and `cut` where it is told elsewhere in the tree. An item has
    `id`, `owner`, `compartment`, `where`, `kind`, `text` and `status`; an event `seq`, `event`, `tag`, `state`, `at`,
    `said`, `who`, `words`, `quotes`, `replaced` (it was edited since, and what it said then is gone), `link`, and
    `beside`: the seqs of what else a model had before it.
    """
    from replay.chain import chain
    from replay.reading import Reader

    shell = Shell(data, as_json)
    with shell.looking() as view:
        reader = Reader(view.engine.live)
        root = chain(view.now, reader, _life_of(view, reader, _the_item(view, item, user)))
        words = _Words(shell, view, reader)
        if shell.out.as_json:
            shell.out.emit(words.as_json(root))
            return
        tree = words.branch(root)
    from dnam.cli.timeline import tell_tree

    tell_tree(shell, tree)


class _Words:
    """The nodes of a tree, for people and for programs."""

    def __init__(self, shell: Shell, view: View, reader: "Reader") -> None:
        self._shell = shell
        self._reader = reader
        self._narrator = narrator(shell, view)

    def as_json(self, node: "Node") -> dict[str, Any]:
        own = self._item(node) if node.reading is None else self._event(node)
        return {**own, "cut": node.cut, "causes": [self.as_json(each) for each in node.causes]}

    def _item(self, node: "Node") -> dict[str, Any]:
        assert node.life is not None
        assert node.life.item is not None, "what was only refused is no item"
        item = node.life.item
        return {
            "id": item.id,
            "owner": item.owner,
            "compartment": item.compartment,
            "where": self._narrator.where(item.compartment),
            "kind": item.kind,
            "text": item.text,
            "status": item.status,
        }

    def _event(self, node: "Node") -> dict[str, Any]:
        from dnam.saying import words
        from replay.cited import Cited, is_said

        assert node.reading is not None
        record, header = node.reading.record, node.reading.header
        said = None if record is None else record.event.said
        found = (self._reader.find(each) for each in node.beside)
        quoted = self._narrator.quoted(Cited(node.reading)) if is_said(node.reading) else None
        return {
            "seq": node.reading.seq,
            "event": node.reading.id,
            "tag": header.tag,
            "state": node.reading.state,
            "at": header.at,
            "at_iso": iso(header.at),
            "said": said,
            "said_iso": iso(said),
            "who": self._who(node),
            "words": None if record is None else quoted.text if quoted else words(record.event),
            "quotes": node.quotes,
            "replaced": node.replaced,
            "link": quoted.link if quoted else None,
            "beside": [each.seq for each in found if each is not None],
        }

    def _who(self, node: "Node") -> str:
        from dnam.provenance import model_of

        record = None if node.reading is None else node.reading.record
        if record is None:
            return ""
        work = node.reading if node.step is None else next((each.reading for each in node.causes), None)
        return self._narrator.who(record.event.by, model_of(record.event.by, work))

    def branch(self, node: "Node") -> "Branch":
        from dnam.cli.timeline import Branch

        return Branch(self._label(node), tuple(map(self.branch, node.causes)))

    def _label(self, node: "Node") -> str:
        from dnam.cli.timeline import quote_words, short
        from replay.cited import Cited, is_said

        if node.reading is None:
            item = self._item(node)
            more = " (told elsewhere in this tree)" if node.cut else ""
            return f"{item['id']} [{item['kind']}] {item['text']} ({item['status']}, {item['where']}){more}"
        if node.step is None and is_said(node.reading):
            return quote_words(self._shell, self._narrator.quoted(Cited(node.reading, node.quotes, node.replaced)))
        head = f"#{node.reading.seq}  {self._shell.out.when(node.reading.header.at)}  "
        if node.step is not None:
            because = self._narrator.why(node.step)
            quotes = "".join(f"; {short(each)}" for each in node.quotes)
            return f"{head}{node.step.happened} by {self._who(node)}{': ' if because else ''}{because}{quotes}"
        return head + self._other(node)

    def _other(self, node: "Node") -> str:
        """A model's work, or something that cannot be read any more."""
        from dnam.provenance import gone, gone_words

        assert node.reading is not None
        if node.reading.record is None:
            return gone_words(gone(node.reading))
        beside = f"; it had {counted(len(node.beside), 'more event')} before it" if node.beside else ""
        return f"{node.reading.header.tag} by {self._who(node)}{beside}"


# -- used ----------------------------------------------------------------------------------------------------------


def used(item: Item, user: OfUser = None, data: Data = None, as_json: Json = False) -> None:
    """The answers into whose prompt an item went, and what was answered.

    As JSON lines: `seq`, `event`, `at`, `said`, `session`, `asker`, `question`, `answer`, `as_of` (the seq of the event
    that had made the item) and `link`.
    """
    from replay.audit import uses
    from replay.reading import Reader

    shell = Shell(data, as_json)
    with shell.looking() as view:
        reader, row = Reader(view.engine.live), _the_item(view, item, user)
        found = uses(view.now, reader, [_life_of(view, reader, row)])
        told = list(_uses(shell, view, reader, found))
    if not told:
        shell.out.note(f"{row.item.id} has not stood in the prompt of an answer yet")
    for each in told:
        if shell.out.as_json:
            shell.out.emit(each)
        else:
            _tell_use(shell, each)


def _uses(shell: Shell, view: View, reader: "Reader", found: "Sequence[Use]") -> Iterator[dict[str, Any]]:
    from projections.events import TurnAnswered
    from projections.people import name_of
    from replay.cited import Cited

    told = narrator(shell, view)
    for use in found:
        turn = use.turn.event
        assert isinstance(turn, TurnAnswered)
        answer = told.quoted(Cited(reader.at(use.turn.seq)))
        question = None if use.question is None else told.quoted(use.question)
        made = reader.find(use.event)
        yield {
            "seq": use.turn.seq,
            "event": use.turn.id,
            "at": use.turn.at,
            "at_iso": iso(use.turn.at),
            "said": turn.said,
            "said_iso": iso(turn.said),
            "session": turn.session,
            "asker": name_of(view.now, turn.asker),
            "question": question,
            "answer": answer,
            "as_of": None if made is None else made.seq,
            "link": answer.link,
        }


def _tell_use(shell: Shell, use: dict[str, Any]) -> None:
    from dnam.cli.timeline import quote_words

    shell.out.line(f"#{use['seq']}  {shell.out.when(use['at'])}  to {use['asker']} in {use['session']}")
    if use["question"] is not None:
        shell.out.line(f"  question  {quote_words(shell, use['question'])}")
    shell.out.line(f"  answer    {quote_words(shell, use['answer'])}")
    shell.out.line(f"  it was as #{use['as_of']} had left it")


COMMANDS = (
    Command("why", why, "why durable-9f86d081"),
    Command("used", used, "used durable-9f86d081 --user Kim"),
)
