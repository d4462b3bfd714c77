"""Who says their name in Japanese: 私は高橋美咲です, 高橋と申します."""

import re

_TOLD = re.compile(
    r"^(?:(?:私|僕|俺|わたし)(?:の名前)?は、?|名前は)?"
    r"(?P<name>[一-鿿々ヶァ-ヺー・]{1,12}|[A-Za-z][\w .'-]{1,30})"
    r"(?:と申します|といいます|と言います|という名前です)$"
)
_IS = re.compile(
    r"^(?P<who>(?:私|僕|俺|わたし)(?:の名前)?は、?|名前は)(?P<name>[一-鿿々ヶ]{2,6})です$"
)
_FAMILY_NAMES = (
    "佐藤|鈴木|高橋|田中|伊藤|渡辺|渡邊|山本|中村|小林|加藤|吉田|山田|佐々木|山口|松本|井上|木村|林|斎藤|斉藤"
    "|清水|山崎|森|池田|橋本|阿部|石川|山下|中島|石井|小川|前田|岡田|長谷川|藤田|後藤|近藤|村上|遠藤|青木|坂本"
    "|福田|太田|西村|藤井|金子|岡本|中野|中川|原田|松田|竹内|小野|田村|中山|和田|石田|森田|上田|原|内田|柴田"
    "|酒井|宮崎|横山|高木|安藤|宮本|大野|小島|工藤|谷口|今井|高田|丸山|増田|杉山|村田|大塚|新井|藤原|武田|野口"
    "|松井|千葉|岩崎|菅原|木下|佐野|桜井|野村|渡部|久保|平野|松尾|菊地|菊池|市川|古川|水野|島田"
)
# 看護師, 会社員, 日本人: what somebody is, not a name.
_KIND = re.compile(r"(?:[師者員士長生家人職官手主婦夫妻親社業部係])$")
_FAMILY = re.compile(rf"^(?:{_FAMILY_NAMES})")


def name_in(text: str, speaker: str) -> str | None:
    """The name that `text` introduces, empty when `speaker` has it already; None for no name."""
    told = _TOLD.match(text)
    match = told or _IS.match(text)
    if not match:
        return None
    name = match["name"]
    is_name = told or "名前" in match["who"] or _FAMILY.match(name)
    if not is_name or (not told and _KIND.search(name) and len(name) < 4):
        return None
    return "" if name in speaker else name
