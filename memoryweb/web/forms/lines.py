from django import forms

_MOST = 2**31 - 1


class LinesForm(forms.Form):
    """Lines of a text with this hash, both included."""

    first = forms.IntegerField(min_value=1, max_value=_MOST)
    last = forms.IntegerField(min_value=1, max_value=_MOST)
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$")
