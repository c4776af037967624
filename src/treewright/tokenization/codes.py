"""Codes of languages (ISO 639), and the names of some."""

from __future__ import annotations

import re

from treewright.errors import UsageError

__all__ = ["check_language", "main_code", "name_of_language"]

_TWO_LETTERS = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo
es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg
ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn
no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw
ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""

#: The code of a language → its name, and its codes of three letters where it has one of two.
_NAMES = {
    "af": "Afrikaans afr",
    "ar": "Arabic ara arb",
    "cs": "Czech ces cze",
    "da": "Danish dan",
    "de": "German deu ger",
    "el": "Greek ell gre",
    "en": "English eng",
    "es": "Spanish spa",
    "eu": "Basque eus baq",
    "fi": "Finnish fin",
    "fr": "French fra fre",
    "ga": "Irish gle",
    "gd": "Gaelic gla",
    "got": "Gothic",
    "he": "Hebrew heb",
    "hr": "Croatian hrv",
    "hu": "Hungarian hun",
    "is": "Icelandic isl ice",
    "it": "Italian ita",
    "ja": "Japanese jpn",
    "ko": "Korean kor",
    "lt": "Lithuanian lit",
    "nl": "Dutch nld dut",
    "pl": "Polish pol",
    "pt": "Portuguese por",
    "ru": "Russian rus",
    "sk": "Slovak slk slo",
    "sl": "Slovenian slv",
    "sv": "Swedish swe",
    "tr": "Turkish tur",
    "zh": "Chinese zho chi",
}


def main_code(language: str) -> str:
    """Return the code of a language without a region: ``pt`` for ``pt-BR``."""
    return language.replace("_", "-").split("-")[0].lower()


def name_of_language(code: str) -> str:
    """Return the English name of a language, or its code where the name is not known here.

    Examples
    --------
    >>> name_of_language("de"), name_of_language("yo")
    ('German', 'yo')
    """
    return _NAMES.get(main_code(code), code).split()[0]


def check_language(code: str) -> str:
    """Return the code of a language, if it can be one: two or three letters (ISO 639), perhaps with a region.

    An empty string, for no language, passes, and so does any code of three letters that does not stand for one of two.

    Raises
    ------
    UsageError
        If it is none, with the code that may be meant.

    Examples
    --------
    >>> check_language("pt-BR"), check_language("got")
    ('pt-BR', 'got')
    >>> check_language("german")
    Traceback (most recent call last):
    treewright.errors.UsageError: 'german' is not an ISO 639 code of a language; German is de
    """
    main = main_code(code)
    meant = next((short for short, about in _NAMES.items() if main in about.lower().split()), "")
    if meant:
        hint = f"; {name_of_language(meant)} is {meant}"
    elif not code or main in _TWO_LETTERS.split() or re.fullmatch("[a-z]{3}", main):
        return code
    else:
        hint = ", such as en, pt-BR or got"
    raise UsageError(f"{code!r} is not an ISO 639 code of a language{hint}")
