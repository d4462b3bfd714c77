"""An agent with its seed files, made together or not at all."""

from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from memoryweb import agents as room
from memoryweb.agents.models import Agent
from memoryweb.agents.nights import next_dream_at
from memoryweb.memory.exceptions import MemoryRefused
from memoryweb.memory.files import Place, Writer, write
from memoryweb.memory.unit import Unit
from memoryweb.workspace.models import AuthorKind
from memoryweb.workspace.paths import SEEDED

_SEEDS = Path(room.__file__).parent / "seeds"
MAX_NAME = 64
_NIGHTS = {"time_zone", "dream_at", "dreaming"}  # what decides when the next dream is


class NameTaken(MemoryRefused):
    code = "name_taken"

    def __init__(self, name: str) -> None:
        super().__init__(_("This team has an agent named “{name}” already.").format(name=name))


def create_agent(unit: Unit, *, name: str, **settings: Any) -> Agent:
    """Raises NameTaken. `settings` are fields of Agent."""
    _check_name(unit, name)
    agent = Agent(team=unit.team, name=name, folded_name=_fold(name), **settings)
    agent.next_dream_at = next_dream_at(agent, unit.now)
    agent.save(force_insert=True)
    writer = Writer(AuthorKind.SYSTEM)
    for path in SEEDED:
        text = (_SEEDS / path).read_text(encoding="utf-8")
        write(unit, Place(agent, None, path), text, writer=writer, expected="")
    unit.record(
        "agent.created", target_kind="agent", target_id=str(agent.pk), labels={"name": name}
    )
    return agent


def change_agent(unit: Unit, agent: Agent, **settings: Any) -> list[str]:
    """Set fields and say which changed. A new time or zone moves the next dream."""
    changed = [field for field, value in settings.items() if getattr(agent, field) != value]
    if not changed:
        return []
    if "name" in changed:
        _check_name(unit, settings["name"], of=agent)
        agent.folded_name = _fold(settings["name"])
    for field in changed:
        setattr(agent, field, settings[field])
    derived = ["folded_name"]
    if _NIGHTS & set(changed):
        agent.next_dream_at = next_dream_at(agent, unit.now)
        derived.append("next_dream_at")
    agent.save(update_fields=[*changed, *derived])
    unit.record(
        "agent.changed",
        target_kind="agent",
        target_id=str(agent.pk),
        details={"fields": sorted(changed)},
    )
    return changed


def archive_agent(unit: Unit, agent: Agent) -> None:
    """Out of every list and night at once; its memory is kept."""
    agent.archived_at = unit.now
    agent.next_dream_at = None
    agent.save(update_fields=["archived_at", "next_dream_at"])
    unit.record("agent.archived", target_kind="agent", target_id=str(agent.pk))


def _fold(name: str) -> str:
    """As long as its column: folding may make several characters of one."""
    return name.casefold()[:MAX_NAME]


def _check_name(unit: Unit, name: str, of: Agent | None = None) -> None:
    named = Agent.objects.live().filter(team=unit.team, folded_name=_fold(name))
    if any(other != of for other in named):
        raise NameTaken(name)
