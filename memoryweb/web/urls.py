from django.urls import URLPattern, URLResolver, include, path, register_converter
from django.urls.converters import StringConverter

from memoryweb.accounts.permissions import Scope
from memoryweb.llm.models import TeamEmbedding
from memoryweb.web import (
    audit,
    chat,
    company,
    connect,
    conversations,
    entries,
    help,
    last_night,
    memory_tests,
    oauth,
    over_time,
    owners,
    profile,
    prompt,
    provenance,
    rail,
    revisions,
    search,
    snapshots,
    time_travel,
    webhooks,
)
from memoryweb.web.agents import activity, home
from memoryweb.web.agents import views as agents
from memoryweb.web.dreams import views as dreams
from memoryweb.web.facts import views as facts
from memoryweb.web.files import editing
from memoryweb.web.files import views as files
from memoryweb.web.my_memory import views as mine
from memoryweb.web.my_memory import visits
from memoryweb.web.review import views as review
from memoryweb.web.team import installation_model, members, model_choice, tokens
from memoryweb.web.team import views as team


class MarkdownPath(StringConverter):
    """A workspace path. It always ends in .md, so that a verb may follow it."""

    regex = r"[^\x00]+\.md"  # PostgreSQL cannot even be asked for a NUL


register_converter(MarkdownPath, "md")
Patterns = list[URLPattern | URLResolver]

file_patterns = [
    path("why/<int:line>/", files.why, name="agents_why"),
    path("edit/", editing.edit, name="agents_edit"),
    path("arrange/", editing.arrange, name="agents_arrange"),
    path("rename/", editing.rename, name="agents_rename"),
    path("delete/", editing.delete_confirm, name="agents_delete_confirm"),
    path("delete/now/", editing.delete, name="agents_delete"),
    path("revisions/", revisions.revisions, name="agents_revisions"),
    path("revisions/<int:number>/", revisions.revision, name="agents_revision"),
    path("revisions/<int:number>/restore/", revisions.restore, name="agents_restore"),
    path("compare/", revisions.compare, name="agents_compare"),
    path("<int:line>/forget/", files.forget_line, name="agents_forget_line"),
    path("<int:line>/forget/undo/", files.unforget_line, name="agents_unforget_line"),
    path("line/", editing.edit_line, name="agents_edit_line"),
    path("revisions/<int:number>/undo/", revisions.undo, name="agents_undo_save"),
    path("release/", editing.release, name="agents_release"),
    path("keep/", editing.keep, name="agents_keep"),
]

conversation_patterns = [
    path("", activity.activity, {"only": "conversations"}, name="agents_conversations"),
    path("<uuid:conversation_id>/", conversations.conversation, name="agents_conversation"),
]

agent_patterns: Patterns = [
    path("", home.home, name="agents_detail"),
    path("files/", files.files, name="agents_files"),
    path("files/new/", editing.new, name="agents_new_file"),
    path("files/preview/", editing.preview, name="agents_preview"),
    path("files/<md:path>", files.file, name="agents_file"),
    path("files/<md:path>/", include(file_patterns)),
    path("global/<md:path>", files.global_file, name="agents_global"),
    path(
        "global/<md:path>/revisions/<int:number>/", files.global_file, name="agents_global_revision"
    ),
    path("moments/", time_travel.moments, name="agents_moments"),
    path("statements/", facts.facts, name="agents_facts"),
    path("statements/many/", facts.many, name="agents_facts_many"),
    path("statements/<uuid:fact_id>/", facts.fact, name="agents_fact"),
    path("statements/<uuid:fact_id>/confirm/", facts.confirm, name="agents_fact_confirm"),
    path("statements/<uuid:fact_id>/confirm/undo/", facts.unconfirm, name="agents_fact_unconfirm"),
    path("statements/<uuid:fact_id>/edit/", facts.edit, name="agents_fact_edit"),
    path("statements/<uuid:fact_id>/not-true/", facts.not_true, name="agents_fact_not_true"),
    path("statements/<uuid:fact_id>/until/", facts.until, name="agents_fact_until"),
    path("statements/<uuid:fact_id>/recall/", facts.recall, name="agents_fact_recall"),
    path("statements/<uuid:fact_id>/restore/", facts.restore, name="agents_fact_restore"),
    path("statements/<uuid:fact_id>/forget/", facts.forget, name="agents_fact_forget"),
    path("statements/<uuid:fact_id>/forget/undo/", facts.unforget, name="agents_fact_unforget"),
    path("statements/<uuid:fact_id>/still-true/", facts.still_holds, name="agents_fact_still_true"),
    path("statements/<uuid:fact_id>/pack/", time_travel.pack_evidence, name="agents_fact_pack"),
    path("tests/", memory_tests.tests, name="agents_tests"),
    path("tests/add/", memory_tests.add, name="agents_tests_add"),
    path("tests/<uuid:test_id>/delete/", memory_tests.delete, name="agents_test_delete"),
    path("tests/fact/<uuid:fact_id>/", memory_tests.about_fact, name="agents_test_fact"),
    path(
        "tests/contradiction/<uuid:contradiction_id>/",
        memory_tests.about_contradiction,
        name="agents_test_contradiction",
    ),
    path("entries/", entries.entries, name="agents_entries"),
    path("entries/new/", entries.add, name="agents_entries_add"),
    path("entries/<int:number>/names/", entries.change_names, name="agents_entry_names"),
    path("activity/", activity.activity, name="agents_activity"),
    path("notes/", activity.activity, {"only": "notes"}, name="agents_notes"),
    path("prompt/", prompt.prompt, name="agents_prompt"),
    path("connect/", connect.connect, name="agents_connect"),
    path("connect/token/", connect.token, name="agents_connect_token"),
    path("connect/say/", connect.say, name="agents_connect_say"),
    path("provenance/", provenance.provenance, name="agents_provenance"),
    path("provenance/revert/", provenance.revert, name="agents_provenance_revert"),
    path("provenance/undo/", provenance.undo, name="agents_provenance_undo"),
    path("dreams/", activity.activity, {"only": "dreams"}, name="agents_dreams"),
    path("dreams/now/", dreams.dream, name="agents_dream"),
    path("dreams/preview/", dreams.preview, name="agents_tonight"),
    path("dreams/preview/ask/", dreams.ask, name="agents_tonight_ask"),
    path("conversations/", include(conversation_patterns)),
    path("chat/", chat.chat, name="agents_chat"),
    path("chat/say/", chat.say, name="agents_chat_say"),
    path("chat/<int:message_id>/remember/", chat.remember, name="agents_chat_remember"),
    path("chat/<int:message_id>/leave-out/", chat.leave_out, name="agents_chat_leave_out"),
    path("settings/", agents.settings, name="agents_settings"),
    path("archive/", agents.archive_confirm, name="agents_archive_confirm"),
    path("archive/now/", agents.archive, name="agents_archive"),
    path("archive/undo/", agents.unarchive, name="agents_unarchive"),
]

member_patterns = [
    path("add/", members.add, name="settings_member_add"),
    path("invite/", members.invite, name="settings_invite"),
    path(
        "invited/<uuid:invitation_id>/withdraw/",
        members.withdraw,
        name="settings_invitation_withdraw",
    ),
    path("<int:membership_id>/change/", members.change, name="settings_member_change"),
    path(
        "<int:membership_id>/remove/", members.remove_confirm, name="settings_member_remove_confirm"
    ),
    path("<int:membership_id>/remove/now/", members.remove, name="settings_member_remove"),
]

_READING, _SHARING = {"scope": Scope.PERSONAL_READ}, {"scope": Scope.SHARED_WRITE}

integration_patterns = [
    path("", tokens.edit_integration, name="settings_integration_edit"),
    path("reading/grant/", tokens.grant_scope, _READING, name="settings_integration_grant"),
    path(
        "reading/withdraw/", tokens.withdraw_scope, _READING, name="settings_integration_withdraw"
    ),
    path("sharing/grant/", tokens.grant_scope, _SHARING, name="settings_integration_sharing_grant"),
    path(
        "sharing/withdraw/",
        tokens.withdraw_scope,
        _SHARING,
        name="settings_integration_sharing_withdraw",
    ),
    path("revoke/", tokens.confirm_integration_revoke, name="settings_integration_revoke_confirm"),
    path("revoke/now/", tokens.revoke_integration_now, name="settings_integration_revoke"),
]

token_patterns = [
    path("", tokens.tokens, name="settings_tokens"),
    path("new/", tokens.new, name="settings_token_new"),
    path("<uuid:token_id>/", tokens.token, name="settings_token"),
    path("<uuid:token_id>/sharing/grant/", tokens.grant, name="settings_token_grant"),
    path("<uuid:token_id>/sharing/withdraw/", tokens.withdraw, name="settings_token_withdraw"),
    path("<uuid:token_id>/revoke/", tokens.revoke_confirm, name="settings_token_revoke_confirm"),
    path("<uuid:token_id>/revoke/now/", tokens.revoke, name="settings_token_revoke"),
]

webhook_patterns = [
    path("", webhooks.webhook, name="settings_webhook"),
    path("change/", webhooks.change, name="settings_webhook_change"),
    path("on/", webhooks.turn, {"is_on": True}, name="settings_webhook_on"),
    path("off/", webhooks.turn, {"is_on": False}, name="settings_webhook_off"),
    path("test/", webhooks.test, name="settings_webhook_test"),
    path("secret/", webhooks.renew, name="settings_webhook_secret"),
    path("remove/", webhooks.remove_confirm, name="settings_webhook_remove_confirm"),
    path("remove/now/", webhooks.remove, name="settings_webhook_remove"),
    path("sent/<uuid:delivery_id>/again/", webhooks.resend, name="settings_webhook_resend"),
]

_MEANING = {"table": TeamEmbedding}

settings_patterns: Patterns = [
    path("", members.team, name="settings"),
    path("demo/start/", team.start_own, name="settings_start_own"),
    path("demo/remove/", team.demo_confirm, name="settings_demo_remove_confirm"),
    path("demo/remove/now/", team.demo_remove, name="settings_demo_remove"),
    path("members/", include(member_patterns)),
    path("integrations/new/", tokens.new_integration, name="settings_integration_new"),
    path("integrations/<uuid:integration_id>/", include(integration_patterns)),
    path("tokens/", include(token_patterns)),
    path("webhooks/new/", webhooks.new, name="settings_webhook_new"),
    path("webhooks/slack/", webhooks.new_slack, name="settings_slack_new"),
    path("webhooks/<uuid:webhook_id>/", include(webhook_patterns)),
    path("model/", model_choice.model, name="settings_model"),
    path(
        "model/installation/", installation_model.installation, name="settings_installation_model"
    ),
    path(
        "model/installation/find/", installation_model.find, name="settings_installation_model_find"
    ),
    path(
        "model/installation/remove/",
        installation_model.remove,
        name="settings_installation_model_remove",
    ),
    path("model/use/", model_choice.use, name="settings_model_use"),
    path("model/own/", model_choice.own, name="settings_model_own"),
    path("model/own/remove/", model_choice.remove, name="settings_model_remove"),
    path("model/test/", model_choice.test, name="settings_model_test"),
    path("model/budget/", model_choice.budget, name="settings_model_budget"),
    path("meaning/use/", model_choice.use, _MEANING, name="settings_embedding_use"),
    path("meaning/own/", model_choice.own, _MEANING, name="settings_embedding_own"),
    path("quotas/", team.quotas, name="settings_quotas"),
    path("health/", team.health, name="settings_health"),
    path("erasing/", team.erasing, name="settings_erasing"),
    path("erasing/keep/", team.keep, name="settings_keep"),
    path("erasing/hold/", team.hold, name="settings_hold"),
    path("erasing/hold/<uuid:hold_id>/end/", team.end_hold, name="settings_hold_end"),
]

snapshot_patterns = [
    path("", snapshots.snapshot, name="agents_snapshot"),
    path("export/", snapshots.export, name="agents_snapshot_export"),
    path("upload/", snapshots.upload, name="agents_snapshot_upload"),
    path("<uuid:upload_id>/", snapshots.preview, name="agents_snapshot_preview"),
    path("<uuid:upload_id>/change/<md:path>", snapshots.change, name="agents_snapshot_change"),
    path("<uuid:upload_id>/import/", snapshots.apply, name="agents_snapshot_import"),
    path("<uuid:upload_id>/drop/", snapshots.drop, name="agents_snapshot_drop"),
    path("imports/<uuid:import_id>/", snapshots.imported, name="agents_import"),
]

team_patterns: Patterns = [
    path("", last_night.last_night, name="last_night"),
    path("over-time/", over_time.over_time, name="over_time"),
    path("over-time/picture.svg", over_time.picture, name="over_time_picture"),
    path("go/", rail.palette, name="palette"),
    path("agents/", agents.agents, name="agents"),
    path("agents/new/", agents.new, name="agents_new"),
    path("agents/<uuid:agent_id>/", include(agent_patterns)),
    path("agents/<uuid:agent_id>/snapshot/", include(snapshot_patterns)),
    path("search/", search.search, name="search"),
    path("runs/<uuid:run_id>/", dreams.run, name="agents_run"),
    path("runs/<uuid:run_id>/progress/", dreams.progress, name="agents_progress"),
    path("runs/<uuid:run_id>/stop/", dreams.stop, name="agents_stop"),
    path("review/", review.review, name="review"),
    path("review/<slug:kind>/<str:item_id>/", review.detail, name="review_item"),
    path("review/<slug:kind>/<str:item_id>/decide/", review.decide, name="review_decide"),
    path("secrets/scans/", review.scans, name="review_scans"),
    path("secrets/scans/<uuid:agent_id>/look/", review.scan, name="review_scan"),
    path("secrets/scans/<uuid:agent_id>/mask/", review.mask_confirm, name="review_mask_confirm"),
    path("secrets/scans/<uuid:agent_id>/mask/now/", review.mask, name="review_mask"),
    path("review/<uuid:item_id>/", review.moved, {"kind": "proposal"}, name="review_moved"),
    path("marks/", review.moved, {"kind": "flag"}, name="marks_moved"),
    path("me/", mine.mine, name="mine"),
    *(
        path(f"me/{where}", view, name=f"mine_{name}")
        for name, (where, view) in mine.MEMBER_ACTS.items()
    ),
    path("me/link/", mine.link, name="mine_link"),
    path("me/linked/<uuid:owner_id>/unlink/", mine.unlink, name="mine_unlink"),
    path("owners/", owners.owners, name="owners"),
    path("owners/<uuid:owner_id>/", owners.detail, name="owners_detail"),
    path("owners/<uuid:owner_id>/open/", owners.open_memory, name="owners_open"),
    path("owners/<uuid:owner_id>/link/", owners.make_link, name="owners_link"),
    path("owners/<uuid:owner_id>/link/mail/", owners.mail_link, name="owners_link_mail"),
    path("owners/<uuid:owner_id>/link/withdraw/", owners.withdraw, name="owners_link_withdraw"),
    path("owners/<uuid:owner_id>/export/", owners.export, name="owners_export"),
    path("settings/", include(settings_patterns)),
    path("audit/", audit.audit, name="audit"),
    path("audit/verify/", audit.verify, name="audit_verify"),
    path("audit/verifier/", audit.verifier, name="audit_verifier"),
    path("audit/export/", audit.export, name="audit_export"),
]

urlpatterns = [
    path("", last_night.home, name="home"),
    path("connect/<slug:kind>.zip", connect.plugin, name="plugin"),
    path("join/", members.entrance, name="invitation_entrance"),
    path("join/invitation/", members.invitation, name="invitation"),
    path("join/invitation/new/", members.join, name="invitation_join"),
    path("join/invitation/accept/", members.accept, name="invitation_accept"),
    path("visit/open/", visits.entrance, name="visit"),
    path("visit/", visits.page, name="visit_page"),
    path("visit/statements/<uuid:fact_id>/", visits.statement, name="visit_statement"),
    *(
        path(f"visit/{where}", view, name=f"visit_{name}")
        for name, (where, view) in visits.ACTS.items()
    ),
    path("visit/leave/", visits.leave, name="visit_leave"),
    path("authorize/", oauth.authorize, name="oauth_authorize"),
    path("authorize/allow/", oauth.allow, name="oauth_allow"),
    path("authorize/deny/", oauth.deny, name="oauth_deny"),
    path("help/<slug:name>/", help.show, name="help"),
    path("profile/", profile.profile, name="profile"),
    path("profile/address/", profile.address, name="profile_address"),
    path("profile/address/confirm/", profile.confirm, name="profile_address_confirm"),
    path("profile/zone/", profile.zone, name="profile_zone"),
    path("profile/mail/", profile.choose, name="profile_mail"),
    path("mail/stop/<str:link>/", profile.stop, name="mail_stop"),
    path("accounts/company/", company.leave, name="company_leave"),
    path("accounts/company/callback/", company.callback, name="company_callback"),
    path("accounts/2fa/totp/qr.svg", profile.totp_qr, name="totp_qr"),
    path("t/<slug:team>/", include((team_patterns, "web"))),
]
