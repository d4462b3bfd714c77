import pytest

from memoryweb.memory.categories import HEADINGS, Category, categorise


@pytest.mark.parametrize(
    ("statement", "category"),
    [
        ("Ada is from Norway.", Category.IDENTITY),
        ("The user wants to be called Sam.", Category.COMMITMENT),
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
