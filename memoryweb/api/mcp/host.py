"""Who speaks through a client: said by the headers that its host sets, never by a model."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import gettext as _

from memoryweb.agents.models import Agent
from memoryweb.api.auth import Caller, Right, record_denial
from memoryweb.api.domain_errors import REFUSALS, problem_of
from memoryweb.api.exceptions import Forbidden, Problem
from memoryweb.api.mcp import messages
from memoryweb.api.mcp.messages import INVALID_PARAMS, Refused
from memoryweb.api.request_bodies import check_texts, parse
from memoryweb.api.tool_calls import Call
from memoryweb.api.tools import acting_of
from memoryweb.memory.tools import Acting

AGENT, OWNER, CONVERSATION = "Memoryweb-Agent", "Memoryweb-Owner", "Memoryweb-Conversation"


@dataclass(frozen=True)
class Host:
    request: HttpRequest
    caller: Caller

    @property
    def about(self) -> dict[str, str]:
        """The fields of a call that its headers stand for."""
        named = {"owner": self._header(OWNER), "conversationId": self._header(CONVERSATION)}
        return {name: text for name, text in named.items() if text is not None}

    def acting(self) -> Acting:
        """Raises Refused: what the host did not say no model can make good."""
        try:
            about = self.about
            check_texts(about)
            return acting_of(self.caller, self._agent(), parse(Call, about))
        except REFUSALS as refused:
            raise self._refused(refused) from None

    def reading(self) -> Acting:
        """As `acting`, for what only reads."""
        try:
            self.caller.require(Right.READ)
        except Problem as refused:
            raise self._refused(refused) from None
        return self.acting()

    def told(self, refused: Exception) -> Problem:
        problem = problem_of(self.caller, refused)
        if isinstance(problem, Forbidden):
            record_denial(self.request, self.caller, problem)
        return problem

    def _refused(self, refused: Exception) -> Refused:
        problem = self.told(refused)
        return Refused(INVALID_PARAMS, _said(problem), {"code": problem.code})

    def _agent(self) -> Agent:
        agent = self.caller.agent_or_only(self._header(AGENT))
        if agent is None:
            detail = _("Choose an agent: set the header “{name}” to its id.").format(name=AGENT)
            raise Problem(400, "agent_required", detail)
        return agent

    def _header(self, name: str) -> str | None:
        return messages.decoded(self.request.headers.get(name))


def _said(problem: Problem) -> str:
    if problem.code != "owner_required":
        return str(problem.detail)
    return _(
        "Choose an owner: set the header “{name}” to an end user (api:…), a sender "
        "(<channel>:…) or “shared”."
    ).format(name=OWNER)
