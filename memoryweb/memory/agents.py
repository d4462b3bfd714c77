"""An agent from its creation with its seed files to its end, 30 days after it was archived."""

import logging
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _
from django_scopes import scopes_disabled

from memoryweb.agents.models import TINTS, Agent, next_dream_at
from memoryweb.audit.record import target
from memoryweb.language.invisible import skeleton
from memoryweb.markdown.file_kinds import SEEDED
from memoryweb.memory.lines.files import seed
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Place, Transaction, Writer, write_transaction
from memoryweb.memory.writing import screening
from memoryweb.memory.writing.write import write

logger = logging.getLogger(__name__)

KEPT = timedelta(days=30)
MAX_NAME = 64
_WORDS = {"name", "description", "journal_model"}
_NIGHTS = {"time_zone", "dream_at", "dreaming"}  # what decides when the next dream is


class NameTaken(MemoryRefused):
    code = "name_taken"

    def __init__(self, name: str, other: str) -> None:
        said = _("This team has an agent named “{name}” already.")
        if _fold(name) != _fold(other):
            said = _("“{name}” only looks like “{other}”, an agent of this team. Choose another.")
        super().__init__(said.format(name=name, other=other))


def create_agent(tx: Transaction, *, name: str, **settings: Any) -> Agent:
    """Raises NameTaken, ContentRefused. `settings` are fields of Agent."""
    _check_name(tx, name)
    screening.check_words(name, *(settings.get(one, "") for one in _WORDS - {"name"}))
    agent = Agent(team=tx.team, name=name, folded_name=_fold(name), **settings)
    agent.next_dream_at = next_dream_at(agent, tx.now)
    agent.tint = _tint(tx, name)
    agent.save(force_insert=True)
    writer = Writer(AuthorKind.SYSTEM)
    for path in SEEDED:
        text = seed(path, agent.language)
        write(tx, Place(agent, None, path), text, writer=writer, expected="")
    tx.record("agent.created", **target(agent), labels={"name": name})
    return agent


def _tint(tx: Transaction, name: str) -> int:
    """What fewest agents of the team have, of these what fewest of the same letter have."""
    there = list(tx.team.agents.live().values_list("tint", "name"))
    used = Counter(tint for tint, _name in there)
    alike = Counter(tint for tint, other in there if other[:1].upper() == name[:1].upper())
    return min(range(1, TINTS + 1), key=lambda tint: (used[tint], alike[tint], tint))


def change_agent(tx: Transaction, agent: Agent, **settings: Any) -> list[str]:
    """Set fields and say which changed. A new time or zone moves the next dream."""
    changed = [field for field, value in settings.items() if getattr(agent, field) != value]
    if not changed:
        return []
    screening.check_words(*(settings[field] for field in changed if field in _WORDS))
    if "name" in changed:
        _check_name(tx, settings["name"], of=agent)
        agent.folded_name = _fold(settings["name"])
    for field in changed:
        setattr(agent, field, settings[field])
    derived = ["folded_name"]
    if _NIGHTS & set(changed):
        agent.next_dream_at = next_dream_at(agent, tx.now)
        derived.append("next_dream_at")
    agent.save(update_fields=[*changed, *derived])
    said = {"fields": sorted(changed), "localModelsOnly": agent.local_models_only}
    tx.record("agent.changed", **target(agent), details=said)
    return changed


def archive_agent(tx: Transaction, agent: Agent) -> None:
    """Out of every list and night at once; its memory is kept for 30 days."""
    agent.refresh_from_db(fields=["archived_at"])
    if agent.archived_at is not None:
        return
    agent.archived_at = tx.now
    agent.next_dream_at = None
    agent.save(update_fields=["archived_at", "next_dream_at"])
    tx.record("agent.archived", **target(agent))


def restore_agent(tx: Transaction, agent: Agent) -> None:
    """Back from the archive; nights that passed meanwhile are not dreamt. Raises NameTaken."""
    agent.refresh_from_db(fields=["archived_at"])
    if agent.archived_at is None:
        return
    _check_name(tx, agent.name, of=agent)
    agent.archived_at = None
    agent.next_dream_at = next_dream_at(agent, tx.now)
    agent.save(update_fields=["archived_at", "next_dream_at"])
    tx.record("agent.restored", **target(agent))


def remove_expired(now: datetime) -> int:
    """Delete the agents that were archived 30 days ago, with all that is theirs; how many.

    What keeps one from going stops no other.
    """
    with scopes_disabled():
        expired = list(Agent.objects.expired(now - KEPT).select_related("team"))
    return sum(_remove_safely(agent, now) for agent in expired)


def _remove_safely(agent: Agent, now: datetime) -> bool:
    try:
        return _remove(agent, now)
    except Exception:
        logger.exception("The archived agent %s could not be removed.", agent.pk)
        return False


def _remove(agent: Agent, now: datetime) -> bool:
    with write_transaction(agent.team) as tx:
        # Somebody may have brought it back since it was found.
        still = Agent.objects.expired(now - KEPT).filter(pk=agent.pk).first()
        if still is None:
            return False
        remove_agent(tx, still)
        return True


def remove_agent(tx: Transaction, agent: Agent) -> None:
    """With all that belongs to it."""
    tx.record("agent.removed", **target(agent), labels={"name": agent.name})
    agent.delete()


def _fold(name: str) -> str:
    """As long as its column: folding may make several characters of one."""
    return name.casefold()[:MAX_NAME]


def _check_name(tx: Transaction, name: str, of: Agent | None = None) -> None:
    """Nobody can tell names apart that are drawn alike."""
    folded, drawn = _fold(name), skeleton(name)
    for other in Agent.objects.live().filter(team=tx.team):
        is_alike = other.folded_name == folded or skeleton(other.name) == drawn
        if other != of and is_alike:
            raise NameTaken(name, other.name)
