"""Whose words may change a shared file of the prompt before a person has looked (SPEC §5.4).

Members' words, as far as the agent's policy lets them; a token's where its person writes through it
or an admin granted `shared:write`; never those of end users, whoever passes them on.
"""

from collections.abc import Iterable
from uuid import UUID

from memoryweb.accounts.models import Integration, Membership, Token
from memoryweb.accounts.permissions import Permission, Scope, can
from memoryweb.agents.models import Owner
from memoryweb.memory.models import Conversation, LineOrigin, Message, Revision
from memoryweb.memory.models.author_kinds import AuthorKind, SourceClass


def is_vouched(speaker: Owner | None, integration: Integration | None, token: Token | None) -> bool:
    """`speaker`: who said it; None and the system's owner: whoever holds the token."""
    return is_granted_to(integration, token) and not is_end_user(speaker)


def is_granted_to(integration: Integration | None, token: Token | None) -> bool:
    """Neither of them: a person in a session."""
    if token is not None and token.act_as_person:
        return True
    holders = [one.scopes for one in (integration, token) if one is not None]
    return all(Scope.SHARED_WRITE in scopes for scopes in holders)


def is_end_user(speaker: Owner | None) -> bool:
    """Somebody who is no member that may write what is shared."""
    if speaker is None or speaker.is_system:
        return False
    members = Membership.objects.current().filter(team=speaker.team_id, user=speaker.person_id)
    return not any(can(role, Permission.WRITE) for role in members.values_list("role", flat=True))


def is_said_by_members(conversation: Conversation, messages: Iterable[Message]) -> bool:
    """All of them: a model's text stands on every message that it was given."""
    ids = {message.token_id for message in messages if message.token_id}
    sent = Token.objects.filter(pk__in=ids)
    tokens = list(sent.select_related("integration"))
    return not is_end_user(conversation.owner) and all(
        is_vouched(None, token.integration, token) for token in tokens
    )


def outside_lines(files: Iterable[UUID]) -> set[tuple[UUID, int]]:
    """The lines of these shared files, as (file, number), that nobody in the team vouches for."""
    files = list(files)
    rows = LineOrigin.objects.filter(file__in=files).exclude(author_kind=AuthorKind.PERSON)
    rows = rows.select_related("message__conversation__owner", "message__token__integration")
    found = list(rows.defer("message__content"))
    brought = Revision.objects.filter(file__in=files, number__in={row.since for row in found})
    brought = brought.select_related("conversation__owner", "integration", "token").defer("text")
    by_number = {(one.file_id, one.number): one for one in brought}
    judged: dict[object, bool] = {}
    outside = set()
    for row in found:
        wrote = by_number.get((row.file_id, row.since))
        key = _said(row.message) if row.message else (row.file_id, row.since)
        if key not in judged:
            judged[key] = _is_vouched_line(row, wrote)
        if not judged[key]:
            outside.add((row.file_id, row.line))
    return outside


def _said(message: Message) -> tuple[UUID, UUID | None]:
    return message.conversation_id, message.token_id


def _is_vouched_line(row: LineOrigin, wrote: Revision | None) -> bool:
    if row.message:
        return is_said_by_members(row.message.conversation, [row.message])
    if wrote is None:
        return False
    if row.author_kind == AuthorKind.EXTRACTION:
        said = wrote.conversation
        return said is not None and is_said_by_members(said, said.messages.defer("content"))
    is_outside = wrote.source == SourceClass.THIRD_PARTY
    return not is_outside and is_vouched(None, wrote.integration, wrote.token)
