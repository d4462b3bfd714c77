"""Skills and the summary of shared memory, which a dream proposes and a person accepts.

A skill is a procedure that the notes show on two days, or that a person stated. Nothing of a
model's answer is taken on trust: each line has to be said by what it cites.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import Field

from memoryweb.dreaming import consolidators, inputs
from memoryweb.dreaming.candidates import Mention
from memoryweb.dreaming.inputs import Inputs
from memoryweb.dreaming.operations import NOBODY, Refs
from memoryweb.dreaming.writing import place, source_of
from memoryweb.language import line_flags, procedures
from memoryweb.language.extraction_rules import takes_back
from memoryweb.language.secrets import credentials
from memoryweb.language.sentences import one_line
from memoryweb.language.statement_comparison import clean, contradicts, covers
from memoryweb.language.support import Citation, is_said, shares_word
from memoryweb.llm.parsing import AnswerPart, Text
from memoryweb.llm.tokens import estimate
from memoryweb.markdown.file_kinds import SKILL, SUMMARY, SUMMARY_TOKENS
from memoryweb.memory.lines.files import of_kinds
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import File
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.prompt import times_given
from memoryweb.memory.statements.bullets import statements_of
from memoryweb.memory.visible.readable import ReadableFile, To, readable_files
from memoryweb.memory.writing.learned import propose_learned
from memoryweb.memory.writing.matrix import OUTSIDE
from memoryweb.runs.models import Run

DAYS = 30  # of notes that are read
MOST, MOST_LINES = 10, 60
LEARNED = ("learned", gettext_noop("A dream wrote it from what the notes say."))
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_Name = Annotated[Text, Field(max_length=60)]


class SkillLine(AnswerPart):
    sources: Refs = ()
    text: Annotated[Text, Field(max_length=2_000)] = ""


class Skill(AnswerPart):
    name: _Name
    when: SkillLine = SkillLine()
    steps: tuple[SkillLine, ...] = Field(default=(), max_length=procedures.MOST_STEPS)
    went_wrong: tuple[SkillLine, ...] = Field(default=(), max_length=procedures.MOST_STEPS)


class SkillAnswer(AnswerPart):
    """What a model must answer; stored with `sources` in our names."""

    skills: tuple[Skill, ...] = Field(default=(), max_length=MOST)
    remove: tuple[_Name, ...] = Field(default=(), max_length=MOST)
    summary: tuple[SkillLine, ...] = Field(default=(), max_length=MOST_LINES)

    def kept(self, read: Inputs) -> dict[str, Any]:
        """To be stored: no secret may wait there, and ids mean something for this call alone."""
        refs = consolidators.refs(read)

        def mended(value: Any, key: str = "") -> Any:
            if isinstance(value, dict):
                return {name: mended(one, name) for name, one in value.items()}
            if isinstance(value, list | tuple):
                return [mended(one, key) for one in value]
            return refs.get(value, "?") if key == "sources" else credentials.mask(value)[0]

        answer: dict[str, Any] = mended(self.model_dump())
        return answer


def makes_skills(run: Run) -> bool:
    return run.owner_id is None and not run.topic and run.trigger != Run.Trigger.BACKFILL


def data_for_model(run: Run, read: Inputs) -> dict[str, Any] | None:
    """None where no two days were noted. Of many notes the latest."""
    if len({one.date for one in read.mentions}) < 2:
        return None
    skills = _skills(run).items()
    return {
        "memory": consolidators.statements(read.material),
        "skills": [
            {"name": name, "text": text.remaining, "uses": times_given(file)}
            for name, (file, text) in skills
        ],
        "notes": [*consolidators.parts(read.mentions)][-1],
        "date": read.material.today.isoformat(),
    }


def propose(tx: Transaction, run: Run, read: Inputs, memory: str) -> bool:
    """Whether something waits for a person, of what a model answered, or people stated in what was
    `read`. `memory`: MEMORY.md as it is by now."""
    if not makes_skills(run):
        return False
    answer = SkillAnswer.model_validate((run.answer or {}).get("skills") or {})
    skills = _skills(run)
    drafts = {one.path: one for one in _Drafts(read, skills, memory).of(answer)}
    for name in map(procedures.name_of, answer.remove):
        if name in skills:
            drafts.setdefault(skills[name][0].path, _Draft(skills[name][0].path))
    proposed = [_propose(tx, run, one) for one in drafts.values()]
    return any(proposed)


def _skills(run: Run) -> dict[str, tuple[File, ReadableFile]]:
    """Those that there are, by name, as a program reads them."""
    found = File.objects.of(run.agent_id, None).present().order_by("folded_path")
    files = list(found.filter(of_kinds([SKILL]), folded_path__endswith="/skill.md"))
    names = [file.folded_path.split("/")[1] for file in files]
    return dict(zip(names, zip(files, readable_files(files, To.HOST), strict=True), strict=True))


class _Ground(NamedTuple):
    """What a line may cite."""

    text: str
    day: date
    source: Source
    is_outside: bool = False


_Told = tuple[str, Sequence[_Ground]]


class _Draft(NamedTuple):
    """A file as it is proposed, each line with what says it; without any it goes."""

    path: str
    lines: Sequence[_Told] = ()

    @property
    def content(self) -> str:
        return "".join(f"{text}\n" for text, _grounds in self.lines)

    @property
    def is_outside(self) -> bool:
        return any(one.is_outside for _text, grounds in self.lines for one in grounds)


def _propose(tx: Transaction, run: Run, draft: _Draft) -> bool:
    told = enumerate(draft.lines, start=1)
    sources = {n: tuple(one.source for one in grounds) for n, (_text, grounds) in told if grounds}
    broken = [OUTSIDE if draft.is_outside else LEARNED]
    origins = {n: Origin(those) for n, those in sources.items()}
    at = place(run, draft.path)
    return propose_learned(tx, run, at, draft.content, origins, broken)


class _Drafts:
    def __init__(
        self, read: Inputs, skills: Mapping[str, tuple[File, ReadableFile]], memory: str
    ) -> None:
        self._material, self._skills = read.material, skills
        self._mentions = {one.ref: one for one in read.mentions if not one.waits}
        self._notes = {
            ref: _Ground(clean(one.text), one.date, source_of(one), one.outside)
            for ref, one in self._mentions.items()
        }
        self._statements = dict(self._stated_in(read.memory, memory))

    def of(self, answer: SkillAnswer) -> Iterator[_Draft]:
        """What people stated, then what a model found: of one name the last one counts."""
        yield from filter(None, map(self._stated, self._mentions.values()))
        yield from filter(None, map(self._shown, answer.skills))
        if self._statements and (told := list(self._checked(answer.summary, self._statements))):
            lines = [(f"- {text}", on) for text, on in told]
            yield _Draft(SUMMARY.name, [(f"# {_('Memory summary')}", ()), ("", ()), *lines])

    def _stated_in(self, then: inputs.Text, memory: str) -> Iterator[tuple[str, _Ground]]:
        """What MEMORY.md states before and after tonight, by the ids of an answer."""
        now = {one.text for one in statements_of(memory, inputs.MEMORY)}
        lines = {one.text: one.line for one in statements_of(then.content, inputs.MEMORY)}
        for one in self._material.living:
            if one.text in now and one.text in lines and not (one.is_flagged or one.is_outdated):
                at = Source(UUID(then.file_id), then.revision, lines[one.text])
                yield one.id, _Ground(one.living, self._material.today, at)

    def _stated(self, one: Mention) -> _Draft | None:
        """As a person told it, in their words."""
        is_persons = one.human or one.by.speaker != NOBODY
        told = procedures.stated_in(clean(one.text)) if is_persons else None
        ground = [self._notes[one.ref]]
        if told is None or not all(self._may_stand(step, ground) for step in told.steps):
            return None
        return _skill(told.name, [], [(step, ground) for step in told.steps])

    def _shown(self, skill: Skill) -> _Draft | None:
        """By notes of two days, at least half of its steps on each, but for one that there is."""
        name = procedures.name_of(skill.name)
        old = self._skills.get(name)
        stood = {clean(line) for line in old[1].remaining.split("\n")} if old else set()
        steps = list(self._checked(skill.steps, self._notes, stood))
        days = Counter(
            day
            for text, grounds in steps
            for day in {one.day for one in grounds if shares_word(text, one.text)}
        )
        said = " ".join(one.text for _text, grounds in steps for one in grounds)
        is_named = bool(name) and all(shares_word(word, said) for word in name.split("-"))
        is_done = sum(2 * n >= len(steps) for n in days.values()) > 1
        if len(steps) < 2 or not (old or (is_named and is_done)):
            return None
        when = self._checked([skill.when], self._notes, stood)
        wrong = self._checked(skill.went_wrong, self._notes, stood)
        return _skill(name, when, steps, wrong, filter(_DAY.fullmatch, stood))

    def _checked(
        self,
        lines: Iterable[SkillLine],
        known: Mapping[str, _Ground],
        stood: Collection[str] = (),
    ) -> Iterator[_Told]:
        """With what says it; what stands there already says itself."""
        room = SUMMARY_TOKENS - 20
        for line in lines:
            text = one_line(line.text, procedures.LONGEST)
            cited = [known[ref] for ref in line.sources if ref in known]
            room -= estimate(f"- {text}\n")
            if not text or room < 0:
                continue
            said = [Citation(one.text, one.day) for one in cited]
            if cited and is_said(text, said) and self._may_stand(text, cited):
                yield text, cited
            elif clean(text) in stood:
                yield text, ()

    def _may_stand(self, text: str, cited: Sequence[_Ground]) -> bool:
        """No order to the assistant, not forgotten, and not corrected since it was said last."""
        known, material = line_flags.KnownLines(one.text for one in cited), self._material
        if line_flags.flags_of(text, known) or material.is_forgotten(text):
            return False
        last = max(one.day for one in cited)
        taken_back = (one.text for one in material.corrections if one.at.date() >= last)
        if any(covers(one, text) or covers(text, one) for one in taken_back):
            return False
        later = (it for it in material.said if it.ref in self._notes)
        later = (it for it in later if self._notes[it.ref].day > last)
        return not any(contradicts(it.text, text) or takes_back(it.claim, text) for it in later)


def _skill(
    name: str,
    when: Iterable[_Told],
    steps: Sequence[_Told],
    wrong: Iterable[_Told] = (),
    days: Iterable[str] = (),
) -> _Draft:
    """`days`: on which more was learned."""
    behind = list(dict.fromkeys(one for _text, grounds in steps for one in grounds))
    learned: dict[str, list[_Ground]] = {day: [] for day in days}
    for one in behind:
        learned.setdefault(f"{one.day}", []).append(one)
    parts: list[tuple[str, list[_Told]]] = [
        (_("When to use it"), list(when)),
        (_("Steps"), [(f"{n}. {text}", on) for n, (text, on) in enumerate(steps, start=1)]),
        (_("What went wrong"), [(f"- {text}", on) for text, on in wrong]),
        (_("Learned from"), [(f"- {day}", on) for day, on in sorted(learned.items())]),
    ]
    lines: list[_Told] = [(f"# {name}", ())]
    for heading, told in parts:
        lines += [("", ()), (f"## {heading}", ()), ("", ()), *told] if told else []
    return _Draft(f"{SKILL.start}{name}/SKILL.md", lines)
