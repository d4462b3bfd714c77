"""What had ended of a statement holds again, because a person says so."""

from memoryweb.markdown.marks import Ended, marked, part
from memoryweb.memory.facts import StatementGone, check_person, locked, put_in, record
from memoryweb.memory.models import Fact
from memoryweb.memory.models.writer import Place, Transaction, Writer
from memoryweb.memory.statements.bullets import all_bullets_of
from memoryweb.memory.statements.moves import stored
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import WriteResult


def still_true(
    tx: Transaction, fact: Fact, *, writer: Writer, words: str = ""
) -> WriteResult | None:
    """All that had ended of it holds, or these words alone, and the person confirms it. None where
    no line changed.

    Raises WriteRefused, StatementGone and what memory.write raises.
    """
    check_person(writer)
    fact = locked(fact)
    left = tuple(one for one in fact.ended if words and one.words != words)
    if words and left == fact.ended:
        raise StatementGone
    written = _unmarked(tx, fact, left, writer)
    now = locked(fact)
    now.raw_ended = stored(left)
    now.confirmed_at, now.confirmed_by = tx.now, writer.user
    now.hidden_at = now.hidden_by = None
    now.save(update_fields=["raw_ended", "confirmed_at", "confirmed_by", "hidden_at", "hidden_by"])
    record(tx, "fact.still_true", now)
    return written if written and written.changed else None


def _unmarked(
    tx: Transaction, fact: Fact, left: tuple[Ended, ...], writer: Writer
) -> WriteResult | None:
    if fact.file is None:
        return put_in(tx, fact, writer=writer, ended=left) if fact.state in Fact.OVER else None

    def living(content: str) -> str:
        lines = content.split("\n")
        for one in all_bullets_of(content, fact.path):
            if one.print == fact.fingerprint and one.ended:
                line, ended = part(lines[one.end - 1])
                lines[one.end - 1] = marked(line, [it for it in ended if it in left])
        return "\n".join(lines)

    place = Place(fact.agent, fact.owner, fact.file.path)
    return write.change(tx, place, living, writer=writer)
