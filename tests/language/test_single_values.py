"""Which two sentences can't both be true, where no attribute is known: those about one thing that
differ in a number or a place, and no others."""

from memoryweb.language.single_values import tells_otherwise
from tests.tables import every_row


@every_row(
    [
        ("The printer is in room 4.", "The printer is in room 7."),
        ("the spare key is in locker 12", "The spare key is in locker 14!"),
        ("Our support line is extension 204.", "Our support line is extension 209."),
        ("The limit is 40 requests a minute.", "The limit is 60 requests a minute."),
        ("The archive is in Leeds.", "The archive is now in York."),
        ("The archive is in New York.", "The archive is in Leeds."),
        ("Der Drucker steht in Raum 4.", "Der Drucker steht in Raum 7."),
        ("Unser Lager liegt in Kiel.", "Unser Lager liegt jetzt in Essen."),
        ("The shop opens at nine.", "The shop opens at ten."),
        ("The shop opens at nine.", "The shop opens at 10."),
        ("Our limit is five requests a minute.", "Our limit is six requests a minute."),
        ("Der Laden öffnet um neun.", "Der Laden öffnet um zehn Uhr."),
        ("Der Drucker steht in Raum vier.", "Der Drucker steht in Raum sieben."),
        ("打印机在4号房间。", "打印机在7号房间。"),
        ("打印机放在三楼。", "打印机放在五楼。"),
        ("商店九点开门。", "商店十点开门。"),
        ("商店9点开门。", "商店十点开门。"),
        ("门的密码是4711。", "门的密码是4171。"),
        ("仓库在北京。", "仓库现在在上海。"),
        ("プリンターは4号室にあります。", "プリンターは7号室にあります。"),
        ("プリンターは三階にあります。", "プリンターは五階にあります。"),
        ("店は九時に開きます。", "店は10時に開きます。"),
        ("倉庫は大阪にあります。", "倉庫は京都にあります。"),
        ("合言葉の番号は4711です。", "合言葉の番号は4171です。"),
    ]
)
def test_these_disagree(one: str, other: str) -> None:
    assert tells_otherwise(one, other)
    assert tells_otherwise(other, one)
    assert not tells_otherwise(one, one)


@every_row(
    [
        ("I was in Paris.", "I was in Rome."),
        ("The team was in Paris.", "The team was in Rome."),
        ("Nora visited Paris.", "Nora visited Rome."),
        ("A printer is in room 4.", "A printer is in room 7."),
        ("There is a printer in room 4.", "There is a printer in room 7."),
        ("Printers are in room 4.", "Printers are in room 7."),
        ("The first printer is in room 4.", "The first printer is in room 7."),
        ("The big printer is in room 4.", "The small printer is in room 7."),
        ("Printer 1 is in room 4.", "Printer 2 is in room 7."),
        ("The printer 1 is in room 4.", "The printer 2 is in room 7."),
        ("The next meeting is in room 4.", "The next meeting is in room 7."),
        ("The customer is Acme.", "The customer is Bolt."),
        ("The printer is in room 4, or 7.", "The printer is in room 5, or 7."),
        ("The printer is in room 4.", "The printer is in use."),
        ("The shop opens at nine.", "The shop opens at 9."),
        ("The shop opens at nine.", "The shop closes at ten."),
        ("The printer is in room four or seven.", "The printer is in room five or seven."),
        ("Der Laden öffnet um neun.", "Der Laden öffnet um 9."),
        ("商店九点开门。", "商店9点开门。"),
        ("商店九点开门。", "商店十点关门。"),
        ("我在北京。", "我在上海。"),
        ("小王在北京。", "小王在上海。"),
        ("电话是12345。", "电话是54321。"),
        ("車は3台です。", "車は4台です。"),
        ("打印机在使用中。", "打印机在修理中。"),
        ("下次会议在4号房间。", "下次会议在7号房间。"),
        ("打印机在4号房间或7号房间。", "打印机在5号房间或7号房间。"),
        ("店は九時に開きます。", "店は9時に開きます。"),
        ("妹は大阪にいます。", "妹は京都にいます。"),
        ("次の会議は4号室です。", "次の会議は7号室です。"),
        ("田中さんは4号室です。", "田中さんは7号室です。"),
    ]
)
def test_both_of_these_may_be_true(one: str, other: str) -> None:
    assert not tells_otherwise(one, other)
