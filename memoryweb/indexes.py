"""Taking a foreign key's own index away, where others cover it."""

from typing import Any

from django.db.migrations import AlterField


class WithoutIndex(AlterField):
    """Django's own makes the whole table again on SQLite, which takes long and drops triggers."""

    def database_forwards(self, app_label: str, editor: Any, before: Any, after: Any) -> None:
        model = before.apps.get_model(app_label, self.model_name)
        column = model._meta.get_field(self.name).column
        with editor.connection.cursor() as cursor:
            found = editor.connection.introspection.get_constraints(cursor, model._meta.db_table)
        named = {index.name for index in model._meta.indexes}
        for name, said in found.items():
            is_only_index = said["index"] and not (said["unique"] or said["primary_key"])
            if is_only_index and said["columns"] == [column] and name not in named:
                editor.execute(f"DROP INDEX {editor.quote_name(name)}")

    def database_backwards(self, app_label: str, editor: Any, before: Any, after: Any) -> None:
        model = after.apps.get_model(app_label, self.model_name)
        field = model._meta.get_field(self.name)
        editor.execute(editor._create_index_sql(model, fields=[field]))
