"""No password stands in this file: each sample is drawn when its test runs."""

import hashlib
import random
import string
import uuid
from collections.abc import Callable

import pytest

from memoryweb.language.secrets import credentials
from memoryweb.language.secrets.assignments import find
from tests.pace import assert_linear
from tests.tables import every_row

FORMS = {
    "password": [
        "password={}",
        'password = "{}"',
        "passwd: {}",
        "DB_PASSWORD={}",
        "spring.datasource.password={}",
        '{{"user": "ann", "password": "{}", "age": 3}}',
        "pwd := '{}'",
        "The Wi-Fi password for the guest house is {}.",
        "| password | {} |",
        "- **Password:** `{}`",
        "--password {} --verbose",
        "curl -u ann:{} https://example.com",
        "<password>{}</password>",
        "密码：{}",
        "登录密码是{}。",
        "口令为 {}",
        "パスワードは{}です",
        "비밀번호: {}",
        "비밀번호는 {} 입니다",
        "Password:\n{}\n",
        "You can login with admin / {}",
        "Log in as `ann`: {} please.",
        "The credentials are root / {}",
        "Anmeldung mit anna / {}",
    ],
    "api-key": ["api_key={}", '"apiKey": "{}"', "API key is {}", "--api-key={}", "secret key: {}"],
    "secret": ["client_secret={}", "client secret: {}", "Secret => '{}'"],
    "token": ["access_token={}", "token: {}", "Authorization: Bearer {}", "令牌：{}"],
    "credential": ["credentials={}", "creds: {}"],
}
CASES = [(kind, form, seed) for kind, forms in FORMS.items() for form in forms for seed in range(3)]


def drawn(seed: int, length: int = 14) -> str:
    """Letters and digits, at least one of each."""
    chosen = random.Random(f"assignment/{seed}")
    body = [chosen.choice(string.ascii_letters + string.digits) for _ in range(length - 2)]
    return chosen.choice(string.ascii_letters) + "".join(body) + chosen.choice(string.digits)


@every_row(CASES)
def test_a_password_behind_its_label_is_found_with_its_exact_reach(
    kind: str, form: str, seed: int
) -> None:
    value = drawn(seed)
    text = f"日本語 🎉 line\n{form.format(value)}\nand more"
    assert [(one.kind, text[one.start : one.end]) for one in find(text)] == [(kind, value)]


@pytest.mark.parametrize(
    "value", ["correct horse battery staple", "sword" + "fish", "p@ss", "849" + "302"]
)
def test_a_quoted_password_may_be_of_plain_words(value: str) -> None:
    text = f'password: "{value}"'
    assert [text[one.start : one.end] for one in find(text)] == [value]


@every_row(
    [
        "password = <password>",
        "password=YOUR_API_KEY",
        "api_key = 'your-api-key-here'",
        "password=****",
        "password: xxxxxxxx",
        "password=$VAR",
        "password=${DB_PASSWORD}",
        "password: {{ vault.password }}",
        "password=%PASSWORD%",
        "password: changeme",
        "password=changeme123",
        "token: 2026-11-20",
        "token = None",
        "password = getpass.getpass()",
        'password = os.environ["DB_PASSWORD"]',
        "secret = settings.SECRET_KEY",
        '"password": "string"',
        '"token": "refresh"',
        "Password: https://vault.example.com/wifi",
        "password: 1Password",
        "password_hash: " + hashlib.md5(b"x", usedforsecurity=False).hexdigest(),
        "password=[held: password]",  # the mark of an earlier version
        "password=[secret: password]",
        "password: [secret: github-token]",
        "password = [redacted]",
        "max_tokens: 4096",
        "passport: X1234567",
        "compass: north1",
        "login with email / password",
        "Log in with Google / GitHub or with OAuth2 / OpenID.",
        "log in as admin / owner",
        "sign in: see https://sso.example.com/start",
        "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
        "密码在保险箱里",
        "密码是她的生日",
        "パスワードは付箋に書いてある",
        "비밀번호는 메모에 있다",
    ]
)
def test_a_placeholder_and_a_reference_are_no_password(text: str) -> None:
    assert find(text) == []


WHO = ["Ann", "Inês", "Kenji", "Priya", "The night porter", "Tom's sister", "Dr. Okafor", "Mei"]
SAYINGS: list[Callable[[random.Random], str]] = [
    lambda r: f"- {r.choice(WHO)} prefers a room on floor {r.randrange(2, 30)}.",
    lambda r: f"- 09:{r.randrange(10, 60)} {r.choice(WHO)} moved the talk to 2026-11-20.",
    lambda r: f"{r.choice(WHO)} says the password is on the sticky note.",
    lambda r: f"The password policy of {r.choice(WHO)} asks for {r.randrange(8, 20)} characters.",
    lambda r: f"{r.choice(WHO)}'s password is stored in the vault; ask the admin.",
    lambda r: f"The token is valid for {r.randrange(2, 48)}h, {r.choice(WHO)} found out.",
    lambda r: f"The secret is patience, said {r.choice(WHO)}.",
    lambda r: f"Password: on the sticky note of {r.choice(WHO)}",
    lambda r: f"{r.choice(WHO)} forgot the password for the second time: reset it on Monday.",
    lambda r: f"Order {uuid.UUID(int=r.getrandbits(128))} is for {r.choice(WHO)}.",
    lambda r: "commit " + hashlib.sha1(r.randbytes(8), usedforsecurity=False).hexdigest(),
    lambda r: "sha256:" + hashlib.sha256(r.randbytes(8)).hexdigest(),
    lambda r: f"Set YOUR_API_KEY in the {r.choice(['console', 'shell', 'file'])} first.",
    lambda r: f"export API_KEY=YOUR_API_KEY  # {r.choice(WHO)}",
    lambda r: (
        f"Meet at 2026-0{r.randrange(1, 10)}-1{r.randrange(10)}T09:15:00Z, gate {r.choice('ABC')}4."
    ),
    lambda r: f"Mail {r.choice(['ann', 'tom'])}{r.randrange(99)}@example.com about the API key.",
    lambda r: f"API keys rotate every {r.randrange(30, 90)} days; {r.choice(WHO)} does it.",
    lambda r: f"{r.choice(WHO)} keeps her secret: never hurry.",
    lambda r: f"See https://example.com/reset-password?step={r.randrange(9)} for the form.",
    lambda r: f"The model takes {r.randrange(1000, 9000)} tokens: more than {r.choice(WHO)} has.",
    lambda r: f"密码的规则：至少{r.randrange(8, 20)}位，{r.choice(WHO)}说。",
    lambda r: f"{r.choice(WHO)}はパスワードを変えたいと言った。",
    lambda r: f"Serial {r.randrange(10**9, 10**10)}, invoice INV-{r.randrange(10**5)}.",
    lambda r: f"{r.choice(WHO)} is allergic to nuts; room key 4{r.randrange(10, 99)}.",
    lambda r: f"The credentials of {r.choice(WHO)}: a PhD and ten years of practice.",
]


def test_ordinary_memories_are_not_blocked_and_hardly_ever_held() -> None:
    chosen = random.Random(12)
    texts = [SAYINGS[number % len(SAYINGS)](chosen) for number in range(300)]
    assert [text for text in texts if credentials.find(text)] == []
    assert len([text for text in texts if find(text)]) <= 3


def test_what_was_masked_once_holds_nothing_new() -> None:
    for form in [form for forms in FORMS.values() for form in forms]:
        assert find(form.format("[secret: password]")) == []


def test_a_very_long_value_is_taken_to_its_end() -> None:
    value = drawn(1, 3000)
    text = f"token={value} and more"
    assert [text[one.start : one.end] for one in find(text)] == [value]


@pytest.mark.parametrize(
    "unit", ["a", "password=", "pwd: a ", "token is ", "secret:secret:", "密码：", "--a-"]
)
def test_time_grows_with_length_only(unit: str) -> None:
    assert_linear(lambda text: (credentials.find(text), find(text)), lambda times: unit * times)
