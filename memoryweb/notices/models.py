from django.db import models

from memoryweb.fields import PlainCharField


class MailNotice(models.Model):
    """What a person wants to hear by mail, from all of their teams; without a row nothing.

    Not scoped: it is about a person. What a mail tells is asked of each team when it is sent.
    """

    user = models.OneToOneField(
        "accounts.User", models.CASCADE, primary_key=True, related_name="mail_notice"
    )
    learned = models.BooleanField(default=False)
    waits = models.BooleanField(default=False)
    failed = models.BooleanField(default=False)
    site = PlainCharField(max_length=200, help_text="where it was chosen, for the links of a mail")
    language = PlainCharField(max_length=8, blank=True, help_text="that it was chosen in")
    told_until = models.DateTimeField(help_text="what happened before is not told any more")
    due_at = models.DateTimeField(null=True, db_index=True, help_text="null: never")
    attempts = models.IntegerField(default=0, help_text="of today's mail")
    sent_at = models.DateTimeField(null=True)
    error = PlainCharField(max_length=32, blank=True, help_text="a code, of the last attempt")

    def __str__(self) -> str:
        return f"mail to {self.user_id}"

    @property
    def is_on(self) -> bool:
        return self.learned or self.waits or self.failed
