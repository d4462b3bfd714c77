"""How people want to be answered: sentences about the form of answers alone. Pure.

Whatever else a sentence may be about has a word that none of these lists holds: an address, a tool,
a file, somebody else. A new word is one more in its list.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from memoryweb.language.forget_requests import Forget, is_own_wish
from memoryweb.language.sentences import quotes, spans, speech, unopened

LONGEST = 160  # characters of a wish
_MESSAGE = 300  # of a message that speaks for itself; a longer one may be a draft


class Form(StrEnum):
    LANGUAGE = "language"
    LENGTH = "length"
    TONE = "tone"
    ADDRESS = "address"
    FORMAT = "format"


_ANY = """
please pls always never only ever from now on going forward in future for default by as do don't
dont not no use using answer answers answering reply replies respond response responses write
writing speak talk give me my your to with the a an and or but of at most more than less under
keep it them all make be stop when whenever every time everything very quite just too also
explanation explanations explain message messages text texts say put show add include start end
other unless asked instead any without one two three four five six ten bitte immer nie niemals
nur ab jetzt sofort künftig zukunft auf mit mir mich zu und oder aber nicht kein keine keinen
benutze benutz verwende antworte antwort antworten schreib schreibe sprich rede gib halte halt
dich dir deine deiner die den das der ein eine einen einem höchstens maximal mehr als weniger
erklär erkläre erklärungen formuliere fasse bleib sei lass weg ohne statt sag im zwei drei fünf
"""
_WORDS = {
    Form.LANGUAGE: """
english german french spanish italian portuguese dutch polish swedish danish norwegian finnish
czech russian ukrainian turkish greek arabic hebrew hindi chinese mandarin japanese korean
british american spelling language deutsch englisch französisch spanisch italienisch
portugiesisch niederländisch polnisch russisch türkisch japanisch chinesisch 日本語 英語 中国語
韓国語 フランス語 ドイツ語 スペイン語 中文 英文 英语 日语 日文 德语 法语 韩语 汉语 普通话 简体
繁体
""",
    Form.LENGTH: """
short shorter brief briefly concise concisely terse long longer detailed detail details sentence
sentences paragraph paragraphs word words line lines summary summaries kurz kürzer kurze kurzen
knapp knappe ausführlich ausführliche lang länger satz sätze sätzen wort wörter wörtern absatz
absätze zeilen 短く 簡潔に 簡潔 手短に 詳しく 詳細に 一文 行 文 文字 长 短 简短 简洁 简明 详细
精简 一句话 句话 字
""",
    Form.TONE: """
formal informal formally informally casual casually friendly polite politely blunt bluntly direct
directly honest plain simple simply warm neutral serious emoji emojis joke jokes joking humour
humor sarcasm slang jargon exclamation mark marks apologise apologize apologising apologizing
apologies flattery compliments pleasantries tone style formell förmlich locker freundlich höflich
direkt ehrlich einfach sachlich witze floskeln ausrufezeichen fachbegriffe ton 敬語 丁寧に 丁寧語
カジュアルに タメ口 フランクに 絵文字 顔文字 冗談 率直に 正式 随意 礼貌 友好 直接 客气 表情符号
玩笑 语气 口语
""",
    Form.ADDRESS: """
name first-name duze duzen sieze siezen vornamen さん付け 呼び捨て 下の名前 您
""",
    Form.FORMAT: """
bullet bullets point points list lists numbered table tables markdown heading headings headers
bold italics code block blocks metric imperial celsius fahrenheit kilometres kilometers miles
unit units 24-hour 12-hour 24h clock iso date dates times step steps stichpunkte stichpunkten
liste listen tabelle tabellen überschriften metrische metrischen einheiten schritte 箇条書き 表
見出し 太字 マークダウン メートル法 摂氏 時間制 列表 表格 要点 标题 加粗 公制 摄氏 小时制
""",
}
_ANY_HAN = """
で に を は が も の から 以内 ください 下さい 答えて 返事 返信 回答 書いて 話して して 使って
使わないで しないで やめて 必ず いつも 常に 今後 これから できるだけ なるべく ね よ お願いします
教えて 説明 ないで てください 请 用 以后 今后 总是 始终 一直 都 永远 不要 别 再 只 回复 答复 我
你 的 时候 时 说话 说 写 解释 给 使用 和 或 以内 不 超过 保持 尽量 吧 地 一下 一点 一些 控制 跟
在
"""
# A name is whatever follows: nothing else about the person is said.
_NAMED = re.compile(
    r"(?i:\b(?:call|address) me(?: as| by)?|\bnenn(?:e)? mich(?: bitte)?)"
    r" (?P<name>[A-ZÀ-Þ][\w'-]{1,20}(?: [A-ZÀ-Þ][\w'-]{1,20})?)"
    r"|(?:叫|称呼)我(?:为)?(?P<han>\w{1,6}?)(?=吧?[。!！]?$)"
    r"|(?P<kana>\w{1,8}?)と呼んで"
)
_SAYS_DU = re.compile(r"\bsag (?:bitte )?(?:du|sie) zu mir\b")
_PIECES = re.compile(r"[a-zß-ÿœ]+(?:['-][a-z]+)*|\d+(?:-hour|h)?|[^\W\d_]+")
_NUMBER = re.compile(r"\d{1,3}")
_FOREIGN = re.compile(r"[/\\@:<>{}\[\]`=|\"#_*~$%?？：]|\.\w")


@dataclass(frozen=True)
class Wish:
    text: str
    forms: frozenset[Form]


def wishes_in(message: str) -> Iterator[Wish]:
    """Whole sentences of a short message that quotes and pastes nothing."""
    if len(message) > _MESSAGE or quotes(message):
        return
    said = speech(message)
    found = {
        Forget("", "", first, last): Wish(text, forms)
        for first, last in spans(message)
        if (text := message[first:last].strip()).replace("’", "'") in said
        if (forms := forms_of(text := unopened(text)))
    }
    if found and is_own_wish(message, list(found)):
        yield from found.values()


def forms_of(sentence: str) -> frozenset[Form]:
    """What of an answer it is about; nothing where it is about anything else."""
    if len(sentence) > LONGEST or _FOREIGN.search(sentence):
        return frozenset()
    plain = unicodedata.normalize("NFKC", sentence).replace("’", "'")
    forms = set()
    if named := _NAMED.search(plain):
        plain = f"{plain[: named.start()]} {plain[named.end() :]}"
        forms.add(Form.ADDRESS)
    plain = plain.casefold() if sentence.isascii() else plain.lower()
    if _SAYS_DU.search(plain):
        plain = _SAYS_DU.sub(" ", plain)
        forms.add(Form.ADDRESS)
    for piece in _PIECES.findall(plain):
        kinds = _kinds_of(piece)
        if kinds is None:
            return frozenset()
        forms |= kinds
    return frozenset(forms)


def _kinds_of(piece: str) -> set[Form] | None:
    """Of a word, or of a run of signs without spaces; None where a list has not all of it."""
    if piece in _FORMS:
        return {_FORMS[piece]}
    if piece in _COMMON or _NUMBER.fullmatch(piece):
        return set()
    if not _HAN.fullmatch(piece):
        return None
    return {_FORMS[sign] for sign in _HAN_WORD.findall(piece) if sign in _FORMS}


_COMMON = frozenset((_ANY + _ANY_HAN).split())
_FORMS = {word: form for form, words in _WORDS.items() for word in words.split()}
_SIGNS = sorted((word for word in (*_FORMS, *_COMMON) if word[0] > "\u3000"), key=len, reverse=True)
_HAN_WORD = re.compile("|".join(_SIGNS))
_HAN = re.compile(f"(?:{_HAN_WORD.pattern})+")
