from datetime import UTC, timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.db.models import Count, Min, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.backends import memberships_of
from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.accounts.members import found_team
from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Permission, Role
from memoryweb.accounts.teams import by_name, only_here, remove_demo, set_limits
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import Actor
from memoryweb.llm import usage
from memoryweb.llm.endpoint import configured
from memoryweb.memory import forgetting
from memoryweb.runs import healthcheck
from memoryweb.runs.models import Run
from memoryweb.web.access import TeamRequest, team_view
from memoryweb.web.form_fields import WordsField
from memoryweb.web.pages import page, path_of, show, to


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def start_own(request: TeamRequest) -> HttpResponse:
    """Out of the demo, to the first agent of a team of one's own."""
    _demo(request)
    visit = request.visit
    known = [one.team for one in memberships_of(request.user) if one.role == Role.ADMIN]
    team = next((one for one in known if not one.is_demo), None)
    team = team or found_team(name=_("My team"), admin=visit.user, by=visit.actor)
    return redirect(path_of(team.slug, "agents_new"))


@team_view("GET", takes=Permission.MANAGE_MEMBERS)
def demo_confirm(request: TeamRequest) -> HttpResponse:
    people = list(only_here(_demo(request)))
    context = {
        "tab": "health",
        "others": [person for person in people if person != request.user],
        "is_me_too": request.user in people,
    }
    return show(request, "settings/demo_remove.html", context)


@team_view("POST", takes=Permission.MANAGE_MEMBERS)
def demo_remove(request: TeamRequest) -> HttpResponse:
    try:
        gone = remove_demo(team=_demo(request), by=request.visit.actor)
    except AccountsRefused as refused:
        messages.error(request, str(refused))
        return redirect("home")
    is_me_too = request.user in gone
    if is_me_too:
        logout(request)
    messages.success(request, _("The demo team and everything in it was removed."))
    return redirect("account_login" if is_me_too else "home")


def _demo(request: TeamRequest) -> Team:
    team = request.visit.team
    if not team.is_demo:
        raise Http404
    return team


# How it fares: whether background work is done.

_LISTED = 20


def _with_whose(runs: "QuerySet[Run]") -> "QuerySet[Run]":
    return runs.select_related("agent", "owner__integration", "owner__person")


@team_view("GET", takes=Permission.SEE_AUDIT)
def health(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    found = healthcheck.check(visit.now)
    failed = visit.team.runs.filter(
        status=Run.Status.FAILED, due_at=None, finished_at__gte=visit.now - timedelta(days=7)
    )
    context = {
        "tab": "health",
        "health": found,
        "queue": _queue(request),
        "failed": _with_whose(failed).order_by("-finished_at")[:_LISTED],
        "has_model": configured(visit.team.pk),
        "paused_until": usage.open_until(visit.team.pk),
    }
    return show(request, "settings/health.html", context)


def _queue(request: TeamRequest) -> list[dict[str, Any]]:
    """This team's work by kind: how much waits, since when, and how much is being done."""
    active = request.visit.team.runs.active()
    rows = (
        active.order_by().values_list("kind", "status").annotate(n=Count("pk"), since=Min("due_at"))
    )
    found: dict[str, dict[str, Any]] = {}
    for kind, status, n, since in rows:
        row = found.setdefault(kind, {"kind": Run.Kind(kind).label, "waits": 0, "runs": 0})
        if status == Run.Status.RUNNING:
            row["runs"] += n
        else:
            row["waits"] += n
            row["since"] = min(since, row.get("since") or since) if since else row.get("since")
    return list(found.values())


# What was erased, what a legal hold keeps, and how long things are kept.

_FOR_EVER = gettext_lazy("Empty: until somebody deletes it.")


class HoldForm(forms.Form):
    """On all of a team's memory, on one agent's, on one person's, or on both."""

    reason = WordsField(label=gettext_lazy("Reason"), max_length=500)
    agent: "forms.ModelChoiceField[Agent]" = forms.ModelChoiceField(
        None, label=gettext_lazy("Agent"), required=False, empty_label=gettext_lazy("All agents")
    )
    owner = forms.UUIDField(
        label=gettext_lazy("Person"),
        required=False,
        help_text=gettext_lazy("The id on the person's page. Empty: everyone, and shared memory."),
    )

    def __init__(self, team: Team, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.team = team
        self.fields["agent"].queryset = team.agents.live()  # type: ignore[attr-defined]

    def clean_owner(self) -> Owner | None:
        wanted = self.cleaned_data["owner"]
        found = self.team.owners.filter(pk=wanted).first() if wanted else None
        if wanted and found is None:
            raise forms.ValidationError(gettext_lazy("Nobody has this id."))
        return found


class RetentionForm(forms.Form):
    messages_days = forms.IntegerField(
        label=gettext_lazy("Days that messages are kept"),
        required=False,
        min_value=1,
        max_value=36_500,
        help_text=_FOR_EVER,
    )
    owners_days = forms.IntegerField(
        label=gettext_lazy("Days after which people who are silent are erased"),
        required=False,
        min_value=30,
        max_value=36_500,
        help_text=_FOR_EVER,
    )
    reports_days = forms.IntegerField(
        label=gettext_lazy("Days that models’ answers and what dreams skipped are kept"),
        required=False,
        min_value=60,
        max_value=36_500,
        help_text=gettext_lazy("Empty: for ever. What a statement rests on always stays."),
    )


@team_view("GET", takes=Permission.SEE_AUDIT)
def erasing(request: TeamRequest) -> HttpResponse:
    return _show(request)


@team_view("POST", takes=Permission.FORGET)
def hold(request: TeamRequest) -> HttpResponse:
    visit = request.visit
    form = HoldForm(visit.team, request.POST)
    if not form.is_valid():
        return _show(request, hold_form=form)
    with visit.write() as tx:
        forgetting.make_hold(tx, by=visit.user, **form.cleaned_data)
    messages.success(request, _("Held: nothing of it is erased until the hold ends."))
    return redirect(to(request, "settings_erasing"))


@team_view("POST", takes=Permission.FORGET)
def end_hold(request: TeamRequest, hold_id: UUID) -> HttpResponse:
    visit = request.visit
    found = get_object_or_404(forgetting.lasting_holds(visit.team.pk), pk=hold_id)
    with visit.write() as tx:
        forgetting.end_hold(tx, found)
    messages.success(request, _("The hold has ended. What waited for it is erased now."))
    return redirect(to(request, "settings_erasing"))


@team_view("POST", takes=Permission.FORGET)
def keep(request: TeamRequest) -> HttpResponse:
    form, visit = RetentionForm(request.POST), request.visit
    if not form.is_valid():
        return _show(request, retention_form=form)
    set_limits(team=visit.team, by=visit.actor, **form.cleaned_data)
    messages.success(request, _("Saved. The next night erases what is older."))
    return redirect(to(request, "settings_erasing"))


def _show(
    request: TeamRequest,
    *,
    hold_form: HoldForm | None = None,
    retention_form: RetentionForm | None = None,
) -> HttpResponse:
    team = request.visit.team
    kept = {name: getattr(team, name) for name in RetentionForm.base_fields}
    context = {
        "tab": "health",
        "runs_kept": settings.RUNS_KEPT_DAYS,
        "sessions_kept": settings.SESSIONS_KEPT_DAYS,
        "is_by_rows": not forgetting.promises_bytes(),
        "can_manage": request.visit.can(Permission.FORGET),
        "holds": forgetting.lasting_holds(team.pk).select_related("agent", "owner", "created_by"),
        "page": page(
            request, forgetting.receipts_of(team.pk).select_related("agent", "by"), size=40
        ),
        "hold_form": hold_form or HoldForm(team),
        "retention_form": retention_form or RetentionForm(initial=kept),
    }
    status = 422 if hold_form or retention_form else 200
    return show(request, "settings/erasing.html", context, status=status)


# What each team may use, as whoever runs the installation sets it: for a superuser.

_LIMITS = {
    "requests_minute": gettext_lazy("Calls a minute"),
    "requests_day": gettext_lazy("Calls a day"),
    "tokens_day": gettext_lazy("Tokens of models a day"),
    "stored_mb": gettext_lazy("Stored, in MB"),
}


class QuotasForm(forms.Form):
    """Empty: as every team."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        every = settings.QUOTAS | {"tokens_day": settings.DAILY_TOKENS}
        for name, label in _LIMITS.items():
            limits: Any = {"required": False, "min_value": 1, "max_value": 2**31 - 1}
            self.fields[name] = field = forms.IntegerField(label=label, **limits)
            field.widget.attrs["placeholder"] = every[name] or _("no limit")


@team_view("GET", "POST")
def quotas(request: TeamRequest) -> HttpResponse:
    """Of the team that `team=` names; without it the list of all."""
    if not request.user.is_superuser:
        raise Http404
    teams, slug = by_name(), request.GET.get("team")
    team = get_object_or_404(teams, slug=slug) if slug else None
    form = QuotasForm(
        request.POST or None, initial={name: getattr(team, name, None) for name in _LIMITS}
    )
    if team and form.is_valid():
        by = Actor("person", str(request.user.pk), "superuser")
        set_limits(team=team, by=by, **form.cleaned_data)
        messages.success(request, _("Limits of {team} saved.").format(team=team))
        return redirect(to(request, "settings_quotas"))
    shown = page(request, teams)
    used = usage.on_day(request.visit.now.astimezone(UTC).date(), [one.pk for one in shown.items])
    context = {
        "tab": "quotas",
        "chosen": team,
        "form": form,
        "page": shown,
        "rows": [(one, *used.get(one.pk, (0, 0))) for one in shown.items],
    }
    return show(request, "settings/quotas.html", context, status=422 if form.errors else 200)
