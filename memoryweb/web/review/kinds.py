"""How each kind of thing that waits for a person is shown and decided. A new kind is one row."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.permissions import Permission
from memoryweb.language.note_line import without_time
from memoryweb.memory import questions
from memoryweb.memory.lines.revisions import author_name
from memoryweb.memory.models import ForgetRequest
from memoryweb.memory.review import Item, Kind
from memoryweb.memory.statements.listing import sides_of
from memoryweb.memory.visible import readable
from memoryweb.memory.visible.request_contents import about_of, tell
from memoryweb.memory.writing.changes import unmarked
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest
from memoryweb.web.facts.rows import sides_shown
from memoryweb.web.pages import to
from memoryweb.web.review.lines import in_brief, look_at, proposal_shown
from memoryweb.web.wording import Text, file_url, owner_name, owner_query


class MergeForm(forms.Form):
    value = forms.CharField(
        label=_("Or one line that says both"),
        required=False,
        max_length=600,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


_ASKED = {
    ForgetRequest.Via.MESSAGE: _("Said in a conversation: pick what is meant."),
    ForgetRequest.Via.TOOL: _("An agent asked for it: pick what is meant."),
    ForgetRequest.Via.API: _("A program asked for it: pick what is meant."),
    ForgetRequest.Via.PAGE: _("A person asked for it: pick what is meant."),
}


@dataclass(frozen=True)
class Decision:
    """A button, and what is said once it is done."""

    code: str  # as memory.review.decisions has it
    label: Text
    done: Text
    style: str = ""
    key: str = ""
    hint: Text = ""  # what the key does, where the label is long


@dataclass(frozen=True)
class Look:
    """`about` are the details for who may read them, with what was sent where that was refused;
    `tells` is the one sentence of the list, of a proposal or a flagged line from its text."""

    name: Text
    template: str
    about: Callable[[TeamRequest, Item, QueryDict | None], dict[str, Any]]
    title: Callable[[Item, dict[str, Any]], Text]
    tells: Callable[[Item, str], str]
    reasons: Callable[[Item], Iterable[Text]]
    decisions: tuple[Decision, ...]
    tone: str = ""
    icon: str = "page"
    form: type[forms.Form] = forms.Form
    undo: Decision = Decision("undo", _("Undo"), _("Undone. It waits for a decision again."))


# What the filters of the list hold.
GROUPS: dict[str, tuple[Text, tuple[Kind, ...]]] = {
    "": (_("All"), ()),
    "changes": (_("Changes"), (Kind.PROPOSAL, Kind.CROWDED)),
    "conflicts": (_("Conflicts"), (Kind.CONTRADICTION,)),
    "safety": (_("Safety"), (Kind.FLAG,)),
    "forget": (_("Forget"), (Kind.FORGET,)),
}


def _wants(item: Item, about: dict[str, Any]) -> str:
    said = ngettext("{agent} proposes {n} change", "{agent} proposes {n} changes", about["total"])
    return said.format(agent=item.agent.name, n=about["total"])


def _first_line(item: Item, content: str) -> str:
    """Of what is proposed, and how many more."""
    lines = content.split("\n")
    brought = sorted(int(number) for number in item.row.origins)
    texts = [unmarked(lines[n - 1]) for n in brought if n <= len(lines)]
    if not texts:
        return gettext("A change of {path}").format(path=item.path)
    return _and_more(texts[0], len(texts) - 1)


def _and_more(text: str, more: int) -> str:
    if not more:
        return text
    said = ngettext("{text} And {n} more line.", "{text} And {n} more lines.", more)
    return said.format(text=text, n=more)


def _flag(request: TeamRequest, item: Item, _data: QueryDict | None) -> dict[str, Any]:
    flagged, query = item.row, f"?owner={item.owner.pk}" if item.owner else ""
    where = (item.agent.pk, item.path, item.line)
    return {
        "text": look_at(request, [item])[item.id].file(flagged.file).line(item.line),
        "author": author_name(flagged, item.agent),
        "file_url": file_url(request, flagged.file, item.line),
        "run_url": to(request, "agents_run", flagged.run_id) if flagged.run_id else "",
        "source_url": to(request, "agents_why", *where, query=query),
    }


def _contradiction(request: TeamRequest, item: Item, _data: QueryDict | None) -> dict[str, Any]:
    sides = sides_shown(request, [item.row])[item.row.pk]
    asked = _asks(item) if item.row.is_question and item.is_waiting else ""
    details = {"sides": sides, "can_undo": bool(item.row.before), "question": asked}
    owner = item.row.owner_id
    if item.is_waiting or not request.visit.decides(owner, Permission.WRITE):
        return details
    at, query = (item.agent.pk, item.row.pk), owner_query(request.visit, owner)
    return details | {"test_url": to(request, "agents_test_contradiction", *at, query=query)}


def _both_sides(item: Item, _content: str) -> str:
    facts = sides_of(item.row, item.row.facts.all())
    sides = [one.text for one in readable.readable_facts(facts, readable.To.PAGE)]
    if len(sides) < 2:
        return "".join(sides)
    said = gettext("“{one}” or “{other}”")
    return said.format(one=sides[0], other=sides[-1])


def _asked_words(item: Item, _content: str) -> str:
    """Those of an owner's request are not told to the readers of shared memory; they read
    what it is about."""
    said = about_of(item.row, is_theirs=True)
    if said or item.row.owner_id:
        return said
    if not item.row.offered or not item.is_waiting:
        return gettext("Somebody asked to forget this of shared memory.")
    return _and_more(item.row.offered, item.row.offers - 1)


def _who_asks(item: Item) -> list[Text]:
    if item.row.asked_by and not item.owner:
        return [gettext("{name} asks to forget this.").format(name=item.row.asked_by)]
    return [_ASKED[item.row.via]]


def _forget(_request: TeamRequest, item: Item, _data: QueryDict | None) -> dict[str, Any]:
    is_decided = item.row.state in {ForgetRequest.State.HIDDEN, ForgetRequest.State.KEPT}
    return {"account": tell(item.row), "can_undo": is_decided and not item.row.run_id}


def _crowded(request: TeamRequest, item: Item, _data: QueryDict | None) -> dict[str, Any]:
    return {"file_url": file_url(request, item.row.file), "can_undo": not item.is_waiting}


LOOKS = {
    Kind.PROPOSAL: Look(
        _("proposal"),
        "review/_proposal.html",
        proposal_shown,
        _wants,
        _first_line,
        lambda item: (
            [*map(gettext, item.reasons)]
            or [_("This agent asks a person before it changes memory.")]
        ),
        (
            Decision(
                "accept",
                _("Accept what is ticked"),
                _("Accepted and written."),
                "main",
                "a",
                _("accept"),
            ),
            Decision(
                "reject",
                _("Reject all"),
                _("Rejected. It will not be proposed again."),
                "",
                "r",
                _("reject"),
            ),
        ),
        "change",
    ),
    Kind.FLAG: Look(
        _("flagged line"),
        "review/_flag.html",
        _flag,
        lambda _item, _about: _("Should this line stay?"),
        lambda item, content: without_time(unmarked(content.split("\n")[item.line - 1])),
        lambda item: [wording.mark(code) for code in item.reasons],
        (
            # First what a suspicious line mostly asks for.
            Decision("remove", _("Remove the line"), _("Removed."), "main", "r"),
            Decision(
                "keep",
                _("Keep the line"),
                _("Kept. Dreams and prompts use the line now."),
                "",
                "a",
            ),
        ),
        "risk",
        icon="flag",
    ),
    Kind.CONTRADICTION: Look(
        _("contradiction"),
        "review/_contradiction.html",
        _contradiction,
        lambda _item, _about: _("Which one is true?"),
        _both_sides,
        lambda _item: [_("They say different things about the same, so both can't be true now.")],
        (
            Decision(
                "KEEP_A",
                _("Keep the current one"),
                _("Kept. The other one was removed."),
                "main",
                "a",
            ),
            Decision("KEEP_B", _("Use the other one"), _("Replaced by the other one.")),
            Decision("MERGE", _("Replace both with my words"), _("Replaced both with your line.")),
            Decision(
                "IGNORE",
                _("Keep both"),
                _("Both stay. You won't be asked about them again."),
                "quiet",
            ),
        ),
        "ask",
        form=MergeForm,
        icon="unlike",
    ),
    Kind.CROWDED: Look(
        _("little room"),
        "review/_crowded.html",
        _crowded,
        lambda item, _about: _("{path} has little room left").replace("{path}", item.path),
        lambda item, _content: gettext("{path} has little room for anything new.").format(
            path=item.path
        ),
        lambda _item: [
            _("Over four fifths of it are lines that people wrote, confirmed or pinned.")
        ],
        (Decision("seen", _("I have seen it"), _("Noted. You won't be told again."), "main", "a"),),
        "ask",
    ),
    Kind.FORGET: Look(
        _("forget request"),
        "review/_forget.html",
        _forget,
        lambda _item, _about: _("What should be forgotten?"),
        _asked_words,
        _who_asks,
        (
            Decision(
                "forget",
                _("Forget what is ticked"),
                _("Hidden from agents. You can still undo it."),
                "main",
                "a",
            ),
            Decision("keep", _("Keep it all"), _("Kept. Nothing was forgotten."), "", "r"),
        ),
        icon="eraser",
    ),
}


def _asks(item: Item, _content: str = "") -> str:
    return questions.sentence(item.row, item.row.facts.all(), readable.To.PAGE)


_QUESTION = replace(
    LOOKS[Kind.CONTRADICTION],
    name=_("question"),
    title=lambda _item, _about: _("Is this still true?"),
    tells=_asks,
    reasons=lambda _item: [_("Nothing proves that it no longer holds. In seven days it stays.")],
    decisions=(
        Decision("IGNORE", _("Still true"), _("Confirmed. You won't be asked again."), "main", "a"),
        Decision("KEEP_B", _("No longer"), _("Removed. You can still undo it."), "", "r"),
        Decision(
            "KEEP_A",
            _("The newer one is wrong"),
            _("Kept. The newer one was removed."),
            "quiet",
        ),
        Decision("MERGE", _("Replace both with my words"), _("Replaced both with your line.")),
    ),
)
_OF_ONE = replace(_QUESTION, decisions=_QUESTION.decisions[:2], form=forms.Form)


def look_of(item: Item) -> Look:
    if item.kind != Kind.CONTRADICTION or not item.row.is_question:
        return LOOKS[item.kind]
    return _QUESTION if len(item.row.facts.all()) > 1 else _OF_ONE


def tell_all(request: TeamRequest, items: Sequence[Item]) -> dict[tuple[Kind, str], str]:
    """The one sentence of each that this reader may read; what is to be forgotten is not in it."""
    read = [one for one in items if request.visit.reads(one.owner.pk if one.owner else None)]
    looks = look_at(request, read)
    return {(one.kind, one.id): look_of(one).tells(one, _text(looks, one)) for one in read}


def _text(looks: Mapping[str, readable.Look], item: Item) -> str:
    """What is proposed, or the file of a flagged line."""
    if item.kind == Kind.PROPOSAL:
        return looks[item.id].proposed(item.row)
    return looks[item.id].file(item.row.file).text if item.kind == Kind.FLAG else ""


# What waits for a person, whole and small enough to be decided where it is listed.

# Decisions that need nothing but what is shown.
_AT_ONCE = {"accept", "keep", "remove", "seen", "KEEP_A", "KEEP_B", "IGNORE"}
Need = dict[str, Any]


def needs_of(
    request: TeamRequest, items: Sequence[Item], grounds: Sequence[Any] = ()
) -> dict[tuple[Kind, str], Need]:
    """Of what this person may read, in as many statements for many as for one. `grounds`: what the
    sides of contradictions stand on, where it is known."""
    said = tell_all(request, items)
    rivals = [one.row for one in items if one.kind == Kind.CONTRADICTION]
    sides = sides_shown(request, rivals, grounds)
    briefs = in_brief(request, [one for one in items if one.kind == Kind.PROPOSAL])
    found = {}
    for item in items:
        key, need = (item.kind, item.id), need_of(request, item)
        need["decisions"] = [one for one in look_of(item).decisions if one.code in _AT_ONCE]
        if item.kind == Kind.CONTRADICTION and item.row.is_question:
            need["decisions"] = need["decisions"][:2]
        elif item.kind == Kind.CONTRADICTION:
            need |= _rivals(sides[item.row.pk])
        elif item.kind == Kind.PROPOSAL:
            need |= _proposal(item, briefs.get(item.id))
        found[key] = {"said": said.get(key, "")} | need
    return found


def need_of(request: TeamRequest, item: Item) -> Need:
    """What whoever may know of it may read."""
    look = look_of(item)
    return {
        "item": item,
        "name": look.name,
        "tone": look.tone,
        "icon": look.icon,
        "whose": owner_name(request.visit, item.owner),
        "reason": next(iter(look.reasons(item)), ""),
        "url": to(request, "review_item", item.kind, item.id),
        "decide_url": to(request, "review_decide", item.kind, item.id),
        "closer": gettext("Open"),
    }


def _proposal(item: Item, brief: Need | None) -> Need:
    if brief is None:
        return {"decisions": []}
    count = len(brief["numbers"])
    said = ngettext("{agent} proposes {n} change", "{agent} proposes {n} changes", count)
    name = said.format(agent=item.agent.name, n=count)
    reason = next(iter(item.reasons), "")
    return {
        "brief": brief,
        "name": name,
        "reason": reason,
        "said": "",
        "closer": gettext("Line by line"),
    }


def _rivals(sides: Sequence[Need]) -> Need:
    """Two that stand side by side; what has more sides is looked at on its own page."""
    if len(sides) != 2:
        return {"decisions": []}
    codes = zip(sides, ("KEEP_A", "KEEP_B"), strict=True)
    said = gettext("Until then agents are given the first one.")
    is_given = sides[0]["is_living"] and not sides[1]["is_living"]
    return {
        "sides": [_side(row) | {"code": code} for row, code in codes],
        "reason": said if is_given else "",
        "said": "",
    }


def _side(row: Need) -> Need:
    """With who said it last and when, as far as this reader may know."""
    last = next((one for one in row["grounds"] if one.get("text") and one.get("who")), None)
    if last is None:
        return {"row": row, "who": row["who"], "day": row["since"], "url": row["url"]}
    return {"row": row, "who": last["who"], "at": last["at"], "url": last["url"]}
