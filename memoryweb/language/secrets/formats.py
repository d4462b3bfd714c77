"""The documented formats of secrets: what starts them, how they look, what makes them real.

Patterns are google-re2's (linear time, no look-around) over UTF-8 bytes. Group 1, where there is
one, is the secret; else the whole match is. Formats that end openly take all that follows, so
that masking never leaves a tail behind.
"""

from collections.abc import Callable
from dataclasses import dataclass

import re2

from memoryweb.language.secrets.checks import (
    is_aws_key,
    is_basic_password,
    is_json_header,
    is_labelled_key,
    is_our_token,
    looks_random,
)


@dataclass(frozen=True)
class Format:
    kind: str
    keywords: tuple[bytes, ...]  # lower case; without one of them the pattern isn't tried
    pattern: "re2._Regexp"
    is_real: Callable[[str], bool]


def _format(
    kind: str,
    keywords: str,
    pattern: str,
    is_real: Callable[[str], bool] = looks_random,
) -> Format:
    words = tuple(word.lower().encode() for word in keywords.split())
    return Format(kind, words, re2.compile(pattern.encode()), is_real)


FORMATS = (
    _format("memoryweb-token", "mwp_", r"\b(mwp_[0-9A-Za-z]{38})\b", is_our_token),
    _format(
        "url-password",
        "://",
        r"[A-Za-z][A-Za-z0-9+.\-]{1,30}://[^\s/:@?#\"'<>`]{0,256}"
        r":([^\s/?#\"'<>`]{1,512})@[^\s@/?#]",
        is_basic_password,
    ),
    _format(
        "jwt",
        "eyj",
        r"\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3}\.[A-Za-z0-9_-]{16,}",
        is_json_header,
    ),
    # Clouds
    _format(
        "aws-access-key",
        "akia asia abia acca",
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
        is_aws_key,
    ),
    _format(
        "aws-secret-key",
        "secret",
        r"(?i)\b(?:aws[\s_.-]{0,3})?secret[\s_-]?(?:access[\s_-]?)?key(?:\s?id)?"
        r"[\"'`\]\s]{0,6}(?:=>|:=|=|:|\bis\b|,)?[\"'`\s]{0,6}"
        r"([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        is_labelled_key,
    ),
    _format("google-api-key", "aiza", r"\bAIza[0-9A-Za-z_-]{35,}"),
    _format("google-oauth", "ya29. gocspx-", r"\b(?:ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[\w-]{28,})"),
    _format(
        "azure-storage-key",
        "accountkey sharedaccesskey",
        r"(?i)\b(?:AccountKey|SharedAccessKey)\s{0,3}=\s{0,3}([A-Za-z0-9+/]{42,86}={1,2})",
    ),
    _format("azure-sas", "sig=", r"[?&;]sig=([A-Za-z0-9%+/]{40,}(?:%3[Dd]|=))"),
    _format("azure-client-secret", "q~", r"\b([\w.~-]{3}\dQ~[\w.~-]{31,34})(?:[^\w.~-]|$)"),
    _format("alibaba-access-key", "ltai", r"\bLTAI[0-9A-Za-z]{12,26}\b"),
    _format("tencent-secret-id", "akid", r"\bAKID[0-9A-Za-z]{32}\b"),
    _format("digitalocean-token", "_v1_", r"\bdo[opr]_v1_[0-9a-f]{64,}"),
    _format("heroku-key", "hrku-", r"\bHRKU-[\w-]{36,}"),
    _format("vault-token", "hvs. hvb. hvr.", r"\bhv[sbr]\.[\w-]{24,}"),
    _format("terraform-token", ".atlasv1.", r"\b[0-9A-Za-z]{14}\.atlasv1\.[\w=-]{60,}"),
    _format("databricks-token", "dapi", r"\bdapi[0-9a-f]{32}(?:-\d)?\b"),
    _format("doppler-token", "dp.", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}"),
    _format("fly-token", "fo1_ fm1", r"\b(?:fo1_[\w-]{43,}|fm1[ar]_[0-9A-Za-z+/=]{60,})"),
    _format("supabase-key", "sbp_ sb_secret_", r"\b(?:sbp_[0-9a-f]{40,}|sb_secret_[\w-]{30,})"),
    _format("planetscale-token", "pscale_", r"\bpscale_(?:tkn|pw|oauth)_[\w=.-]{32,}"),
    # Code hosts and package registries
    _format("github-token", "ghp_ gho_ ghs_ ghu_ ghr_", r"\bgh[pousr]_[0-9A-Za-z]{36,}"),
    _format("github-token", "github_pat_", r"\bgithub_pat_\w{50,}"),
    _format(
        "gitlab-token",
        "glpat- gldt- glrt- glptt- glcbt- glagent- gloas- glsoat- glft- glimt- glffct-",
        r"\bgl(?:pat|dt|rt|ptt|cbt|agent|oas|soat|ft|imt|ffct)-[\w.-]{20,}",
    ),
    _format("bitbucket-token", "atbb", r"\bATBB[0-9A-Za-z]{32,}"),
    _format("atlassian-token", "atatt3", r"\bATATT3[\w=-]{60,}"),
    _format("npm-token", "npm_", r"\bnpm_[0-9A-Za-z]{36,}"),
    _format("pypi-token", "pypi-age", r"\bpypi-AgE[\w-]{50,}"),
    _format("rubygems-key", "rubygems_", r"\brubygems_[0-9a-f]{48,}"),
    _format("docker-token", "dckr_", r"\bdckr_(?:pat|oat)_[\w-]{27,}"),
    _format("postman-key", "pmak-", r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34,}"),
    # Models
    _format("anthropic-key", "sk-ant-", r"\bsk-ant-[\w-]{20,}"),
    _format("openai-key", "sk-", r"\bsk-(?:proj|svcacct|admin|None)-[\w-]{20,}"),
    _format("openrouter-key", "sk-or-", r"\bsk-or-v\d-[0-9a-f]{64,}"),
    _format("openai-key", "sk-", r"\bsk-[0-9A-Za-z]{32,}"),
    _format("huggingface-token", "hf_ api_org_", r"\b(?:hf_|api_org_)[0-9A-Za-z]{34,}"),
    _format("groq-key", "gsk_", r"\bgsk_[0-9A-Za-z]{48,}"),
    _format("perplexity-key", "pplx-", r"\bpplx-[0-9A-Za-z]{40,}"),
    _format("replicate-token", "r8_", r"\br8_[0-9A-Za-z]{37,}"),
    _format("xai-key", "xai-", r"\bxai-[0-9A-Za-z]{70,}"),
    # Messages, payments, services
    _format("slack-token", "xox xapp-", r"\b(?:xox[abceoprs]|xapp)[-.][\w.%-]{20,}"),
    _format(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/]{30,})",
    ),
    _format(
        "discord-webhook", "/webhooks/", r"discord(?:app)?\.com/api/webhooks/(\d{15,}/[\w-]{60,})"
    ),
    _format("telegram-bot-token", ":aa", r"\b\d{8,12}:AA[\w-]{33}\b"),
    _format("twilio-key", "sk", r"\bSK[0-9a-f]{32}\b"),
    _format(
        "twilio-auth-token",
        "twilio",
        r"(?i)\btwilio[\w\s.\"'-]{0,20}token[\"'\s]{0,3}(?:=|:|\bis\b)[\"'\s]{0,4}([0-9a-f]{32})\b",
    ),
    _format("sendgrid-key", "sg.", r"\bSG\.[\w-]{20,24}\.[\w-]{39,}"),
    _format("mailchimp-key", "-us", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    _format("mailgun-key", "mailgun", r"\b(key-[0-9a-f]{32})\b"),
    _format("stripe-key", "k_live_ k_test_", r"\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}"),
    _format("stripe-webhook-secret", "whsec_", r"\bwhsec_[0-9A-Za-z+/=]{24,}"),
    _format("shopify-token", "shp", r"\bshp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32,}"),
    _format("square-token", "sq0", r"\bsq0(?:atp|csp|idp)-[\w-]{22,}"),
    _format("facebook-token", "eaa", r"\bEAA[0-9A-Za-z]{90,}"),
    _format("dropbox-token", "sl.", r"\bsl\.[\w-]{120,}"),
    _format("notion-token", "ntn_", r"\bntn_[0-9A-Za-z]{40,}"),
    _format("linear-key", "lin_api_", r"\blin_api_[0-9A-Za-z]{32,}"),
    _format("sentry-token", "sntry", r"\bsntry[su]_[\w+/=]{40,}"),
    _format("grafana-token", "glc_ glsa_", r"\b(?:glc_[\w+/]{32,}={0,2}|glsa_\w{32,})"),
    _format("newrelic-key", "nrak-", r"\bNRAK-[0-9A-Z]{27,}"),
    _format("age-key", "age-secret-key-", r"(?i)\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
)
