"""Codes of languages."""

import pytest

from treewright.errors import UsageError
from treewright.tokenization import check_language, main_code, name_of_language
from treewright.tokenization.languages import _LANGUAGES


@pytest.mark.parametrize(
    "code", ["", "en", "pt-BR", "pt_BR", "zh-Hant", "got", "grc", *(one.code for one in _LANGUAGES)]
)
def test_codes_pass(code):
    assert check_language(code) == code


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("german", "German is de"),
        ("English", "English is en"),
        ("deu", "German is de"),
        ("xx", "such as"),
        ("e", "such as"),
    ],
)
def test_what_is_no_code_is_refused(code, hint):
    with pytest.raises(UsageError, match=f"'{code}' is not an ISO 639 code of a language.*{hint}"):
        check_language(code)


def test_names():
    assert (main_code("pt_BR"), name_of_language("pt-BR"), name_of_language("xyz")) == ("pt", "Portuguese", "xyz")
