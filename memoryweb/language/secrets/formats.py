"""The documented formats of secrets: what starts them, how they look, what makes them real.

Patterns are google-re2's (linear time, no look-around) over UTF-8 bytes. Group 1, where there is
one, is the secret; else the whole match is. Formats that end openly take all that follows, so
that masking never leaves a tail behind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import re2

from memoryweb.language.secrets import look_alikes


@dataclass(frozen=True)
class Format:
    """One row of the table below; `is_real` tells a secret from its look-alike."""

    kind: str
    source: str
    is_real: Callable[[str], bool] = look_alikes.looks_random

    @cached_property
    def pattern(self) -> "re2._Regexp":
        return re2.compile(self.source.encode())


FORMATS = (
    Format("memoryweb-token", r"\b(mwp_[0-9A-Za-z]{38})\b", look_alikes.is_our_token),
    Format(
        "url-password",
        r"[A-Za-z][A-Za-z0-9+.\-]{1,30}://[^\s/:@?#\"'<>`]{0,256}"
        r":([^\s/?#\"'<>`]{1,512})@[^\s@/?#]",
        look_alikes.is_basic_password,
    ),
    Format(
        "jwt",
        r"\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3}\.[A-Za-z0-9_-]{16,}",
        look_alikes.is_json_header,
    ),
    # Clouds
    Format("aws-access-key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b", look_alikes.is_aws_key),
    Format(
        "aws-secret-key",
        r"(?i)\b(?:aws[\s_.-]{0,3})?secret[\s_-]?(?:access[\s_-]?)?key(?:\s?id)?"
        r"[\"'`\]\s]{0,6}(?:=>|:=|=|:|\bis\b|,)?[\"'`\s]{0,6}"
        r"([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        look_alikes.is_labelled_key,
    ),
    Format("google-api-key", r"\bAIza[0-9A-Za-z_-]{35,}"),
    Format("google-oauth", r"\b(?:ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[\w-]{28,})"),
    Format(
        "azure-storage-key",
        r"(?i)\b(?:AccountKey|SharedAccessKey)\s{0,3}=\s{0,3}([A-Za-z0-9+/]{42,86}={1,2})",
    ),
    Format("azure-sas", r"[?&;]sig=([A-Za-z0-9%+/]{40,}(?:%3[Dd]|=))"),
    Format("azure-client-secret", r"\b([\w.~-]{3}\dQ~[\w.~-]{31,34})(?:[^\w.~-]|$)"),
    Format("alibaba-access-key", r"\bLTAI[0-9A-Za-z]{12,26}\b"),
    Format("tencent-secret-id", r"\bAKID[0-9A-Za-z]{32}\b"),
    Format("digitalocean-token", r"\bdo[opr]_v1_[0-9a-f]{64,}"),
    Format("heroku-key", r"\bHRKU-[\w-]{36,}"),
    Format("vault-token", r"\bhv[sbr]\.[\w-]{24,}"),
    Format("terraform-token", r"\b[0-9A-Za-z]{14}\.atlasv1\.[\w=-]{60,}"),
    Format("databricks-token", r"\bdapi[0-9a-f]{32}(?:-\d)?\b"),
    Format("doppler-token", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}"),
    Format("fly-token", r"\b(?:fo1_[\w-]{43,}|fm1[ar]_[0-9A-Za-z+/=]{60,})"),
    Format("supabase-key", r"\b(?:sbp_[0-9a-f]{40,}|sb_secret_[\w-]{30,})"),
    Format("planetscale-token", r"\bpscale_(?:tkn|pw|oauth)_[\w=.-]{32,}"),
    # Code hosts and package registries
    Format("github-token", r"\bgh[pousr]_[0-9A-Za-z]{36,}"),
    Format("github-token", r"\bgithub_pat_\w{50,}"),
    Format("gitlab-token", r"\bgl(?:pat|dt|rt|ptt|cbt|agent|oas|soat|ft|imt|ffct)-[\w.-]{20,}"),
    Format("bitbucket-token", r"\bATBB[0-9A-Za-z]{32,}"),
    Format("atlassian-token", r"\bATATT3[\w=-]{60,}"),
    Format("npm-token", r"\bnpm_[0-9A-Za-z]{36,}"),
    Format("pypi-token", r"\bpypi-AgE[\w-]{50,}"),
    Format("rubygems-key", r"\brubygems_[0-9a-f]{48,}"),
    Format("docker-token", r"\bdckr_(?:pat|oat)_[\w-]{27,}"),
    Format("postman-key", r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34,}"),
    # Models
    Format("anthropic-key", r"\bsk-ant-[\w-]{20,}"),
    Format("openai-key", r"\bsk-(?:proj|svcacct|admin|None)-[\w-]{20,}"),
    Format("openrouter-key", r"\bsk-or-v\d-[0-9a-f]{64,}"),
    Format("openai-key", r"\bsk-[0-9A-Za-z]{32,}"),
    Format("huggingface-token", r"\b(?:hf_|api_org_)[0-9A-Za-z]{34,}"),
    Format("groq-key", r"\bgsk_[0-9A-Za-z]{48,}"),
    Format("perplexity-key", r"\bpplx-[0-9A-Za-z]{40,}"),
    Format("replicate-token", r"\br8_[0-9A-Za-z]{37,}"),
    Format("xai-key", r"\bxai-[0-9A-Za-z]{70,}"),
    # Messages, payments, services
    Format("slack-token", r"\b(?:xox[abceoprs]|xapp)[-.][\w.%-]{20,}"),
    Format("slack-webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/]{30,})"),
    Format("discord-webhook", r"discord(?:app)?\.com/api/webhooks/(\d{15,}/[\w-]{60,})"),
    Format("telegram-bot-token", r"\b\d{8,12}:AA[\w-]{33}\b"),
    Format("twilio-key", r"\bSK[0-9a-f]{32}\b"),
    Format(
        "twilio-auth-token",
        r"(?i)\btwilio[\w\s.\"'-]{0,20}token[\"'\s]{0,3}(?:=|:|\bis\b)[\"'\s]{0,4}([0-9a-f]{32})\b",
    ),
    Format("sendgrid-key", r"\bSG\.[\w-]{20,24}\.[\w-]{39,}"),
    Format("mailchimp-key", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    Format("mailgun-key", r"\b(key-[0-9a-f]{32})\b"),
    Format("stripe-key", r"\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}"),
    Format("stripe-webhook-secret", r"\bwhsec_[0-9A-Za-z+/=]{24,}"),
    Format("shopify-token", r"\bshp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32,}"),
    Format("square-token", r"\bsq0(?:atp|csp|idp)-[\w-]{22,}"),
    Format("facebook-token", r"\bEAA[0-9A-Za-z]{90,}"),
    Format("dropbox-token", r"\bsl\.[\w-]{120,}"),
    Format("notion-token", r"\bntn_[0-9A-Za-z]{40,}"),
    Format("linear-key", r"\blin_api_[0-9A-Za-z]{32,}"),
    Format("sentry-token", r"\bsntry[su]_[\w+/=]{40,}"),
    Format("grafana-token", r"\b(?:glc_[\w+/]{32,}={0,2}|glsa_\w{32,})"),
    Format("newrelic-key", r"\bNRAK-[0-9A-Z]{27,}"),
    Format("age-key", r"(?i)\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
)
