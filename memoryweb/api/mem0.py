"""What mem0's clients ask for. A memory is a statement, and its id the statement's."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core import signing
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_scopes import scope

from memoryweb.agents.models import Agent
from memoryweb.api import conversations, pipeline, quotas, request_bodies
from memoryweb.api.auth import Right, caller_of, known_id
from memoryweb.api.domain_errors import REFUSALS, problem_of
from memoryweb.api.fact_tools import AskToForget, forget
from memoryweb.api.mem0_calls import KINDS, Mem0Call, named_as, parts_of
from memoryweb.api.problems import Invalid, NotFound, Problem
from memoryweb.api.tools import writer_of
from memoryweb.memory import tools
from memoryweb.memory.models import Conversation, Fact
from memoryweb.memory.tools import Acting
from memoryweb.memory.visible.readable import To, statement
from memoryweb.runs.models import Run

_MOST, _PAGE, _MOST_AT_ONCE = 50, 100, 1000
_DELETED = {"message": "Memory deleted successfully!"}
_SOURCE = Conversation.Source.MEM0
_TALK = "mem0"  # where a client names no run, all it sends of an owner is one conversation
_EXPORT = "memoryweb.mem0.export"
_ADDING = (Run.Kind.EXTRACTION, Run.Kind.STATEMENTS)
_ENDED = {Run.Status.SUCCEEDED, Run.Status.NO_CHANGE, Run.Status.SKIPPED}


def ping(asked: Mem0Call) -> dict[str, Any]:
    team = str(asked.caller.team.pk)
    return {"status": "ok", "org_id": team, "project_id": str(asked.agent.pk), "user_email": None}


def add(asked: Mem0Call) -> dict[str, Any]:
    """With `infer`, which is the default, memory is made of it as of every conversation."""
    messages = _messages(asked.body.get("messages"))
    if asked.body.get("infer") is False:
        return _stated(asked, messages)
    if asked.body.get("expiration_date"):
        detail = "Send expiration_date with infer: false, or with an update."
        raise Invalid("expiration_date", detail)
    talk, body = _talk(asked, messages)
    run = conversations.received(asked.caller, asked.agent, talk, body, _SOURCE).run
    return {
        "status": "PENDING" if run else "SUCCEEDED",
        "event_id": run.id if run else None,
        "results": [],
    }


def hear_refused(asked: Mem0Call) -> None:
    """What is asked of memory in what a quota refuses."""
    talk, body = _talk(asked, _messages(asked.body.get("messages")))
    conversations.hear_refused(asked.caller, asked.agent, talk, body, _SOURCE)


def _talk(asked: Mem0Call, messages: list[dict[str, str]]) -> tuple[str, dict[str, Any]]:
    """The conversation, and what is sent to it."""
    part = parts_of(asked.body)[0]
    body = {"messages": messages, "endUserId": part.end_user, "finished": True}
    return part.named.get("run_id") or _TALK, body


def _messages(sent: Any) -> list[dict[str, str]]:
    """A text, a message or several; of what isn't text, nothing."""
    if isinstance(sent, str):
        sent = [{"role": "user", "content": sent}]
    sent = [sent] if isinstance(sent, dict) else sent
    if not isinstance(sent, list) or not all(isinstance(one, dict) for one in sent):
        raise Invalid("messages", "Send a list of messages with role and content.")
    texts = [(str(one.get("role", "user")), _text(one.get("content"))) for one in sent]
    return [{"role": role, "content": text} for role, text in texts if text]


def _text(content: Any) -> str:
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _stated(asked: Mem0Call, messages: list[dict[str, str]]) -> dict[str, Any]:
    """Word for word: a few at once, many by a run, which `event` tells of."""
    acting = asked.acting()
    texts = [one["content"] for one in messages if one["role"] != "system"]
    if len(texts) > _MOST_AT_ONCE:
        raise Invalid("messages", f"Send up to {_MOST_AT_ONCE} messages.")
    tools.check(texts)
    about = _about(asked)
    if about and len(texts) > tools.SLICE:
        raise Invalid("messages", f"Send up to {tools.SLICE} with metadata or expiration_date.")
    with asked.caller.write() as tx:
        writer = writer_of(asked.caller, acting)
        if len(texts) > tools.SLICE:
            run = tools.request(tx, acting, texts, writer=writer)
            return {"status": "PENDING", "event_id": str(run.pk), "results": []}
        facts = tools.state(tx, acting, texts, writer=writer)
        for fact in filter(None, facts):
            tools.describe(tx, fact, **about)
    return {
        "results": [
            {
                "id": str(fact.pk),
                "memory": _said(fact),
                "data": {"memory": _said(fact)},
                "event": "ADD",
            }
            for fact in facts
            if fact is not None
        ]
    }


def search(asked: Mem0Call) -> dict[str, Any]:
    query = asked.body.get("query")
    if not isinstance(query, str) or not 0 < len(query) <= 1000:
        raise Invalid("query", "Send a query of up to 1,000 characters.")
    top = _number(asked.body, "top_k", _number(asked.body, "limit", 10, most=_MOST), most=_MOST)
    floor = asked.body.get("threshold", 0)
    if not isinstance(floor, int | float):
        raise Invalid("threshold", "Send a number.")
    each = [tools.search(acting, query, top, which) for acting, which in asked.reading()]
    found = [one for some in each for one in some if one.relevance >= floor]
    if len(each) > 1:
        found.sort(key=lambda one: -one.relevance)
    return {
        "results": [_memory(one.fact) | {"score": round(one.relevance, 4)} for one in found[:top]]
    }


def pages(asked: Mem0Call) -> dict[str, Any]:
    number = _number(asked.query, "page", 1, most=100_000)
    size = _number(asked.query, "page_size", _PAGE, most=_PAGE)
    each = [tools.own(acting).filter(which) for acting, which in asked.reading()]
    count, first = sum(rows.count() for rows in each), (number - 1) * size
    here = f"?page={{}}&page_size={size}"
    return {
        "count": count,
        "next": here.format(number + 1) if first + size < count else None,
        "previous": here.format(number - 1) if number > 1 else None,
        "results": [_memory(fact) for fact in _window(each, first, size)],
    }


def _window(each: list[QuerySet[Any]], first: int, size: int) -> list[Fact]:
    """Of all these rows one behind the other."""
    found: list[Fact] = []
    for rows in each:
        found += rows[first : first + size - len(found)]
        if len(found) == size:
            break
        first = 0 if found else first - rows.count()
    return found


def listed(asked: Mem0Call) -> dict[str, Any]:
    each = [tools.own(acting).filter(which) for acting, which in asked.reading()]
    return {"results": [_memory(fact) for fact in _window(each, 0, _MOST_AT_ONCE)]}


def begin_export(asked: Mem0Call) -> dict[str, Any]:
    """Nothing is kept: what is asked stands in the id, and is read when it is fetched."""
    asked.reading()
    told = {name: asked.body[name] for name in (*KINDS, "filters") if name in asked.body}
    return {"message": "The export can be fetched.", "id": signing.dumps(told, salt=_EXPORT)}


def export(asked: Mem0Call) -> dict[str, Any]:
    name = asked.body.get("memory_export_id")
    try:
        told = signing.loads(name, salt=_EXPORT) if isinstance(name, str) else asked.body
    except signing.BadSignature:
        raise NotFound from None
    return listed(replace(asked, body=told))


def give_feedback(asked: Mem0Call) -> dict[str, Any]:
    """Taken and not kept: how far a statement is trusted is for people."""
    name = asked.body.get("memory_id")
    if not isinstance(name, str):
        raise Invalid("memory_id", "Send the id of a memory.")
    asked.found(name)
    return {"id": name, "message": "Thank you. It changes nothing about the memory."}


def get(asked: Mem0Call) -> dict[str, Any]:
    _acting, fact = asked.found(asked.id)
    return _memory(fact) | {"id": asked.id}


def update(asked: Mem0Call) -> dict[str, Any]:
    return _updated(asked, asked.id, asked.body.get("text"), _about(asked))


def _updated(asked: Mem0Call, name: str, text: Any, about: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(text, str) and (text is not None or not about):
        raise Invalid("text", "Send the new text.")
    acting, fact = asked.found(name)
    with asked.caller.write() as tx:
        writer = writer_of(asked.caller, acting)
        if isinstance(text, str) and text != _said(fact):
            about = {"metadata": fact.metadata, "until": fact.remembered_until, **about}
            fact = tools.reword(tx, acting, fact, text, writer=writer)
        if fact is not None:
            tools.describe(tx, fact, **about)
    return _memory(fact) | {"id": name}


def _about(asked: Mem0Call) -> dict[str, Any]:
    """The metadata and the last day that are sent with a memory."""
    found: dict[str, Any] = {}
    if (metadata := asked.body.get("metadata")) is not None:
        if not isinstance(metadata, dict):
            raise Invalid("metadata", "Metadata is a JSON object.")
        found["metadata"] = metadata
    if day := asked.body.get("expiration_date"):
        try:
            found["until"] = datetime.fromisoformat(str(day)).date()
        except ValueError:
            raise Invalid("expiration_date", "Send a day, such as 2027-01-31.") from None
    return found


def delete(asked: Mem0Call) -> dict[str, Any]:
    """Hidden at once and erased after the usual time, as whenever something is to be forgotten."""
    acting, fact = asked.found(asked.id)
    _check_gone([_forget(asked, acting, [str(fact.pk)])])
    return _DELETED


def delete_all(asked: Mem0Call) -> dict[str, Any]:
    return _delete_of(asked, asked.acting())


def delete_entity(asked: Mem0Call) -> dict[str, Any]:
    kind, _slash, name = asked.id.partition("/")
    return _delete_of(asked, replace(asked, body={f"{kind}_id": name}).acting())


def _delete_of(asked: Mem0Call, acting: Acting) -> dict[str, Any]:
    ids = [str(fact.pk) for fact in tools.own(acting)]
    parts = (ids[first : first + _MOST] for first in range(0, len(ids), _MOST))
    _check_gone([_forget(asked, acting, part) for part in parts])
    return {"message": "Memories deleted successfully!"}


def update_many(asked: Mem0Call) -> dict[str, Any]:
    for one in _batch(asked):
        _updated(asked, one["memory_id"], one.get("text"), {})
    return {"message": f"Successfully updated {len(_batch(asked))} memories"}


def delete_many(asked: Mem0Call) -> dict[str, Any]:
    gone = []
    for one in _batch(asked):
        acting, fact = asked.found(one["memory_id"])
        gone.append(_forget(asked, acting, [str(fact.pk)]))
    _check_gone(gone)
    return {"message": f"Successfully deleted {len(_batch(asked))} memories"}


def _batch(asked: Mem0Call) -> list[dict[str, Any]]:
    sent = asked.body.get("memories")
    listed = sent if isinstance(sent, list) else [None]
    named = [one for one in listed if isinstance(one, dict)]
    named = [one for one in named if isinstance(one.get("memory_id"), str)]
    if len(named) != len(listed) or len(listed) > _MOST_AT_ONCE:
        raise Invalid("memories", f"Send up to {_MOST_AT_ONCE} objects with memory_id.")
    return named


def _forget(asked: Mem0Call, acting: Acting, ids: list[str]) -> bool:
    """False where it is only offered: programs hide few statements, of more a person picks."""
    with asked.caller.write() as tx:
        made = forget(acting, AskToForget(ids=ids), tx, writer_of(asked.caller, acting))
    return bool(made["hidden"])


def _check_gone(gone: list[bool]) -> None:
    """Raises Problem: nobody is told that something is deleted that is still given to prompts."""
    if not all(gone):
        detail = (
            "Not all of it is deleted: so much at once waits in Review, for its owner or an admin."
        )
        raise Problem(409, "person_decides", detail)


def history(asked: Mem0Call) -> list[dict[str, Any]]:
    """What was ever said of it, the earliest first."""
    _acting, fact = asked.found(asked.id)
    before, told = None, []
    for one in tools.values(fact):
        after = _said(one)
        told.append(
            {
                "id": str(one.pk),
                "memory_id": asked.id,
                "old_memory": before,
                "new_memory": after,
                "event": "UPDATE" if before else "ADD",
                "created_at": one.created_at.isoformat(),
                "updated_at": one.changed_at.isoformat(),
                **named_as(one.owner),
            }
        )
        before = after
    return told


def entities(asked: Mem0Call) -> dict[str, Any]:
    """End users of this token, with how much is known of each."""
    results = []
    program = asked.caller.integration
    for owner, count in tools.counted(asked.agent, program) if program else []:
        kind, name = next((kind, name) for kind, name in named_as(owner).items() if name)
        entry = {"id": str(owner.pk), "name": name, "type": kind.removesuffix("_id")}
        results.append(entry | {"total_memories": count})
    return {"count": len(results), "next": None, "previous": None, "results": results}


def event(asked: Mem0Call) -> dict[str, Any]:
    run = asked.agent.runs.filter(pk=known_id(asked.id)).select_related("owner").first()
    program = asked.caller.integration
    if run is None or program is None or run.owner is None or run.owner.integration != program:
        raise NotFound
    return _event(run, _dreaming(asked.agent))


def events(asked: Mem0Call) -> dict[str, Any]:
    """The latest of this token's end users."""
    made = asked.agent.runs.filter(kind__in=_ADDING, owner__integration=asked.caller.integration)
    rows = made.order_by("-created_at")[:_MOST] if asked.caller.integration else []
    dreaming = _dreaming(asked.agent)
    return {"results": [_event(run, dreaming) for run in rows]}


def _event(run: Run, dreaming: set[UUID | None]) -> dict[str, Any]:
    has_ended = run.status in _ENDED and run.owner_id not in dreaming
    status = "SUCCEEDED" if has_ended else "FAILED" if run.status == "failed" else "PENDING"
    made = {"created_at": run.created_at.isoformat(), "event_type": "ADD"}
    return {"id": str(run.pk), "status": status, "results": [], **made}


def _dreaming(agent: Agent) -> set[UUID | None]:
    """Of whom statements are being made of what was sent."""
    rows = agent.runs.active().filter(kind=Run.Kind.DREAM, night=None)
    return set(rows.values_list("owner", flat=True))


def _said(fact: Fact) -> str:
    return statement(fact, To.PROGRAM).text


def _ended(fact: Fact) -> list[dict[str, str]]:
    """What of it holds no longer."""
    ended = statement(fact, To.PROGRAM).ended
    return [{"words": one.words, "until": one.on.isoformat()} for one in ended]


def _memory(fact: Fact) -> dict[str, Any]:
    said = fact.said_at or fact.created_at
    ended = {"ended": _ended(fact)} if fact.ended else {}
    return {
        "id": str(fact.pk),
        "memory": _said(fact),
        **named_as(fact.owner),
        "metadata": {**(fact.metadata or {}), **ended} or None,
        "expiration_date": fact.valid_to.isoformat() if fact.valid_to else None,
        "categories": [],
        "created_at": said.isoformat(),
        "updated_at": fact.changed_at.isoformat(),
    }


def _number(given: Mapping[str, Any], name: str, default: int, *, most: int) -> int:
    sent = given.get(name, default)
    if isinstance(sent, str) and sent.isascii() and sent.isdigit():
        sent = int(sent[:9])
    if type(sent) is not int or not 1 <= sent <= most:
        raise Invalid(name, f"{name} is a number from 1 to {most}.")
    return sent


# `/mem0/…`, and `/v1/…` to `/v3/…` for clients that take a host alone: the REST of mem0, platform
# and self-hosted, so that its clients work as they are.

Act = Callable[[Mem0Call], Any]

READ, WRITE = Right.READ, Right.WRITE_OWN
_ONE = r"(?:v1/)?memories/(?P<id>[^/]+)"
# Method, address, what it takes, what answers. Both shapes of an address lead to the same.
ROUTES: tuple[tuple[str, str, Right, Act], ...] = (
    ("GET", "v1/ping", READ, ping),
    ("POST", "(?:v3/memories/add|(?:v1/)?memories)", WRITE, add),
    ("POST", "(?:v[123]/memories/)?search", READ, search),
    ("POST", "v[23]/memories", READ, pages),
    ("GET", "(?:v1/)?memories", READ, listed),
    ("DELETE", "(?:v1/)?memories", WRITE, delete_all),
    ("GET", _ONE + "/history", READ, history),
    ("GET", _ONE, READ, get),
    ("PUT", _ONE, WRITE, update),
    ("DELETE", _ONE, WRITE, delete),
    ("PUT", "v1/batch", WRITE, update_many),
    ("DELETE", "v1/batch", WRITE, delete_many),
    ("GET", "v1/entities", READ, entities),
    ("DELETE", "v[12]/entities/(?P<id>(?:user|agent|app|run)/.+)", WRITE, delete_entity),
    ("GET", "v1/events", READ, events),
    ("GET", "v1/event/(?P<id>[^/]+)", READ, event),
    ("POST", "v1/feedback", READ, give_feedback),
    ("POST", "v1/exports", READ, begin_export),
    ("POST", "v1/exports/get", READ, export),
)


@never_cache
@require_http_methods(["GET", "POST", "PUT", "DELETE"])
def mem0(request: HttpRequest, rest: str, agent_id: UUID | None = None) -> HttpResponse:
    try:
        caller = caller_of(_secret(request))
        request.auth = caller  # type: ignore[attr-defined]
        takes, act, found = _routed(request.method or "", rest.rstrip("/"))
        caller.require(takes)
        request_bodies.check_size(request)
        body = request_bodies.read_json(request.body) if request.body else {}
        with scope(team=caller.team):
            agent = caller.agent_or_only(str(agent_id) if agent_id else None)
            if agent is None:
                detail = "Choose an agent: put its id into the address, /mem0/<id>/…."
                raise Problem(400, "agent_required", detail)
            query = {name: request.GET[name] for name in request.GET}
            called = Mem0Call(caller, agent, body, query, found)
            if problem := quotas.refusal(caller, f"mem0_{act.__name__}"):
                if act is add:
                    hear_refused(called)
                raise problem
            try:
                return JsonResponse(act(called), safe=False)
            except REFUSALS as refused:
                return pipeline.answer(request, problem_of(caller, refused))
    except Problem as problem:
        return pipeline.answer(request, problem)


def _secret(request: HttpRequest) -> str:
    """`Token` of the platform's client, `X-API-Key` or `Bearer` of the others."""
    scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() in {"token", "bearer"}:
        return secret
    return request.headers.get("X-API-Key", "")


def _routed(method: str, path: str) -> tuple[Right, Act, str]:
    others = False
    for its_method, form, takes, act in ROUTES:
        if found := re.fullmatch(form, path):
            if its_method == method:
                return takes, act, found.groupdict().get("id", "")
            others = True
    if others:
        raise Problem(405, "method_not_allowed", "This address doesn't support that method.")
    raise NotFound
