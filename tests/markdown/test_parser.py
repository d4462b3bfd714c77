from markdown_it import MarkdownIt

from memoryweb.markdown.blocks import ready


def test_a_parser_has_its_rules_before_the_first_thread_comes() -> None:
    parser = ready(MarkdownIt("commonmark"))
    rulers = (parser.core.ruler, parser.block.ruler, parser.inline.ruler, parser.inline.ruler2)
    assert all(ruler.__cache__ for ruler in rulers)
