"""Every address of the web, and what each person is answered. One without an entry fails."""

import hashlib
from dataclasses import dataclass, field, replace
from uuid import UUID

from tests.walls.api_stage import ARCHIVE

ROLES = ("admin", "member", "viewer", "auditor")
READ = dict.fromkeys(ROLES, 200)
WRITE = READ | {"viewer": 403, "auditor": 403}
MANAGE = WRITE | {"member": 403}
SEE = MANAGE | {"auditor": 200}
CUSTOMERS = {"admin": 403, "member": 404, "viewer": 404, "auditor": 403}
BOBS = CUSTOMERS | {"member": 200}
ONLY_BOB = {"admin": 404, "member": 200, "viewer": 404, "auditor": 404}
OUTCOME = READ | {"member": 404, "viewer": 404}
PROPOSAL = {"kind": "proposal", "item_id": "proposal_id"}
MY_PROPOSAL = {"kind": "proposal", "item_id": "my_proposal_id"}
FLAG = {"kind": "flag", "item_id": "flag_id"}
MY_FLAG = {"kind": "flag", "item_id": "my_flag_id"}
RIVALS = {"kind": "contradiction", "item_id": "contradiction_id"}
MY_RIVALS = {"kind": "contradiction", "item_id": "my_contradiction_id"}
ASKED = {"kind": "forget", "item_id": "asked_id"}
MY_REQUEST: dict[str, str | list[str]] = {"request": "{my_asked_id}"}
MY_PICK: dict[str, str | list[str]] = {
    "request": "{my_offered_id}",
    "pick": "{my_offered_fact}",
}
RESOLVED = {"kind": "contradiction", "item_id": "resolved_id"}
BOBS_UPLOAD = {"admin": 404, "member": 200, "viewer": 403, "auditor": 403}


@dataclass(frozen=True)
class Route:
    """`method`, the address's ids, and each role's answer. `ids` rename: address ← stage."""

    name: str
    answers: dict[str, int]
    method: str = "GET"
    data: dict[str, str | list[str]] = field(default_factory=dict)
    query: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    first: str = ""  # a mutation without which this one changes nothing
    is_look: bool = False  # posts a text to be shown, and keeps nothing
    is_export: bool = False  # carries away what may be read: all that it leaves is its event
    upload: bytes = b""

    @property
    def changes(self) -> bool:
        return self.method == "POST"


def _get(name: str, answers: dict[str, int], query: str = "", **ids: str) -> Route:
    return Route(name, answers, query=query, ids=ids)


def _post(
    name: str, answers: dict[str, int], data: dict[str, str | list[str]] | None = None, **more: str
) -> Route:
    """A success redirects."""
    moved = {role: 302 if code == 200 else code for role, code in answers.items()}
    query, first = more.pop("query", ""), more.pop("first", "")
    return Route(name, moved, "POST", data or {}, query, more, first)


def _moved(name: str, answers: dict[str, int], **ids: str) -> Route:
    moved = {role: 302 if code == 200 else code for role, code in answers.items()}
    return Route(name, moved, ids=ids)


MOVED = dict.fromkeys(READ, 302)
CONTENT = "# Memory\n\n- Tea is served at five.\n"
TEXT: dict[str, str | list[str]] = {"content": CONTENT, "reason": "Tea."}
QUESTION: dict[str, str | list[str]] = {"question": "When is tea?", "must": "at five"}
WEBHOOK: dict[str, str | list[str]] = {
    "url": "https://receiver.example/hook",
    "events": ["fact.changed"],
}
SLACK: dict[str, str | list[str]] = {"address": "https://hooks.slack.com/services/T0/B0/key"}
SAVED = hashlib.sha256(CONTENT.encode()).hexdigest()
ONE_LINE: dict[str, str | list[str]] = {
    "first": "1",
    "last": "1",
    "sha256": "{sha256}",
    "text": "Another line.",
}
MY_LINE = ONE_LINE | {"sha256": "{my_sha256}"}
LINES: dict[str, str | list[str]] = {"first": "1", "last": "9", "sha256": SAVED}
AGENT: dict[str, str | list[str]] = {
    "name": "Night porter",
    "time_zone": "Europe/Lisbon",
    "dream_at": "03:30",
    "injection": "files",
    "journal_tokens": "50000",
    "language": "en",
    "policy": "review",
    "extractor": "auto",
    "consolidator": "rules",
}
BOBS_LINE = {"file_id": "my_file_id", "start": "line", "end": "line", "sha256": "my_sha256"}
FACT = {"fact_id": str(UUID(int=1))}
LINE = {"file_id": str(UUID(int=1)), "start": "1", "end": "1", "sha256": "0"}
CUSTOMER, BOB, ME = "?owner={owner_id}", "?owner={my_owner_id}", "?owner=me"
# The viewer's own token. The auditor sees that it exists.
OWN_TOKEN = {"admin": 200, "member": 404, "viewer": 200, "auditor": 403}

# Of nobody: it is compared, and fits nothing.
A_HEAD = '{{"team": "a", "seq": 1, "hash": "b", "at": "c", "key": "d", "signature": "e"}}'

OWN_MODEL: dict[str, str | list[str]] = {
    "provider": "openai",
    "base_url": "https://models.example/v1",
    "model": "some-model",
}

FACT_ACTS: tuple[tuple[str, dict[str, str | list[str]], str], ...] = (
    ("confirm", {}, "fact_id"),
    ("edit", {"text": "Breakfast ends at ten."}, "fact_id"),
    ("not_true", {}, "fact_id"),
    ("recall", {}, "recalled_id"),
    ("restore", {}, "retired_id"),
    ("still_true", {}, "fact_id"),
    ("forget", {}, "fact_id"),
)
# What one does about one's own statements and lines, and what has to be done before.
MY_FACT_ACTS: tuple[tuple[str, dict[str, str | list[str]], str], ...] = (
    ("confirm", {}, ""),
    ("unconfirm", {}, "mine_fact_confirm"),
    ("edit", {"text": "Breakfast ends at ten."}, ""),
    ("not_true", {}, ""),
    ("restore", {}, "mine_fact_not_true"),
    ("still_true", {}, ""),
    ("until", {"day": "2099-12-31"}, ""),
    ("forget", {}, ""),
    ("unforget", {}, "mine_fact_forget"),
)
MY_LINE_ACTS = (
    ("confirm", ""),
    ("edit", ""),
    ("not_true", ""),
    ("forget", ""),
    ("unforget", "mine_line_forget"),
)

PAGES: dict[str, Route] = {
    "last_night": _get("last_night", READ),
    "over_time": _get("over_time", READ),
    "over_time_picture": _get("over_time_picture", READ),
    "agents": _get("agents", READ),
    "agents_new": _get("agents_new", MANAGE),
    "settings_installation_model": _get("settings_installation_model", dict.fromkeys(ROLES, 404)),
    "settings_quotas": _get("settings_quotas", dict.fromkeys(ROLES, 404)),
    "agents_detail": _get("agents_detail", READ),
    "agents_detail of a customer": _get("agents_detail", CUSTOMERS, CUSTOMER),
    "agents_detail of Bob": _get("agents_detail", BOBS, BOB),
    "agents_fact_forget look": _get("agents_fact_forget", WRITE),
    "agents_fact_forget look of a customer": _get(
        "agents_fact_forget", CUSTOMERS, CUSTOMER, fact_id="customers_fact_id"
    ),
    "agents_fact_forget look of Bob": _get("agents_fact_forget", BOBS, BOB, fact_id="my_fact_id"),
    "agents_entries": _get("agents_entries", READ),
    "agents_entries of a customer": _get("agents_entries", CUSTOMERS, CUSTOMER),
    "agents_entries of Bob": _get("agents_entries", BOBS, BOB),
    "agents_tests": _get("agents_tests", READ),
    "agents_tests of a customer": _get("agents_tests", CUSTOMERS, CUSTOMER),
    "agents_tests of Bob": _get("agents_tests", BOBS, BOB),
    "agents_activity": _get("agents_activity", READ),
    "agents_activity of a customer": _get("agents_activity", CUSTOMERS, CUSTOMER),
    "agents_activity of Bob": _get("agents_activity", BOBS, BOB),
    "agents_notes": _get("agents_notes", READ),
    "agents_notes of a customer": _get("agents_notes", CUSTOMERS, CUSTOMER),
    "agents_notes of Bob": _get("agents_notes", BOBS, BOB),
    "agents_conversations of Bob": _get("agents_conversations", BOBS, BOB),
    "agents_dreams of Bob": _get("agents_dreams", BOBS, BOB),
    "agents_tonight": _get("agents_tonight", READ),
    "agents_tonight of Bob": _get("agents_tonight", BOBS, BOB),
    "agents_tonight of a customer": _get("agents_tonight", CUSTOMERS, CUSTOMER),
    "agents_files": _get("agents_files", READ),
    "agents_files of a customer": _get("agents_files", CUSTOMERS, CUSTOMER),
    "agents_files of oneself": _get("agents_files", READ, ME),
    "agents_new_file": _get("agents_new_file", WRITE),
    "agents_new_file of oneself": _get("agents_new_file", READ, ME),
    "agents_file": _get("agents_file", READ),
    "agents_file of a customer": _get("agents_file", CUSTOMERS, CUSTOMER),
    "agents_file of Bob": _get("agents_file", BOBS, BOB),
    "agents_why": _get("agents_why", READ),
    "agents_why of a customer": _get("agents_why", CUSTOMERS, CUSTOMER),
    "agents_why of Bob": _get("agents_why", BOBS, BOB),
    "agents_forget_line": _get("agents_forget_line", WRITE),
    "agents_forget_line of Bob": _get("agents_forget_line", BOBS, BOB),
    "agents_edit": _get("agents_edit", WRITE),
    "agents_edit of a customer": _get("agents_edit", CUSTOMERS, CUSTOMER),
    "agents_edit of Bob": _get("agents_edit", BOBS, BOB),
    "agents_rename": _get("agents_rename", WRITE),
    "agents_rename of Bob": _get("agents_rename", BOBS, BOB),
    "agents_delete_confirm": _get("agents_delete_confirm", WRITE),
    "agents_delete_confirm of Bob": _get("agents_delete_confirm", BOBS, BOB),
    "agents_revisions": _get("agents_revisions", READ),
    "agents_revisions of Bob": _get("agents_revisions", BOBS, BOB),
    "agents_revision": _get("agents_revision", READ),
    "agents_revision of Bob": _get("agents_revision", BOBS, BOB),
    "agents_global": _get("agents_global", READ, path="global_path"),
    "agents_global_revision": _get("agents_global_revision", READ, path="global_path"),
    "agents_compare": _get("agents_compare", READ),
    "agents_compare of Bob": _get("agents_compare", BOBS, BOB),
    "agents_facts": _get("agents_facts", READ, "?q=ends&state=all&trust=medium"),
    "agents_facts of a customer": _get("agents_facts", CUSTOMERS, CUSTOMER),
    "agents_facts of Bob": _get("agents_facts", BOBS, BOB),
    "agents_fact": _get("agents_fact", READ),
    "agents_fact that was not true": _get("agents_fact", READ, fact_id="recalled_id"),
    "agents_fact of a customer": _get(
        "agents_fact", CUSTOMERS, CUSTOMER, fact_id="customers_fact_id"
    ),
    "agents_fact of Bob": _get("agents_fact", BOBS, BOB, fact_id="my_fact_id"),
    "agents_chat": _get("agents_chat", READ),
    "agents_prompt": _get("agents_prompt", READ),
    "agents_prompt of a customer": _get("agents_prompt", CUSTOMERS, CUSTOMER + "&message=tea"),
    "agents_prompt of Bob": _get("agents_prompt", BOBS, BOB + "&message=tea"),
    "agents_file by author": _get("agents_file", READ, "?authors=on"),
    "agents_file by author of a customer": _get("agents_file", CUSTOMERS, CUSTOMER + "&authors=on"),
    "agents_file by author of Bob": _get("agents_file", BOBS, BOB + "&authors=on"),
    "agents_revision by author of Bob": _get("agents_revision", BOBS, BOB + "&authors=on"),
    "agents_connect": _get("agents_connect", READ),
    "agents_moments": _get("agents_moments", READ, "?at=2099-01-01T00:00"),
    "agents_moments of a statement": _get("agents_moments", READ, "?fact={fact_id}"),
    "agents_moments of a customer": _get("agents_moments", CUSTOMERS, CUSTOMER),
    "agents_moments of Bob": _get("agents_moments", BOBS, BOB + "&at=2099-01-01T00:00"),
    "agents_moments of a statement about Bob": _get(
        "agents_moments", BOBS, BOB + "&fact={my_fact_id}"
    ),
    "agents_moments of files": _get("agents_moments", READ, "?show=changes&at=2001-01-01T00:00"),
    "agents_moments of Bob's files": _get(
        "agents_moments", BOBS, BOB + "&show=changes&at=2001-01-01T00:00"
    ),
    "agents_snapshot": _get("agents_snapshot", READ),
    "agents_snapshot_export": _get("agents_snapshot_export", READ),
    "agents_snapshot_export as notes": _get("agents_snapshot_export", READ, "?format=markdown"),
    "agents_snapshot_export of oneself": _get("agents_snapshot_export", READ, ME),
    "agents_snapshot_export of a customer": _get("agents_snapshot_export", CUSTOMERS, CUSTOMER),
    "agents_snapshot_export of Bob": _get("agents_snapshot_export", BOBS, BOB),
    "agents_snapshot_export of Bob as notes": _get(
        "agents_snapshot_export", BOBS, BOB + "&format=markdown"
    ),
    "agents_snapshot_preview": _get("agents_snapshot_preview", BOBS_UPLOAD),
    "agents_snapshot_change": _get("agents_snapshot_change", BOBS_UPLOAD),
    "agents_import": _get("agents_import", READ),
    "agents_import of Bob": _get("agents_import", BOBS, import_id="my_import_id"),
    "agents_dreams": _get("agents_dreams", READ),
    "agents_conversations": _get("agents_conversations", READ),
    "agents_conversation": _get("agents_conversation", CUSTOMERS),
    "agents_conversation of Bob": _get(
        "agents_conversation", BOBS, conversation_id="my_conversation_id"
    ),
    "agents_settings": _get("agents_settings", READ),
    "agents_archive_confirm": _get("agents_archive_confirm", MANAGE),
    "agents_run": _get("agents_run", READ),
    "agents_run of a customer": _get("agents_run", OUTCOME, run_id="customers_run_id"),
    "agents_run that fails": _get("agents_run", OUTCOME, run_id="failing_run_id"),
    "agents_progress of one that fails": _get("agents_progress", OUTCOME, run_id="failing_run_id"),
    "agents_run of Bob": _get("agents_run", OUTCOME | {"member": 200}, run_id="my_run_id"),
    "agents_progress": _moved("agents_progress", READ),
    "agents_progress of a customer": _moved("agents_progress", OUTCOME, run_id="customers_run_id"),
    "search": _get("search", READ, "?q=breakfast"),
    "agents_provenance": _get("agents_provenance", READ),
    "agents_provenance of a customer": _get(
        "agents_provenance", OUTCOME, "?conversation={conversation_id}"
    ),
    "agents_provenance of Bob": _get(
        "agents_provenance", OUTCOME | {"member": 200}, "?conversation={my_conversation_id}"
    ),
    "agents_provenance of a run": _get("agents_provenance", READ, "?run={run_id}"),
    "agents_provenance of a token": _get(
        "agents_provenance", OUTCOME | {"viewer": 200}, "?token={token_id}"
    ),
    "review": _get("review", READ),
    "review of others": _get("review", READ, "?state=others"),
    "review of decided ones": _get("review", READ, "?state=decided&kind=flag"),
    "review_moved": _moved("review_moved", READ, item_id="proposal_id"),
    "review_moved of Bob": _moved("review_moved", BOBS, item_id="my_proposal_id"),
    "marks_moved": _moved("marks_moved", READ),
    "review_item proposal": _get("review_item", READ, **PROPOSAL),
    "review_item proposal of Bob": _get("review_item", BOBS, **MY_PROPOSAL),
    "review_item flag": _get("review_item", READ, **FLAG),
    "review_item flag of Bob": _get("review_item", BOBS, **MY_FLAG),
    "review_item contradiction": _get("review_item", READ, **RIVALS),
    "review_item contradiction of Bob": _get("review_item", BOBS, **MY_RIVALS),
    "review_item request to forget": _get("review_item", READ, **ASKED),
    "review_item contradiction that was resolved": _get("review_item", READ, **RESOLVED),
    "review_scans": _get("review_scans", MANAGE),
    "review_mask_confirm": _get("review_mask_confirm", MANAGE),
    "mine": _get("mine", READ),
    "owners": _get("owners", SEE),
    "owners_detail": _get("owners_detail", SEE),
    "settings": _get("settings", READ),
    "palette": _get("palette", READ),
    "settings_demo_remove_confirm": _get("settings_demo_remove_confirm", MANAGE),
    "settings_member_remove_confirm": _get("settings_member_remove_confirm", MANAGE),
    "settings_integration_new": _get("settings_integration_new", MANAGE),
    "settings_integration_edit": _get("settings_integration_edit", MANAGE),
    "settings_integration_revoke_confirm": _get("settings_integration_revoke_confirm", MANAGE),
    "settings_tokens": _get("settings_tokens", READ),
    "settings_erasing": _get("settings_erasing", SEE),
    "settings_webhook": _get("settings_webhook", MANAGE),
    "settings_webhook_remove_confirm": _get("settings_webhook_remove_confirm", MANAGE),
    "settings_model": _get("settings_model", SEE),
    "settings_health": _get("settings_health", SEE),
    "settings_token": _get("settings_token", OWN_TOKEN | {"auditor": 200}),
    "settings_token_revoke_confirm": _get("settings_token_revoke_confirm", OWN_TOKEN),
    "audit": _get("audit", SEE),
    "audit_verify": _get("audit_verify", SEE),
    "audit_verifier": _get("audit_verifier", SEE),
}

CHANGES: dict[str, Route] = {
    "agents_fact_unconfirm": _post(
        "agents_fact_unconfirm", WRITE, fact_id="fact_id", first="agents_fact_confirm"
    ),
    "agents_fact_until": _post(
        "agents_fact_until", WRITE, {"day": "2099-12-31"}, fact_id="fact_id"
    ),
    "agents_new": _post("agents_new", MANAGE, AGENT),
    "agents_settings": _post("agents_settings", MANAGE, AGENT),
    "settings_keep": _post("settings_keep", MANAGE, {"messages_days": "400"}),
    "settings_model_use": _post("settings_model_use", MANAGE, {"choice": "none"}),
    "settings_model_own": _post("settings_model_own", MANAGE, OWN_MODEL),
    "settings_model_remove": _post("settings_model_remove", MANAGE, first="settings_model_own"),
    "settings_model_test": replace(
        _post("settings_model_test", MANAGE, {"choice": "installation"}), is_export=True
    ),
    "settings_model_budget": _post("settings_model_budget", MANAGE, {"daily_tokens": "5"}),
    "settings_embedding_use": _post("settings_embedding_use", MANAGE, {"choice": "none"}),
    "settings_embedding_own": _post("settings_embedding_own", MANAGE, OWN_MODEL),
    "settings_hold": _post("settings_hold", MANAGE, {"reason": "Claim 7"}),
    "settings_hold_end": _post("settings_hold_end", MANAGE, hold_id="hold_id"),
    "settings_hold_end of one's own": _post(
        "settings_hold_end", MANAGE, hold_id="hold_id", first="mine_resume"
    ),
    "agents_archive": _post("agents_archive", MANAGE),
    "agents_unarchive": _post("agents_unarchive", MANAGE, agent_id="archived_id"),
    "agents_new_file": _post("agents_new_file", WRITE, {"path": "KNOWLEDGE.md", **TEXT}),
    "agents_new_file of a customer": _post(
        "agents_new_file", CUSTOMERS, {"path": "KNOWLEDGE.md", **TEXT}, query=CUSTOMER
    ),
    "agents_new_file of oneself": _post(
        "agents_new_file", READ, {"path": "KNOWLEDGE.md", **TEXT}, query=ME
    ),
    "agents_tests run": Route("agents_tests", READ, "POST", is_look=True),
    "agents_tests run of Bob": Route("agents_tests", BOBS, "POST", query=BOB, is_look=True),
    "agents_tests_add": _post("agents_tests_add", WRITE, QUESTION),
    "agents_tests_add of a customer": _post(
        "agents_tests_add", CUSTOMERS, QUESTION, query=CUSTOMER
    ),
    "agents_tests_add of oneself": _post("agents_tests_add", READ, QUESTION, query=ME),
    "agents_test_fact": _post("agents_test_fact", WRITE, fact_id="fact_id"),
    "agents_test_fact of Bob": _post("agents_test_fact", BOBS, query=BOB, fact_id="my_fact_id"),
    "agents_test_contradiction": _post(
        "agents_test_contradiction", WRITE, contradiction_id="contradiction_id"
    ),
    "agents_test_delete": _post("agents_test_delete", WRITE, test_id="test_id"),
    "agents_test_delete of Bob": _post("agents_test_delete", BOBS, query=BOB, test_id="my_test_id"),
    "agents_entries_add": _post("agents_entries_add", WRITE, {"name": "Lift", **TEXT}),
    "agents_entries_add of a customer": _post(
        "agents_entries_add", CUSTOMERS, {"name": "Lift", **TEXT}, query=CUSTOMER
    ),
    "agents_entries_add of oneself": _post(
        "agents_entries_add", READ, {"name": "Lift", **TEXT}, query=ME
    ),
    "agents_entry_names": _post("agents_entry_names", WRITE, {"name": "spare keys", "act": "add"}),
    "agents_preview": Route("agents_preview", READ, "POST", TEXT, is_look=True),
    "agents_preview of a customer": Route(
        "agents_preview", CUSTOMERS, "POST", TEXT, CUSTOMER, is_look=True
    ),
    "agents_chat_say": Route(
        "agents_chat_say", MOVED, "POST", {"message": "/memory", "talk": "c-9"}, is_look=True
    ),
    "agents_chat_remember": _post(
        "agents_chat_remember",
        {"admin": 404, "member": 200, "viewer": 404, "auditor": 404},
        message_id="my_message_id",
    ),
    "agents_chat_leave_out": _post(
        "agents_chat_leave_out",
        {"admin": 404, "member": 200, "viewer": 404, "auditor": 404},
        {"first": "0", "last": "5"},
        message_id="my_message_id",
    ),
    "agents_edit": _post("agents_edit", WRITE, {**TEXT, "sha256": "{sha256}"}),
    "agents_edit of Bob": _post("agents_edit", BOBS, {**TEXT, "sha256": "{my_sha256}"}, query=BOB),
    **{
        f"agents_fact_{verb}": _post(f"agents_fact_{verb}", WRITE, data, fact_id=fact)
        for verb, data, fact in FACT_ACTS
    },
    "agents_facts_many": _post("agents_facts_many", WRITE, {"act": "confirm", "pick": "{fact_id}"}),
    "agents_facts_many of Bob": _post(
        "agents_facts_many",
        BOBS,
        {"act": "forget", "sure": "on", "pick": "{my_fact_id}"},
        query=BOB,
    ),
    "agents_fact_unforget": _post(
        "agents_fact_unforget", MANAGE, fact_id="fact_id", first="agents_fact_forget"
    ),
    "agents_fact_edit of Bob": _post(
        "agents_fact_edit", BOBS, {"text": "Tea is at five."}, query=BOB, fact_id="my_fact_id"
    ),
    "agents_fact_recall of Bob": _post(
        "agents_fact_recall", BOBS, query=BOB, fact_id="my_recalled_id"
    ),
    "agents_fact_not_true of Bob": _post(
        "agents_fact_not_true", BOBS, query=BOB, fact_id="my_fact_id"
    ),
    "agents_rename": _post("agents_rename", WRITE, {"path": "OLD.md", "sha256": "{sha256}"}),
    "agents_rename of Bob": _post(
        "agents_rename", BOBS, {"path": "OLD.md", "sha256": "{my_sha256}"}, query=BOB
    ),
    "agents_arrange": _post("agents_arrange", WRITE, {"enabled": "off"}),
    "agents_arrange of Bob": _post("agents_arrange", BOBS, {"enabled": "off"}, query=BOB),
    "agents_delete": _post("agents_delete", WRITE, {"sha256": "{sha256}"}),
    "agents_delete of Bob": _post("agents_delete", BOBS, {"sha256": "{my_sha256}"}, query=BOB),
    "agents_restore": _post("agents_restore", WRITE),
    "agents_restore of Bob": _post("agents_restore", BOBS, query=BOB),
    "agents_snapshot_upload": Route(
        "agents_snapshot_upload",
        {"admin": 302, "member": 302, "viewer": 403, "auditor": 403},
        "POST",
        {"owner": "shared"},
        upload=ARCHIVE,
    ),
    "agents_snapshot_import": _post(
        "agents_snapshot_import", BOBS_UPLOAD, {"token": "{snapshot_token}"}
    ),
    "agents_snapshot_drop": _post("agents_snapshot_drop", BOBS_UPLOAD),
    "agents_edit_line": _post("agents_edit_line", WRITE, ONE_LINE),
    "agents_edit_line of Bob": _post("agents_edit_line", BOBS, MY_LINE, query=BOB),
    "agents_undo_save": _post(
        "agents_undo_save", WRITE, first="agents_edit_line", number="next_number"
    ),
    "agents_undo_save of Bob": _post(
        "agents_undo_save",
        BOBS,
        query=BOB,
        first="agents_edit_line of Bob",
        number="my_next_number",
    ),
    "agents_release": _post("agents_release", WRITE, LINES, first="agents_edit"),
    "agents_release of Bob": _post(
        "agents_release", BOBS, LINES, query=BOB, first="agents_edit of Bob"
    ),
    "agents_keep": _post("agents_keep", WRITE, LINES, first="agents_release"),
    "agents_keep of Bob": _post(
        "agents_keep", BOBS, LINES, query=BOB, first="agents_release of Bob"
    ),
    "agents_forget_line now": _post("agents_forget_line", WRITE, {"sha256": "{sha256}"}),
    "agents_unforget_line": _post(
        "agents_unforget_line", MANAGE, {"sha256": "{sha256}"}, first="agents_forget_line now"
    ),
    "agents_dream": _post("agents_dream", WRITE),
    "agents_dream of Bob": _post("agents_dream", BOBS | {"viewer": 403}, query=BOB),
    "agents_tonight_ask": _post("agents_tonight_ask", WRITE),
    "agents_tonight_ask of Bob": _post("agents_tonight_ask", BOBS | {"viewer": 403}, query=BOB),
    "agents_stop": _post("agents_stop", WRITE, run_id="backfill_id"),
    "agents_provenance_revert": _post("agents_provenance_revert", WRITE, {"run": "{run_id}"}),
    "agents_provenance_revert of Bob": _post(
        "agents_provenance_revert",
        # For an admin there is nothing in it that is theirs to take back.
        {"member": 200, "admin": 200, "viewer": 404, "auditor": 403},
        {"conversation": "{my_conversation_id}"},
    ),
    "agents_provenance_undo": _post(
        "agents_provenance_undo",
        WRITE,
        query="?run={run_id}&saves={file_id}.{next_number}",
        first="agents_edit_line",
    ),
    "agents_provenance_undo of Bob": _post(
        "agents_provenance_undo",
        {"member": 200, "admin": 404, "viewer": 404, "auditor": 403},
        query="?conversation={my_conversation_id}&saves={my_file_id}.{my_next_number}",
        first="agents_edit_line of Bob",
    ),
    "review_decide accept": _post("review_decide", WRITE, {"decision": "accept"}, **PROPOSAL),
    "review_decide accept of Bob": _post(
        "review_decide", BOBS, {"decision": "accept"}, **MY_PROPOSAL
    ),
    "review_decide reject": _post("review_decide", WRITE, {"decision": "reject"}, **PROPOSAL),
    "review_decide reject of Bob": _post(
        "review_decide", BOBS, {"decision": "reject"}, **MY_PROPOSAL
    ),
    "review_decide keep": _post("review_decide", WRITE, {"decision": "keep"}, **FLAG),
    "review_decide keep of Bob": _post("review_decide", BOBS, {"decision": "keep"}, **MY_FLAG),
    "review_decide remove": _post("review_decide", WRITE, {"decision": "remove"}, **FLAG),
    "review_decide remove of Bob": _post("review_decide", BOBS, {"decision": "remove"}, **MY_FLAG),
    "review_decide KEEP_A": _post("review_decide", WRITE, {"decision": "KEEP_A"}, **RIVALS),
    "review_decide MERGE": _post(
        "review_decide", WRITE, {"decision": "MERGE", "value": "Marta lives in both."}, **RIVALS
    ),
    "review_decide IGNORE of Bob": _post(
        "review_decide", BOBS, {"decision": "IGNORE"}, **MY_RIVALS
    ),
    "review_decide undo": _post("review_decide", WRITE, {"decision": "undo"}, **RESOLVED),
    "review_decide keep of what was asked": _post(
        "review_decide", MANAGE, {"decision": "keep"}, **ASKED
    ),
    "review_scan": _post("review_scan", MANAGE),
    "review_mask": _post("review_mask", MANAGE),
    "mine_pause": _post("mine_pause", READ),
    "mine_resume": _post("mine_resume", READ, first="mine_pause"),
    **{
        f"mine_fact_{verb}": _post(
            f"mine_fact_{verb}", ONLY_BOB, {**data}, fact_id="my_fact_id", first=first
        )
        for verb, data, first in MY_FACT_ACTS
    },
    **{
        f"mine_line_{verb}": _post(
            f"mine_line_{verb}", ONLY_BOB, {"text": "Tea is at five."}, first=first, **BOBS_LINE
        )
        for verb, first in MY_LINE_ACTS
    },
    "mine_undo": _post("mine_undo", ONLY_BOB, query="?undo={my_file_id}.2"),
    "mine_bring_back": _post("mine_bring_back", ONLY_BOB, MY_REQUEST),
    "mine_keep": _post("mine_keep", ONLY_BOB, MY_REQUEST),
    "mine_erase": _post("mine_erase", ONLY_BOB, MY_REQUEST),
    "mine_forget": _post("mine_forget", ONLY_BOB, MY_PICK),
    "mine_forget_all": _post("mine_forget_all", READ, first="settings_hold_end of one's own"),
    # Answers with the archive.
    "mine_export": Route("mine_export", READ, "POST"),
    "mine_link": _post("mine_link", READ, {"code": "{link_code}"}),
    "mine_unlink": _post("mine_unlink", ONLY_BOB, owner_id="my_channel_id"),
    "owners_open": _post("owners_open", SEE, {"reason": "A complaint about a wrong note."}),
    "owners_link": _post("owners_link", dict.fromkeys(ROLES, 403)),
    "owners_link_mail": _post("owners_link_mail", MANAGE),
    "owners_link_withdraw": _post("owners_link_withdraw", MANAGE),
    "owners_export": _post("owners_export", dict.fromkeys(ROLES, 403)),
    "settings": _post("settings", MANAGE, {"name": "Quay"}),
    **{
        name: _post(name, dict.fromkeys(ROLES, 404))
        for name in (
            "settings_installation_model",
            "settings_installation_model_find",
            "settings_installation_model_remove",
            "settings_quotas",
        )
    },
    "settings_start_own": _post("settings_start_own", MANAGE),
    "settings_demo_remove": _post("settings_demo_remove", MANAGE),
    "settings_member_add": _post(
        "settings_member_add", MANAGE, {"email": "new@example.org", "role": "viewer"}
    ),
    # Answers with the link, this once.
    "settings_invite": Route(
        "settings_invite", MANAGE, "POST", {"invite-email": "i@example.org", "invite-role": "admin"}
    ),
    "settings_invitation_withdraw": _post("settings_invitation_withdraw", MANAGE),
    "settings_member_change": _post("settings_member_change", MANAGE, {"role": "member"}),
    "settings_member_remove": _post("settings_member_remove", MANAGE),
    "settings_integration_new": _post(
        "settings_integration_new",
        MANAGE,
        {"name": "shop", "reach": "every", "scopes": ["memory:read"]},
    ),
    "settings_integration_edit": _post(
        "settings_integration_edit",
        MANAGE,
        {"name": "shop", "reach": "every", "scopes": ["memory:read"]},
    ),
    "settings_integration_grant": _post(
        "settings_integration_grant", MANAGE, {"reason": "Answers each complaint as a whole."}
    ),
    "settings_integration_sharing_grant": _post(
        "settings_integration_sharing_grant", MANAGE, {"reason": "Keeps the opening hours."}
    ),
    "settings_integration_sharing_withdraw": _post(
        "settings_integration_sharing_withdraw", MANAGE, first="settings_integration_sharing_grant"
    ),
    "settings_integration_withdraw": _post(
        "settings_integration_withdraw", MANAGE, first="settings_integration_grant"
    ),
    "settings_integration_revoke": _post("settings_integration_revoke", MANAGE),
    # Answers with the secret, this once.
    "settings_webhook_new": Route("settings_webhook_new", MANAGE, "POST", WEBHOOK),
    "settings_slack_new": _post("settings_slack_new", MANAGE, SLACK),
    "settings_webhook_secret": Route("settings_webhook_secret", MANAGE, "POST"),
    "settings_webhook_change": _post("settings_webhook_change", MANAGE, WEBHOOK),
    "settings_webhook_on": _post("settings_webhook_on", MANAGE, first="settings_webhook_off"),
    "settings_webhook_off": _post("settings_webhook_off", MANAGE),
    "settings_webhook_test": _post("settings_webhook_test", MANAGE),
    "settings_webhook_resend": _post("settings_webhook_resend", MANAGE),
    "settings_webhook_remove": _post("settings_webhook_remove", MANAGE),
    # Answers with the secret, this once.
    "settings_token_new": Route(
        "settings_token_new",
        READ,
        "POST",
        {"name": "Laptop", "holder": "me", "days": "30", "scopes": ["memory:read"]},
    ),
    "agents_connect_token": Route("agents_connect_token", READ, "POST", {"as": "me"}),
    "agents_connect_say": _post(
        "agents_connect_say", READ, {"as": "me", "said": "I live in Porto."}
    ),
    "agents_connect_say of a customer": _post(
        "agents_connect_say", MANAGE, {"as": "program", "said": "I live in Porto."}
    ),
    "settings_token_revoke": _post("settings_token_revoke", OWN_TOKEN),
    "settings_token_grant": _post(
        "settings_token_grant", MANAGE, {"reason": "Keeps the opening hours."}
    ),
    "settings_token_withdraw": _post(
        "settings_token_withdraw", MANAGE, first="settings_token_grant"
    ),
    "audit_verify": Route("audit_verify", SEE, "POST", {"head": A_HEAD}, is_look=True),
    # Last: the checkpoints that they sign outlive what a test has undone, one its own event.
    "audit_export": Route("audit_export", SEE, "POST", {"kind": "csv"}, is_export=True),
    "agents_fact_pack": Route(
        "agents_fact_pack",
        dict.fromkeys(ROLES, 403) | {"auditor": 200},
        "POST",
        {"at": "2099-01-01T00:00"},
        is_export=True,
    ),
}

ROUTES = {f"GET {key}": route for key, route in PAGES.items()} | {
    f"POST {key}": route for key, route in CHANGES.items()
}

# What a change answers piece by piece. One that isn't named here fails (test_web_roles).
STREAMED = {"mine_export", "audit_export", "agents_fact_pack"}


@dataclass(frozen=True)
class Address:
    """Of no team: what nobody and somebody signed in are answered."""

    nobody: int
    somebody: int
    kwargs: dict[str, str] = field(default_factory=dict)


OPEN: dict[str, Address] = {
    "home": Address(302, 302),
    "profile": Address(302, 200),
    "help": Address(302, 200, {"name": "review"}),
    "profile_zone": Address(302, 405),
    "profile_mail": Address(302, 405),
    "mail_stop": Address(404, 404, {"link": "nobody"}),
    "profile_address": Address(302, 200),
    "profile_address_confirm": Address(302, 302),
    "totp_qr": Address(302, 404),
    "invitation_entrance": Address(200, 200),
    "invitation": Address(404, 404),
    "invitation_join": Address(405, 405),
    "invitation_accept": Address(302, 405),
    "visit": Address(200, 200),
    "visit_page": Address(404, 404),
    "visit_statement": Address(404, 404, FACT),
    **dict.fromkeys(
        (
            *(
                "visit_answer",
                "visit_undo",
                "visit_pause",
                "visit_resume",
            ),
            *("visit_export", "visit_leave", "visit_bring_back", "visit_keep", "visit_erase"),
            *("visit_forget", "visit_forget_all", "visit_new_link"),
        ),
        Address(405, 405),
    ),
    **{f"visit_fact_{verb}": Address(405, 405, FACT) for verb, _data, _first in MY_FACT_ACTS},
    **{f"visit_line_{verb}": Address(405, 405, LINE) for verb, _first in MY_LINE_ACTS},
    "mcp": Address(405, 405),
    "oauth_resource": Address(200, 200),
    "oauth_server": Address(200, 200),
    "oauth_register": Address(405, 405),
    "complete_chat": Address(405, 405),
    "oauth_token": Address(405, 405),
    "oauth_authorize": Address(302, 400),
    "oauth_allow": Address(302, 405),
    "oauth_deny": Address(302, 405),
    "plugin": Address(200, 200, {"kind": "openclaw"}),
    "mem0": Address(401, 401, {"rest": "v1/ping/"}),
    "mem0_of_host": Address(401, 401, {"rest": "v1/ping/"}),
    "mem0_of_agent": Address(401, 401, {"rest": "v1/ping/", "agent_id": str(UUID(int=1))}),
    "account_login": Address(200, 302),
    "account_logout": Address(302, 200),
    "account_inactive": Address(200, 200),
    "account_signup": Address(200, 302),
    "account_reauthenticate": Address(302, 200),
    "account_change_password": Address(302, 200),
    "account_reset_password": Address(200, 200),
    "account_reset_password_from_key_done": Address(200, 200),
    "account_reset_password_from_key": Address(200, 200, {"uidb36": "1", "key": "none"}),
    "account_reset_password_done": Address(200, 200),
    "mfa_index": Address(302, 200),
    "mfa_authenticate": Address(302, 302),
    "mfa_reauthenticate": Address(302, 302),
    "mfa_activate_totp": Address(302, 302),
    "mfa_deactivate_totp": Address(302, 404),
    "mfa_view_recovery_codes": Address(302, 404),
    "mfa_generate_recovery_codes": Address(302, 302),
    "mfa_download_recovery_codes": Address(302, 404),
    "company_leave": Address(405, 405),
    "company_callback": Address(404, 404),
}
