"""What stands behind the label of an assignment, and whether it looks like a secret. Pure."""

import re
from dataclasses import dataclass
from itertools import pairwise

from memoryweb.language.secrets.look_alikes import entropy

_ENDINGS = re.compile(r"\w+(?:ed|ing|ly|able|ible|less|ous|ive|ated|ten|word|words|ment|tion|ness)")
_ABOUT_IT = frozenset(
    re.findall(
        r"\w+",
        """
        about above absent access account active admin after again ago alone already also always
        anyone april august away back bad below best better between bitte both broken browser brief
        bring busy call case chaos check clear clever code common complete complex correct could
        current daily december default desk different difficult digits directly done drawer during
        each early easy either email elsewhere empty enough every exact false february fine first
        folder forever forgot forgotten fresh friday from generic given gone good group guest half
        handy hard hash hello here hers high hint history home hope however identical impossible
        inside into invalid inside january july june just kaputt keeper kept know known last later
        left legacy length less letter letters like local login long longer lost main manager march
        maybe mine missing monday month more most much must myself name necessary never next nobody
        normal nothing november number numeric october often okay once only open other others ours
        outdated over owner paper part parts patience person phone plain please plus point present
        private prompt public question rather ready reset right root round safe same saturday scope
        secure security seen sent september server several shall short should show silence similar
        simple simplest since single sometimes somewhere soon special spelled spelling stale static
        still strange strict strong such sunday symbol symbols system team terrible text that then
        there therefore these they thing things this those though three through thursday time today
        together tomorrow tough trust tuesday twice twofold under unclear unique unknown until upper
        urgent useful user valid variable vault very visible void wasn weak wednesday week were what
        when where whether which while whole whose will with within without wrong year yellow
        yesterday yours zero geheim falsch richtig sicher unbekannt vergessen leer neu alt lang kurz
        schwach stark morgen heute gestern siehe steht liegt beim unter oben unten nicht keine immer
        nirgends zettel english german french spanish chinese japanese temporary perfect incorrect
        annoying boring funny ugly nice cool weird beautiful cheap expensive personal mobile digital
        incorrecta falsa correcta segura nueva vieja larga corta desconocida vacía secreta olvidada
        aquí allí
        """,
    )
)


def is_about_it(word: str) -> bool:
    """`expired`, `on`, `wrong`: a word that tells about a password, by its form or by itself."""
    folded = word.casefold()
    return folded in _ABOUT_IT or bool(_ENDINGS.fullmatch(folded))


MIN_STRICT, MIN_LOOSE, MOST_WORDS = 4, 6, 6
LONGEST_WORD = 10  # of letters, that `token=` may name instead of holding a token
LONG = 128  # nothing that stands for a secret is as long
_STRICT = frozenset({"equals", "option", "user", "scheme", "element"})
_FIELDS = frozenset({"colon", "cell", "says", "cjk"})
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "«": "»"}
_BARE = re.compile(r"[!#-&(-;=?-_a-~\u00a1-\u024f\u0370-\u052f]+")
_TAIL = ".,;:!?)]}*_|"
_EXTRA = re.compile(r"\\[\"']$|&(?:amp|quot);?$")
_PAIR = re.compile(r"([^\s;\"'(]{1,60}(?: [^\s;\"'(]{1,60}){0,5}) ?; ?[A-Za-z][\w ]{0,40}=")
_NEXT = re.compile(r"&[\w.%\[\]-]{1,40}=|;[\w ]{1,40}=")
_MARK = re.compile(
    r"\[[\w .,…*-]{1,30}(?::\s[\w .-]{1,40})?\]|<[^<>\n]{1,60}>|\{\{|\$\{|\$\(|%\(|#\{"
)

_SLOT = re.compile(
    r"\$(?:[A-Z][A-Z0-9_]*|[a-z_]+)|%\w+%|%[sdr]?|:[a-z_]+|\{\w*\}?|[*•·.…_xX#?-]+|@\w+@|\{.*\}|<.*>"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"  # a name in capitals stands for a value: YOUR_API_KEY
)
_NOUN = r"(?:password|passwd|passphrase|pass|pwd|secret|token|api[-_ .]?key|key|value|credentials?)"
_KIND = r"(?:own|very|super|secret|strong|secure|long|db|database|api|access|auth|user|login|admin)"
_EXAMPLE = re.compile(
    r"(?:(?:my|your|the|our|some|any|an?|new|old|enter|insert|put|set|add|type|replace|example"
    rf"|sample|dummy|fake|mock|demo|test|default)[-_ .]?)*(?:{_KIND}[-_ .]?)*(?:{_NOUN}|{_KIND})"
    r"(?:[-_ .]?here)?[!]?[0-9]{0,3}"
    r"|(?-i:A[A-Z0-9]{12}EXAMPLE|[A-Za-z0-9/+]{30}EXAMPLEKEY)"  # of AWS's documentation
    r"|change[-_ ]?(?:me|it|this)\w{0,8}[!0-9]{0,4}|replace[-_ ]?me|(?:to[-_ ])?be[-_ ]changed"
    r"|(?:example|sample|dummy|fake|mock|demo|test|foo|bar|baz|foobar|placeholder|redacted|"
    r"removed|masked|hidden|omitted|todo|tbd|n/?a|none|null|nil|undefined|unset|empty|unknown|"
    r"true|false|yes|no|on|off|string|str|text|varchar|bytes|boolean|int|integer|number|object|"
    r"required|optional|default|input|prompt|getpass|stdin|env)s?[-_]?[0-9]{0,2}",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(  # says where the value is, or how it is made, instead of being one
    r"[a-z][a-z0-9+.-]{1,20}://.*|www\..*|[A-Za-z]:\\.*"
    r"|(?-i:(?:~|\.{1,2})?(?:/[a-z_.-][a-z0-9_.-]*){1,8}/?)"
    r"|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){0,4}\.[a-z]{2,}"
    r"|[A-Za-z_.]{3,}[(\[].*|[A-Za-z_]+(?:(?:\.|->|::)[A-Za-z_]+)+|arn:[\w:/.*-]+"
    r"|(?:1password|lastpass|keepassx?c?|bitwarden|dashlane|keychain|vault|hashicorp)(?:['’]s)?"
    r"|sha-?(?:1|2|3|224|256|384|512)|md[45]|aes-?(?:128|192|256)(?:-\w{3})?|rsa-?\d{4}"
    r"|[hre]s(?:256|384|512)|utf-?(?:8|16|32)|base-?(?:32|58|62|64)(?:url)?|oauth-?\d(?:\.\d)?"
    r"|saml-?2(?:\.0)?|tls-?1\.\d|ed25519|x\.?509|v\d{1,2}(?:\.\d{1,3}){0,3}|ipv[46]|http/?\d"
    r"|argon2\w{0,2}|pbkdf2|bcrypt|scrypt|[23]fa|p?kcs\d+|k8s|s3|jwt"
    r"|\d+(?:[-.,:/]\d+)*(?:st|nd|rd|th|k|kb|mb|gb|ms|s|m|min|mins|h|hrs?|d|w|x|%|\+)?"
    r"[-–]?(?:chars?|characters?|digits?|letters?|words?|days?|weeks?|hours?|minutes?|months?|"
    r"years?|bits?|bytes?|signs?|times|step|factor|part)?(?:[-–](?:long|old))?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d{6,}")
_DATE = re.compile(r"(?:19|20)\d\d[-/.]?[01]\d[-/.]?[0-3]\d.*")
_ODD = re.compile(r"[!#$%^*@~?=]")
_CAPITALS = re.compile(r"[A-Z]{2}")
_CROWD = re.compile(r"[bcdfghjklmnpqrstvwxz]{5,}", re.IGNORECASE)
_PHRASE = re.compile(r"[^\W\d_]{3,}(?:[-_.][^\W\d_]{3,}){3,}")
_SAID = frozenset(
    re.findall(
        r"\w+",
        "a an and as ask at be by case for from her his in is it its my no not of on one our see "
        "that the their to under with you your",
    )
)


@dataclass(frozen=True)
class Value:
    text: str
    start: int
    is_quoted: bool


@dataclass(frozen=True)
class Claim:
    """A value with what is said of it: `kind` by the label, `form` by what joins them. One that
    `ends` stands before a stop or the end of its line."""

    value: str
    kind: str
    form: str
    is_quoted: bool
    ends: bool = False


def value_in(window: str, *, closes: bool = False) -> Value | None:
    """The value at the beginning of a text; of an element what stands before its end tag."""
    if closes:
        text, tag, _rest = window.partition("</")
        return Value(text, 0, is_quoted=True) if tag and "\n" not in text else None
    skipped = len(window) - len(window.lstrip("*_\\"))
    opening = window[skipped : skipped + 1]
    if opening in _QUOTES:
        return _quoted(window, skipped + 1, _QUOTES[opening])
    if _MARK.match(window, skipped):
        return None
    if (pair := _PAIR.match(window, skipped)) is not None and " " in pair[1]:
        return Value(pair[1], skipped, is_quoted=True)
    found = _BARE.match(window, skipped)
    if found is None:
        return None
    text = _EXTRA.sub("", _NEXT.split(found[0], maxsplit=1)[0]).rstrip(_TAIL)
    return Value(text, skipped, is_quoted=False) if text else None


def is_secret(claim: Claim) -> bool:
    value = claim.value.strip()
    if len(value) < MIN_STRICT or _stands_for_another(value):
        return False
    if claim.form == "login":  # what two ways of signing in are called stands there, too
        return len(value) >= MIN_LOOSE and _is_mixed(value)
    if " " in value:
        return _is_phrase(claim, value)
    if claim.kind == "password" and (claim.form in _STRICT or claim.is_quoted):
        return True
    if claim.form in _STRICT and not (value.isalpha() and len(value) < LONGEST_WORD):
        return True
    if len(value) >= MIN_LOOSE and _is_unlikely_word(claim, value):
        return True
    return _is_named(claim, value)


def _quoted(window: str, start: int, closing: str) -> Value | None:
    """An escaped quote inside belongs to the value; one that nothing closes ends with the line."""
    line = window[start:].split("\n", 1)[0]
    at = line.find(closing)
    while at > 0 and line[at - 1] == "\\" and (more := line.find(closing, at + 1)) > 0:
        at = more
    text = line[:at] if at >= 0 else line.split(" ", 1)[0]
    text = text.rstrip("\\")
    return Value(text, start, is_quoted=at >= 0) if text.strip() else None


def _stands_for_another(value: str) -> bool:
    if len(value) > LONG:
        return False
    if _MARK.fullmatch(value) or _SLOT.fullmatch(value) or _EXAMPLE.fullmatch(value):
        return True
    if _DATE.fullmatch(value) or "xxxx" in value.lower() or "****" in value or "..." in value:
        return True
    return bool(_ELSEWHERE.fullmatch(value)) and not _DIGITS.fullmatch(value)


def _is_phrase(claim: Claim, value: str) -> bool:
    """A quoted passphrase of some words, rather than a sentence in quotes."""
    words = value.split()
    if not claim.is_quoted or claim.kind != "password" or len(words) > MOST_WORDS:
        return False
    return not _SAID & {word.lower().strip(".,!?") for word in words}


def _is_unlikely_word(claim: Claim, value: str) -> bool:
    if _DIGITS.fullmatch(value):
        return claim.kind == "password"
    if claim.kind == "password" and _PHRASE.fullmatch(value):
        return not _SAID & set(re.split(r"[-_.]", value.lower()))
    return _looks_drawn(value)


def _is_named(claim: Claim, value: str) -> bool:
    """One word behind `password:`, and nothing more, of which no sentence could be made."""
    is_one_word = claim.ends and claim.kind == "password" and value.isalpha()
    least = MIN_LOOSE if claim.form == "says" else MIN_STRICT
    return is_one_word and claim.form in _FIELDS and len(value) >= least and not is_about_it(value)


def _looks_drawn(value: str) -> bool:
    """Mixed as hardly any word of a language is."""
    value = value[:LONG].strip("!?.")
    if _is_mixed(value):
        return True
    turns = sum(a.islower() and b.isupper() for a, b in pairwise(value))
    if turns >= 2 or (turns and _CAPITALS.search(value)) or _CROWD.search(value):
        return True
    return len(value) >= 20 and value.isalpha() and value.isascii() and entropy(value) >= 3.8


def _is_mixed(value: str) -> bool:
    """Letters with digits or signs among them."""
    value = value[:LONG].strip("!?.")
    if not any(character.isalpha() for character in value):
        return False
    return any(character.isdigit() for character in value) or bool(_ODD.search(value))
