"""Who may write which kind of file: every door asks `check`, which reads `AuthorKind.writes`.

It judges who is behind a write, never the way that the text came in.
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from memoryweb.agents.models import Agent
from memoryweb.markdown.file_kinds import WritingKind
from memoryweb.markdown.paths import kind_of
from memoryweb.memory.lines import source_classes
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Place, Writer

APPROVED = frozenset({WritingKind.INSTRUCTIONS})  # what a run's proposal may change, too

OUTSIDE = (
    "outside",
    gettext_noop(
        "It comes from outside the team, or from a token that may not change what is in "
        "everyone's prompt."
    ),
)


class WriteRefused(MemoryRefused):
    """This author does not write this file. The sentence says what to do instead."""

    code = "write_refused"


def check(writer: Writer, place: Place, path: str | None = None) -> None:
    """`path`: another name in the same place, for a file that is renamed. Raises WriteRefused."""
    if refused := refusal(writer, place, path):
        raise WriteRefused(refused)


def refusal(writer: Writer, place: Place, path: str | None = None) -> str:
    """Why not, as a sentence; empty where it may."""
    if place.agent.is_global and not _rules_everywhere(writer):
        return _(
            "Global memory is read by every team, so only a superuser changes it. "
            "Ask whoever runs this installation."
        )
    wanted = place.path if path is None else path
    return "" if allows(writer, wanted) else _sentence(writer, wanted)


def check_arranging(writer: Writer) -> None:
    """What enters the prompt, and in which order, is for people to say. Raises WriteRefused."""
    if not is_person(writer):
        raise WriteRefused(
            _(
                "Only a person can decide what is in the prompt and in which order. "
                "Ask a member of the team, or use a personal token that writes as you."
            )
        )


def why_asked(writer: Writer, place: Place, file: File | None) -> Sequence[tuple[str, str]] | None:
    """Why a change of what everyone's prompt is made of has to be proposed, as (guard, sentence),
    none of them where it is the agent's policy; None: it may be written. `file`: what stands there.
    A run asks for the agent's policy itself, with its guards."""
    is_given = kind_of(place.path).is_given or (file is not None and file.enabled)
    if place.owner is not None or not is_given:
        return None
    if writer.is_approved or is_person(writer):
        return None
    if writer.behind.is_run:
        return None if writer.is_vouched else [OUTSIDE]
    if not source_classes.is_vouched(writer.speaker, writer.integration, writer.token):
        return [OUTSIDE]
    return None if place.agent.policy == Agent.Policy.APPLY else []


def check_taking_out(writer: Writer, file: File) -> None:
    """A deletion is nothing that could wait as a proposal. Raises WriteRefused."""
    place = Place(file.agent, file.owner, file.path)
    if why_asked(writer, place, file) is not None:
        raise WriteRefused(
            _("“{path}” is in everyone's prompt, so only a person can delete it.").format(
                path=file.path
            )
        )


def check_person(writer: Writer) -> None:
    """Raises WriteRefused."""
    if not is_person(writer):
        raise WriteRefused(_("Only a person can revert what a source wrote."))


def check_renaming(writer: Writer, file: File, path: str) -> None:
    """What a prompt gives keeps its name, and nothing takes its place. Raises WriteRefused."""
    places = [Place(file.agent, file.owner, one) for one in (file.path, path)]
    is_asked = any(why_asked(writer, one, None) is not None for one in places)
    if (file.enabled or is_asked) and not is_person(writer):
        raise WriteRefused(
            _("“{path}” is part of the prompt, so only a person can rename it.").format(
                path=file.path if file.enabled or not kind_of(path).is_given else path
            )
        )


def allows(writer: Writer, path: str) -> bool:
    kind = kind_of(path).written
    is_taken_up = writer.is_approved and kind in APPROVED
    return kind in writer.behind.writes or is_taken_up


def is_person(writer: Writer) -> bool:
    """Or the installation itself, which only its operator speaks through."""
    return writer.behind in {AuthorKind.PERSON, AuthorKind.SYSTEM}


def _rules_everywhere(writer: Writer) -> bool:
    is_superuser = writer.user is not None and writer.user.is_superuser
    return is_superuser or writer.kind == AuthorKind.SYSTEM


def _sentence(writer: Writer, path: str) -> str:
    told = {
        WritingKind.INSTRUCTIONS: _(
            "“{path}” tells the agent what to be, so only a person can change it. "
            "Ask a member of the team to."
        ),
        WritingKind.DREAMS: _(
            "“{path}” is the diary of dreams. Only dreams and people can write it. "
            "Write to today's note instead."
        ),
        WritingKind.HISTORY: _(
            "“{path}” keeps what could not be extracted. Only extractions and people can "
            "write it. Write to today's note instead."
        ),
    }
    other = _("This kind of author ({author}) can't write “{path}”. Use MEMORY.md instead.")
    return told.get(kind_of(path).written, other).format(
        path=path, author=AuthorKind(writer.kind).label
    )
