"""Every setting. Runs with no environment at all; a wrong value stops the start with its name."""

import logging
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from environs import Env, ValidationError, validate

from memoryweb.core.kept_texts import kept_text

env = Env()
BASE_DIR = Path(__file__).resolve().parent.parent

# Where the installation keeps what it writes: database, keys, checkpoints.
HOME = Path(env.str("MEMORYWEB_HOME", str(BASE_DIR / "var"))).resolve()
# What all hosts see alike: keys and checkpoints.
SHARED = Path(env.str("MEMORYWEB_SHARED", str(HOME))).resolve()
os.umask(0o077)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        name = "MEMORYWEB_HOME" if folder == HOME else "MEMORYWEB_SHARED"
        raise ImproperlyConfigured(
            f"memoryweb cannot write to {folder}: {error.strerror}."
            f" Set {name} to a folder that it may write to."
        ) from None


for _folder in (HOME, SHARED):
    with _writing(_folder):
        _folder.mkdir(parents=True, exist_ok=True)


def _keep_private(path: Path, mode: int) -> None:
    """Also what an earlier version left open to everybody; never a folder that all share."""
    with suppress(FileNotFoundError, PermissionError):
        now = path.stat().st_mode
        if now & 0o077 and not now & stat.S_ISVTX:
            path.chmod(mode)


_keep_private(HOME, 0o700)
_keep_private(SHARED, 0o700)


def _kept_secret(name: str) -> str:
    """A secret made on the first start and kept in SHARED."""
    with _writing(SHARED):
        return kept_text(SHARED / name)


def _check_groups(groups: object) -> None:
    one = r"[-\w]+:(viewer|member|admin|auditor)"
    given = re.compile(rf"\s*{one}(\s*,\s*{one})*\s*")
    if not isinstance(groups, dict) or not all(given.fullmatch(str(v)) for v in groups.values()):
        raise ValidationError('Write it as {"group": "team:role, team:role"}.')


DEBUG = env.bool("MEMORYWEB_DEBUG", False)
SECRET_KEY = env.str("MEMORYWEB_SECRET_KEY", "") or _kept_secret("secret-key")
# What the audit checkpoints' signing key is made of: never in the database.
CHECKPOINTS = Path(env.str("MEMORYWEB_CHECKPOINTS", str(SHARED / "checkpoints")))
CHECKPOINT_SECRET = env.str("MEMORYWEB_CHECKPOINT_SECRET", "") or _kept_secret("checkpoint-key")
# Erasures and revocations, told outside the database: a second place, and the key of their prints.
LEDGER_DIR = env.str("MEMORYWEB_LEDGER_DIR", "")
LEDGER_URL = env.str("MEMORYWEB_LEDGER_URL", "")
LEDGER_SECRET = env.str("MEMORYWEB_LEDGER_SECRET", "") or _kept_secret("ledger-key")
ALLOWED_HOSTS = env.list("MEMORYWEB_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("MEMORYWEB_TRUSTED_ORIGINS", [])
HTTPS = env.bool("MEMORYWEB_HTTPS", False)
# Addresses or networks of the proxies in front, the only ones whose X-Forwarded-For is believed.
TRUSTED_PROXIES = env.list("MEMORYWEB_TRUSTED_PROXIES", [], subcast=ip_network)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.idp.oidc",
    "allauth.mfa",
    "csp",
    "django_htmx",
    "django_q",
    "ninja",
    "template_partials",
    "memoryweb.audit",
    "memoryweb.accounts",
    "memoryweb.llm",
    "memoryweb.agents",
    "memoryweb.runs",
    "memoryweb.memory",
    "memoryweb.extraction",
    "memoryweb.dreaming",
    "memoryweb.notify",
    "memoryweb.commands",
    "memoryweb.web",
    "memoryweb.api",
]

MIDDLEWARE = [
    "memoryweb.web.middleware.HealthMiddleware",
    "memoryweb.api.pipeline.ProgramMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "memoryweb.web.middleware.CompressMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "memoryweb.accounts.backends.PersonMiddleware",
    "memoryweb.accounts.backends.SignInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "memoryweb.audit.record.OriginMiddleware",
    "memoryweb.web.middleware.SignOutMiddleware",
    "memoryweb.web.middleware.FragmentMiddleware",
]

ROOT_URLCONF = "memoryweb.urls"
WSGI_APPLICATION = "memoryweb.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            # What nearly every template would load.
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.static",
                "template_partials.templatetags.partials",
                "memoryweb.web.templatetags.links",
                "memoryweb.web.templatetags.looks",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csrf",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "memoryweb.web.rail.rail",
            ],
        },
    },
]

# Databases (docs/architecture.md): SQLite by default, PostgreSQL when a team outgrows one machine.
# Each request tries its connection first: PostgreSQL may have restarted since the last one.
DATABASES = {
    "default": env.dj_db_url(
        "MEMORYWEB_DATABASE_URL",
        f"sqlite:///{HOME / 'memoryweb.sqlite3'}",
        conn_max_age=600,
        conn_health_checks=True,
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    for _end in ("", "-wal", "-shm"):
        _keep_private(Path(f"{DATABASES['default']['NAME']}{_end}"), 0o600)
    DATABASES["default"] |= {
        "ENGINE": "memoryweb.core.sqlite",
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # Memory-mapped up to 2 GiB: a search that hops through a large database, most of it
            # other agents', pays no system call a page.
            "cached_statements": 500,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=20000;"
                # What is deleted is overwritten: nothing that was erased stays in the file.
                " PRAGMA secure_delete=ON;"
                " PRAGMA mmap_size=2147418112;"
            ),
        },
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# A table in the database, so that sign-in rate limits hold over all web processes.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "memoryweb_cache",
    },
}

# The queue only wakes workers up; the Run rows are the truth (docs/architecture.md).
TASK_SECONDS = 300  # after which a worker's call is ended; runs stop well before
Q_CLUSTER = {
    "name": "memoryweb",
    "orm": "default",
    "bulk": 1,
    "catch_up": False,
    "timeout": TASK_SECONDS,
    "retry": 1200,
    "poll": 0.5,
    "label": "memoryweb",
}

# People
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["memoryweb.accounts.backends.PersonBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_ADAPTER = "memoryweb.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
# Wrong passwords: of one address for all accounts, of one address for one account, and of one
# account from all addresses where its person never signed in (accounts/adapter.py).
ACCOUNT_RATE_LIMITS = {
    "login_failed": "10/m/ip,100/h/ip,5/5m/key",
    "login_failed_anywhere": "100/h/key",
    "company": "120/m/ip",
}
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
# A person has one address, User.email. allauth's own generator would copy it into its table of
# addresses, where the old one would go on signing people in after a change.
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "django.contrib.auth.tokens.PasswordResetTokenGenerator"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
# Addresses are given by admins and not verified; a second factor must not wait for that.
MFA_ALLOW_UNVERIFIED_EMAIL = True
# Sign-in with the company's account (accounts/oidc.py).
OIDC_ISSUER = env.str("MEMORYWEB_OIDC_ISSUER", "")
OIDC_CLIENT_ID = env.str("MEMORYWEB_OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = env.str("MEMORYWEB_OIDC_CLIENT_SECRET", "")
_OIDC = urlsplit(OIDC_ISSUER)
OIDC_NAME = env.str("MEMORYWEB_OIDC_NAME", _OIDC.hostname or "")
OIDC_SCOPES = env.str("MEMORYWEB_OIDC_SCOPES", "openid email profile")
OIDC_GROUPS_CLAIM = env.str("MEMORYWEB_OIDC_GROUPS_CLAIM", "groups")
OIDC_GROUPS: Any = env.json("MEMORYWEB_OIDC_GROUPS", {}, validate=_check_groups)
OIDC_SECONDS = env.int("MEMORYWEB_OIDC_SECONDS", 86_400, validate=validate.Range(min=60))
OIDC_EMAILS_VERIFIED = env.bool("MEMORYWEB_OIDC_EMAILS_VERIFIED", False)
OIDC_ORIGINS = env.list(
    "MEMORYWEB_OIDC_ORIGINS", [f"{_OIDC.scheme}://{_OIDC.netloc}"] if OIDC_ISSUER else []
)
LOCAL_PASSWORDS = env.bool("MEMORYWEB_LOCAL_PASSWORDS", True)
if OIDC_ISSUER and not (_OIDC.netloc and OIDC_CLIENT_ID):
    raise ImproperlyConfigured("MEMORYWEB_OIDC_ISSUER is a URL and needs MEMORYWEB_OIDC_CLIENT_ID.")
if not (LOCAL_PASSWORDS or OIDC_ISSUER):
    raise ImproperlyConfigured("MEMORYWEB_LOCAL_PASSWORDS=false needs MEMORYWEB_OIDC_ISSUER.")
# Where apps may be called back that use /mcp for a person (accounts/oauth.py). None: no app may.
_HOSTS = ["claude.ai", "claude.com", "chatgpt.com", "loopback"]
OAUTH_HOSTS: list[str] = env.list("MEMORYWEB_OAUTH_HOSTS", _HOSTS)
IDP_OIDC_RATE_LIMITS = {"client_registration": "20/h/ip"}
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
# Without a mail server the links of forgotten passwords are printed for whoever runs it.
EMAIL_HOST = env.str("MEMORYWEB_EMAIL_HOST", "")
EMAIL_PORT = env.int("MEMORYWEB_EMAIL_PORT", 587)
EMAIL_HOST_USER = env.str("MEMORYWEB_EMAIL_USER", "")
EMAIL_HOST_PASSWORD = env.str("MEMORYWEB_EMAIL_PASSWORD", "")
EMAIL_USE_TLS = env.bool("MEMORYWEB_EMAIL_TLS", True)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.str("MEMORYWEB_EMAIL_FROM", "memoryweb@localhost")
EMAIL_BACKEND = env.str(
    "MEMORYWEB_EMAIL_BACKEND",
    f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend",
)

SESSIONS_KEPT_DAYS = env.int("MEMORYWEB_SESSIONS_KEPT_DAYS", 14, validate=validate.Range(min=1))
SESSION_ENGINE = "memoryweb.accounts.backends"
SESSION_COOKIE_AGE = SESSIONS_KEPT_DAYS * 24 * 60 * 60
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31536000 if HTTPS else 0
# All of it is MEMORYWEB_HTTPS; subdomains are the operator's own (commands/apps.py).
SILENCED_SYSTEM_CHECKS = [f"security.W{number:03}" for number in (4, 5, 8, 12, 16, 21)]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# A batch of messages may be 8 MiB of content (SPEC §4); JSON escapes can double it.
DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000  # a merge has two for each place that somebody changed
FILE_UPLOAD_HANDLERS = ["memoryweb.web.snapshots.CappedUploadHandler"]
# How long a request may take to arrive: so many seconds, and more for every byte that came.
BODY_SECONDS = env.float("MEMORYWEB_BODY_SECONDS", 15.0)
BODY_BYTES_PER_SECOND = env.int("MEMORYWEB_BODY_BYTES_PER_SECOND", 16 * 1024)
BODY_BYTES = 24 * 1024 * 1024  # above every limit of its own that an address has
METRICS_TOKEN = env.str("MEMORYWEB_METRICS_TOKEN", "")  # empty: there are no metrics
API_LOG = env.bool("MEMORYWEB_API_LOG", True)
_SIGN_IN = ("/.well-known/", "/register", "/token")
PROGRAMS = ("/api/", "/mcp", "/mem0/", "/v1/", "/v2/", "/v3/", *_SIGN_IN)  # where programs call
WEB_THREADS = env.int("MEMORYWEB_WEB_THREADS", 8)  # in each web process
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF, *OIDC_ORIGINS],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# Language and time
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("ja", "日本語")]  # each in its own words
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

# Static files
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = env.str("MEMORYWEB_STATIC", str(HOME / "static"))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "memoryweb.core.logs.JSONLines"},
    },
    "filters": {"addresses": {"()": "memoryweb.core.logs.WithoutAddresses"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": env.str(
                "MEMORYWEB_LOG_FORMAT", "line", validate=lambda v: v in {"line", "json"}
            ),
            "filters": ["addresses"],
        }
    },
    "root": {"handlers": ["console"], "level": env.str("MEMORYWEB_LOG_LEVEL", "WARNING")},
    "loggers": {"httpx": {"level": "WARNING"}},  # it tells whole addresses, such as webhooks have
}
logging.captureWarnings(True)  # Python's stand in it as well

# Runs (SPEC §5.2)
LEASE_SECONDS = env.float("MEMORYWEB_LEASE_SECONDS", 180.0)
HEARTBEAT_SECONDS = env.float("MEMORYWEB_HEARTBEAT_SECONDS", 20.0)
RUNS_PER_TEAM = env.int("MEMORYWEB_RUNS_PER_TEAM", 4)
RUN_ATTEMPTS = env.int("MEMORYWEB_RUN_ATTEMPTS", 5)
STUCK_SECONDS = env.float("MEMORYWEB_STUCK_SECONDS", 60.0)
# Runs that changed nothing, with their reports. A dream reads what others of its window read.
RUNS_KEPT_DAYS = env.int("MEMORYWEB_RUNS_KEPT_DAYS", 90, validate=validate.Range(min=30))

# Extraction (SPEC §4)
AUTO_SUMMARIZE = env.bool("MEMORYWEB_AUTO_SUMMARIZE", True)
EXTRACTION_IDLE_SECONDS = env.int("MEMORYWEB_EXTRACTION_IDLE_SECONDS", 120)
EXTRACTION_COOLDOWN_SECONDS = env.int("MEMORYWEB_EXTRACTION_COOLDOWN_SECONDS", 300)
EXTRACTION_WINDOW_MESSAGES = env.int("MEMORYWEB_EXTRACTION_WINDOW_MESSAGES", 30)
EXTRACTION_MESSAGE_CHARACTERS = env.int("MEMORYWEB_EXTRACTION_MESSAGE_CHARACTERS", 2000)
EXTRACTION_TIMEOUT_SECONDS = env.float("MEMORYWEB_EXTRACTION_TIMEOUT_SECONDS", 120.0)

# Dreaming (SPEC §5)
DREAMING = env.bool("MEMORYWEB_DREAMING", True)
DREAM_COOLDOWN_SECONDS = env.int("MEMORYWEB_DREAM_COOLDOWN_SECONDS", 300)
DREAM_DATES = env.int("MEMORYWEB_DREAM_DATES", 7)
DREAM_MIN_SCORE = env.float("MEMORYWEB_DREAM_MIN_SCORE", 0.4)
DREAM_TIMEOUT_SECONDS = env.float("MEMORYWEB_DREAM_TIMEOUT_SECONDS", 240.0)

# Forgetting (SPEC §6.1, §9): how long what was asked to be forgotten can be brought back.
FORGET_REQUEST_SECONDS = env.int("MEMORYWEB_FORGET_REQUEST_SECONDS", 86_400)
FORGET_UNDO_SECONDS = env.int("MEMORYWEB_FORGET_UNDO_SECONDS", 600)

# The model endpoint (SPEC §14). No provider: the rules do the work.
MODEL_PROVIDER = env.str(
    "MEMORYWEB_MODEL_PROVIDER", "", validate=validate.OneOf(["", "openai", "anthropic"])
)
MODEL_BASE_URL = env.str("MEMORYWEB_MODEL_BASE_URL", "")
MODEL_KEY = env.str("MEMORYWEB_MODEL_KEY", "")
MODELS = {
    "default": env.str("MEMORYWEB_MODEL", ""),
    "smol": env.str("MEMORYWEB_MODEL_SMOL", ""),
    "journal": env.str("MEMORYWEB_MODEL_JOURNAL", ""),
    "chat": env.str("MEMORYWEB_MODEL_CHAT", ""),
}
MODEL_WINDOW = env.int("MEMORYWEB_MODEL_WINDOW", 128_000)  # tokens
MODEL_HOSTS: list[str] = env.list("MEMORYWEB_MODEL_HOSTS", [])
# Whose agents may be for local models only. A proxy that passes on what it gets is not local.
LOCAL_MODEL_HOSTS: list[str] = env.list("MEMORYWEB_LOCAL_MODEL_HOSTS", [])
# Receivers of webhooks, and sign-in, that stand in a private network on purpose.
PRIVATE_HOSTS: list[str] = env.list("MEMORYWEB_PRIVATE_HOSTS", [])
MODEL_CONNECT_SECONDS = env.float("MEMORYWEB_MODEL_CONNECT_SECONDS", 5.0)
# A local server reads 70 tokens a second, and says nothing meanwhile.
MODEL_FIRST_BYTE_SECONDS = env.float("MEMORYWEB_MODEL_FIRST_BYTE_SECONDS", 90.0)
MODEL_IDLE_SECONDS = env.float("MEMORYWEB_MODEL_IDLE_SECONDS", 30.0)
MODEL_BACKOFF_SECONDS = env.float("MEMORYWEB_MODEL_BACKOFF_SECONDS", 0.5)
MODEL_PRICE_IN = env.float("MEMORYWEB_MODEL_PRICE_IN", 0.0)  # currency units a million tokens
MODEL_PRICE_OUT = env.float("MEMORYWEB_MODEL_PRICE_OUT", 0.0)
# What finds by meaning, an OpenAI-compatible `/embeddings`. None: words alone find.
EMBEDDING_BASE_URL = env.str("MEMORYWEB_EMBEDDING_BASE_URL", "")
EMBEDDING_KEY = env.str("MEMORYWEB_EMBEDDING_KEY", "")
EMBEDDING_MODEL = env.str("MEMORYWEB_EMBEDDING_MODEL", "")
EMBEDDING_PRICE = env.float("MEMORYWEB_EMBEDDING_PRICE", 0.0)  # of a million tokens
EMBEDDING_WEIGHT = env.float("MEMORYWEB_EMBEDDING_WEIGHT", 1.0, validate=lambda v: 0 <= v <= 10)
CHAT_TIMEOUT_SECONDS = env.float("MEMORYWEB_CHAT_TIMEOUT_SECONDS", 120.0)
CHAT_MEMORY_WINDOW = env.int("MEMORYWEB_CHAT_MEMORY_WINDOW", 50)  # messages before an archive
CHAT_MEMORY_KEEP = env.int("MEMORYWEB_CHAT_MEMORY_KEEP", 25)
CHAT_STREAMS = env.int("MEMORYWEB_CHAT_STREAMS", 128)  # open at once in each web process
DAILY_TOKENS = env.int("MEMORYWEB_DAILY_TOKENS", 2_000_000)

# What each team may use, unless `manage.py set_quotas` says otherwise of one; None: no limit.
QUOTAS: dict[str, int | None] = {
    "requests_minute": env.int("MEMORYWEB_REQUESTS_MINUTE", None),
    "requests_day": env.int("MEMORYWEB_REQUESTS_DAY", None),
    "stored_mb": env.int("MEMORYWEB_STORED_MB", None),
}
