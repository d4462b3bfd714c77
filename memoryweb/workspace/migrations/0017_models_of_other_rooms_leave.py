from django.db import migrations


class Migration(migrations.Migration):
    """Lines, what waits and uploads have rooms of their own; their tables stay as they are."""

    dependencies = [
        ("workspace", "0016_no_proposals_of_programs_before"),
        ("provenance", "0001_lines_have_a_room"),
        ("review", "0001_what_waits_has_a_room"),
        ("snapshots", "0001_uploads_have_a_room"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name)
                for name in (
                    "HeldSecret",
                    "KeptLine",
                    "LineOrigin",
                    "PastOrigin",
                    "Proposal",
                    "Upload",
                )
            ]
        )
    ]
