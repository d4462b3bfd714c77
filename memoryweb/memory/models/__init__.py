"""The tables of memory, one module a noun."""

from memoryweb.memory.models.author_kinds import MACHINES, RUNS, AuthorKind, SourceClass
from memoryweb.memory.models.conversations import Conversation, Marker, Message
from memoryweb.memory.models.entries import Alias, Entry
from memoryweb.memory.models.facts import (
    Contradiction,
    Evidence,
    Fact,
    FactQuerySet,
    MemoryTest,
    Vote,
)
from memoryweb.memory.models.files import (
    File,
    FileQuerySet,
    Import,
    KeptLine,
    LineOrigin,
    PastOrigin,
    Revision,
    Scope,
    Upload,
)
from memoryweb.memory.models.forgetting import (
    ForgetRequest,
    ForgetRequestQuerySet,
    LegalHold,
    Receipt,
    Target,
    Tombstone,
)
from memoryweb.memory.models.index import (
    InjectedSpan,
    Injection,
    Passage,
    RecallEvent,
    RecallNotice,
)
from memoryweb.memory.models.review import CrowdedFile, NoSecret, Proposal, ReviewItem
