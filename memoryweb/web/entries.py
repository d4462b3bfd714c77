"""Named entries of one memory: the list, a new one, and other names. Texts are edited as files."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.memory import entries as door
from memoryweb.memory.lines.files import entries_of
from memoryweb.memory.models.entries import MOST_OF_NAME
from memoryweb.memory.models.writer import Memory
from memoryweb.web.access import TeamRequest, Workspace, find_workspace, own_owner, team_view
from memoryweb.web.files.forms import TextField
from memoryweb.web.pages import about, page, show, to, told_in, told_to
from memoryweb.web.wording import writer_of


class EntryForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=MOST_OF_NAME,
        help_text=gettext_lazy("What the agent will ask for, such as “Sourdough starter”."),
    )
    content = TextField()
    content.widget = forms.Textarea(attrs={"rows": 6})
    # What everyone shall find is said aloud.
    owner = forms.ChoiceField(
        label=gettext_lazy("Who is it for?"),
        choices=[
            ("me", gettext_lazy("Only me")),
            ("shared", gettext_lazy("Everyone who uses this agent")),
        ],
        initial="me",
        required=False,
        widget=forms.RadioSelect,
    )


class NameForm(forms.Form):
    """`act`: whether the entry gets the name, or loses it."""

    name = forms.CharField(max_length=MOST_OF_NAME)
    act = forms.ChoiceField(choices=[("add", ""), ("remove", "")])


@team_view("GET")
def entries(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id, read="entries")
    return _list(request, workspace, EntryForm())


@team_view("POST")
def add(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    workspace = find_workspace(request, agent_id, to_write=True)
    form = EntryForm(request.POST)
    if form.is_valid():
        asked = form.cleaned_data.pop("owner", "") or "me"
        with told_in(form):
            with request.visit.write() as tx:
                owner = workspace.owner and workspace.owned(request).owner
                owner = owner or own_owner(request, asked)
                memory = Memory(workspace.agent, owner)
                made = door.add(tx, memory, **form.cleaned_data, writer=writer_of(request))
            messages.success(request, _("{name} was added.").format(name=door.name_of(made)))
            query = workspace.query or (f"?owner={asked}" if owner else "")
            return redirect(to(request, "agents_entries", agent_id, query=query))
    return _list(request, workspace, form, status=422)


@team_view("POST")
def change_names(request: TeamRequest, agent_id: UUID, number: int) -> HttpResponse:
    workspace = find_workspace(request, agent_id, to_write=True)
    form = NameForm(request.POST)
    if form.is_valid():
        with told_to(request):
            with request.visit.write() as tx:
                found = door.find(workspace.memory, str(number))
                if found is None:
                    raise Http404
                is_new = form.cleaned_data["act"] == "add"
                act = door.add_alias if is_new else door.remove_alias
                act(tx, found, form.cleaned_data["name"], writer=writer_of(request))
            messages.success(request, _("Saved."))
    else:
        messages.error(request, _("Give a name of at most 200 characters."))
    return redirect(to(request, "agents_entries", agent_id, query=workspace.query))


def _list(
    request: TeamRequest, workspace: Workspace, form: EntryForm, status: int = 200
) -> HttpResponse:
    found = entries_of(workspace.memory).order_by("-number")
    shown = page(request, found)
    if workspace.owner is not None:
        form.fields.pop("owner")
    rows = [(it, door.name_of(it), [other.name for other in it.aliases.all()]) for it in shown]
    context = about(workspace, tab="entries", page=shown, rows=rows, form=form)
    return show(request, "entries/entries.html", context, status=status)
