"""What a clause speaks of and what it tells of it, by `ending.txt` and `ending_cues`. Pure.

A word, the words of a phrase and signs are looked up, in whatever language they are."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from memoryweb.language.comparison_words import FILLERS, LIGHT, MOODS, NEGATIONS
from memoryweb.language.ending_cues import CUES
from memoryweb.language.normal_form import is_cjk
from memoryweb.language.support_words import DENIED, FREE
from memoryweb.language.tokens import stem


def listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CJK = "\u3005\u30fc\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"\d+(?:[.,:]\d+)*|[^\W\d_{_CJK}][^\W_{_CJK}]*")
_NEAR = 5  # words between those of a phrase that need not be side by side
_ENDINGS = ("", "s", "n", "en")
_STOP = listed(
    """day days week weeks weekend month months year years morning evening night today tomorrow
    yesterday time times hour hours people person everything something nothing anything everyone
    monday tuesday wednesday thursday friday saturday sunday january february march april june
    july august september october november december new old little long last next first one two
    three like love know think feel want need come came goes went going see saw seen say said
    tell told put lot lots bit kind sort thing things place back home house work works working
    job thanks please yes yeah sure okay around every always never ever later early half almost
    done made tag tage woche wochen wochenende monat monate jahr jahre morgen morgens abend
    abends nacht heute gestern uhr zeit mal leute alles etwas nichts montag dienstag mittwoch
    donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember neue
    neuen neuer neues alte alten alter letzte letzten nächste ganz ganze ganzen viel viele mehr
    weniger gut gute halt eben grad gerade doch also dann denn weil so nur schon wohl eigentlich
    übrigens echt mach mache machen macht geht gehen kommt kommen kam gibt gab sagt sagte hab
    habe hat ist war bin sind werden wurde wird will muss kann soll einfach bisschen endlich
    wieder jetzt seit bei beim nach vor unter über gegen durch ohne bis ab steht stehen liegt
    lassen lässt bleibt dabei immer arbeit arbeite arbeiten wohne wohnen haus daheim zuhause her
    hin raus rein für this that with from have has had been being were was would there here
    what when where which while still just really quite very much many some any all both each
    other than then them they he she his our your you not but and for the are out off over under
    into onto down up about after before again against because between few more most same too
    until use used using call called get got take took taken give gave given run running keep
    kept let start started stop stopped move moved euro euros pounds quid dollar dollars minuten
    minutes stunden kilos frau herr mann nix gesagt gemacht gegangen gegeben bekommen find finde
    finden schreib schreibe bitte usw ess since paid pay pays book booked booking jahren monaten
    tagen aus zum zur vom als wie wer wo im am an auf in mit nun noch nie um es er sie wir ihr
    ihnen uns euch dir mir mich dich big small good great bad nice fine life world way end man
    woman friend friends"""
)
_LIGHT = frozenset(
    stem(word) for word in FILLERS | LIGHT | MOODS | NEGATIONS | DENIED | FREE | _STOP
)
_RUNS = re.compile("[\u30a0-\u30ff]{2,}|[\u3005\u3400-\u9fff]+")
# A name in hiragana is told by what stands around it.
_HIRAGANA = re.compile("(?:^|[、。のと ])([ぁ-ん]{2,5}?)(?=[がはをとにも、]|$)")
_COMPOUNDS = re.compile("大丈夫|工夫|[電駐]車|自転車|群馬|鳥[取貴]|焼き鳥|筋肉|皮肉|犬山")
_WHEN = re.compile("[月火水木金土日]曜|[毎今先来]")
_SHORT = re.compile(r"\b[A-ZÄÖÜ]{2}\b")
_NAMES = re.compile(r"\b(?!My |Our |The |We |Mein|Unser|Ich |Wir )[A-ZÄÖÜ]\w+(?: [A-ZÄÖÜ]\w+)+")
_LIGHT_RUNS = listed(
    """弟 妹 兄 姉 母 父 友達 先生 これ それ あれ ここ そこ うち わたし ぼく おれ もう みんな
    あと いま 今日 明日 昨日 今月 先月 来月 今週 先週 来週 今年 去年 来年 毎日 毎朝 毎週 毎月
    最近 今 前 後 朝 昼 夜 夕方 時間 時 分 日 月 年 週 週末 曜日 人 方 何 自分 私 僕 俺 一緒
    全部 本当 普通 結構 正直 気 事 物 中 上 下 間 回 度 目 円 万 家 仕事 好 嫌 行 来 言 思 見 食
    飲 使 買 出 入 始 終 変 新 古 大 小 多 少 予定 話 感 今度"""
)


class _Table:
    """Words, beginnings, endings, phrases (by their first word) and signs, with their labels."""

    def __init__(self, text: str) -> None:
        self.words: defaultdict[str, set[str]] = defaultdict(set)
        self.starts: defaultdict[str, set[str]] = defaultdict(set)
        self.ends: defaultdict[str, set[str]] = defaultdict(set)
        self.signs: defaultdict[str, set[str]] = defaultdict(set)
        self.phrases: defaultdict[str, list[tuple[tuple[str, ...], int, str]]] = defaultdict(list)
        self.cues = frozenset(line.split(" = ")[0] for line in CUES.splitlines() if " = " in line)
        self.cues -= {"kin", "friend", "open", "done"}
        label = ""
        for line in text.splitlines():
            if line and not line.startswith("#"):
                before, equals, terms = line.rpartition(" = ")
                label = before if equals else label
                for term in terms.split():
                    self._add(label, _folded(term))

    def _add(self, label: str, term: str) -> None:
        if is_cjk(term):
            self.signs[term].add(label)
        elif "_" in term or "+" in term:
            first, *rest = re.split(r"[_+]", term)
            self.phrases[first].append((tuple(rest), _NEAR if "+" in term else 0, label))
        elif term.endswith("*"):
            self.starts[term[:-1]].add(label)
        elif term.startswith("*"):
            self.ends[term[1:]].add(label)
        else:
            self.words[term].add(label)

    def of_word(self, word: str) -> Iterator[str]:
        for end in _ENDINGS:
            bare = word.removesuffix(end) if end else word
            if not end or (bare != word and len(bare) > 3):
                yield from self.words.get(bare, ())
        for n in range(2, len(word) + 1):
            yield from self.starts.get(word[:n], ())
            yield from self.ends.get(word[-n:], ())

    def of_phrases(self, words: list[str]) -> Iterator[str]:
        for at, word in enumerate(words):
            for key in (word, *(f"{word[:n]}*" for n in range(3, len(word) + 1))):
                for rest, near, label in self.phrases.get(key, ()):
                    if _follow(words[at + 1 :], rest, near):
                        yield label


def _follow(words: list[str], rest: tuple[str, ...], near: int) -> bool:
    for wanted in rest:
        for n, word in enumerate(words[: near + 1]):
            if word in {wanted, f"{wanted}s"} or (
                wanted.endswith("*") and word.startswith(wanted[:-1])
            ):
                words = words[n + 1 :]
                break
        else:
            return False
    return True


def topics_in(text: str) -> frozenset[str]:
    """What it speaks of, of which a person has one at a time."""
    told = labels_in(text) - _table().cues - {"kin", "friend", "open", "done"}
    return frozenset(label.rstrip("?!") for label in told)


@lru_cache(maxsize=1)
def _table() -> _Table:
    topics = (Path(__file__).parent / "ending.txt").read_text(encoding="utf-8")
    return _Table(f"{topics}\n{CUES}")


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return folded.replace("’", "").replace("'", "")


@lru_cache(maxsize=16_384)
def labels_in(text: str) -> frozenset[str]:
    """What of the table stands in a text: topics, events and cues."""
    table, folded = _table(), _folded(text)
    words = _WORD.findall(folded)
    found = {label for word in words for label in table.of_word(word)}
    found.update(table.of_phrases(words))
    if is_cjk(folded):
        folded = _COMPOUNDS.sub(" ", folded)
        found.update(label for sign, its in table.signs.items() if sign in folded for label in its)
    return frozenset(found)


@lru_cache(maxsize=16_384)
def heavy_in(text: str) -> frozenset[str]:
    """Its words that carry the matter: names and things, no times and no plain verbs."""
    folded = _folded(text)
    named = (word for word in _WORD.findall(folded) if len(word) > 2)
    words = {stem(word) for word in named if _table().cues.isdisjoint(_table().of_word(word))}
    kept = {word for word in words if word not in _LIGHT and not word[0].isdigit()}
    runs = {run for run in _RUNS.findall(folded) if run not in _LIGHT_RUNS and not _WHEN.match(run)}
    runs.update(run for run in _HIRAGANA.findall(folded) if run not in _LIGHT_RUNS)
    kept.update(map(str.casefold, _SHORT.findall(text)))
    initials = ("".join(word[0] for word in name.split()) for name in _NAMES.findall(text))
    return frozenset(kept | runs).union(map(str.casefold, initials))


def words_in(text: str) -> list[str]:
    return _WORD.findall(_folded(text))
