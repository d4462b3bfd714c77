"""Whose word a text is: stored on every revision and passage, and how far it is trusted."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memoryweb.accounts.models import Integration, Membership, Token, User
from memoryweb.accounts.permissions import Permission, Scope, can
from memoryweb.agents.models import Owner
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.normal_form import normalise
from memoryweb.memory import models
from memoryweb.memory.lines.history import blame_of
from memoryweb.memory.models.writer import Writer

# Whose words may change a shared file of the prompt before a person has looked (SPEC §5.4).
#
# Members' words, as far as the agent's policy lets them; a token's where its person writes through
# it or an admin granted `shared:write`; never those of end users, whoever passes them on.


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


def is_said_by_members(
    conversation: models.Conversation, messages: Iterable[models.Message]
) -> bool:
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
    rows = models.LineOrigin.objects.filter(file__in=files).exclude(
        author_kind=models.AuthorKind.PERSON
    )
    rows = rows.select_related("message__conversation__owner", "message__token__integration")
    found = list(rows.defer("message__raw_content"))
    brought = models.Revision.objects.filter(
        file__in=files, number__in={row.since for row in found}
    )
    brought = brought.select_related("conversation__owner", "integration", "token").defer(
        "raw_text"
    )
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


def _said(message: models.Message) -> tuple[UUID, UUID | None]:
    return message.conversation_id, message.token_id


def _is_vouched_line(row: models.LineOrigin, wrote: models.Revision | None) -> bool:
    if row.message:
        return is_said_by_members(row.message.conversation, [row.message])
    if wrote is None:
        return False
    if row.author_kind == models.AuthorKind.EXTRACTION:
        said = wrote.conversation
        return said is not None and is_said_by_members(said, said.messages.defer("raw_content"))
    is_outside = wrote.source == models.SourceClass.THIRD_PARTY
    return not is_outside and is_vouched(None, wrote.integration, wrote.token)


# The least trusted first: a text that stands on several words is worth its weakest one.
BY_TRUST = (
    models.SourceClass.THIRD_PARTY,
    models.SourceClass.IMPORT,
    models.SourceClass.AGENT,
    models.SourceClass.DREAM,
    models.SourceClass.SYSTEM,
    models.SourceClass.OWNER,
    models.SourceClass.PERSON,
)


def source_of(writer: Writer, owner: Owner | None) -> models.SourceClass:
    """The class of a revision. `owner` is the one whose file is written, None for a shared one.

    An extraction writes down what was said: the owner's word where the conversation is theirs
    alone, somebody else's in a room or in one that was sent for nobody.
    """
    if writer.kind == models.AuthorKind.PERSON:
        is_about_them = owner is not None and writer.user is not None
        is_own = is_about_them and owner is not None and owner.person_id == _key(writer)
        # Somebody without an account, whom an integration sent a link to their own memory.
        is_visit = owner is not None and writer.user is None and writer.integration is not None
        return models.SourceClass.OWNER if is_own or is_visit else writer.kind.source
    if writer.kind == models.AuthorKind.AGENT:
        is_third = writer.integration is not None and _is_third_party(writer, owner)
        return models.SourceClass.THIRD_PARTY if is_third else writer.kind.source
    if writer.kind == models.AuthorKind.EXTRACTION:
        return _of_speaker(writer.run.owner if writer.run else owner)
    return writer.kind.source


def _is_third_party(writer: Writer, owner: Owner | None) -> bool:
    """What an integration wrote by itself, unless an admin lets it write what is shared; and what
    an agent wrote there while it spoke with an end user."""
    if not writer.is_tool:
        program = writer.integration
        return program is None or not is_granted_to(program, writer.token)
    return owner is None and is_end_user(writer.speaker)


def source_of_message(
    conversation: models.Conversation, message: models.Message
) -> models.SourceClass:
    """One speaker is the owner, under any name; from where several speak as users, only what
    carries the owner's own name is theirs."""
    if message.role != models.Message.Role.USER:
        is_system = message.role == models.Message.Role.SYSTEM
        return models.SourceClass.SYSTEM if is_system else models.SourceClass.AGENT
    is_room = conversation.is_room_at(message.position)
    if conversation.group or (is_room and not is_own_name(message.name, conversation.owner)):
        return models.SourceClass.THIRD_PARTY
    return _of_speaker(conversation.owner)


def is_own_name(name: str, owner: Owner) -> bool:
    """What programs may call its person: the id, or the account's name or address."""
    known = (owner.person.name, owner.person.email) if owner.person else ()
    return normalise(name) in {normalise(one) for one in (owner.external_id, *known) if one}


def source_of_origin(row: models.LineOrigin, person_id: UUID | None) -> models.SourceClass:
    """`person_id`: of the file's owner."""
    if row.author_kind == models.AuthorKind.EXTRACTION and row.message is not None:
        return source_of_message(row.message.conversation, row.message)
    return _of_author(models.AuthorKind(row.author_kind), row.user_id, person_id)


def account_of(row: models.LineOrigin) -> User | None:
    """Who said a line, or wrote it down first; of what was sent for all the sender."""
    if row.author_kind == models.AuthorKind.PERSON or row.message is None:
        return row.root.user if row.root else row.user
    owner, token = row.message.conversation.owner, row.message.token
    return token.user if owner.source == "system" and token else owner.person


def name_of(row: models.LineOrigin) -> str:
    """As others call them; in a room that is all that is known."""
    name = row.message.name if row.message and row.author_kind != models.AuthorKind.PERSON else ""
    return name or str(account_of(row) or "")


def sources_of_files(
    files: Sequence[models.File],
) -> Mapping[UUID, Mapping[int, models.SourceClass]]:
    """Of each file line number → class, for the lines that have an origin; in two statements."""
    people = {file.pk: file.owner.person_id if file.owner else None for file in files}
    found: dict[UUID, dict[int, list[models.SourceClass]]]
    found = {file.pk: defaultdict(list) for file in files}
    is_noted = False
    for key, line, kind, user_id, message_id in _authors(tuple(people)):
        if kind == models.AuthorKind.EXTRACTION and message_id:
            is_noted = True
        else:
            found[key][line].append(_of_author(models.AuthorKind(kind), user_id, people[key]))
    for row in _noted(tuple(people)) if is_noted else ():
        found[row.file_id][row.line].append(source_of_origin(row, people[row.file_id]))
    return {
        key: {line: weakest(classes) for line, classes in of_line.items()}
        for key, of_line in found.items()
    }


@PreparedQuery
def _authors(files: Collection[UUID]) -> QuerySet[models.LineOrigin, Any]:
    rows = models.LineOrigin.objects.filter(file__in=files)
    return rows.values_list("file", "line", "author_kind", "user_id", "message")


@PreparedQuery
def _noted(files: Collection[UUID]) -> QuerySet[models.LineOrigin]:
    rows = models.LineOrigin.objects.filter(
        author_kind=models.AuthorKind.EXTRACTION, file__in=files
    )
    said = rows.filter(message__isnull=False).select_related("message__conversation__owner")
    return said.defer("message__raw_content")


def sources_at(file: models.File, number: int) -> Mapping[int, models.SourceClass]:
    """The same for a revision: a line has the class of the one that brought it."""
    if number == file.revision:
        return sources_of_files([file])[file.pk]
    brought = blame_of(file, number)
    rows = file.revisions.filter(number__in=set(brought)).values_list("number", "source")
    classes = {since: models.SourceClass(source) for since, source in rows}
    return {line: classes[since] for line, since in enumerate(brought, 1) if since in classes}


def weakest(classes: Iterable[models.SourceClass]) -> models.SourceClass:
    """The least trusted of some; the system's for none."""
    return min(classes, key=BY_TRUST.index, default=models.SourceClass.SYSTEM)


def _key(writer: Writer) -> UUID | None:
    return writer.user.pk if writer.user else None


def _of_speaker(owner: Owner | None) -> models.SourceClass:
    is_one = owner is not None and owner.is_one_person
    return models.SourceClass.OWNER if is_one else models.SourceClass.THIRD_PARTY


def _of_author(
    kind: models.AuthorKind, user_id: UUID | None, person_id: UUID | None
) -> models.SourceClass:
    is_own = kind is models.AuthorKind.PERSON and user_id is not None and user_id == person_id
    return models.SourceClass.OWNER if is_own else kind.source
