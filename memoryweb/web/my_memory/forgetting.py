"""What somebody asked to forget, on their page: hidden, offered, and what they decide."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.accounts.models import User
from memoryweb.memory import forgetting
from memoryweb.memory.forgetting import NothingToUndo
from memoryweb.memory.models import ForgetRequest
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Transaction, write_transaction
from memoryweb.memory.visible.request_contents import tell_all, waiting_of
from memoryweb.web.access import UserRequest
from memoryweb.web.my_memory.rows import Oneself
from memoryweb.web.wording import Text

Act = Callable[[UserRequest, Oneself], HttpResponseBase]
Decide = Callable[[Transaction, ForgetRequest, User | None, UserRequest], object]


def asked(who: Oneself) -> dict[str, Any]:
    """Each request that hides or offers something, and the one button that undoes all of agents."""
    found = waiting_of(who.owners.keys())
    told = tell_all(found)
    by_tools = [one for one in found if one.via == ForgetRequest.Via.TOOL and one.erase_at]
    return {
        "asked": [{"request": one, "account": told[one.pk], "how": _how(one)} for one in found],
        "asked_by_tools": by_tools if len(by_tools) > 1 else [],
    }


def _how(request: ForgetRequest) -> str:
    talk, agent = request.conversation, request.agent.name
    if request.via == ForgetRequest.Via.MESSAGE and talk is None:
        return _("You asked {agent} while nothing was kept").format(agent=agent)
    if request.via == ForgetRequest.Via.MESSAGE and talk is not None:
        said = _("You asked {agent} in the conversation {name}")
        return said.format(agent=agent, name=talk.external_id)
    if request.via == ForgetRequest.Via.TOOL:
        return _("{agent} asked for you").format(agent=agent)
    return _("You asked for it")


def _decided(decide: Decide, said: Text) -> Act:
    def act(request: UserRequest, who: Oneself) -> HttpResponse:
        known = {one.pk: one for one in waiting_of(who.owners.keys())}
        wanted = [_key(text) for text in request.POST.getlist("request")]
        if not wanted:
            raise Http404
        try:
            for one in [_one(known, key, who) for key in wanted]:
                # Each by itself: whoever else writes needn't wait for all of them.
                with write_transaction(who.team, actor=who.actor) as tx:
                    decide(tx, one, who.user, request)
        except MemoryRefused as refused:
            messages.error(request, str(refused))
        else:
            messages.success(request, str(said))
        return redirect(who.urls["page"] + "#asked")

    return act


def _key(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise Http404 from error


def _one(known: Mapping[UUID, ForgetRequest], key: UUID, who: Oneself) -> ForgetRequest:
    """One's own, or the same 404 as for one that nobody has; one that was decided says so."""
    if key in known:
        return known[key]
    if not any(one.pk == key for one in waiting_of(who.owners.keys(), is_decided=True)):
        raise Http404
    raise NothingToUndo


def _undo(tx: Transaction, one: ForgetRequest, by: User | None, _request: UserRequest) -> object:
    return forgetting.undo(tx, one, by)


def _keep(tx: Transaction, one: ForgetRequest, by: User | None, _request: UserRequest) -> object:
    return forgetting.keep(tx, one, by)


def _erase(tx: Transaction, one: ForgetRequest, by: User | None, _request: UserRequest) -> object:
    return forgetting.erase(tx, one, by)


def _forget(tx: Transaction, one: ForgetRequest, by: User | None, request: UserRequest) -> object:
    wait, picked = settings.FORGET_UNDO_SECONDS, request.POST.getlist("pick")
    return forgetting.erase(tx, one, by, picked=picked, seconds=wait)


ACTS: Mapping[str, Act] = {
    "bring_back": _decided(_undo, gettext_lazy("It is back. Agents may use it again.")),
    "keep": _decided(_keep, gettext_lazy("Kept. Nothing was forgotten.")),
    "erase": _decided(_erase, gettext_lazy("It is being erased. This can't be undone.")),
    "forget": _decided(_forget, gettext_lazy("Hidden from agents. You can still undo it.")),
}
