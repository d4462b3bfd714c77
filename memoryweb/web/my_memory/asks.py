"""What somebody without an account is asked on their page: whether it is still true."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from memoryweb.memory import facts, questions
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.visible.readable import To
from memoryweb.web.access import UserRequest
from memoryweb.web.my_memory.rows import Oneself

_SAID = {"IGNORE": _("Confirmed."), "KEEP_B": _("Removed. Agents no longer use it.")}


def questions_for(who: Oneself) -> list[dict[str, object]]:
    """A member has them in Review."""
    found = [] if who.is_member else questions.waiting_for(who.owners.values())
    told = [{"id": one.pk, "said": questions.told_of(one, To.PAGE)} for one in found]
    return [one for one in told if one["said"]]


def answer(request: UserRequest, who: Oneself) -> HttpResponse:
    """One's own, or the same 404 as for one that nobody has."""
    decision = request.POST.get("decision", "")
    found = {str(one.pk): one for one in questions.waiting_for(who.owners.values())}
    asked = found.get(request.POST.get("question", ""))
    if asked is None or decision not in _SAID:
        raise Http404
    try:
        with write_transaction(who.team, actor=who.actor) as tx:
            facts.resolve(tx, asked, decision, writer=who.writer)
    except MemoryRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, str(_SAID[decision]))
    return redirect(who.urls["page"] + "#questions")
