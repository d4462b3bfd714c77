"""Where somebody plays a part: what they say of themselves there is nobody's. Pure."""

import re

_OPENS = re.compile(
    r"\b(?:let'?s (?:pretend|role-?play|play (?:pretend|make-believe|a scene))"
    r"|pretend (?:that )?(?:you|i|we|to be)\b|role-?play(?:ing)?\b|act as (?:if you|a|an|the|my)\b"
    r"|stay in character|you play\b|imagine you(?:'re| are)\b"
    r"|lass uns so tun|tun wir so,? als|tu(?: mal)? so,? als|rollenspiel|stell dir vor,? du bist)"
    r"|ごっこ|ロールプレイ|なりきって|役を(?:演|やって)|という設定"
    r"|角色扮演|扮演|假装(?:你|我)|假设你是|设定[是:：]",
    re.IGNORECASE,
)
_PRAISE = (
    r"(?!(?:\w+ ){0,2}(?:star|legend|genius|gem|hero|saint|angel|treasure|life ?saver|champ\w*|best"
    r"|schatz|engel|held|beste\w?|genie)\b)"
)
# "You are a grumpy innkeeper. I'm …": parts are given out.
_PARTS = re.compile(
    rf"^\W*(?:ok(?:ay)?,? )?(?:you(?:'re| are) (?:a|an|the|my|now) {_PRAISE}[^.!?\n]{{3,60}}[.;,]"
    r" (?:and )?(?:i'm|i am) (?:an?|the|(?-i:[A-Z])\w+) "
    rf"|du bist (?:ein\w*|der|die|jetzt) {_PRAISE}[^.!?\n]{{3,60}}[.;,]"
    r" (?:und )?ich bin \w)"
    r"|(?:あなた|きみ|君)は[^。]{2,30}[。、]\s*(?:私|僕|俺)は|^\W*你是[^。，]{2,20}[。，,]\s*我是",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\b(?:brb|back to (?:reality|work|topic)|stop (?:playing|pretending|the role)|out of character"
    r"|for real|in real life|irl|seriously|jetzt im ernst|ende (?:des|vom) rollenspiel)\b"
    r"|冗談はさておき|現実に戻|说正经的|言归正传",
    re.IGNORECASE,
)


def opens(message: str) -> bool:
    """From here on they speak as somebody else."""
    return bool(_OPENS.search(message) or _PARTS.search(message))


def closes(message: str) -> bool:
    return bool(_CLOSES.search(message))
