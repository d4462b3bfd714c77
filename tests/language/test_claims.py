"""Every row of every table is tried with its own examples, then the rules across rows."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryweb.language.extraction_rules import (
    Act,
    Claim,
    Kind,
    claim_of,
    takes_back,
    tells_of_self,
)
from memoryweb.language.extraction_rules.model import LANGUAGES, Row, language
from memoryweb.language.extraction_rules.reading import undated
from tests.pace import assert_linear
from tests.tables import every_row

ROWS = [(name, row) for name in LANGUAGES for row in language(name).rows]
EXAMPLES = [(row, text) for _name, row in ROWS for text in row.examples]
COUNTER = [(row, text) for _name, row in ROWS for text in row.counter]


@every_row(EXAMPLES)
def test_a_row_finds_what_its_examples_say(row: Row, example: str) -> None:
    """`text => value`, or `text => subject: value`; of what is over the value is what was."""
    text, _, wanted = example.partition(" => ")
    found = claim_of(text)
    assert (found.kind, found.act, found.durable) == (row.kind, row.act, True)
    if wanted:
        subject, _, value = (
            wanted.rpartition(": ") if not wanted.endswith(":") else (wanted[:-1], "", "")
        )
        assert found.subject == subject
        assert not value or value in (found.value, *found.old.split("; "))


@every_row(COUNTER)
def test_a_row_leaves_its_counter_examples_alone(row: Row, text: str) -> None:
    found = claim_of(text)
    assert not found.durable or (found.kind, found.act) != (row.kind, row.act)


def test_every_row_has_an_example() -> None:
    assert [row.pattern.pattern[:80] for _name, row in ROWS if not row.examples] == []


@every_row(
    [
        ("We live in Leeds.", "We moved to Oslo."),
        ("I live in Leeds.", "Our new flat is in Oslo."),
        ("My favourite sport is yoga.", "Pilates is my favourite sport now."),
        ("Therapy is every Tuesday at 4.", "Therapy moved from Tuesday to Thursday at 5:30."),
        ("The dentist appointment is on Friday.", "The dentist has been moved to Monday."),
        ("Our rent is 940 euros.", "I told you the rent was 940 and that's wrong, it's 980."),
        ("My wife Jana works late.", "I'm married to Ines."),
        ("My birthday is on 3 May.", "My birthday is 5 May."),
        ("Wir wohnen in Wien.", "Wir sind nach Graz gezogen."),
        ("Mein Lieblingssport ist Yoga.", "Pilates ist jetzt mein Lieblingssport."),
        ("Die Chorprobe ist immer mittwochs.", "Die Chorprobe ist jetzt montags statt mittwochs."),
        ("我住在杨浦。", "我们搬到松江了。"),
        ("房租4200。", "房租我说成4200说错了,应该是3800。"),
        ("大阪に住んでいます。", "先週、横浜に引っ越しました。"),
        ("英会話は毎週火曜の20時。", "英会話が木曜の20時に移った。"),
    ]
)
def test_other_words_for_one_thing_have_the_same_key(one: str, other: str) -> None:
    assert claim_of(one).key == claim_of(other).key is not None
    assert claim_of(one).value != claim_of(other).value


@pytest.mark.parametrize(
    "text",
    [
        "We live in Leeds now.", "We've moved to Leeds!", "I'm currently based in Leeds.",
        "Our flat is in Leeds, near the station.",
        "Leeds, baby! As of today we live here.", "We officially live in Leeds because of work.",
    ],
)  # fmt: skip
def test_a_value_is_the_same_however_the_sentence_goes_on(text: str) -> None:
    assert (claim_of(text).key, claim_of(text).value) == (("", "home"), "Leeds")


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("My sister Clara lives in Oslo.", "clara"),
        ("My sister lives in Oslo.", "sister"),
        ("Clara lives in Oslo.", "clara"),
        ("Maria: I live in Oslo.", "maria"),
        ("Maria: my sister Clara lives in Oslo.", "clara"),
        ("Meine Schwester Clara lebt in Oslo.", "clara"),
        ("我妹妹住在广州。", "妹妹"),
        ("弟の浩二が札幌に住んでいる。", "浩二"),
        ("小林住在上海。", "小林"),
        ("小林上周搬到了北京。", "小林"),
        ("Kenji搬到了北京。", "kenji"),
        ("美咲は京都に住んでいます。", "美咲"),
        ("Ines's favourite colour is teal.", "ines"),
    ],
)
def test_what_is_somebody_else_s_is_not_the_owner_s(text: str, subject: str) -> None:
    assert claim_of(text).subject == subject


@every_row([
        "Do we live in Leeds?", "Where should I live in Leeds?", "If I lived in Oslo, I'd ski.",
        "if I ever win the powerball I'm buying a lighthouse up in Door County",
        "I would move to Oslo.", "Maybe we moved to Oslo.", "I'm vegan, just kidding!",
        "I'm allergic to mornings lol", "I wish I lived in Oslo.",
        'She said "I live in Oslo now, darling".',
        "She told me I live in Oslo.", "Imagine we live in Oslo.",
        "wenn ich je nach Triest zieh, kauf ich mir ein Segelboot", "Ich würde in Oslo wohnen.",
        "Ich bin Vegetarier, kleiner Scherz!", "Wohnen wir in Wien?",
        "要是哪天我中了五百万,我就去大理开个民宿", "我对上班过敏,开玩笑的", "我住在哪里?",
        "もし会社をやめたら小豆島でうどん屋でもやる", "前世は忍者だったらしい",
        "大阪に住んでいますか?",
        "It was great!", "Thanks so much!", "She lives there.", "I'm a big fan of yours.",
        "J'habite à Lyon.", "Vivo en Madrid.",
        "One more meeting like this and I'm moving to Lapland.", "At this rate I live in Leeds.",
        "Noch so ein Winter und ich ziehe nach Lissabon.",
        "Ich schwör, ich wohne bald in Linz.",
    ])  # fmt: skip
def test_what_is_asked_imagined_joked_or_quoted_is_not_durable(text: str) -> None:
    assert not claim_of(text).durable or claim_of(text).subject in {"she", "he"}


def test_a_laugh_about_something_else_leaves_a_fact_standing() -> None:
    found = claim_of("we live in Wauwatosa in a place built in 1940 so the cabinets are tiny lol")
    assert (found.durable, found.value) == (True, "Wauwatosa")


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Nashville in April is off.", "priya and i are flying to nashville april 10"),
        ("it's video now, Thursdays at 5:30 not Tuesdays at 4", "I'm at therapy, Tuesdays at 4"),
        ("Correction: it's 68 m², not 74 m².", "Our flat has 74 m²."),
        ("Obertauern abgesagt.", "Am 14. geht's mit dem Georg nach Obertauern."),
        ("Marmeladesemmel ist Geschichte.", "Marmeladesemmel ist jetzt mein Frühstück"),
        ("厦门不去了", "月底我要带她去厦门玩三天"),
        ("コンペが中止になった", "3月20日は会社のゴルフコンペで留守"),
        ("I no longer eat meat.", "I eat meat on Sundays."),
    ],
)  # fmt: skip
def test_what_is_over_is_recognised_in_what_was_said_before(newer: str, older: str) -> None:
    assert takes_back(claim_of(newer), older)
    assert not takes_back(claim_of(newer), "My sister Clara plays the cello.")


@every_row([
        ("I work at the county library.", "I started at the Royal as a ward manager."),
        ("I work at Barclays.", "I left Barclays and joined Nordea."),
        ("I work at Barclays.", "I'm now a data engineer at Nordea."),
        ("I work four days a week.", "I've gone down to three days a week."),
        ("I'm on nights till the 14th.", "back on days from tomorrow"),
        ("I have porridge for breakfast.", "Breakfast is yoghurt now."),
        ("I drink coffee in the morning.", "I start the day with green tea now."),
        ("I take the number 9 bus to work.", "I cycle to work now."),
        ("I sing in a choir on Mondays.", "Choir's moved to Wednesdays."),
        ("I go to the gym three times a week.", "I go to the gym twice a week now."),
        ("Ich arbeite bei Siemens.", "Hab letzte Woche bei Bosch angefangen."),
        ("Ich arbeite bei Siemens.", "Mein neuer Arbeitgeber ist Bosch."),
        ("Ich wohne in Wien.", "Wir sind umgezogen, jetzt wohnen wir in Linz."),
        ("Ich wohne in Wien.", "Der Umzug nach Linz ist geschafft."),
        ("Zum Frühstück esse ich Müsli.", "Ich esse zum Frühstück jetzt Joghurt."),
        ("Ich trinke morgens Kaffee.", "Morgens gibt's jetzt Matcha."),
        ("Ich fahre mit der Linie 5 zur Arbeit.", "Ich fahre jetzt mit der Linie 9 zur Arbeit."),
        ("Jeden Dienstag hab ich Yoga.", "Wir haben das Yoga auf Donnerstag verlegt."),
        ("Mein MRT ist am 12. Mai.", "Das MRT hab ich hinter mir."),
        ("東和商事で働いている", "今の会社は青葉電機です"),
        ("東和商事に勤めている", "青葉電機での仕事が始まった"),
        ("福岡に住んでいます", "やっと熊本に越してきた"),
        ("福岡に住んでいます", "引っ越して、今は熊本です"),
        ("毎朝コーヒーを飲んでいる", "朝は紅茶にした"),
        ("英会話は火曜の20時", "今度から英会話は木曜"),
        ("4月に家族で金沢へ行く", "金沢旅行、結局やめた"),
    ])  # fmt: skip
def test_a_new_job_home_or_habit_ends_the_old_one(older: str, newer: str) -> None:
    assert takes_back(claim_of(newer), older)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I work at Barclays.", "My brother started at Nordea as a clerk."),
        ("I work at Barclays.", "I started at the bottom as a cleaner."),
        ("I take the bus to work.", "I walk to work on Fridays."),
        ("Ich arbeite bei Siemens.", "Mein Bruder hat bei Bosch angefangen."),
        ("Ich arbeite bei Siemens.", "Ich hab bei Null angefangen."),
        ("Ich wohne in Erfurt.", "Meine Schwester wohnt jetzt in Jena."),
        ("福岡に住んでいます", "熊本に来てる"),
        ("東和商事で働いている", "今の会社は渋谷駅の近く"),
    ],
)
def test_somebody_else_s_news_or_another_matter_ends_nothing(older: str, newer: str) -> None:
    assert not takes_back(claim_of(newer), older)


@every_row(
    [
        ("My stand-up is on Tuesdays.", "My stand-up is at 10:00.", False),
        ("My stand-up is at 11:00.", "My stand-up is at 10:00.", True),
        ("My exam is on 3 May.", "My exam is on 5 May.", True),
        ("We live in Leeds now.", "We live in Leeds, near Roundhay.", False),
        ("My sister lives in Oslo.", "I live in Leeds.", False),
        ("Clara moved to Oslo.", "Maria: I live in Leeds.", False),
        ("Kenji搬到了北京。", "Marta住在上海。", False),
        ("The meeting is off.", "I hate long meetings.", False),
        ("The meeting is off.", "We have a meeting with HR on Thursday.", True),
        ("I no longer drive on Mondays.", "I drive a Fiesta.", False),
        ("Correction: it's 68 m², not 74.", "Our flat has 74 m².", True),
        ("Correction: it's 68 m², not 74.", "My mum is 74.", False),
        ("I meant 9, not 8.", "My son Theo is 8.", False),
        ("Our chat is now Slack instead of Teams.", "Our team chat is on Teams.", True),
        ("Our chat is now Slack instead of Teams.", "Marta's team ships on Thursdays.", False),
        ("My wife no longer eats meat.", "I eat meat on Sundays.", False),
        ("Actually it's Carla, not Clara.", "My sister Clara plays the cello.", True),
        (
            "I misspoke: it was 1904 and not 1902 that the Lindqvists sailed.",
            "The Lindqvists came over in 1902, we think.",
            True,
        ),
        (
            "I misspoke: it was 1904 and not 1902 that the Lindqvists sailed.",
            "The Lindqvists had six children.",
            False,
        ),
        ("前に妻の実家を松山って書いたけど間違い、高松だ。", "実家は松山で、海が近い", True),
        ("前に妻の実家を松山って書いたけど間違い、高松だ。", "松山に出張で行った", False),
    ]
)
def test_only_another_value_of_the_same_thing_takes_one_back(
    newer: str, older: str, expected: bool
) -> None:
    assert takes_back(claim_of(newer), older) is expected


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("My gym membership is valid until 30 April 2026.", date(2026, 4, 30)),
        ("We're flying to Oslo on 2026-04-10.", date(2026, 4, 10)),
        ("I have an exam tomorrow (2026-03-06).", date(2026, 3, 6)),
        ("Mein Abo läuft bis 31. Mai 2026.", date(2026, 5, 31)),
        ("App会员2026年5月20日到期", date(2026, 5, 20)),
        ("ジムの会員は2026年5月31日まで", date(2026, 5, 31)),
        ("I was born on 3 May 1990.", None),
        ("I went to Oslo on 2026-04-10.", None),
    ],
)
def test_what_is_planned_or_limited_ends(text: str, ends: date | None) -> None:
    assert claim_of(text).valid_to == ends


def test_a_year_that_nobody_gave_is_the_coming_one_where_the_day_is_known_that_it_was_said() -> (
    None
):
    text = "We're flying to Oslo on April 10."
    assert claim_of(text).valid_to is None
    assert claim_of(text, date(2026, 3, 5)).valid_to == date(2026, 4, 10)


def test_a_label_names_the_attribute() -> None:
    assert claim_of("**Wi-Fi**: heron-5G").key == ("", "wi fi")
    assert claim_of("release day: Thursday").value == "Thursday"
    assert claim_of("Correction: the trip is off.").act is Act.CANCELS


def test_what_is_asked_to_be_remembered_says_so() -> None:
    found = claim_of("remember this for me: the spare key is with Mr. Hallberg")
    assert (found.act, found.durable) == (Act.ASKS, True)
    assert claim_of("Do you remember when we met?") == Claim()
    assert claim_of("Remember to have fun!").act is not Act.ASKS


def test_kinds_tell_what_sort_of_thing_is_said() -> None:
    said = {
        "I'm allergic to nuts.": Kind.HEALTH,
        "I prefer tea.": Kind.PREFERENCE,
        "Always answer in metric.": Kind.INSTRUCTION,
        "We've decided to sell the car.": Kind.DECISION,
        "I have an exam tomorrow.": Kind.PLAN,
        "I went to Oslo yesterday.": Kind.EVENT,
        "My brother Tom called.": Kind.RELATION,
    }
    assert {text: claim_of(text).kind for text in said} == said


@pytest.mark.parametrize(
    "text",
    [
        "dairy and me dont get on so none of that.",
        "We never got on with the people upstairs.",
        "Mit den Nachbarn kamen wir nie zurecht.",
        "我跟楼上邻居一直合不来。",
        "うちは上の階の人とは昔から合わない。",
    ],
)
def test_something_of_one_s_own_life_is_told_in_any_form(text: str) -> None:
    assert tells_of_self(f"- 09:00 {text}")


@every_row(
    [
        "",
        "?",
        "Bread rises twice.",
        "He got on with us.",
        '"I\'m looking forward to meet you again."',
        "If we ever get a dog it's a greyhound for us.",
        "I'm basically a bat at this point haha",
        "I shall be buried with the filing cabinet, ha.",
        "Give me five ideas for my party.",
        "What do we do with the leftovers?",
        "I'm so tired right now.",
        "At this rate we never get out of the garage.",
        "We are a circus with a mortgage ;)",
        "Bei uns regiert offiziell der Kater.",
        "My email to you got lost.",
        "Maria: I never got on with the people upstairs.",
        "Wenn ich je umzieh, dann ohne Nachbarn.",
        "Schreib meiner Chefin ab.",
        "如果我们养狗，就养灰狗。",
        "もし犬を飼うなら、うちはグレイハウンドだ。",
    ]
)
def test_what_is_asked_imagined_laughed_at_or_of_the_moment_is_not(text: str) -> None:
    assert not tells_of_self(text)


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from([t for _r, t in EXAMPLES]), max_size=3).map(" ".join)
)
def test_no_text_is_too_strange(text: str) -> None:
    found = claim_of(text)
    assert len(found.value) <= 80
    assert len(found.attribute) <= 80
    takes_back(found, text)


@pytest.mark.parametrize(
    "unit",
    ["I live in Oslo and ", "my sister ", "a, b - c; ", "I went, ", "moved to ", "is not ",
     "ich habe ",
     "Das ist nicht ", "我对", "我的", "英会話が", "の", "2026-03-01 ",
     "the 6th ", "every Tuesday at 4, "],
)  # fmt: skip
def test_time_grows_with_length_only(unit: str) -> None:
    assert_linear(undated.__wrapped__, lambda times: unit * times, least=16)


@pytest.mark.parametrize(
    ("older", "newer", "is_over"),
    [
        ("We rent a flat on the third floor.", "We moved to Leeds.", True),
        ("We're looking for a two-bed flat in Leeds.", "We moved to Leeds.", True),
        ("My sister rents a flat on the third floor.", "We moved to Leeds.", False),
        ("Our flat is on a hill in Leeds.", "We moved to Leeds.", False),
        ("I am looking for a good place to eat.", "We moved to Leeds.", False),
        ("Wir wohnen zur Miete im dritten Stock.", "Wir sind nach Linz gezogen.", True),
        ("Unsere Wohnung liegt im 3. Stock.", "Wir sind nach Linz gezogen.", True),
        ("Wir suchen eine Dreizimmerwohnung.", "Wir sind nach Linz gezogen.", True),
        ("Meine Mutter wohnt im 3. Stock.", "Wir sind nach Linz gezogen.", False),
        ("家は駅から徒歩10分の1LDK。", "大阪に引っ越しました。", True),
        ("梅田で2LDKを探している。", "梅田に引っ越しました。", True),
        ("妹は1LDKに住んでいる。", "大阪に引っ越しました。", False),
    ],
)
def test_a_move_ends_what_was_said_of_the_dwelling(older: str, newer: str, is_over: bool) -> None:
    assert takes_back(claim_of(newer), older) == is_over


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("My dentist is Dr. Nowak.", "Dr Nowak"),
        ("I work at St. Mary's hospital.", "St Mary's hospital"),
        ("My name is Prof. Jane Lund.", "Prof Jane Lund"),
        ("I always sign off with D. Okafor, never Dana", "sign off with D Okafor"),
        ("Mein Hausarzt ist Dr. Weber.", "Dr Weber"),
        ("I live at No. 5 Mill Lane.", ""),
        ("Our rent is 1,610 euros.", "1,610 euros"),
    ],
)
def test_a_value_goes_on_after_the_point_of_a_title(text: str, value: str) -> None:
    assert value in claim_of(text).value


def test_two_doctors_are_two_values() -> None:
    assert takes_back(claim_of("My new doctor is Dr. Weber."), "My doctor is Dr. Nowak.")
    assert not takes_back(claim_of("My doctor is Dr Nowak."), "My doctor is Dr. Nowak.")


def test_a_rent_is_no_age_and_emphasis_no_other_word() -> None:
    assert claim_of("Rent is 1,610 euros.").attribute == "rent"
    assert claim_of("Always *provide* sources.").kind is Kind.INSTRUCTION
    assert claim_of("I live in **Leeds**.").value == "Leeds"


@pytest.mark.parametrize(
    "text",
    ["I'm Captain Zara.", "I'm South African.", "I'm New Zealand born.", "Ich bin Team Tee."],
)
def test_who_plays_a_part_or_belongs_somewhere_gives_no_name(text: str) -> None:
    assert claim_of(text).attribute != "name"


def test_a_new_employer_is_known_by_its_name() -> None:
    found = claim_of("Starting at Tideway Bank on the 19th.")
    assert (found.key, found.value) == (("", "employer"), "Tideway Bank")
    assert takes_back(found, "I work at Barclays.")
    assert claim_of("I'm starting at the gym on Monday.").attribute == ""
