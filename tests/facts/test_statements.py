from memoryweb.memory.statements.bullets import Statement, statements_of

TEXT = """# Memory

Prose says nothing by itself.

## Preferences

- **Tea**: green
- Likes long
  walks.

## Anna

- phone: 555 1234
<!-- pinned -->
- Anna sings.
<!-- /pinned -->

| a | b |
|---|---|

```
- no statement
```
- likes long walks
"""


def test_bullets_are_statements_and_nothing_else_is() -> None:
    found = statements_of(TEXT, "MEMORY.md")
    assert [one.text for one in found] == [
        "**Tea**: green",
        "Likes long walks.",
        "phone: 555 1234",
        "Anna sings.",
    ]
    assert [(one.line, one.end) for one in found] == [(7, 7), (8, 9), (13, 13), (15, 15)]


def test_the_heading_is_the_subject_of_a_key_unless_it_names_a_kind() -> None:
    tea, _walks, phone, _sings = statements_of(TEXT, "MEMORY.md")
    assert tea.claim.key == ("", "tea")
    assert phone.claim.key == ("anna", "phone number")


def test_a_pronoun_is_no_subject() -> None:
    assert Statement("She is flying to Rome on 2027-03-03.").claim.subject == ""
    assert Statement("Nora is flying to Rome on 2027-03-03.").claim.subject == "nora"


def test_the_title_of_a_file_is_no_subject() -> None:
    (city,) = statements_of("# Contacts\n\n- city: Leeds\n", "structured/contacts.md")
    assert city.claim.key == ("", "city")


def test_notes_hold_no_statements() -> None:
    assert statements_of("- Anna sings.\n", "memory/2026-11-20.md") == []
