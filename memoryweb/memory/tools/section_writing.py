"""The tool `write_memory` (SPEC §3.1): one text, four ways of bringing it into a file."""

from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext as _

from memoryweb.markdown import paths, sections
from memoryweb.markdown.paths import SectionRefused
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.tools.files import Acting, place_of
from memoryweb.memory.visible import placeholders
from memoryweb.memory.visible.readable import To, readable_file
from memoryweb.memory.writing import machine_guards, write
from memoryweb.memory.writing.write import WriteResult

KEY, HEADING = 120, 200


class Strategy(StrEnum):
    APPEND = "append"
    REPLACE_SECTION = "replace_section"
    UPSERT_KV = "upsert_kv"
    OVERWRITE = "overwrite"


class StrategyRefused(MemoryRefused):
    """`field` is the argument that is missing or does not fit."""

    code = "strategy_refused"

    def __init__(self, field: str, sentence: str) -> None:
        self.field = field
        super().__init__(sentence)


@dataclass(frozen=True)
class Step:
    """What the strategies take: `append` and `overwrite` the content, `replace_section` also a
    heading, `upsert_kv` a key and its value, and a heading if it shall stand under one."""

    strategy: Strategy
    content: str | None = None
    heading: str = ""
    key: str = ""
    value: str | None = None


def write_memory(
    tx: Transaction, acting: Acting, filename: str, step: Step, *, writer: Writer
) -> WriteResult:
    """Raises StrategyRefused and what `files.write` raises.

    A machine changes no line that is pinned, that a person wrote or that waits for one: within a
    section or a text that is replaced they stay, and a value that is such a line is refused.
    """
    _check(step)
    place = place_of(acting, filename)
    if not writer.is_machine:
        return write.change(
            tx, place, lambda there: _written(there or _head(filename), step), writer=writer
        )
    file = write.find(place)
    shown = readable_file(file, To.PROGRAM).text if file else ""
    content = _written(shown or _head(filename), step)
    if file is not None:
        content = placeholders.put_back(file, content, writer)
        _check_protected(file, step, content)
    return write.write(tx, place, content, writer=writer)


def _check(step: Step) -> None:
    takes_value = step.strategy is Strategy.UPSERT_KV
    needed = "value" if takes_value else "content"
    given = step.value if takes_value else step.content
    if given is None or (not given.strip() and step.strategy is not Strategy.OVERWRITE):
        raise StrategyRefused(needed, _("This strategy needs “{name}”.").format(name=needed))
    if takes_value and not step.key.strip():
        raise StrategyRefused("key", _("This strategy needs “{name}”.").format(name="key"))
    if step.strategy is Strategy.REPLACE_SECTION and not step.heading.strip(" #"):
        raise StrategyRefused("heading", _("This strategy needs “{name}”.").format(name="heading"))
    if set(step.key) & set("\n\r*`_:："):
        raise StrategyRefused("key", _("A key is one line without * ` _ or a colon."))
    if set(step.heading) & set("\n\r"):
        raise StrategyRefused("heading", _("A heading is one line."))


def _head(filename: str) -> str:
    """A new daily note begins with its date."""
    date = paths.parse(filename).note_date
    return f"# {date.isoformat()}\n" if date else ""


def _written(before: str, step: Step) -> str:
    content = step.content or ""
    try:
        match step.strategy:
            case Strategy.OVERWRITE:
                return content
            case Strategy.APPEND:
                return sections.appended(before, content)
            case Strategy.REPLACE_SECTION:
                return sections.with_section(before, step.heading, content)
            case Strategy.UPSERT_KV:
                return _with_value(before, step)
    except SectionRefused as refused:
        field = "key" if step.strategy is Strategy.UPSERT_KV else "heading"
        raise StrategyRefused(field, str(refused)) from refused


def _with_value(before: str, step: Step) -> str:
    key, value = step.key.strip(), step.value or ""
    content = sections.with_value(before, key, value, step.heading)
    if not sections.has_value(content, key, value):
        said = _("The value would stand within a code block that nothing closes.")
        raise StrategyRefused("filename", said)
    return content


def _check_protected(file: File, step: Step, content: str) -> None:
    broken = machine_guards.of_people_in(file, content)
    if broken is not None:
        said = _("A person wrote or pinned a line that this would change: {detail}")
        raise StrategyRefused("filename", said.format(detail=broken.detail))
    if step.strategy is not Strategy.UPSERT_KV:
        return
    if not sections.has_value(content, step.key.strip(), step.value or ""):
        said = _("A person wrote or pinned the line of “{key}”, or has to look at it first.")
        raise StrategyRefused("key", said.format(key=step.key.strip()))
