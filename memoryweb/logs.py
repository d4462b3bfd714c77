import logging
import re

_LINK = re.compile(r"(/join/)[\w-]+")


class WithoutLinks(logging.Filter):
    """The secret of a link, which is good for whoever has it, stands in no log."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        masked = _LINK.sub(r"\1…", said)
        if masked != said:
            record.msg, record.args = masked, ()
        return True
