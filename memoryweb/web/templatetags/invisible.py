"""Text of users on a page that is no Markdown: what cannot be seen is shown."""

from django import template

from memoryweb.web import markdown

register = template.Library()
register.filter("visible", markdown.plain)
