"""Secrets in the names of files, owners and conversations: words joined by signs. Pure."""

import re

from memoryweb.language.secrets import assignments, credentials
from memoryweb.language.secrets.values import Claim, is_secret

_LABELLED = re.compile(
    r"(?:pass(?:word|wd|wort|phrase|code)|pwd|kennwort|contrase[ñn]a|senha"
    r"|密码|密碼|口令|パスワード|비밀번호)s?[\s_./=-]{1,3}([^\s_./-]{7,})",
    re.IGNORECASE,
)


def holds_secret(name: str) -> bool:
    """Of either class: a name can be neither masked nor held. `user_ghp_…`, `password-…`."""
    if any(credentials.find(reading) for reading in _readings(name)) or assignments.find(name):
        return True
    values = (found[1] for found in _LABELLED.finditer(name))
    return any(is_secret(Claim(one, "password", "login", is_quoted=False)) for one in values)


def _readings(name: str) -> set[str]:
    """An underscore counts as a letter, so that no format would begin or end beside one."""
    behind = {name[at + 1 :] for at, sign in enumerate(name) if sign == "_"}
    return {name, name.replace("_", " "), *behind}
