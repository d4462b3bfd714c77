"""From a window of messages to note lines."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memoryweb.extraction.rules import (
    chinese,
    english,
    facts,
    japanese,
    moments,
    sentences,
    speakers,
    text,
)
from memoryweb.extraction.rules.drafts import Draft, Scene
from memoryweb.extraction.rules.duplicates import Seen
from memoryweb.extraction.rules.fillers import Openers
from memoryweb.extraction.rules.lines import NoteLine, Spoken
from memoryweb.extraction.rules.sentences import Sentence
from memoryweb.language.categories import categorise


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
            kept.append(statement)
        else:
            kept[index] = _merged(kept[index], statement)
    return kept


def _statements(window: Sequence[Spoken], speaker: str) -> Iterator[NoteLine]:
    names = _names(window)
    openers = Openers([*names, *_names(window, "assistant")])
    has_assistant = any(message.role == "assistant" for message in window)
    spoken: dict[str, list[str]] = {}
    for message in window:
        if message.role != "user":
            continue
        name = _display(message.name or speaker)
        other = _other(names, name) or ("the assistant" if has_assistant and len(names) < 2 else "")
        earlier = spoken.setdefault(name, [])
        scene = Scene(
            name,
            other,
            message.at,
            to_assistant=has_assistant or len(names) < 2,
            earlier=tuple(earlier[-_LOOK_BACK:]),
        )
        said = sentences.split(text.plain(message.content))
        earlier += [one.text for one in said if not one.is_question]
        yield from _of_message(message, scene, openers)


_LOOK_BACK = 40  # sentences in which a corrected word is looked for


def _of_message(message: Spoken, scene: Scene, openers: Openers) -> Iterator[NoteLine]:
    content = text.plain(message.content)
    for line, pair in facts.pairs(content):
        content = content.replace(line, "", 1)
        yield _statement([Draft(pair, durable=True)], message)
    said = sentences.split(content)
    open_line: list[Draft] = []
    for sentence in said:
        scene = replace(
            scene,
            group=speakers.group_in(sentence.text) or scene.group,
        )
        found = _drafts(sentence, openers, scene)
        scene = replace(scene, day="" if found else moments.day_in(sentence.text, scene.at))
        for draft in found:
            if draft.alone:
                yield _statement([draft], message)
            elif not draft.needs_context:
                if open_line:
                    yield _statement(open_line, message)
                open_line = [draft]
            elif open_line and sum(len(part.text) for part in open_line) + len(draft.text) < 240:
                open_line.append(draft)
    if open_line:
        yield _statement(open_line, message)


def _drafts(sentence: Sentence, openers: Openers, scene: Scene) -> list[Draft]:
    if sentence.language == "zh":
        return chinese.drafts(
            sentence.text, replace(scene, speaker=scene.speaker or chinese.UNNAMED)
        )
    if sentence.language == "ja":
        return japanese.drafts(
            sentence.text, replace(scene, speaker=scene.speaker or japanese.UNNAMED)
        )
    if sentence.is_question:
        return []
    bare = text.unbulleted(sentence.text)
    return english.drafts(bare, openers, replace(scene, speaker=scene.speaker or english.UNNAMED))


def _statement(parts: Sequence[Draft], message: Spoken) -> NoteLine:
    line = text.one_line(" ".join(part.text for part in parts))
    return NoteLine(
        line,
        (message.id,),
        durable=parts[0].durable,
        category=parts[0].category or categorise(line),
        asked=any(part.asked for part in parts),
    )


def _merged(line: NoteLine, other: NoteLine) -> NoteLine:
    ids = tuple(dict.fromkeys(line.message_ids + other.message_ids))
    return replace(
        line,
        message_ids=ids,
        durable=line.durable or other.durable,
        asked=line.asked or other.asked,
    )


def _names(window: Sequence[Spoken], role: str = "user") -> list[str]:
    return [
        name
        for name in dict.fromkeys(
            _display(message.name) for message in window if message.role == role
        )
        if name
    ]


def _other(names: Sequence[str], name: str) -> str:
    others = [candidate for candidate in names if candidate != name]
    return others[0] if len(names) == 2 and len(others) == 1 else ""


def _display(name: str) -> str:
    return text.one_line(name)[:40].strip(" .,:;")
