from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.models import Event
from memoryweb.runs import engine
from memoryweb.runs.models import Run


@dataclass(frozen=True)
class Desk:
    team: Team
    agent: Agent
    owner: Owner

    def ask(self, owner: Owner | None = None, **wish: Any) -> Run:
        return self.enqueue(owner, **wish).run

    def enqueue(self, owner: Owner | None = None, **wish: Any) -> engine.QueuedRun:
        wish = {"agent": self.agent, "kind": "dream", "trigger": "person", **wish}
        return engine.enqueue(owner=owner, **wish)

    def new_agent(self, name: str) -> Agent:
        return Agent.objects.create(team=self.team, name=name, folded_name=name)

    def new_owner(self, name: str) -> Owner:
        return Owner.objects.create(team=self.team, source="slack", external_id=name)

    def events(self, action: str = "run.finished") -> list[Event]:
        return list(Event.objects.filter(team_id=self.team.pk, action=action).order_by("seq"))


def ago(**parts: float) -> datetime:
    return timezone.now() - timedelta(**parts)


def ahead(**parts: float) -> datetime:
    return timezone.now() + timedelta(**parts)


def change(run: Run, **fields: Any) -> None:
    """Time passes, or someone else acts."""
    Run.objects.filter(pk=run.pk).update(**fields)


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def done(lease: engine.Lease) -> None:
    lease.finish(engine.Outcome("succeeded"))
