"""The tool with which an agent asks to forget, as its owner may in a conversation (SPEC §6.1)."""

from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext as _
from pydantic import Field

from memoryweb.api.exceptions import Invalid
from memoryweb.api.schemas import Camel, Id, Moment
from memoryweb.api.tool_calls import Answer, Call
from memoryweb.memory import forgetting
from memoryweb.memory.forgetting import Asked
from memoryweb.memory.models import Request
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.tools import Acting
from memoryweb.memory.visible.request_contents import Told, tell
from memoryweb.memory.visible.withheld import withheld_targets
from memoryweb.memory.writing.write import Writer


class AskToForget(Call):
    text: str = Field("", max_length=500, description="In a few words, such as “my weight”.")
    ids: list[str] = Field(
        default_factory=list, max_length=50, description="Of facts, or of candidates."
    )


class ForgotPlace(Camel):
    id: str
    text: str | None = Field(description="Null where programs may not read it.")
    where: str = Field(description="The file or conversation.")


class Forgot(Answer):
    hidden: list[ForgotPlace]
    candidates: list[ForgotPlace] = Field(description="Not hidden: a person picks from them.")
    request: Id
    erase_at: Moment | None = Field(description="Until then it can be undone.")


def forget(acting: Acting, asked: AskToForget, work: Transaction, writer: Writer) -> dict[str, Any]:
    """Ask to forget up to five statements: they are hidden at once, and can be undone."""
    if not (asked.text.strip() or asked.ids):
        raise Invalid("text", _("Send a text or ids."))
    made = _asked(work, acting, asked, writer)
    account = tell(made)
    is_person = acting.token is not None and acting.token.act_as_person
    is_new = made.created_at == work.now
    secret = set() if is_person else withheld_targets(made, besides=made if is_new else None)
    return {
        "hidden": [_place(one, secret) for one in account.hidden],
        "candidates": [_place(one, secret) for one in account.candidates],
        "request": made.pk,
        "erase_at": made.erase_at,
    }


def _place(told: Told, secret: Collection[int]) -> ForgotPlace:
    text = None if {*secret} & {*told.targets} else told.text
    return ForgotPlace(id=told.id, text=text, where=next(iter(told.where), ""))


def _asked(tx: Transaction, acting: Acting, asked: AskToForget, writer: Writer) -> Request:
    """An agent's word: erased is what was hidden only after the usual time, if nobody undoes it."""
    said = Asked(
        acting.reader.agent,
        acting.reader.owner,
        Request.Via.TOOL,
        asked.text.strip(),
        by=writer.user if acting.token and acting.token.act_as_person else None,
        conversation=acting.conversation,
    )
    return forgetting.ask_of(tx, said, asked.ids) if asked.ids else forgetting.ask(tx, said)
