"""Japanese sentences of one person turned into statements about that person."""

import re

from memoryweb.extraction.rules import japanese_names
from memoryweb.extraction.rules.cjk_dates import resolve_japanese
from memoryweb.extraction.rules.drafts import Draft, Scene
from memoryweb.language.categories import Category

UNNAMED = "ユーザー"

_OPENER = re.compile(
    r"^(?:(?:えっと|ええと|ええ|えー|あの[ーう]?|うん|はい|いいえ|いや|そう(?:です(?:ね|か)?"
    r"|だね|そう)?|なるほど|わあ|おお|へえ|やっぱり|実は|ちなみに|ところで"
    r"|あと|それと|それから|それで|でも|だから|じゃあ|では|また|まあ|ねえ"
    r"|ありがとう(?:ございます|ございました)?|すみません|ごめん(?:なさい)?|こんにちは"
    r"|こんばんは"
    r"|おはよう(?:ございます)?|はじめまして|お疲れ様です|お疲れさまです|了解(?:です|しました)?"
    r"|わかりました|承知しました|よろしく(?:お願いします)?|訂正(?:です|します)?)"
    r"[、，,！!。～~：: ]+)+"
)
_ASKED = re.compile(
    r"(?:だ?と|という(?:こと|の)|ということ|こと)?を?(?:ちゃんと)?(?:覚えておいて|覚えて|忘れないで"
    r"|記憶して|メモして|記録して)(?:おいて)?(?:ください|下さい|くださいね|ほしい(?:です)?|ね"
    r"|もらえますか)?[。！!]*$"
)
_ASKED_FIRST = re.compile(
    r"^(?:覚えておいて(?:ください)?|メモ(?:して(?:ください)?)?|忘れないで(?:ください)?)[：:、, 。]+"
)
_STANDING = re.compile(r"^(?:今後は|これからは|以後は|次回から(?:は)?|今後)、?")
_QUESTION = re.compile(
    r"[？?]|(?:です|ます|でしょう|ました|ません|だろう|の)か[。！!]*$|(?:何|なに|どこ|いつ|誰"
    r"|どう|なぜ)(?:を|が|で|に|です|します|した|ですか)"
)
_EMPTY = re.compile(
    r"^(?:いいですね|すごい|素敵|素晴らしい|楽しみ|頑張って|おめでとう|お大事に|嬉しい"
    r"|よかった|大丈夫|私もそう思|そう思|思います|分かり|わかり|お願いし)|さようなら|またね"
)
_CUES = re.compile(
    r"と申します|という名前|名前は|(?:私|僕|俺|わたし)は.+(?:です|だ)$|歳|出身|住んで|引っ越"
    r"|生まれ|誕生日|電話番号|メールアドレス|妻|夫|主人|旦那|息子|娘|子供|子ども|両親|父|母|兄"
    r"|姉|弟|妹"
    r"|家族|結婚|離婚|妊娠|飼って|犬|猫|好き|嫌い|苦手|趣味|アレルギー|食べません|飲みません"
    r"|食べられ|食べない|飲まない|ほうがいい|方がいい|がいいです|がいい$|ことにし|決め|決定|選びました|切り替え"
    r"|予定|つもり|したい(?:です|と)|たいです|たいと思|締め切り|締切|約束|目標|予約|仕事"
    r"|働いて|勤め|会社|部署|大学|学校|専攻|卒業|試験|研究|エンジニア|教師|医者|看護師|弁護士"
    r"|デプロイ|リリース|請求書|顧客|会議|毎[日週月年朝晩]|習って|勉強して|練習して|始めました"
    r"|続けて"
)
_TOPIC = re.compile(r"は(?!い|じ|ず|る|な|や|き)")


def drafts(sentence: str, scene: Scene) -> list[Draft]:
    """At most one statement a sentence; a left-out subject is the speaker."""
    bare = _OPENER.sub("", sentence.strip(" 　「」\"'*_~、")).strip()
    asked = bool(_ASKED.search(bare) or _ASKED_FIRST.match(bare))
    text = _ASKED_FIRST.sub("", _ASKED.sub("", bare)).rstrip("。！!.…～~、 ")
    standing = bool(_STANDING.match(text))
    if (
        len(text) < 5
        or (_QUESTION.search(bare) and not asked)
        or (_EMPTY.search(text) and not asked)
    ):
        return []
    if not (asked or standing) and re.search(r"あなた|君は|きみ|ください$|ましょう", text):
        return []
    name = japanese_names.name_in(text, scene.speaker)
    if name is not None:
        said = Draft(
            f"{scene.speaker}の名前は{name}です。", durable=True, category=Category.IDENTITY
        )
        return [said] if name else []
    dated = resolve_japanese(text, scene.at)
    cued = bool(_CUES.search(text))
    if not (asked or standing or cued or dated.found):
        return []
    named = _named(
        re.sub(r"(?:です|ます|ました|んです)?(?:よ|ね|よね|けど|が)$", _plain_end, dated.text),
        scene,
        standing,
    )
    if re.match(r"^(?:それ|これ|あれ|そこ|ここ|彼|彼女|その|この|あの)", named):
        return []
    return [Draft(f"{named}。", True, asked=asked or standing)]


def _plain_end(match: re.Match[str]) -> str:
    return re.sub(r"(?:よ|ね|よね|けど|が)$", "", match.group(0))


def _named(text: str, scene: Scene, standing: bool) -> str:
    speaker = scene.speaker
    if re.search(r"私|僕|俺|わたし|我々|弊社|うちの", text):
        text = re.sub(
            r"(?:私|僕|俺|わたし)(?:たち|達|ら)|我々", lambda match: f"{speaker}たち", text
        )
        text = re.sub(r"弊社", lambda match: f"{speaker}の会社", text).replace(
            "うちの", f"{speaker}の"
        )
        return re.sub(r"私|僕|俺|わたし", lambda match: speaker, text)
    if standing:
        return f"{speaker}の希望：{text}"
    return text if _TOPIC.search(text) else f"{speaker}は{text}"
