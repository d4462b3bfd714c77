import pytest

from memoryweb.language.categories import HEADINGS, Category, categorise


@pytest.mark.parametrize(
    ("statement", "category"),
    [
        ("Ada is from Norway.", Category.IDENTITY),
        ("The user wants to be called Sam.", Category.IDENTITY),
        ("Ada lives in Oslo.", Category.IDENTITY),
        ("李雷叫李雷，住在上海。", Category.IDENTITY),
        ("田中は大阪に住んでいます。", Category.IDENTITY),
        ("Ada's husband cooks well.", Category.RELATION),
        ("Ada and others have a dog named Rex.", Category.RELATION),
        ("李雷的妻子很高。", Category.RELATION),
        ("田中は猫を二匹飼っています。", Category.RELATION),
        ("Ada works as a nurse.", Category.WORK),
        ("Dana's team ships on Thursdays, never on Fridays.", Category.WORK),
        ("李雷在一家公司上班。", Category.WORK),
        ("田中は銀行で働いています。", Category.WORK),
        ("Ada loves old films.", Category.PREFERENCE),
        ("用户不吃香菜。", Category.PREFERENCE),
        ("田中は寿司が好きです。", Category.PREFERENCE),
        ("Ada decided to sell their boat.", Category.DECISION),
        ("李雷他们决定2024-05-17发布新版本。", Category.DECISION),
        ("田中たちはRustを使うことにしました。", Category.DECISION),
        ("Ada is going to open a bakery.", Category.COMMITMENT),
        ("Ada will visit Rome on 2024-06-01.", Category.COMMITMENT),
        ("李雷打算2025年去日本。", Category.COMMITMENT),
        ("田中は2024-05-17に東京へ出張します。", Category.COMMITMENT),
        ("Ada bought a canoe on 2024-05-07.", Category.EVENT),
        ("2024-05-07李雷去了杭州。", Category.EVENT),
        ("田中は2024-05-07、映画を見ました。", Category.EVENT),
        ("Blue calms Ada.", Category.OTHER),
        ("", Category.OTHER),
    ],
)
def test_a_statement_has_its_kind(statement: str, category: Category) -> None:
    assert categorise(statement) == category


def test_what_only_explains_does_not_change_the_kind() -> None:
    assert categorise("Ada loves old films. They will go to a festival.") == Category.PREFERENCE


def test_every_kind_has_a_heading_of_its_own() -> None:
    assert set(HEADINGS) == set(Category)
    assert len(set(HEADINGS.values())) == len(Category)


@pytest.mark.parametrize(
    ("statement", "category"),
    [
        ("Ada is a widow.", Category.IDENTITY),
        ("Ada was born in 1988.", Category.IDENTITY),
        ("Ada is dating someone new.", Category.RELATION),
        ("Ada used to be a teacher.", Category.WORK),
        ("Ada is saving up for a trip to Iceland.", Category.COMMITMENT),
        ("Ada has visited Spain and Portugal.", Category.EVENT),
        ("Ada owns three banjos.", Category.PREFERENCE),
        ("Ada is Norwegian.", Category.IDENTITY),
        ("Ada's full name is Ada Berg.", Category.IDENTITY),
        ("Ada lives in Oslo with their husband Tom.", Category.IDENTITY),
        ("Ada moved from Chile.", Category.IDENTITY),
        ("Ada's home country is Chile.", Category.IDENTITY),
        ("Ada's sister lives in Quito.", Category.RELATION),
        ("Ada's guinea pig is called Nib.", Category.RELATION),
        ("Ada's daughter Ilse has her birthday on 9 March.", Category.RELATION),
        ("Ada has three sons.", Category.RELATION),
        ("Ada has known their friends for 6 years.", Category.RELATION),
        ("Ada is a nurse at a clinic.", Category.WORK),
        ("Ada wants to become a pilot.", Category.WORK),
        ("Ada is looking into jobs in forestry.", Category.WORK),
        ("Ada owns a bakery in Leeds.", Category.WORK),
        ("Ada's business opens at six every morning.", Category.WORK),
        ("The status page is updated within 15 minutes of an outage.", Category.WORK),
    ],
)
def test_what_somebody_is_or_does_decides(statement: str, category: Category) -> None:
    assert categorise(statement) == category


@pytest.mark.parametrize(
    ("statement", "category"),
    [
        ("Ada runs ten kilometres every morning before work.", Category.PREFERENCE),
        ("Ada's pottery class is fun, and they love painting bowls.", Category.PREFERENCE),
        ("Ada's team won the chess final on 2024-05-04.", Category.EVENT),
        ("Ada loves reading with their kids.", Category.PREFERENCE),
        ("Ada loved reading comics as a kid.", Category.PREFERENCE),
        ("Ada plays the cello.", Category.PREFERENCE),
        ("Ada has got lots of kids' books.", Category.PREFERENCE),
        ("Ada took their kids to the lake on 2024-05-04.", Category.EVENT),
        ("The old lift will be switched off on 2024-06-15.", Category.COMMITMENT),
        ("Ada is putting together an art show in June 2024.", Category.COMMITMENT),
        ("Marco visits Ada on 2024-06-08.", Category.COMMITMENT),
        ("Ada is opening a choir because they love singing.", Category.PREFERENCE),
        ("Ada is starting a dance studio because they love music.", Category.WORK),
        ("Ada asked to never be called on Fridays.", Category.DECISION),
        ("田中の希望：週報を毎週月曜日に送ってください。", Category.DECISION),
        ("田中は毎週金曜日に営業会議があります。", Category.WORK),
    ],
)
def test_a_word_in_passing_does_not_decide(statement: str, category: Category) -> None:
    assert categorise(statement) == category
