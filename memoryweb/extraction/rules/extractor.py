"""From a window of messages to note lines."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memoryweb.extraction.rules import english, sentences, speakers, text
from memoryweb.extraction.rules.duplicates import Seen
from memoryweb.extraction.rules.fillers import Openers
from memoryweb.extraction.rules.lines import NoteLine, Spoken, Statement
from memoryweb.memory.categories import categorise


def extract(
    window: Sequence[Spoken], *, speaker: str = "", already: Sequence[str] = ()
) -> list[NoteLine]:
    """What people said in `window` that is worth keeping, in order; empty when nothing is.

    `speaker` names user messages without a name; nothing that `already` says is returned again.
    """
    known = Seen(already)
    fresh = Seen(())
    kept: list[NoteLine] = []
    for statement in _statements(window, speaker):
        if known.find(statement.text) is not None:
            continue
        index = fresh.find(statement.text)
        if index is None:
            fresh.add(statement.text)
            kept.append(NoteLine(**vars(statement)))
        else:
            kept[index] = _merged(kept[index], statement)
    return kept


def _statements(window: Sequence[Spoken], speaker: str) -> Iterator[Statement]:
    names = _names(window)
    openers = Openers(names)
    for message in window:
        if message.role == "user":
            name = _display(message.name or speaker) or "The user"
            yield from _of_message(message, name, _other(names, name), openers)


def _of_message(message: Spoken, name: str, other: str, openers: Openers) -> Iterator[Statement]:
    scene = english.Scene(name, other, message.at)
    open_line: list[str] = []
    durable = False
    for sentence in sentences.split(text.plain(message.content)):
        if sentence.is_question or sentence.language != "en":
            continue
        scene = replace(scene, group=speakers.group_in(sentence.text) or scene.group)
        for draft in english.drafts(sentence.text, openers, scene):
            if not draft.needs_context:
                if open_line:
                    yield _statement(open_line, message, durable)
                open_line, durable = [draft.text], draft.durable
            elif open_line and len(" ".join(open_line)) + len(draft.text) < 240:
                open_line.append(draft.text)
    if open_line:
        yield _statement(open_line, message, durable)


def _statement(parts: list[str], message: Spoken, durable: bool) -> Statement:
    line = text.one_line(" ".join(parts))
    return Statement(line, (message.id,), durable, categorise(line))


def _merged(line: NoteLine, other: Statement) -> NoteLine:
    ids = tuple(dict.fromkeys(line.message_ids + other.message_ids))
    return replace(
        line,
        message_ids=ids,
        durable=line.durable or other.durable,
        asked=line.asked or other.asked,
    )


def _names(window: Sequence[Spoken]) -> list[str]:
    return [
        name
        for name in dict.fromkeys(
            _display(message.name) for message in window if message.role == "user"
        )
        if name
    ]


def _other(names: Sequence[str], name: str) -> str:
    others = [candidate for candidate in names if candidate != name]
    return others[0] if len(names) == 2 and len(others) == 1 else ""


def _display(name: str) -> str:
    return text.one_line(name)[:40].strip(" .,:;")
