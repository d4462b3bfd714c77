"""A model's answers, written down by hand beforehand as a good one would give them.

`people/<name>.script.json` is a list of what a good model takes from which messages and does with
it at night. The server only looks up ids: what is measured is what the engine makes of the answers.
It ignores what a person corrected, so that the engine alone has to hold that.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryweb.language.sentences import split
from memoryweb.language.small_talk import is_courtesy
from scripts.memory_people import FOLDER, Said
from tests.fakes import Behaviour, Received


@dataclass(frozen=True)
class Step:
    """A line for the note of the messages `said`, or from the date `on` without one. `old` are
    texts of memory that `op` is about, `memory` what is to stand there where it isn't the note's
    line."""

    text: str = ""
    memory: str = ""
    said: tuple[str, ...] = ()
    on: str = ""
    op: str = "add"
    words: str = ""
    since: str = ""
    old: tuple[str, ...] = ()
    why: str = ""

    @property
    def result(self) -> str:
        return self.memory or self.text


def script(name: str, folder: Path = FOLDER) -> list[Step]:
    path = folder / f"{name}.script.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return [Step(**{**row, **_tuples(row)}) for row in rows]


def _tuples(row: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(row[key]) for key in ("said", "old") if key in row}


def steps_of(before: Iterable[Said], change: Iterable[Said], op: Mapping[str, Any]) -> list[Step]:
    """Of a change of one detail: each sentence of before and the change are noted as they were
    said, and the night does what `op` says.

    The message is noted as what is to be added, or else as it is.
    """
    told, news = list(before), list(change)
    notes = [
        (sentence, one)
        for one in told
        for sentence in split(one.content)
        if not is_courtesy(sentence)
    ]
    words = _letters(op["words"])
    old = tuple(
        sentence
        for sentence, one in notes
        if one is told[op["old"]] and (_letters(sentence) in words or words in _letters(sentence))
    )
    cited = news[: op["source"] + 1]
    text = " ".join(" ".join(one.content for one in cited).split())
    ids = tuple(one.id for one in cited)
    ends = Step(text=text, said=ids, op="end", words=op["words"], since=op["on"], old=old)
    adds = [Step(text=text, memory=op["add"], said=ids)] if op["add"] else []
    return [*(Step(text=sentence, said=(one.id,)) for sentence, one in notes), *adds, ends]


class ScriptedModel:
    def __init__(self, steps: Iterable[Step]) -> None:
        self.steps = list(steps)

    def __call__(self, received: Received) -> Behaviour:
        data = received.data
        answer = self._extracted(data) if "messages" in data else self._dreamt(data)
        return Behaviour(json.dumps(answer, ensure_ascii=False))

    def _extracted(self, data: Mapping[str, Any]) -> dict[str, Any]:
        ids = {str(message["id"]) for message in data["messages"]}
        lines = [
            {
                "messageIds": [one for one in step.said if one in ids],
                "text": step.text,
                "durable": True,
            }
            for step in self.steps
            if step.said and step.said[-1] in ids
        ]
        return {
            "should_update": bool(lines),
            "reason": "What the person said of themselves." if lines else "Nothing to keep.",
            "lines": lines,
            "requests": [],
        }

    def _dreamt(self, data: Mapping[str, Any]) -> dict[str, Any]:
        operations = list(self._operations(data))
        return {
            "operations": operations,
            "diary": f"Read {len(data['notes'])} lines of the notes.",
        }

    def _operations(self, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        memory = {_same(one["text"]): one["id"] for one in data["memory"]}
        notes = list(data["notes"])
        gone = self._gone(notes, memory)
        for step in self.steps:
            sources = _sources(step, notes)
            old = [memory[_same(text)] for text in step.old if _same(text) in memory]
            if not sources and not (old and step.on and step.on <= data["date"]):
                continue
            if step.op == "end":
                yield from self._ended(step, data, sources)
            elif step.op == "retire" and old:
                yield {"op": "retire", "old": old, "why": step.why, "sources": sources}
            elif step.op != "retire" and _same(step.result) not in {*memory, *gone}:
                op = step.op if old else "add"
                yield {
                    "op": op,
                    "text": step.result,
                    "old": old,
                    "sources": sources,
                    "why": step.why or ("superseded" if op == "replace" else ""),
                }

    def _ended(
        self, step: Step, data: Mapping[str, Any], sources: list[str]
    ) -> Iterator[dict[str, Any]]:
        """Of a statement, or of one that is made of a line of the same night."""
        there = [one for one in data["memory"] if _same(one["text"]) in map(_same, step.old)]
        lines = [ref for text in step.old for ref in _sources(Step(text), data["notes"])]
        old = [one["id"] for one in there if "ended" not in one] or ([] if there else lines)
        for id in old[:1]:
            end = {"op": "end", "old": [id], "words": step.words, "on": step.since}
            yield end | {"sources": sources, "why": step.why}

    def _gone(self, notes: list[Mapping[str, Any]], memory: Mapping[str, str]) -> set[str]:
        """What a later step did away with that stands in these notes, or in memory by now."""
        return {
            _same(text)
            for step in self.steps
            if step.old
            and step.op != "end"
            and (_sources(step, notes) or _same(step.result) in memory)
            for text in step.old
        }


def _sources(step: Step, notes: Iterable[Mapping[str, Any]]) -> list[str]:
    said = _same(step.text)
    return [one["id"] for one in notes if said and _same(one["text"]).endswith(said)]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _same(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".。")
