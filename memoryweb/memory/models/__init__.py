"""The tables of memory, one module a noun."""

from memoryweb.memory.models.conversations import Conversation, Marker, Message
from memoryweb.memory.models.entries import Alias, Entry
from memoryweb.memory.models.files import File, FileQuerySet, Import, Revision, Scope, Upload
from memoryweb.memory.models.forgetting import (
    ForgetRequest,
    ForgetRequestQuerySet,
    LegalHold,
    Receipt,
    Target,
    Tombstone,
)
from memoryweb.memory.models.index import InjectedSpan, Injection, Passage, RecallEvent
from memoryweb.memory.models.lines import KeptLine, LineOrigin, PastOrigin
from memoryweb.memory.models.review import CrowdedFile, NoSecret, Proposal, ReviewItem
from memoryweb.memory.models.statements import Contradiction, Evidence, Fact, FactQuerySet, Vote

__all__ = [
    "Alias",
    "Contradiction",
    "Conversation",
    "CrowdedFile",
    "Entry",
    "Evidence",
    "Fact",
    "FactQuerySet",
    "File",
    "FileQuerySet",
    "ForgetRequest",
    "ForgetRequestQuerySet",
    "Import",
    "InjectedSpan",
    "Injection",
    "KeptLine",
    "LegalHold",
    "LineOrigin",
    "Marker",
    "Message",
    "NoSecret",
    "Passage",
    "PastOrigin",
    "Proposal",
    "RecallEvent",
    "Receipt",
    "ReviewItem",
    "Revision",
    "Scope",
    "Target",
    "Tombstone",
    "Upload",
    "Vote",
]
