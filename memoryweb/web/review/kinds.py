"""How each kind of thing that waits for a person is shown and decided. A new kind is one row."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memoryweb.facts.listing import sides_of
from memoryweb.forgetting.models import Request
from memoryweb.markdown.diff import counts, side_by_side
from memoryweb.memory.forgetting.telling import tell
from memoryweb.memory.placeholders import for_people_all
from memoryweb.memory.review import proposals, secrets
from memoryweb.review.inbox import Item, Kind, line_text
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest
from memoryweb.web.facts.rows import sides_shown
from memoryweb.web.htmx import to
from memoryweb.web.naming import author_name
from memoryweb.web.provenance.trace import file_url
from memoryweb.web.wording import Text
from memoryweb.workspace.revisions import content_of


class ValueForm(forms.Form):
    """What was held back is kept nowhere, so whoever wants it back types it in."""

    value = forms.CharField(
        label=_("The value, to put it back"),
        required=False,
        max_length=4096,
        strip=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_(
            "Optional. The value was never stored, so only you can type it in. Leave this empty to "
            "let the value pass from now on without changing the line."
        ),
    )


class MergeForm(forms.Form):
    value = forms.CharField(
        label=_("One line that says both"),
        required=False,
        max_length=600,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


_ASKED = {
    Request.Via.MESSAGE: _("Said in a conversation: pick what is meant."),
    Request.Via.TOOL: _("An agent asked for it: pick what is meant."),
    Request.Via.API: _("A program asked for it: pick what is meant."),
    Request.Via.PAGE: _("A person asked for it: pick what is meant."),
}


@dataclass(frozen=True)
class Decision:
    """A button, and what is said once it is done."""

    code: str  # as memory.review.decisions has it
    label: Text
    done: Text
    style: str = ""
    takes_value: bool = False


@dataclass(frozen=True)
class Look:
    """`about` are the details for who may read them. A quick one is decided from the list."""

    name: Text
    template: str
    about: Callable[[TeamRequest, Item], dict[str, Any]]
    reasons: Callable[[Item], Iterable[Text]]
    decisions: tuple[Decision, ...]
    is_quick: bool = False
    form: type[forms.Form] = ValueForm
    texts: Callable[[Item], Iterable[str]] = lambda _item: ()  # that the list shows at once
    nowhere: Text = ""  # in place of a path
    undo: Decision | None = None  # of what was decided


def _proposal(request: TeamRequest, item: Item) -> dict[str, Any]:
    proposal, file = item.row, item.row.file
    outcome = proposals.outcome(proposal) if item.is_waiting else None
    base = content_of(file, proposal.base_revision) if proposal.base_revision else ""
    token = proposal.token
    program = (token.integration or token.name) if token else ""
    sides = (file.content if outcome else base, outcome or proposal.content)
    rows = side_by_side(*for_people_all([(file, text) for text in sides]))
    return {
        "author": proposal.run.get_kind_display() if proposal.run else program,
        "rows": rows,
        "counts": counts(rows),
        "file_url": file_url(request, file),
        "run_url": to(request, "agents_run", proposal.run_id) if proposal.run_id else "",
        "is_stale": item.is_waiting and outcome is None,
    }


def _flag(request: TeamRequest, item: Item) -> dict[str, Any]:
    flagged, query = item.row, f"?owner={item.owner.pk}" if item.owner else ""
    where = (item.agent.pk, item.path, item.line)
    return {
        "text": line_text(flagged),
        "author": author_name(flagged),
        "file_url": file_url(request, flagged.file, item.line),
        "run_url": to(request, "agents_run", flagged.run_id) if flagged.run_id else "",
        "source_url": to(request, "agents_why", *where, query=query),
    }


def _secret(request: TeamRequest, item: Item) -> dict[str, Any]:
    held = item.row
    number, line = secrets.line_now(held)
    place = ""
    if held.file and not held.file.deleted_at:
        place = file_url(request, held.file, number or None)
    elif held.message:
        place = to(request, "agents_conversation", item.agent.pk, held.message.conversation_id)
    return {"number": number, "line": line, "file_url": place}


def _contradiction(request: TeamRequest, item: Item) -> dict[str, Any]:
    return {"sides": sides_shown(request, item.row), "can_undo": bool(item.row.before)}


def _asked_words(item: Item) -> list[str]:
    """Those of an owner's request are not told to the readers of shared memory."""
    if item.row.about or item.row.owner_id:
        return [item.row.about]
    return [str(_("Somebody asked to forget this of shared memory."))]


def _forget(request: TeamRequest, item: Item) -> dict[str, Any]:
    return {"account": tell(item.row), "can_undo": item.row.state == Request.State.HIDDEN}


LOOKS = {
    Kind.PROPOSAL: Look(
        _("Proposal"),
        "review/_proposal.html",
        _proposal,
        lambda item: item.reasons or [_("This agent asks a person before it changes memory.")],
        (
            Decision("accept", _("Accept the whole change"), _("Accepted and written."), "main"),
            Decision("reject", _("Reject"), _("Rejected. It will not be proposed again."), "bad"),
        ),
    ),
    Kind.FLAG: Look(
        _("Flagged line"),
        "review/_flag.html",
        _flag,
        lambda item: [wording.mark(code) for code in item.reasons],
        (
            Decision("keep", _("Keep the line"), _("Kept. Dreams and prompts use the line now.")),
            Decision(
                "remove",
                _("Remove the line"),
                _("Removed. To undo it, restore the revision before."),
                "quiet bad",
            ),
        ),
        is_quick=True,
        texts=lambda item: [line_text(item.row)],
    ),
    Kind.SECRET: Look(
        _("Likely secret"),
        "review/_secret.html",
        _secret,
        lambda item: [_("It looks like a secret."), *map(wording.secret_kind, item.reasons)],
        (
            Decision(
                "secret",
                _("It is a secret: keep it out"),
                _("Kept out. Nobody is asked again."),
                "main",
            ),
            Decision(
                "no_secret",
                _("It is no secret"),
                _("The value passes from now on."),
                takes_value=True,
            ),
        ),
    ),
    Kind.CONTRADICTION: Look(
        _("Contradiction"),
        "review/_contradiction.html",
        _contradiction,
        lambda _item: [_("They say different things about the same, so both can't be true now.")],
        (
            Decision(
                "KEEP_A", _("Keep the current one"), _("Kept. The other one was removed."), "main"
            ),
            Decision("KEEP_B", _("Use the other one"), _("Replaced by the other one.")),
            Decision(
                "IGNORE", _("Keep both"), _("Both stay. You won't be asked about them again.")
            ),
            Decision(
                "MERGE",
                _("Replace both with this"),
                _("Replaced both with your line."),
                takes_value=True,
            ),
        ),
        form=MergeForm,
        texts=lambda item: [fact.text for fact in sides_of(item.row, item.row.facts.all())],
        nowhere=_("Two statements that can't both be true"),
        undo=Decision("undo", _("Undo"), _("Undone. It waits for a decision again.")),
    ),
    Kind.CROWDED: Look(
        _("Little room"),
        "review/_crowded.html",
        lambda request, item: {"file_url": file_url(request, item.row.file)},
        lambda _item: [
            _("Over four fifths of it are lines that people wrote, confirmed or pinned.")
        ],
        (Decision("seen", _("I have seen it"), _("Noted. You won't be told again.")),),
        is_quick=True,
    ),
    Kind.FORGET: Look(
        _("Request to forget"),
        "review/_forget.html",
        _forget,
        lambda item: [_ASKED[item.row.via]],
        (
            Decision("keep", _("Keep it all"), _("Kept. Nothing was forgotten.")),
            Decision(
                "forget",
                _("Forget what is ticked"),
                _("Hidden from agents. You can still undo it."),
                takes_value=True,
            ),
        ),
        texts=_asked_words,
        nowhere=_("Something was asked to be forgotten"),
        undo=Decision("undo", _("Undo"), _("It is back. Agents may use it again.")),
    ),
}
