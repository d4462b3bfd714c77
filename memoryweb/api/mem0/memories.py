"""What mem0's clients ask for. A memory is a statement, and its id the statement's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from memoryweb.agents.models import Agent
from memoryweb.api import conversations
from memoryweb.api.auth import Caller, known_id
from memoryweb.api.exceptions import Forbidden, Invalid, NotFound, Problem
from memoryweb.api.fact_tools import AskToForget, forget
from memoryweb.api.mem0 import naming
from memoryweb.api.request_bodies import parse
from memoryweb.api.tool_calls import Call
from memoryweb.api.tools import acting_of, writer_of
from memoryweb.memory import tools
from memoryweb.memory.models import Conversation, Fact
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.tools import Acting
from memoryweb.runs.models import Run

_MOST, _PAGE, _MOST_AT_ONCE = 50, 100, 1000
_DELETED = {"message": "Memory deleted successfully!"}
_SOURCE = Conversation.Source.MEM0
_TALK = "mem0"  # where a client names no run, all it sends of an owner is one conversation
_ENDED = {Run.Status.SUCCEEDED, Run.Status.NO_CHANGE, Run.Status.SKIPPED}


@dataclass(frozen=True)
class Asked:
    caller: Caller
    agent: Agent
    body: Mapping[str, Any]
    query: Mapping[str, str]
    id: str

    def acting(self) -> Acting:
        """For whom the body, or else the query, names."""
        named = naming.in_body(self.body) or naming.in_body(self.query)
        call = parse(Call, {"endUserId": naming.end_user(named)})
        return acting_of(self.caller, self.agent, call)

    def found(self, name: str) -> tuple[Acting, Fact]:
        """A memory by its id alone, or what has taken its place: of an end user of this token."""
        fact = self.agent.facts.filter(pk=known_id(name)).select_related("owner").first()
        if fact is None or fact.owner is None:
            raise NotFound
        try:
            call = parse(Call, {"owner": str(fact.owner.pk)})
            acting = acting_of(self.caller, self.agent, call)
        except Forbidden:
            raise NotFound from None
        now = tools.current(acting, fact)
        if now is None:
            raise NotFound
        return acting, now


def ping(asked: Asked) -> dict[str, Any]:
    team = str(asked.caller.team.pk)
    return {"status": "ok", "org_id": team, "project_id": str(asked.agent.pk), "user_email": None}


def add(asked: Asked) -> dict[str, Any]:
    """With `infer`, which is the default, memory is made of it as of every conversation."""
    if asked.body.get("expiration_date"):
        raise Invalid("expiration_date", _("Memories here have no date at which they go."))
    messages = _messages(asked.body.get("messages"))
    if asked.body.get("infer") is False:
        return _stated(asked, messages)
    named = naming.in_body(asked.body)
    talk = named.get("run_id") or _TALK
    body = {
        "messages": messages,
        "endUserId": naming.end_user(named),
        "finished": True,
    }
    run = conversations.received(asked.caller, asked.agent, talk, body, _SOURCE).run
    return {
        "status": "PENDING" if run else "SUCCEEDED",
        "event_id": run.id if run else None,
        "results": [],
    }


def _messages(sent: Any) -> list[dict[str, str]]:
    """A text, a message or several; of what isn't text, nothing."""
    if isinstance(sent, str):
        sent = [{"role": "user", "content": sent}]
    sent = [sent] if isinstance(sent, dict) else sent
    if not isinstance(sent, list) or not all(isinstance(one, dict) for one in sent):
        raise Invalid("messages", _("Send a list of messages with role and content."))
    texts = [(str(one.get("role", "user")), _text(one.get("content"))) for one in sent]
    return [{"role": role, "content": text} for role, text in texts if text]


def _text(content: Any) -> str:
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _stated(asked: Asked, messages: list[dict[str, str]]) -> dict[str, Any]:
    """Word for word: a few at once, many by a run, which `event` tells of."""
    acting = asked.acting()
    texts = [one["content"] for one in messages if one["role"] != "system"]
    if len(texts) > _MOST_AT_ONCE:
        said = _("Send up to {most} messages.")
        raise Invalid("messages", said.format(most=_MOST_AT_ONCE))
    tools.check(texts)
    with write_transaction(asked.caller.team, actor=asked.caller.actor) as work:
        writer = writer_of(asked.caller, acting)
        if len(texts) > tools.SLICE:
            run = tools.request(work, acting, texts, writer=writer)
            return {"status": "PENDING", "event_id": str(run.pk), "results": []}
        facts = tools.state(work, acting, texts, writer=writer)
    return {
        "results": [
            {"id": str(fact.pk), "memory": fact.text, "data": {"memory": fact.text}, "event": "ADD"}
            for fact in facts
            if fact is not None
        ]
    }


def search(asked: Asked) -> dict[str, Any]:
    query = asked.body.get("query")
    if not isinstance(query, str) or not 0 < len(query) <= 1000:
        raise Invalid("query", _("Send a query of up to 1,000 characters."))
    top = _number(asked.body, "top_k", _number(asked.body, "limit", 10, most=_MOST), most=_MOST)
    floor = asked.body.get("threshold", 0.1)
    if not isinstance(floor, int | float):
        raise Invalid("threshold", _("Send a number."))
    acting = asked.acting()
    found = tools.search(acting, query, top)
    return {
        "results": [
            _memory(one.fact) | {"score": round(one.relevance, 4)}
            for one in found
            if one.relevance >= floor
        ]
    }


def pages(asked: Asked) -> dict[str, Any]:
    number = _number(asked.query, "page", 1, most=100_000)
    size = _number(asked.query, "page_size", _PAGE, most=_PAGE)
    rows = tools.own(asked.acting())
    count, first = rows.count(), (number - 1) * size
    here = f"?page={{}}&page_size={size}"
    return {
        "count": count,
        "next": here.format(number + 1) if first + size < count else None,
        "previous": here.format(number - 1) if number > 1 else None,
        "results": [_memory(fact) for fact in rows[first : first + size]],
    }


def listed(asked: Asked) -> dict[str, Any]:
    return {"results": [_memory(fact) for fact in tools.own(asked.acting())[:_MOST_AT_ONCE]]}


def get(asked: Asked) -> dict[str, Any]:
    _acting, fact = asked.found(asked.id)
    return _memory(fact) | {"id": asked.id}


def update(asked: Asked) -> dict[str, Any]:
    return _updated(asked, asked.id, asked.body.get("text"))


def _updated(asked: Asked, name: str, text: Any) -> dict[str, Any]:
    if not isinstance(text, str):
        raise Invalid("text", _("Send the new text."))
    acting, fact = asked.found(name)
    with write_transaction(asked.caller.team, actor=asked.caller.actor) as work:
        writer = writer_of(asked.caller, acting)
        fact = tools.reword(work, acting, fact, text, writer=writer)
    return _memory(fact) | {"id": name}


def delete(asked: Asked) -> dict[str, Any]:
    """Hidden at once and erased after the usual time, as whenever something is to be forgotten."""
    acting, fact = asked.found(asked.id)
    _check_gone([_forget(asked, acting, [str(fact.pk)])])
    return _DELETED


def delete_all(asked: Asked) -> dict[str, Any]:
    acting = asked.acting()
    ids = [str(fact.pk) for fact in tools.own(acting)]
    parts = (ids[first : first + _MOST] for first in range(0, len(ids), _MOST))
    _check_gone([_forget(asked, acting, part) for part in parts])
    return {"message": "Memories deleted successfully!"}


def update_many(asked: Asked) -> dict[str, Any]:
    for one in _batch(asked):
        _updated(asked, one["memory_id"], one.get("text"))
    return {"message": f"Successfully updated {len(_batch(asked))} memories"}


def delete_many(asked: Asked) -> dict[str, Any]:
    gone = []
    for one in _batch(asked):
        acting, fact = asked.found(one["memory_id"])
        gone.append(_forget(asked, acting, [str(fact.pk)]))
    _check_gone(gone)
    return {"message": f"Successfully deleted {len(_batch(asked))} memories"}


def _batch(asked: Asked) -> list[dict[str, Any]]:
    sent = asked.body.get("memories")
    listed = sent if isinstance(sent, list) else [None]
    named = [one for one in listed if isinstance(one, dict)]
    named = [one for one in named if isinstance(one.get("memory_id"), str)]
    if len(named) != len(listed) or len(listed) > _MOST_AT_ONCE:
        raise Invalid(
            "memories",
            _("Send up to {most} objects with memory_id.").format(most=_MOST_AT_ONCE),
        )
    return named


def _forget(asked: Asked, acting: Acting, ids: list[str]) -> bool:
    """False where it is only offered: programs hide few statements, of more a person picks."""
    with write_transaction(asked.caller.team, actor=asked.caller.actor) as work:
        made = forget(acting, AskToForget(ids=ids), work, writer_of(asked.caller, acting))
    return bool(made["hidden"])


def _check_gone(gone: list[bool]) -> None:
    """Raises Problem: nobody is told that something is deleted that is still given to prompts."""
    if not all(gone):
        detail = _("Not all of it is deleted: of so much at once, a person has to pick.")
        raise Problem(409, "person_decides", detail)


def history(asked: Asked) -> list[dict[str, Any]]:
    """What was ever said of it, the earliest first."""
    _acting, fact = asked.found(asked.id)
    before, told = None, []
    for one in tools.values(fact):
        told.append(
            {
                "id": str(one.pk),
                "memory_id": asked.id,
                "old_memory": before,
                "new_memory": one.text,
                "event": "UPDATE" if before else "ADD",
                "created_at": one.created_at.isoformat(),
                "updated_at": one.changed_at.isoformat(),
                **naming.named_as(one.owner),
            }
        )
        before = one.text
    return told


def entities(asked: Asked) -> dict[str, Any]:
    """End users of this token, with how much is known of each."""
    results = []
    program = asked.caller.integration
    for owner, count in tools.counted(asked.agent, program) if program else []:
        kind, name = next((kind, name) for kind, name in naming.named_as(owner).items() if name)
        entry = {"id": str(owner.pk), "name": name, "type": kind.removesuffix("_id")}
        results.append(entry | {"total_memories": count})
    return {"count": len(results), "next": None, "previous": None, "results": results}


def event(asked: Asked) -> dict[str, Any]:
    run = asked.agent.runs.filter(pk=known_id(asked.id)).select_related("owner").first()
    program = asked.caller.integration
    if run is None or program is None or run.owner is None or run.owner.integration != program:
        raise NotFound
    has_ended = run.status in _ENDED and not _dreams(run).exists()
    status = "SUCCEEDED" if has_ended else "FAILED" if run.status == "failed" else "PENDING"
    return {"id": asked.id, "status": status, "results": []}


def _dreams(run: Run) -> QuerySet[Run]:
    """What makes statements of what was sent."""
    return run.agent.runs.active().filter(kind=Run.Kind.DREAM, owner=run.owner, night=None)


def _memory(fact: Fact) -> dict[str, Any]:
    said = fact.said_at or fact.created_at
    return {
        "id": str(fact.pk),
        "memory": fact.text,
        **naming.named_as(fact.owner),
        "metadata": None,
        "categories": [],
        "created_at": said.isoformat(),
        "updated_at": fact.changed_at.isoformat(),
    }


def _number(given: Mapping[str, Any], name: str, default: int, *, most: int) -> int:
    sent = given.get(name, default)
    if isinstance(sent, str) and sent.isascii() and sent.isdigit():
        sent = int(sent[:9])
    if type(sent) is not int or not 1 <= sent <= most:
        raise Invalid(name, _("{name} is a number from 1 to {most}.").format(name=name, most=most))
    return sent
