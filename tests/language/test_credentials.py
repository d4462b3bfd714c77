"""No secret stands in this file: each sample is made when its test runs."""

import base64
import hashlib
import json
import random
import string
import uuid

import pytest

from memoryweb.language.secrets import own_token
from memoryweb.language.secrets.credentials import find, mask
from tests.pace import assert_linear
from tests.tables import every_row

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + "234567"
URLSAFE = LETTERS + "-_"
BASE64 = LETTERS + "+/"


def draw(length: int, alphabet: str = LETTERS, seed: int = 7) -> str:
    chosen = random.Random(f"{seed}/{length}/{alphabet}")
    return "".join(chosen.choice(alphabet) for _ in range(length))


def token_of_json(**header: str) -> str:
    parts = [json.dumps(header), json.dumps({"sub": "1"})]
    encoded = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, draw(43, URLSAFE)])


SAMPLES = {
    "aws-access-key": ["AKIA" + draw(16, UPPER), "ASIA" + draw(16, UPPER)],
    "google-api-key": ["AIza" + draw(35, URLSAFE)],
    "google-oauth": ["GOCSPX-" + draw(28), "ya29." + draw(60)],
    "github-token": [
        *(prefix + draw(36) for prefix in ("ghp_", "gho_", "ghs_", "ghu_", "ghr_")),
        f"github_pat_{draw(22)}_{draw(59)}",
    ],
    "gitlab-token": ["glpat-" + draw(20), "glrt-" + draw(20), "gldt-" + draw(20)],
    "slack-token": [
        f"xoxb-{draw(12, string.digits)}-{draw(12, string.digits)}-{draw(24)}",
        f"xoxp-{draw(12, string.digits)}-{draw(32)}",
        f"xapp-1-{draw(10, UPPER)}-{draw(12, string.digits)}-{draw(40)}",
    ],
    "slack-webhook": [f"T{draw(8, UPPER)}/B{draw(8, UPPER)}/{draw(24)}"],
    "stripe-key": ["sk_live_" + draw(24), "rk_live_" + draw(99), "sk_test_" + draw(24)],
    "openai-key": ["sk-" + draw(48), "sk-proj-" + draw(120, URLSAFE)],
    "anthropic-key": ["sk-ant-api03-" + draw(95, URLSAFE)],
    "huggingface-token": ["hf_" + draw(34)],
    "npm-token": ["npm_" + draw(36)],
    "pypi-token": ["pypi-AgEIcHlwaS5vcmc" + draw(120, URLSAFE)],
    "sendgrid-key": [f"SG.{draw(22, URLSAFE)}.{draw(43, URLSAFE)}"],
    "twilio-key": ["SK" + draw(32, HEX)],
    "telegram-bot-token": [f"{draw(10, '123456789')}:AA{draw(33, URLSAFE)}"],
    "azure-storage-key": [draw(86, BASE64) + "=="],
    "digitalocean-token": ["dop_v1_" + draw(64, HEX)],
    "heroku-key": ["HRKU-" + draw(60)],
    "databricks-token": ["dapi" + draw(32, HEX)],
    "vault-token": ["hvs." + draw(90)],
    "groq-key": ["gsk_" + draw(52)],
    "shopify-token": ["shpat_" + draw(32, HEX)],
    "mailchimp-key": [draw(32, HEX) + "-us12"],
    "jwt": [token_of_json(alg="HS256", typ="JWT")],
}
AROUND = {
    "slack-webhook": "https://hooks.slack.com/services/{}",
    "azure-storage-key": "AccountName=web;AccountKey={};EndpointSuffix=core",
}
CASES = [(kind, sample) for kind, samples in SAMPLES.items() for sample in samples]


@every_row(CASES)
def test_it_finds_a_token_with_its_exact_reach(kind: str, sample: str) -> None:
    for around in ("{}", "my key is {}, keep it", "我的密钥是{}。", "KEY='{}'\n"):
        text = around.format(AROUND.get(kind, "{}").format(sample))
        found = find(text)
        assert [(s.kind, text[s.start : s.end]) for s in found] == [(kind, sample)]


@every_row(CASES)
def test_masking_leaves_no_part_of_a_token(kind: str, sample: str) -> None:
    masked, count = mask(f"before {AROUND.get(kind, '{}').format(sample)} after")
    assert count == 1
    assert f"[secret: {kind}]" in masked
    assert not any(sample[i : i + 6] in masked for i in range(8, len(sample) - 6))
    assert masked.startswith("before ")
    assert masked.endswith(" after")


@pytest.mark.parametrize(
    "label",
    [
        "aws_secret_access_key = {}",
        '"SecretAccessKey": "{}"',
        "AWS_SECRET_ACCESS_KEY={}",
        "the secret access key is {}",
    ],
)
def test_an_aws_secret_is_found_behind_its_label(label: str) -> None:
    text = label.format(draw(40, BASE64))
    assert [secret.kind for secret in find(text)] == ["aws-secret-key"]


@pytest.mark.parametrize(
    "kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
@pytest.mark.parametrize("newline", ["\n", "\\n", "\r\n", "\n> "])
def test_a_private_key_is_masked_from_begin_to_end(kind: str, newline: str) -> None:
    lines = [draw(64, BASE64, seed=n) for n in range(6)]
    pem = newline.join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])
    assert mask(f"key: {pem}!") == ("key: [secret: private-key]!", 1)


def test_a_private_key_that_was_cut_off_is_masked_to_its_last_line() -> None:
    lines = [draw(64, BASE64, seed=n) for n in range(6)]
    text = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "", "and then he left."])
    assert mask(text) == ("[secret: private-key]\n\nand then he left.", 1)


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("postgres://ann:{}@db.example.com:5432/app", "postgres://ann:{}@db.example.com:5432/app"),
        ("https://ann:{}@example.com/x?y=1", "https://ann:{}@example.com/x?y=1"),
        ("redis://:{}@cache:6379/0", "redis://:{}@cache:6379/0"),
        ("mongodb+srv://ann:{}@cluster0.example.net", "mongodb+srv://ann:{}@cluster0.example.net"),
    ],
)
@pytest.mark.parametrize("password", ["hunter2", "p@ss", "päss!", "a"])
def test_the_password_of_a_url_is_masked(url: str, masked: str, password: str) -> None:
    expected = masked.format("[secret: url-password]")
    assert mask(url.format(password)) == (expected, 1)


@every_row(
    [
        str(uuid.UUID(int=random.Random(3).getrandbits(128))),
        "commit " + hashlib.sha1(b"x", usedforsecurity=False).hexdigest(),
        "secret key " + hashlib.sha1(b"x", usedforsecurity=False).hexdigest(),
        "sha256:" + hashlib.sha256(b"x").hexdigest(),
        "YOUR_API_KEY",
        "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE",
        "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
        "sk-" + "x" * 48,
        "sk-proj-your-api-key-goes-here-0123456789",
        "ghp_" + "x" * 36,
        "AKIA" + "X" * 16,
        "AIza" + "0" * 35,
        "hf_" + "your" * 9,
        "glpat-" + "*" * 20,
        "the task-" + draw(40),
        "https://example.com:8080/a@b",
        "https://user:<password>@example.com",
        "https://user:${DB_PASSWORD}@example.com",
        "https://user:***@example.com",
        "https://user@example.com/path:with@sign",
        "mail ann@example.com at 10:30",
        "eyJhbGciOi is how one begins",
        "eyJ" + draw(30) + "." + draw(40) + "." + draw(40),
        "-----BEGIN PRIVATE KEY-----\n(your key)\n-----END PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----\n" + draw(64, BASE64) + "\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\n" + draw(64, BASE64) + "\n-----END PUBLIC KEY-----",
        "[secret: github-token]",
        "password = hunter2",
    ]
)
def test_a_look_alike_is_left_alone(text: str) -> None:
    assert mask(text) == (text, 0)


def test_our_own_token_is_found_and_one_with_a_wrong_checksum_is_not() -> None:
    token = own_token.generate()
    assert mask(f"use {token}, please") == ("use [secret: memoryweb-token], please", 1)
    other = token[:-1] + ("0" if token[-1] != "0" else "1")
    assert mask(other) == (other, 0)


def test_offsets_count_characters_whatever_stands_before() -> None:
    first, second = "ghp_" + draw(36), "npm_" + draw(36)
    text = f"日本語 🎉 {first} ü {second} 終わり"
    assert [text[s.start : s.end] for s in find(text)] == [first, second]


def test_a_lone_surrogate_does_not_stop_the_scan() -> None:
    sample = "ghp_" + draw(36)
    text = f"\ud800 {sample} \udfff"
    assert [text[s.start : s.end] for s in find(text)] == [sample]


def test_masking_twice_changes_nothing_more() -> None:
    once, _count = mask(f"https://ann:hunter2@example.com and ghp_{draw(36)}")
    assert mask(once) == (once, 0)


@pytest.mark.parametrize(
    "unit",
    [
        "eyJ",
        "sk-",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----" + "A" * 40,
        "://a:",
        "x://a:b@",
        "secret key = ",
        "eyJ" + "a" * 20 + ".",
        "ghp_" + "a" * 36 + " ",
        "AccountKey=",
        "日本語のテキスト。",
    ],
)
def test_time_grows_with_length_only(unit: str) -> None:
    assert_linear(find, lambda times: unit * times)
