"""What somebody tells an assistant of themselves is kept, also without the "I"."""

from datetime import UTC, date, datetime

import pytest

from memoryweb.extraction.rules_extractor import Utterance, extract
from memoryweb.language.extraction_rules import claim_of
from tests.tables import every_row

AT = datetime(2031, 3, 8, 12, tzinfo=UTC)


def is_durable(said: str, *, in_room: bool = False) -> bool:
    lines = extract([Utterance("1", "user", "Ines", said, AT, in_room)])
    return any(line.durable for line in lines)


OWN = [
    "Dentist is Dr. Lam now",
    "Got a new dentist, Dr. Lam",
    "Got a Pixel 7, works fine",
    "Getting married in August, to Femi",
    "registered nurse, nights, orthopaedics",
    "on the tills at Lidl, 24 hours a week",
    "Learning Korean with a tutor on italki",
    "Paying 640 a month for the flat",
    "My shift starts at 6 at the warehouse",
    "My mum's got her own place in Leeds",
    "Every Tuesday I take Grandad to dialysis",
    "Our old mare Clover is stabled at Birchwood",
    "I've been with Teo for almost six years.",
    "I've had glaucoma for six years now, drops every night.",
]


@pytest.mark.parametrize("said", OWN)
def test_a_statement_of_ones_own_with_a_value_lasts(said: str) -> None:
    assert is_durable(said)


@pytest.mark.parametrize("said", OWN)
def test_between_friends_too(said: str) -> None:
    assert is_durable(said, in_room=True)


@pytest.mark.parametrize(
    "said",
    [
        "Paying 840 atm.",
        "Camping at my sister's in Gaia till then",
        "Having a rubbish day",
        "I'm writing an essay on Napoleon for my blog",
        "Trying to fix a bug in Django 4.2",
        "Making lasagne for six people tonight",
        "Learning about the Tudors in 5 minutes please",
        "Paying by Visa or PayPal, which is safer",
        "I love how Paris looks in spring",
        "Every time I open Firefox it crashes",
        "My hypothesis is that Napoleon had 3 doubles",
        "Nurse in the ad, what does she hold",
        "Maybe I'd move to Oslo in May",
        "Got it, thanks",
    ],
)
def test_what_is_of_the_moment_or_of_the_work_at_hand_does_not(said: str) -> None:
    assert not is_durable(said)


LINES = [
    (
        "My brother Leo moved to Leeds. He's a plumber and has two kids. He's such a laugh.",
        ["My brother Leo moved to Leeds. He's a plumber and has two kids."],
    ),
    (
        "Emeka starts nursery at Little Acorns on 7 Sept. He's just with my mother in law for now",
        ["Emeka starts nursery at Little Acorns on 7 Sept."],
    ),
    (
        "got a new job! Bakery on Mill Street, Tuesday to Saturday",
        ["got a new job! Bakery on Mill Street, Tuesday to Saturday"],
    ),
    ("My son is 3 and hates peas, what can I cook?", ["My son is 3 and hates peas"]),
    (
        "Give me ideas for dinner, I have type 2 diabetes",
        ["Give me ideas for dinner, I have type 2 diabetes"],
    ),
    ("Write to my boss: I have two dogs called Pip and Bo", []),
    ("You're a grumpy innkeeper. I'm Sir Aldric, a knight who owns two horses. go", []),
]


@every_row(LINES)
def test_a_line_has_what_it_needs_and_nothing_of_the_moment(said: str, kept: list[str]) -> None:
    lines = extract([Utterance("1", "user", "Ines", said, AT)])
    assert [line.text for line in lines if line.durable] == kept


def test_more_of_whom_the_message_before_named_stands_with_it() -> None:
    talk = [
        "need a present, my nephew Tomasz turns 7 in May",
        "Dinosaurs?",
        "nah, he's all about trains",
    ]
    said = [
        Utterance(str(number), role, "", text, AT)
        for number, (role, text) in enumerate(zip(["user", "assistant", "user"], talk, strict=True))
    ]
    last = extract(said)[-1]
    assert last.durable
    assert last.text == f"{talk[0]}. {talk[2]}"


ENDS = [  # said on 8 March
    ("My sister's staying with us this week", date(2031, 3, 9)),
    ("Mum is visiting us until Tuesday", date(2031, 3, 11)),
    ("We're in Chania 12 to 19 April", date(2031, 4, 19)),
    ("My parcel from Ikea arrives on the 15th", date(2031, 3, 15)),
    ("I've moved my gym days to Tuesday and Thursday", None),
    ("From this week choir is on Thursdays", None),
    ("My cat is called Momo", None),
]


@every_row(ENDS)
def test_what_says_when_it_ends_is_over_then(said: str, last: date | None) -> None:
    [line] = extract([Utterance("1", "user", "Ines", said, AT)])
    assert claim_of(line.text).valid_to == last


LIFE = [
    "I've got two budgies, Pip and Squeak",
    "we rent out our spare room to a student from Ghana",
    "my youngest is at Birkdale primary, year 2",
    "Moved into the new flat on Elm Street at last",
    "they've promoted me to shift lead",
    "Handed in my notice at Barclays yesterday",
    "my knee op is booked for 3 March at St Thomas'",
    "I can't have shellfish, swells my throat right up",
    "no nuts for me please, I'm allergic",
    "wheat makes me bloat so I go without",
    "nan's moved in with us since her fall",
    "Kids are with their dad every other weekend",
    "I do nights at the Royal, four on four off",
    "Vegan since 2019, before you ask",
    "just so you know my partner Alex is non-binary, they/them",
    "The car's a 2011 Fiesta, manual",
    "Rent's gone up to 925",
    "Council gave us the allotment, plot 14",
    "swapped my Android for an iPhone 13",
    "The surgery switched me from Ventolin to Fostair",
    "passed my driving test first time on Tuesday!!",
    "I only drink oat milk, cow's milk gives me cramps",
    "I'm left handed so scissors are a pain",
    "We named her Odette, born Sunday 4.2 kilos",
    "I'm colour blind, red and green mostly",
    "Our anniversary is 12 June",
    "choir is Thursdays at 7 in the parish hall",
    "I wear size 9 shoes",
    "My laptop is a ThinkPad running Fedora",
    "Theo starts secondary in September",
    "quit smoking, 3 weeks clean",
    "my blood pressure's 150 over 95",
    "I grew up in Lagos and came over when I was nine",
    "Bought a van, a white Transit, for the business",
    "the wedding's going to be at Lake Bled",
    "my sister Ottilie had a baby boy, Casper",
    "I'm saving for a trip to Patagonia",
    "Grandad passed away in the spring",
    "I play five-a-side on Wednesdays with the lads from work",
    "Switched banks, I'm with Monzo now",
    "Got engaged on Saturday, to Priya",
    "dropped out of uni in the end",
    "I volunteer at the food bank on Mondays",
    "Ich hab zwei Katzen, Minka und Moritz",
    "wohn seit März in Leipzig, Südvorstadt",
    "Bei uns zuhause wird Polnisch gesprochen",
    "mein Sohn Emil kommt im August in die Schule",
    "Arbeite Teilzeit in einer Apotheke in Kassel",
    "Vertrage keine Laktose, Käse geht gar nicht",
    "Unser Auto ist ein Dacia Duster, Baujahr 2019",
    "Gestern den Führerschein bestanden, im zweiten Anlauf",
    "Meine Oma ist jetzt im Pflegeheim St. Elisabeth",
    "dienstags und donnerstags geh ich schwimmen",
    "Miete ist jetzt 870 warm",
    "Hab bei der Sparkasse gekündigt und bin jetzt bei der ING",
    "Wir erwarten im Oktober Zwillinge",
    "Ich trag Schuhgröße 44",
    "Der Arzt hat mir Metformin verschrieben",
    "Bin Linkshänder",
    "Lerne seit einem Jahr Gitarre bei Herrn Vogt",
    "Seit der Trennung leb ich allein in Köln",
    "Meine Chefin heißt Frau Brandt",
    "実家は長野でりんご農家をやってます",
    "うちの猫は三毛で名前はミケ",
    "来月から千葉の支店に異動になりました",
    "えびとかにがアレルギーで食べられません",
    "毎週水曜はピラティスに通ってる",
    "夫は単身赴任で福岡にいます",
    "車は軽のタントに乗り換えました",
    "靴のサイズは24.5センチ",
    "娘の葵が中学に入りました",
    "英会話を習い始めて2年になります",
    "賃貸の更新で家賃が8万3千円になった",
    "左利きです",
    "会社は辞めて、今はフリーで動画編集をしてる",
    "祖母が先月亡くなりました",
    "スマホはPixel 8を使ってます",
    "我对花生过敏",
    "我家养了一只橘猫叫团子",
    "我在杭州一家电商公司做运营",
    "我妈下个月来上海跟我们一起住",
    "我换工作了，现在在美团",
    "每周六上午我带女儿去学钢琴",
    "我开的是一辆二手卡罗拉",
    "我老公是急诊科医生",
    "房租涨到4500了",
    "我不吃香菜",
    "我们打算十月在三亚办婚礼",
]


@every_row(LIFE)
def test_what_somebody_states_of_their_life_lasts_in_any_form(said: str) -> None:
    assert is_durable(said)


@every_row(
    [
        "I'm knackered, off to bed",
        "my code throws a TypeError on line 12",
        "we're stuck in traffic near Croydon",
        "I need a cover letter for a job at Tesco",
        "brb, kettle's on",
        "I'm thinking of getting a dog",
        "if I won the lottery I'd buy a boat in Monaco",
        "my mate reckons the moon landing was faked",
        "She said she'd call me back at 5",
        "imagine I'm a pirate with 3 ships",
        "I'm making a curry for 4 tonight",
        "that made me laugh so much",
        "I love this song",
        "It didn't work, I get error 404",
        "I have a question about Excel",
        "I have three columns in my sheet",
        "My essay is about the Treaty of Versailles",
        "I want to translate this into Spanish",
        "Let's say I earn 50k",
        "Dear Mr Smith, I am writing about my order 5567",
        "ugh my head hurts",
        "I'll have a look at it later",
        "running late, bus 12 is full",
        "the printer's jammed again",
        "I'm not sure about the second one",
        "one day I'll live in Hawaii",
        "My brother thinks Tesla will crash",
        "he's such an idiot",
        "I bet you 10 quid it rains on Sunday",
        "The recipe says 200 g of flour",
        "I asked ChatGPT and it gave me 3 options",
        "I'm at the station, train's delayed 20 minutes",
        "this is my 3rd coffee today lol",
        "ich bin so müde heute",
        "Mein Code läuft nicht, Zeile 5 wirft einen Fehler",
        "Kannst du mir 3 Rezepte mit Kürbis geben",
        "Vielleicht zieh ich irgendwann nach Kanada",
        "Ich brauch ein Geschenk für 20 Euro",
        "Hab gerade Nudeln mit Pesto gegessen",
        "Wenn ich reich wäre, hätte ich einen Porsche",
        "Sitz grad im Zug nach Hannover",
        "Der Drucker spinnt schon wieder",
        "Schreib eine Mail an Herrn Krause",
        "Ich hätte gern eine Liste mit 5 Punkten",
        "今日は疲れた",
        "お腹すいた",
        "エクセルの表を3行にまとめて",
        "明日晴れるかな",
        "宝くじ当たったらハワイに住みたい",
        "このエラーは何ですか",
        "電車が20分遅れてる",
        "友達が言うには株が上がるらしい",
        "いつか犬を飼いたいなあ",
        "このレシピは砂糖50グラムって書いてある",
        "我今天好累",
        "帮我写一封邮件给王经理",
        "我想学吉他，怎么开始",
        "如果我有一百万就去环游世界",
        "我的代码第12行报错了",
        "我朋友说明天会下雨",
        "我在等公交",
        "法国的首都是巴黎",
    ]
)
def test_what_is_asked_imagined_of_the_moment_or_of_the_work_at_hand_does_not(said: str) -> None:
    assert not is_durable(said)
