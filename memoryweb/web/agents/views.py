from datetime import time
from uuid import UUID

from django import forms
from django.conf import settings as conf
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.models import MOST_TOKENS, Agent
from memoryweb.dreaming.queries import nights_of, people_of
from memoryweb.memory import agents as door
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest, find_agent, find_archived_agent, require, team_view
from memoryweb.web.form_fields import WordsField, ZoneField
from memoryweb.web.pages import page, show, to, told_in


class AgentForm(forms.Form):
    name = WordsField(label=gettext_lazy("Name"), max_length=64)
    description = WordsField(
        label=gettext_lazy("Description"),
        max_length=500,
        required=False,
        help_text=gettext_lazy(
            "What it is for, in a few words. People see it; the agent does not."
        ),
    )
    time_zone = ZoneField(
        help_text=gettext_lazy("Decides when its night begins and what “today” means.")
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        choices=conf.LANGUAGES,
        initial=conf.LANGUAGE_CODE,
        help_text=gettext_lazy(
            "Of its diary and of the headings in its memory. What people say stays in their words."
        ),
    )
    dreaming = forms.BooleanField(
        label=gettext_lazy("Dreams every night"),
        required=False,
        initial=True,
        help_text=gettext_lazy("Reads the notes of the last seven days and learns what matters."),
    )
    dream_at = forms.TimeField(
        label=gettext_lazy("Dreams at"),
        initial=time(2, 0),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    auto_summarize = forms.BooleanField(
        label=gettext_lazy("Takes notes after conversations"),
        required=False,
        initial=True,
        help_text=gettext_lazy("Writes what is worth keeping to the daily note."),
    )
    owner_isolation = forms.BooleanField(
        label=gettext_lazy("Keeps each person's memory separate"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "When off, what anyone says goes into shared memory, which the whole team can read."
        ),
    )
    policy = forms.ChoiceField(
        label=gettext_lazy("When a machine changes MEMORY, PROFILE, SOUL or AGENTS"),
        choices=Agent.Policy.choices,
        initial=Agent.Policy.APPLY,
        widget=forms.RadioSelect,
    )
    extractor = forms.ChoiceField(
        label=gettext_lazy("What takes the notes"),
        choices=Agent.Consolidator.choices,
        initial=Agent.Consolidator.AUTO,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "The rules understand English, German, Chinese and Japanese. In other languages they "
            "only keep notes."
        ),
    )
    consolidator = forms.ChoiceField(
        label=gettext_lazy("What writes the dreams"),
        choices=Agent.Consolidator.choices,
        initial=Agent.Consolidator.AUTO,
        widget=forms.RadioSelect,
    )
    injection = forms.ChoiceField(
        label=gettext_lazy("What its prompt begins with"),
        choices=Agent.Injection.choices,
        initial=Agent.Injection.FILES,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "Dreams with a model propose the summary, memory_summary.md. Until there is one, the "
            "prompt has MEMORY.md."
        ),
    )
    shadow_journal = forms.BooleanField(
        label=gettext_lazy("Looks at each turn at once"),
        required=False,
        help_text=gettext_lazy(
            "A model reads every turn right after it and notes what is new, beside the notes after "
            "a conversation. That takes one to three calls a turn."
        ),
    )
    journal_model = WordsField(
        label=gettext_lazy("Model for looking at turns"),
        max_length=120,
        required=False,
        help_text=gettext_lazy(
            "At the team's endpoint; its cost isn't counted. Empty: the team's usual model for "
            "notes."
        ),
    )
    journal_tokens = forms.IntegerField(
        label=gettext_lazy("Tokens a day for looking at turns"),
        min_value=0,
        max_value=MOST_TOKENS,
        initial=50_000,
    )
    local_models_only = forms.BooleanField(
        label=gettext_lazy("Asks local models only"),
        required=False,
        help_text=gettext_lazy(
            "Its text goes only to models on hosts that the operator lists in "
            "MEMORYWEB_LOCAL_MODEL_HOSTS. Where the team's model is elsewhere, it asks none: the "
            "rules take notes and dream, and there is no chat."
        ),
    )

    def freeze(self) -> None:
        for field in self.fields.values():
            field.disabled = True


@team_view("GET")
def agents(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    found = page(request, visit.team.agents.live(), size=25)
    for agent in found:
        agent.team = visit.team
    people = people_of(found.items)
    sees_all = visit.can(Permission.SEE_OWNERS)
    rows = [
        (nights, people.get(nights.agent.pk, 0), wording.standing(nights, sees_all=sees_all)[0])
        for nights in nights_of(found.items, visit.outcomes(), visit.now)
    ]
    can_create = visit.can(Permission.MANAGE_AGENTS)
    context = {
        "rows": rows,
        "page": found,
        "can_create": can_create,
        "archived": visit.team.agents.archived().order_by("-archived_at") if can_create else (),
        "kept": door.KEPT,
    }
    return show(request, "agents/agents.html", context)


@team_view("GET", "POST", takes=Permission.MANAGE_AGENTS)
def new(request: TeamRequest) -> HttpResponse:
    form = AgentForm(request.POST or None, initial={"time_zone": request.user.time_zone})
    if request.method == "POST" and form.is_valid():
        with told_in(form, "name"):
            with request.visit.write() as tx:
                agent = door.create_agent(tx, **form.cleaned_data)
            messages.success(request, _("{name} was created.").format(name=agent.name))
            return redirect(to(request, "agents_connect", agent.pk))
    return show(request, "agents/new.html", {"form": form})


@team_view("GET", "POST")
def settings(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    """Everybody sees how an agent is set; admins change it."""
    agent = find_agent(request, agent_id)
    can_change = request.visit.can(Permission.MANAGE_AGENTS)
    if request.method == "POST":
        require(request, Permission.MANAGE_AGENTS)
    values = {name: getattr(agent, name) for name in AgentForm.base_fields}
    form = AgentForm(request.POST or None, initial=values)
    if request.method == "POST" and form.is_valid():
        with told_in(form, "name"):
            with request.visit.write() as tx:
                door.change_agent(tx, agent, **form.cleaned_data)
            messages.success(request, _("The settings were saved."))
            return redirect(to(request, "agents_settings", agent.pk))
    if not can_change:
        form.freeze()
    context = {"agent": agent, "tab": "settings", "form": form, "can_change": can_change}
    return show(request, "agents/settings.html", context, partials=("settings",))


@team_view("GET", takes=Permission.MANAGE_AGENTS)
def archive_confirm(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_agent(request, agent_id)
    return show(request, "agents/archive.html", {"agent": agent, "tab": "settings"})


@team_view("POST", takes=Permission.MANAGE_AGENTS)
def archive(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_agent(request, agent_id)
    with request.visit.write() as tx:
        door.archive_agent(tx, agent)
    said = _("{name} was archived. You can restore it here for 30 days.")
    messages.success(request, said.format(name=agent.name))
    return redirect(to(request, "agents"))


@team_view("POST", takes=Permission.MANAGE_AGENTS)
def unarchive(request: TeamRequest, agent_id: UUID) -> HttpResponse:
    agent = find_archived_agent(request, agent_id)
    try:
        with request.visit.write() as tx:
            door.restore_agent(tx, agent)
    except door.NameTaken as taken:
        messages.error(request, f"{taken} {_('Rename that one first, then restore this one.')}")
    else:
        messages.success(request, _("{name} was restored.").format(name=agent.name))
    return redirect(to(request, "agents"))
