"""Everything that came from one conversation, token, import or run, and taking all of it back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Count, Q, QuerySet, Value, Window
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import Agent, Owner
from memoryweb.markdown.diff import Row, side_by_side
from memoryweb.memory import reverting, undoing
from memoryweb.memory.lines.flags import files_of
from memoryweb.memory.lines.sources import Kind, Lines, Source, lines_of, tokens_that_wrote
from memoryweb.memory.models import File
from memoryweb.memory.reverting import Change, Plan, Reversal
from memoryweb.memory.visible.hidden import is_meant
from memoryweb.memory.visible.readable import Look, To, readable_files
from memoryweb.web.access import Refused, TeamRequest, find_agent, find_run, note_read, team_view
from memoryweb.web.pages import page, show, to, told_to
from memoryweb.web.wording import happened_at, talk_url, writer_of

# What came from one source, as its page prints it; text only where it may be read.

_MOST_DIFFS = 20


@dataclass(frozen=True)
class NamedSource:
    """A source that this person may know of. `owner` is whose it is, None for the team's."""

    source: Source
    title: str
    url: str = ""
    owner: Owner | None = None
    is_mine: bool = False


def find_source(request: TeamRequest, agent: Agent, asked: Mapping[str, str]) -> NamedSource | None:
    """The one that `?conversation=`, `?token=`, `?import=` or `?run=` names; None for none."""
    kind = next((one for one in Kind if asked.get(str(one))), None)
    if kind is None:
        return None
    try:
        key = UUID(asked[str(kind)])
    except ValueError as error:
        raise Http404 from error
    finders = {
        Kind.CONVERSATION: _conversation,
        Kind.TOKEN: _token,
        Kind.IMPORT: _import,
        Kind.RUN: _run,
    }
    return NamedSource(Source(agent, kind, key), **finders[kind](request, agent, key))


def require_revert(request: TeamRequest, found: NamedSource) -> None:
    if not can_revert(request, found):
        raise Refused("revert", found.owner)


def can_revert(request: TeamRequest, found: NamedSource) -> bool:
    """Shared memory takes the right to write; what is one's own takes none."""
    is_own = found.is_mine or (found.owner is not None and found.owner.pk in request.visit.mine)
    return is_own or request.visit.can(Permission.WRITE)


def reach_of(request: TeamRequest) -> Q:
    """Files that this person may write, and conversations whose extraction they may stop: shared
    ones with the right to, and those about them."""
    return request.visit.decidable(takes=Permission.WRITE)


def lines_shown(
    request: TeamRequest, found: Mapping[UUID, Lines]
) -> tuple[list[tuple[File, int, bool]], int]:
    """Lines of current files that may be read, and how many others there are."""
    wanted = files_of(request.visit.team).filter(pk__in=list(found))
    files = wanted.annotate(is_meant=is_meant(file="pk")).in_bulk()
    shown, others = [], 0
    for pk, lines in found.items():
        file = files.get(pk)
        if file is None or not request.visit.reads(file.owner_id):
            others += len(lines.alone | lines.partly)
            continue
        note_read(request, file.owner, "file", file.pk)
        shown += [(file, n, n in lines.partly) for n in sorted(lines.alone | lines.partly)]
    return sorted(shown, key=lambda one: (one[0].folded_path, str(one[0].pk), one[1])), others


def line_rows(shown: Sequence[tuple[Any, int, bool]]) -> list[tuple[Any, int, str, bool]]:
    """Each line with whether it stands on other sources, too."""
    files = {file.pk: file for file, _number, _part in shown}
    texts = {one.id: one for one in readable_files([*files.values()], To.PAGE)}
    return [
        (file, number, texts[file.pk].line(number), is_shared) for file, number, is_shared in shown
    ]


def changes_shown(plan: Plan) -> list[tuple[Change, Sequence[Row]]]:
    shown = plan.changes[:_MOST_DIFFS]
    look = Look(To.PAGE, files=[change.file for change in shown])
    return [
        (change, side_by_side(*(look.then(change.file, text) for text in change.texts)))
        for change in shown
    ]


def figures(request: TeamRequest, source: Source) -> dict[str, Any]:
    """Counts alone, so that who may see outcomes sees them whoever the text is about."""
    revisions = source.revisions.filter(request.visit.outcomes("file__owner"))
    said = source.messages.filter(request.visit.outcomes("conversation__owner"))
    counts = dict(_counted("revisions", revisions).union(_counted("messages", said), all=True))
    runs = source.runs.filter(request.visit.outcomes()).annotate(of=Window(Count("pk")))
    last: list[Any] = list(runs.order_by("-created_at")[:5])
    return {
        "messages": counts.get("messages", 0),
        "revisions": counts.get("revisions", 0),
        "runs": last[0].of if last else 0,
        "last_runs": last,
    }


def _counted(name: str, rows: "QuerySet[Any]") -> "QuerySet[Any, Any]":
    named = rows.order_by().annotate(what=Value(name)).values_list("what")
    counted: QuerySet[Any, Any] = named.annotate(n=Count("pk"))
    return counted


def _conversation(request: TeamRequest, agent: Agent, key: UUID) -> dict[str, Any]:
    visible = agent.conversations.filter(request.visit.outcomes()).select_related("owner")
    talk = get_object_or_404(visible, pk=key)
    name = talk.external_id if request.visit.is_common(talk.owner_id) else str(talk.pk)[:8]
    return {
        "title": _("the conversation {name}").format(name=name),
        "url": talk_url(request, talk) if request.visit.reads(talk.owner_id) else "",
        "owner": None if talk.owner_id in request.visit.shared_owners else talk.owner,
    }


def _token(request: TeamRequest, _agent: Agent, key: UUID) -> dict[str, Any]:
    tokens = request.visit.team.tokens.all()
    if not request.visit.can(Permission.SEE_TOKENS):
        tokens = tokens.filter(user=request.user)
    token = get_object_or_404(tokens, pk=key)
    title = _("the token {name}").format(name=token.name)
    is_mine = token.user_id == request.user.pk
    return {"title": title, "url": to(request, "settings_tokens"), "is_mine": is_mine}


def _import(request: TeamRequest, agent: Agent, key: UUID) -> dict[str, Any]:
    visible = agent.imports.filter(request.visit.outcomes()).select_related("owner")
    batch = get_object_or_404(visible, pk=key)
    when = f"{localtime(batch.created_at):%Y-%m-%d %H:%M}"
    return {"title": _("the import of {when}").format(when=when), "owner": batch.owner}


def _run(request: TeamRequest, agent: Agent, key: UUID) -> dict[str, Any]:
    run = find_run(request, key)
    if run.agent_id != agent.pk:
        raise Http404
    title = _("the {kind} of {when}").format(
        kind=str(run.get_kind_display()).lower(),
        when=f"{localtime(happened_at(run)):%Y-%m-%d %H:%M}",
    )
    return {"title": title, "url": to(request, "agents_run", run.pk), "owner": run.owner}


# What several files' Undo takes back, as an address holds it.

MOST_SAVES = 20  # in one address


def saves_text(saves: Iterable[tuple[UUID, int]]) -> str:
    """Revisions of several files, to be undone together, as an address has them."""
    return "~".join(f"{file_id}.{number}" for file_id, number in saves)


def saves_in(text: str) -> list[tuple[UUID, int]]:
    """The same from an address; none where one can't be read."""
    found = []
    for part in text.split("~")[:MOST_SAVES]:
        file_id, _dot, number = part.partition(".")
        try:
            found.append((UUID(file_id), int(number[:9])))
        except ValueError:
            return []
    return found


@team_view("GET")
def provenance(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_agent(request, agent_id)
    found = find_source(request, agent, request.GET.dict())
    if found is None:
        return show(request, "provenance/sources.html", _sources(request, agent))
    brought = lines_of(found.source)
    lines, others = lines_shown(request, brought)
    shown = page(request, lines, size=50)
    plan = reverting.plan(found.source, reach_of(request), reach_of(request), known=brought)
    context = {
        "agent": agent,
        "tab": "provenance",
        "found": found,
        "page": shown,
        "lines": line_rows(shown.items),
        "others": others,
        "figures": figures(request, found.source),
        "plan": plan,
        "changes": changes_shown(plan),
        "can_revert": can_revert(request, found) and not plan.is_empty,
    }
    return show(request, "provenance/source.html", context)


@team_view("POST")
def revert(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_agent(request, agent_id)
    found = find_source(request, agent, request.POST.dict())
    if found is None:
        raise Http404
    require_revert(request, found)
    back = to(
        request, "agents_provenance", agent.pk, query=f"?{found.source.kind}={found.source.id}"
    )
    with told_to(request):
        with request.visit.write() as tx:
            done = reverting.revert(
                tx,
                found.source,
                reach_of(request),
                reach_of(request),
                writer=writer_of(request),
                expected=request.POST.get("plan") or None,
            )
        place = f"?{found.source.kind}={found.source.id}&saves={saves_text(done.saves)}"
        undo = to(request, "agents_provenance_undo", agent.pk, query=place)
        can_undo = 0 < len(done.saves) <= MOST_SAVES
        messages.success(request, _reverted_in_words(done), extra_tags=undo if can_undo else "")
    return redirect(back)


@team_view("POST")
def undo(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    """The files that a revert of one's own changed are again what they were before it, all of them
    or none."""
    agent = find_agent(request, agent_id)
    found = find_source(request, agent, request.GET.dict())
    if found is None:
        raise Http404
    require_revert(request, found)
    saves = _saves(request, agent)
    with told_to(request):
        with request.visit.write() as tx:
            undoing.undo_revert(tx, found.source, saves, writer=writer_of(request))
        messages.success(request, _("Undone: the files are as they were before."))
    where = f"?{found.source.kind}={found.source.id}"
    return redirect(to(request, "agents_provenance", agent.pk, query=where))


def _saves(request: TeamRequest, agent: Agent) -> dict[File, int]:
    """Those in the address, of files that this person may write: all, or there are none."""
    saves = dict(saves_in(request.GET.get("saves", "")))
    mine = agent.files.filter(reach_of(request), pk__in=saves).order_by("pk")
    files = list(mine.select_related("agent", "owner"))
    if not files or len(files) < len(saves):
        raise Http404
    return {file: saves[file.pk] for file in files}


def _reverted_in_words(done: Reversal) -> str:
    if not (done.files or done.conversations or done.proposals or done.messages):
        return _("There was nothing left to revert.")
    said = ngettext("Reverted in {n} file.", "Reverted in {n} files.", done.files)
    said = said.format(n=done.files)
    if len(done.saves) > MOST_SAVES:
        said += " " + _("To undo this, restore the revisions before.")
    elif done.saves and (done.messages or done.conversations or done.proposals):
        said += " " + _("Undo brings back the files alone.")
    stopped = _("Messages that wait will not be read.")
    unused = ngettext(
        "{n} message is kept but no longer used.",
        "{n} messages are kept but no longer used.",
        done.messages,
    ).format(n=done.messages)
    also = [stopped] if done.conversations else []
    return " ".join([said, *also, *([unused] if done.messages else [])])


def _sources(request: TeamRequest, agent: Agent) -> dict[str, Any]:
    """Imports, and the tokens that have written here; conversations have a list of their own."""
    visit = request.visit
    whose = ("user", "owner__integration", "owner__person")
    batches = agent.imports.filter(visit.outcomes()).select_related(*whose)
    seen = Q() if visit.can(Permission.SEE_TOKENS) else Q(user=request.user)
    shown = page(request, batches.order_by("-created_at"), size=25)
    return {
        "agent": agent,
        "tab": "provenance",
        "page": shown,
        "tokens": tokens_that_wrote(agent, visit.team.tokens.filter(seen))[:50],
    }
