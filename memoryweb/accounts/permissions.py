"""Who may do what. The one table; everything asks `can`."""

from enum import StrEnum

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    VIEWER = "viewer", _("Viewer")
    MEMBER = "member", _("Member")
    ADMIN = "admin", _("Admin")
    AUDITOR = "auditor", _("Auditor")


class Permission(StrEnum):
    READ = "read"  # shared memory, dream status, reports and candidates of shared runs
    EXPORT = "export"
    WRITE = "write"  # shared files
    IMPORT = "import"
    DREAM = "dream"
    DECIDE = "decide"  # proposals, morning card and inbox of shared memory
    MANAGE_AGENTS = "manage_agents"
    MANAGE_MEMBERS = "manage_members"
    MANAGE_TOKENS = "manage_tokens"  # integrations and everyone's tokens
    SEE_MEMBERS = "see_members"
    SEE_TOKENS = "see_tokens"
    SEE_OWNERS = "see_owners"  # outcome and counts, never text
    SEE_AUDIT = "see_audit"
    PACK_EVIDENCE = "pack_evidence"  # whoever is audited doesn't make what proves it
    BREAK_GLASS = "break_glass"
    FORGET = "forget"  # shared memory, for good
    EXPORT_OWNERS = "export_owners"  # on request, with a break-glass grant


_VIEWER = frozenset({Permission.READ, Permission.EXPORT})
_MEMBER = _VIEWER | {Permission.WRITE, Permission.IMPORT, Permission.DREAM, Permission.DECIDE}

TABLE: dict[Role, frozenset[Permission]] = {
    Role.VIEWER: _VIEWER,
    Role.MEMBER: _MEMBER,
    Role.ADMIN: frozenset(Permission) - {Permission.PACK_EVIDENCE},
    Role.AUDITOR: _VIEWER
    | {
        Permission.SEE_MEMBERS,
        Permission.SEE_TOKENS,
        Permission.SEE_OWNERS,
        Permission.SEE_AUDIT,
        Permission.PACK_EVIDENCE,
        Permission.BREAK_GLASS,
    },
}


class Scope(models.TextChoices):
    """What a token may be used for; the effective right is this and the holder's own."""

    MEMORY_READ = "memory:read", _("Read memory")
    MEMORY_WRITE = "memory:write", _("Write memory")
    SHARED_WRITE = "shared:write", _("Write shared prompt files")
    FACTS_WRITE = "facts:write", _("Decide on statements")
    DREAM_RUN = "dream:run", _("Run dreams")
    CHAT = "chat", _("Chat")
    SNAPSHOT_EXPORT = "snapshot:export", _("Export snapshots")
    SNAPSHOT_IMPORT = "snapshot:import", _("Import snapshots")
    AUDIT_READ = "audit:read", _("Read the audit log")
    PERSONAL_READ = "personal:read", _("Read everyone's memory")


# No one has these by default or by a role: an admin grants them to an integration, with a reason.
GRANTED = (Scope.PERSONAL_READ, Scope.SHARED_WRITE)


def can(role: Role | str | None, permission: Permission) -> bool:
    """False for no role: when unsure, deny."""
    try:
        return permission in TABLE[Role(role)] if role else False
    except ValueError:
        return False
